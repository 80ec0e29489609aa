import { freshSandboxForEachTest } from '../../support/sandboxForTestGroup';
import { fakeService, respondJson } from './fakeService';
import {
	curps,
	getCrfParameters,
	itemsForRfcs,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';

const HOURS = { reuse: 'hours', reuseHours: 24 };

describe('a record of a status that the API Mapping does not know', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox, { statusWords: { success: 'FERTIG' } });
	const waiting = getCrfParameters({ waitForResult: true, maxWait: 1 });
	const billed = async () => (await sandbox.ledger()).length;

	it('comes out marked when the time to wait is over, and is never reused', async () => {
		const { items } = await sandbox.run(waiting, { items: itemsForRfcs(rfcs(1)) });
		await sandbox.run(getCrfParameters(HOURS), { items: itemsForRfcs(rfcs(1)) });
		expect(items.map(({ json }) => json)).toMatchObject([
			{ statusUnknown: true, warnings: [{ code: 'unknownStatus' }] },
		]);
		expect(await billed()).toBe(2);
	});

	it('is not reused for an equal item of the run', async () => {
		const [curp] = curps(1);
		const { items } = await sandbox.run(
			operationParameters('person', 'getCurpData', { curp, ...HOURS }),
			{
				items: [{}, {}],
			},
		);
		const marks = items.map(({ json: { statusUnknown, reused } }) => ({ statusUnknown, reused }));
		const each = { statusUnknown: true, reused: undefined };
		expect(marks).toEqual([each, each]);
		expect(await billed()).toBe(2);
	});

	it('is a result where the API Mapping maps it', async () => {
		const { items } = await sandbox.run(waiting, {
			items: itemsForRfcs(rfcs(1)),
			apiMapping: { statuses: { success: ['FERTIG'] } },
		});
		expect(items[0].json.pending).toBe(false);
		expect(items[0].json.statusUnknown).toBeUndefined();
	});
});

it('a status that is called as a member of every object is unknown', async () => {
	const service = await fakeService({
		post: (accept, response) =>
			respondJson(response, Object.assign(accept(), { status: 'constructor' })),
	});
	const { items } = await service.run(getCrfParameters(), { items: itemsForRfcs(rfcs(1)) });
	await service.close();
	expect(items.map(({ json }) => json)).toMatchObject([{ statusUnknown: true }]);
});
