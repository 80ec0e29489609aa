import { getCrfParameters, operationParameters, rfcs } from './support';
import { tenantService, type MultiTenantService } from './fakeTenantService';

const [RFC, OTHER] = rfcs(2);
const sentRequests = [
	{ tenant: 'A', rfc: RFC },
	{ tenant: 'B', rfc: OTHER },
	{ tenant: 'A', rfc: OTHER },
	{ tenant: 'B', rfc: RFC },
];

describe('a credential whose fields are expressions', () => {
	let service: MultiTenantService;
	beforeEach(async () => (service = await tenantService()));
	afterEach(async () => await service.close());
	const billed = (tenant: string) => service.billedOf(tenant).map(({ query }) => query.rfc);

	it.each(['byClient', 'byToken'] as const)(
		'bills each item to its own account: %s',
		async (how) => {
			const credentials = { taxQueryApi: { ...service[how] } };
			const { items } = await service.run(getCrfParameters(), { items: sentRequests, credentials });
			expect(items).toHaveLength(4);
			expect([billed('A').sort(), billed('B').sort()]).toEqual([
				[RFC, OTHER].sort(),
				[RFC, OTHER].sort(),
			]);
		},
	);

	it('gives each item the list of its own account', async () => {
		await service.run(getCrfParameters(), { items: sentRequests.slice(0, 3) });
		const { items } = await service.run(
			operationParameters('query', 'getAll', { returnAll: true }, { simplify: false }),
			{ items: [{ tenant: 'B' }, { tenant: 'A' }] },
		);
		const owners = items.map(({ json }) => (json.response as { tenant: string }).tenant);
		expect(owners).toEqual(['B', 'A', 'A']);
	});

	it('logs in once for each account', async () => {
		await service.run(getCrfParameters(), { items: [...sentRequests, ...sentRequests] });
		expect(service.logins.sort()).toEqual(['A', 'B']);
	});
});
