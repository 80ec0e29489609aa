import { fakeService } from './fakeService';
import { getCrfParameters, itemsForRfcs, rfcs } from './support';

const wanted = rfcs(3);
/** The API Mapping gives the RFC another name, and an additional field has the RFC's old one. */
const apiMapping = { fields: { getCrf: { rfc: 'taxId' } } };
const additionalBodyFields = '{"rfc":"EKU9003173C9"}';

describe('a field that the API Mapping renames, beside an additional one of its old name,', () => {
	let service: Awaited<ReturnType<typeof fakeService>>;
	beforeEach(async () => (service = await fakeService()));
	afterEach(async () => await service.close());
	const requested = () => service.billed.map(({ query }) => query.taxId).sort();

	it('distinguishes the items of an execution', async () => {
		await service.run(getCrfParameters({}, { additionalBodyFields }), {
			items: itemsForRfcs(wanted),
			...service.mapped(apiMapping),
		});
		expect(requested()).toEqual([...wanted].sort());
	});

	it('distinguishes the listed queries that may be reused', async () => {
		const hours = getCrfParameters({ reuse: 'hours', reuseHours: 5 }, { additionalBodyFields });
		for (const rfc of [wanted[0], wanted[1], wanted[0]])
			await service.run(hours, { items: itemsForRfcs([rfc]), ...service.mapped(apiMapping) });
		expect(requested()).toEqual([wanted[0], wanted[1]].sort());
	});
});
