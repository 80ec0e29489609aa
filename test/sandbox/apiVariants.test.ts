import fc from 'fast-check';
import { until } from '../support/until';
import { firstViolation } from '../../contract/check';
import { ProviderCredential, CredentialList, upsertBodies } from '../../contract/creditProfile';
import { QueryRecord } from '../../contract/taxQuery';
import type { SandboxOptions } from '../../sandbox';
import { OPERATION_PATHS_AND_SERVICE_CODES, type OperationName } from '../../sandbox/apiMapping';
import {
	mappingArbitrary,
	mappedClient,
	startMappedSandbox,
	postMappedTokenRequest,
} from '../support/mappedClient';
import { PERSON_RFC, withSandboxClients } from './support/clients';
import { postQueryEndpoints } from './taxQuery/endpointCases';

type Acknowledged = QueryRecord & { queryId: string };

const environments = fc.sample(mappingArbitrary, { numRuns: 8, seed: 20 });
const operations = Object.keys(OPERATION_PATHS_AND_SERVICE_CODES) as OperationName[];
const endpoints = postQueryEndpoints.map(({ path, response, record, valid = [], invalid = [] }) => {
	const operation = operations.find(
		(one) => OPERATION_PATHS_AND_SERVICE_CODES[one].path === path,
	) as OperationName;
	return { operation, response, record, valid, invalid };
});

describe.each(environments.map((mapping, index) => ({ index: index + 1, mapping })))(
	'environment $index, with its own word for everything',
	({ mapping }) => {
		const client = mappedClient(mapping);
		let variant: Awaited<ReturnType<typeof startMappedSandbox>>;

		const post = async <T = Acknowledged>(operation: OperationName, body: object) =>
			await variant.taxQuery.post<T>(client.path(operation), client.body(operation, body));
		const list = async (params: object, headers = {}) =>
			await variant.taxQuery.get<QueryRecord[]>(client.path('getAll'), { params, headers });
		const stored = async (id: string) =>
			(await variant.taxQuery.get<QueryRecord>(client.path('get').replace('{queryId}', id))).data;

		beforeAll(async () => {
			variant = await startMappedSandbox(mapping);
			await post('createTaxProfile', { rfc: PERSON_RFC, ciec: 'abcd1234' });
		});
		afterAll(async () => await variant.sandbox.close());

		it('documented bodies are accepted under own names, with responses by the contract', async () => {
			for (const { operation, response, valid, record } of endpoints) {
				for (const body of valid) {
					const { status, data } = await post(operation, body);
					const mapped = '_id' in data ? client.record(data) : data;
					const violation = firstViolation(response, mapped);
					expect({ operation, status, violation }).toEqual({ operation, status: 200 });
					if (!record) continue;
					const found = await until('the result', async () => {
						const one = client.record(await stored(data.queryId));
						return one.status !== 'PENDING' && one;
					});
					expect(firstViolation(record, found)).toBeUndefined();
				}
			}
		});

		it("invalid bodies are refused by the field's own name", async () => {
			for (const { operation, invalid } of endpoints) {
				for (const [name, body] of invalid) {
					const { status, data } = await post<{ field: string }>(operation, body as object);
					const field = client.fieldOf(operation, String(name));
					expect({ body, status, field: data.field }).toEqual({ body, status: 400, field });
				}
			}
		});

		it("the document's own paths are a 404, and its own fields a 400", async () => {
			const statuses = [
				await variant.taxQuery.post('/query/tax/csf', { rfc: PERSON_RFC }),
				await variant.taxQuery.post(client.path('getCrf'), { rfc: PERSON_RFC }),
				await variant.creditProfile.post('/credential/bureau/pf', { user: 'a', password: 'b' }),
			].map(({ status }) => status);
			expect(statuses).toEqual([404, 400, 404]);
		});

		it('a request is echoed as it was sent, and all other names are mapped', async () => {
			const dates = { rfc: PERSON_RFC, from: '2026-01-10', to: '2026-01-20' };
			const { data } = await post<{ results: Array<Record<string, string>> }>('getInvoices', dates);
			const [{ queryId, period, status }] = data.results;
			const { query, service } = await stored(queryId);
			const body = client.body('getInvoices', dates);
			expect(query).toEqual({ ...body, [client.fieldOf('getInvoices', 'period')]: period });
			expect(service).toBe(mapping.taxQuery.services?.getInvoices);
			expect([period, client.statusOf(status)]).toEqual(['2026-01', 'PENDING']);
		});

		it('the list has its own parameters, and refuses a request without them', async () => {
			for (let made = 0; made < 3; made++) await post('getCrf', { rfc: PERSON_RFC });
			const { data: first } = await list(client.listParameters(2, 0));
			const { data: second } = await list(client.listParameters(2, 1));
			expect(firstViolation(QueryRecord, client.record(first[0]))).toBeUndefined();
			expect([first.length, second[0]]).toEqual([2, first[1]]);
			expect((await list({ limit: 2 })).status).toBe(400);
		});

		it('a token is issued for its own request alone, and sent with its own scheme', async () => {
			const { additional = {}, scheme = '' } = mapping.taxQuery.token ?? {};
			const [name] = Object.keys(additional);
			expect((await postMappedTokenRequest(variant.sandbox, {})).status).toBe(404);
			expect(
				(await postMappedTokenRequest(variant.sandbox, mapping, { [name]: 'other' })).status,
			).toBe(400);
			const { access_token } = (await postMappedTokenRequest(variant.sandbox, mapping)).data;
			const statusWith = async (word: string) =>
				(await list(client.listParameters(1, 0), { Authorization: `${word} ${access_token}` }))
					.status;
			expect([await statusWith(scheme), await statusWith('Bearer')]).toEqual([200, 401]);
		});

		it('each provider takes its login under own names, and needs every field', async () => {
			for (const [provider, { properties }] of Object.entries(upsertBodies)) {
				const names = Object.keys(properties);
				const send = async (body: object) =>
					await variant.creditProfile.post<ProviderCredential & { field: string }>(
						client.credentialPath(provider),
						client.credentialBody(body),
					);
				const body = Object.fromEntries(names.map((name) => [name, 'ABC_09']));
				const { status, data } = await send(body);
				const violation = firstViolation(ProviderCredential, data);
				expect({ provider, status, violation }).toEqual({ provider, status: 200 });
				for (const name of names) {
					const refused = await send({ ...body, [name]: undefined });
					const [field] = Object.keys(client.credentialBody({ [name]: '' }));
					expect([refused.status, refused.data.field]).toEqual([400, field]);
				}
			}
			const { data } = await variant.creditProfile.get<object[]>(client.credentialPath());
			const stored = Object.keys(upsertBodies).length;
			expect([firstViolation(CredentialList, data), data.length]).toEqual([undefined, stored]);
		});

		it('a filter has its own encoding, and is refused in any other', async () => {
			const { creditProfile } = mapping;
			for (const filterEncoding of ['brackets', 'dots', 'json'] as const) {
				const other = mappedClient({ creditProfile: { ...creditProfile, filterEncoding } });
				const params = other.filter('name__eq', ['Personas físicas', 'Identidad']);
				const path = '/data/collection';
				const { status, data } = await variant.creditProfile.get(path, { params });
				const isOwn = filterEncoding === creditProfile.filterEncoding;
				expect([status, data.data?.length]).toEqual(isOwn ? [200, 2] : [400, undefined]);
			}
		});
	},
);

