import { codeOf } from '../../support/errorCode';
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

describe('accounts that ask about the same RFCs, every response lost', () => {
	/** Each schedule: pairs of account and RFC in another order. */
	const schedules = [1, 5, 7, 11].map((step) =>
		Array.from({ length: 18 }, (_, at) => {
			const place = (at * step) % 18;
			return { tenant: 'ABC'[place % 3], rfc: rfcs(6)[Math.floor(place / 3)] };
		}),
	);

	it.each(schedules)('each item gets its own record, schedule %#', async (...items) => {
		const service = await tenantService({
			post: ({ accept, response }) => {
				accept();
				response.writeHead(502).end();
			},
		});
		const run = await service.run(getCrfParameters({}, { simplify: false }), {
			items,
			onError: 'continueRegularOutput',
		});
		await service.close();
		const got = run.items.map(({ json }) => [
			(json.response as { tenant?: string } | undefined)?.tenant,
			(json.query as { rfc?: string } | undefined)?.rfc,
		]);
		expect(got).toEqual(items.map(({ tenant, rfc }) => [tenant, rfc]));
		expect(service.posts).toHaveLength(18);
	});
});

describe('a client ID that an expression leaves empty', () => {
	const run = async (apiMapping: object) => {
		const service = await tenantService();
		const credentials = {
			taxQueryApi: {
				...service.byClient,
				clientId: '={{ $json.none }}',
				apiMapping: JSON.stringify(apiMapping),
			},
		};
		const { error } = await service.run(getCrfParameters({ rfc: RFC }), { credentials });
		await service.close();
		return { service, error };
	};

	it('stops the item before any request', async () => {
		const { service, error } = await run({});
		expect([error?.message, service.logins, service.posts]).toEqual([
			expect.stringContaining('no client ID'),
			[],
			[],
		]);
	});

	it('is allowed where the API Mapping sends none', async () => {
		const { service, error } = await run({ token: { fields: { client_id: '' } } });
		expect([codeOf(error), service.logins]).toEqual([undefined, [undefined]]);
	});
});