const text = expect.any(String) as string;
const token = { access_token: text, token_type: 'Bearer' };
it.each<[Partial<SandboxOptions>, object]>([
	[{}, { ...token, expires_in: 3600, refresh_token: text }],
	[
		{ tokenShape: 'camel' },
		{ accessToken: text, tokenType: 'Bearer', expiresIn: 3600, refreshToken: text },
	],
	[{ tokenShape: 'data' }, { data: { ...token, expires_in: 3600, refresh_token: text } }],
	[
		{ tokenExpiresIn: 'text', noRefreshToken: true },
		{ ...token, expires_in: '3600' },
	],
	[
		{ tokenExpiresIn: 'zero', noRefreshToken: true },
		{ ...token, expires_in: 0 },
	],
	[
		{ tokenExpiresIn: 'negative', noRefreshToken: true },
		{ ...token, expires_in: -1 },
	],
	[{ tokenExpiresIn: 'absent', noRefreshToken: true }, token],
])('the token has the shape that is set: %j', async (options, expected) => {
	const { sandbox } = await startMappedSandbox({}, options);
	const { data } = await postMappedTokenRequest(sandbox, {});
	await sandbox.close();
	expect(data).toStrictEqual(expected);
});

it('--record-envelope holds for records, --status-words for webhook calls, too', async () => {
	const statusWords = { success: 'DONE', pending: 'WORKING', failed: 'FAIL' };
	await withSandboxClients(
		{ recordEnvelope: 'query', statusWords, resultDelay: 3_600_000 },
		async (own) => {
			const queryId = await own.requestCrf();
			const statusOf = async () => (await own.taxQuery.get(`/query/${queryId}`)).data.query.status;
			const pending = await statusOf();
			await own.control.post(`/queries/${queryId}/deliver`);
			const { data: deliveries } = await own.control.get('/deliveries');
			const statuses = [pending, await statusOf(), deliveries[0].payload.status];
			expect(statuses).toEqual(['WORKING', 'DONE', 'DONE']);
		},
	);
});

it.each(['/query/crf', '/query/rfc-data'])(
	'--immediate-records: %s responds with the record (TQ §4.4, §4.5)',
	async (path) => {
		await withSandboxClients({ immediateRecords: true }, async ({ taxQuery }) => {
			const { data } = await taxQuery.post<QueryRecord>(path, { rfc: PERSON_RFC });
			expect([firstViolation(QueryRecord, data), data.status]).toEqual([undefined, 'SUCCESS']);
		});
	},
);
