import fc from 'fast-check';
import { until } from '../../support/until';
import { firstViolation } from '../../../contract/check';
import { Credential, CredentialList, credentialUpserts } from '../../../contract/creditProfile';
import { QueryRecord } from '../../../contract/taxQuery';
import { OPERATIONS, readMapping, type Operation } from '../../../sandbox/mapping';
import { mappings, mappedClient, startVariant, tokenFrom } from './support/mappedClient';
import { startTaxQueryBench } from './support/taxQuery';
import { endpoints } from './taxQuery/tables/endpoints';
import { PERSON } from './taxQuery/tables/resources';

const DIALECTS = 8;
const dialects = fc.sample(mappings, { numRuns: DIALECTS, seed: 20 });

const operationOf = (path: string): Operation =>
	(Object.keys(OPERATIONS) as Operation[]).find(
		(one) => OPERATIONS[one].path === path,
	) as Operation;
/** Returns an empty list if its parameters differ from the variant's. */
const REFUSED = { status: 400 };

describe.each(dialects.map((mapping, index) => ({ index: index + 1, mapping })))(
	'an environment with its own word for everything ($index)',
	({ mapping }) => {
		const client = mappedClient(mapping);
		let dialect: Awaited<ReturnType<typeof startVariant>>;

		beforeAll(async () => {
			dialect = await startVariant(mapping);
			const profile = client.body('createTaxProfile', { rfc: PERSON, ciec: 'abcd1234' });
			for (let queries = 0; queries < 2; queries++) {
				await dialect.taxQuery.post(client.path('createTaxProfile'), profile);
			}
		});
		afterAll(async () => await dialect.sandbox.close());

		const record = async (id: string): Promise<QueryRecord> => {
			const path = client.path('get').replace('{queryId}', id);
			const { data } = await dialect.taxQuery.get<QueryRecord>(path);
			return client.record(data);
		};
		const finished = async (id: string): Promise<QueryRecord> => {
			const found = await record(id);
			return found.status === 'PENDING' ? await finished(id) : found;
		};

		it('accepts documented bodies under its own names, and responds by the contract', async () => {
			for (const { path, answer, valid, result } of endpoints) {
				const operation = operationOf(path);
				for (const body of valid) {
					const { status, data } = await dialect.taxQuery.post<QueryRecord & { queryId?: string }>(
						client.path(operation),
						client.body(operation, body),
					);
					const heard = '_id' in data ? client.record(data) : data;
					expect({ path, status, violation: firstViolation(answer, heard) }).toEqual({
						path,
						status: 200,
					});
					if (result && data.queryId) {
						expect(firstViolation(result, await finished(data.queryId))).toBeUndefined();
					}
				}
			}
		});

		it('refuses every broken body, by its own name of the field', async () => {
			for (const { path, violations } of endpoints) {
				const operation = operationOf(path);
				for (const [field, body] of violations) {
					const { status, data } = await dialect.taxQuery.post<{ field: string }>(
						client.path(operation),
						client.body(operation, body),
					);
					expect({ path, body, status, field: data.field }).toEqual({
						path,
						body,
						status: 400,
						field: client.fieldOf(operation, field),
					});
				}
			}
		});

		it("answers 404 at the document's paths, and knows no field by the document's name", async () => {
			const other = await dialect.taxQuery.post('/query/tax/csf', { rfc: PERSON });
			const named = await dialect.taxQuery.post(client.path('getCrf'), { rfc: PERSON });
			const login = await dialect.creditProfile.post('/credential/bureau/pf', {
				user: 'a',
				password: 'b',
			});
			expect([other.status, named.status, login.status]).toEqual([404, 400, 404]);
		});

		it('echoes a request as sent, and maps all other names', async () => {
			const body = client.body('getInvoices', {
				rfc: PERSON,
				from: '2026-01-10',
				to: '2026-01-20',
			});
			const { data } = await dialect.taxQuery.post<{
				results: Array<{ queryId: string; period: string; status: string }>;
			}>(client.path('getInvoices'), body);
			const [{ queryId, period, status }] = data.results;
			const path = client.path('get').replace('{queryId}', queryId);
			const { data: heard } = await dialect.taxQuery.get<QueryRecord>(path);
			expect(heard.query).toEqual({ ...body, [client.fieldOf('getInvoices', 'period')]: period });
			expect(heard.service).toBe(mapping.taxQuery.services?.getInvoices);
			expect([period, client.statusOf(status)]).toEqual(['2026-01', 'PENDING']);
		});

		it('lists them page by page, as its parameters say', async () => {
			const ask = async (params: object) =>
				await dialect.taxQuery.get(client.path('getAll'), { params });
			const first = await ask(client.listParameters(2, 0));
			const second = await ask(client.listParameters(2, 1));
			expect(firstViolation(QueryRecord, client.record(first.data[0]))).toBeUndefined();
			expect(first.data).toHaveLength(2);
			expect(second.data[0]).toEqual(first.data[1]);
			expect(await ask({ limit: 2 })).toMatchObject(REFUSED);
		});

		it('gives its token to nobody who asks otherwise', async () => {
			const { additional = {}, scheme = '' } = mapping.taxQuery.token ?? {};
			const [name] = Object.keys(additional);
			expect((await tokenFrom(dialect.sandbox, {})).status).toBe(404);
			expect((await tokenFrom(dialect.sandbox, mapping, { [name]: 'other' })).status).toBe(400);
			const { data } = await tokenFrom(dialect.sandbox, mapping);
			const statusWith = async (word: string) =>
				(
					await dialect.taxQuery.get(client.path('getAll'), {
						params: client.listParameters(1, 0),
						headers: { Authorization: `${word} ${data.access_token}` },
					})
				).status;
			expect([await statusWith(scheme), await statusWith('Bearer')]).toEqual([200, 401]);
		});

		it('takes every login of a provider under its own names', async () => {
			for (const [provider, schema] of Object.entries(credentialUpserts)) {
				const names = Object.keys(schema.properties);
				const body = Object.fromEntries(names.map((name) => [name, 'ABC_09']));
				const post = async (some: object) =>
					await dialect.creditProfile.post(
						client.credentialPath(provider),
						client.credentialBody(some),
					);
				const { status, data } = await post(body);
				expect({ provider, status, violation: firstViolation(Credential, data) }).toEqual({
					provider,
					status: 200,
				});
				for (const name of names) {
					const lacking = await post({ ...body, [name]: undefined });
					const [field] = Object.keys(client.credentialBody({ [name]: '' }));
					expect([lacking.status, lacking.data.field]).toEqual([400, field]);
				}
			}
			const { data } = await dialect.creditProfile.get(client.credentialPath());
			expect([firstViolation(CredentialList, data), data.length]).toEqual([undefined, 7]);
		});

		it('takes filters in its own encoding, and in no other', async () => {
			const namesBy = async (params: URLSearchParams) => {
				const { status, data } = await dialect.creditProfile.get<{ data?: object[] }>(
					'/data/collection',
					{ params },
				);
				return [status, data.data?.length];
			};
			const others = (['brackets', 'dots', 'json'] as const).filter(
				(one) => one !== mapping.creditProfile.filterEncoding,
			);
			const wanted = ['Personas físicas', 'Identidad'];
			expect(await namesBy(client.filter('name__eq', wanted))).toEqual([200, 2]);
			for (const filterEncoding of others) {
				const other = mappedClient({ creditProfile: { ...mapping.creditProfile, filterEncoding } });
				expect(await namesBy(other.filter('name__eq', wanted))).toEqual([400, undefined]);
			}
		});
	},
);

describe('other shapes that the documents leave open', () => {
	it.each([
		['camel', ['accessToken', 'expiresIn', 'refreshToken', 'tokenType']],
		['snake', ['access_token', 'expires_in', 'refresh_token', 'token_type']],
		['data', ['data']],
	] as const)('the token in %s', async (tokenShape, keys) => {
		const { sandbox } = await startVariant({}, { tokenShape });
		const { data } = await tokenFrom(sandbox, {});
		await sandbox.close();
		expect(Object.keys(data).sort()).toEqual(keys);
	});

	it.each([
		['number', 3600],
		['text', '3600'],
		['zero', 0],
		['negative', -1],
		['absent', undefined],
	] as const)('its life as %s', async (tokenExpiresIn, life) => {
		const { sandbox } = await startVariant({}, { tokenExpiresIn, noRefreshToken: true });
		const { data } = await tokenFrom(sandbox, {});
		await sandbox.close();
		expect([data.expires_in, 'refresh_token' in data]).toEqual([life, false]);
	});

	it('one record under a key, and statuses in other words, in deliveries too', async () => {
		const bench = await startTaxQueryBench({
			recordEnvelope: 'query',
			statusWords: { success: 'DONE', pending: 'WORKING', failed: 'FAIL' },
		});
		const { data: made } = await bench.service.post('/query/crf', { rfc: PERSON });
		const statuses = new Set<string>();
		await until('the status DONE', async () => {
			const { data } = await bench.service.get(`/query/${made.queryId}`);
			return statuses.add(data.query.status).has('DONE');
		});
		const { data: deliveries } = await bench.control.get('/deliveries');
		await bench.sandbox.close();
		expect([...statuses]).toEqual(expect.arrayContaining(['DONE']));
		expect([...statuses].filter((one) => !['DONE', 'WORKING'].includes(one))).toEqual([]);
		expect(deliveries[0].payload.status).toBe('DONE');
	});

	it.each(['/query/crf', '/query/rfc-data'])(
		'%s with the record at once (TQ §4.4, §4.5)',
		async (path) => {
			const bench = await startTaxQueryBench({ immediateRecords: true });
			const { data } = await bench.service.post(path, { rfc: PERSON });
			await bench.sandbox.close();
			expect([firstViolation(QueryRecord, data), data.status]).toEqual([undefined, 'SUCCESS']);
		},
	);
});

describe('a mapping that cannot be', () => {
	it.each([
		[
			{ taxQuery: { pathz: {} } },
			'Mapping: "taxQuery.pathz" is not known; known are paths, fields',
		],
		[{ taxQuery: { paths: { getX: 'a' } } }, 'Mapping: "taxQuery.paths.getX" is not known'],
		[
			{ creditProfile: { paths: { bureau: 5 } } },
			'Mapping: "creditProfile.paths.bureau": Expected',
		],
		[{ taxQuery: { fields: { getCrf: { rfc: '' } } } }, 'the sandbox needs this field'],
	])('%j is refused by name', (mapping, message) => {
		expect(() => readMapping(mapping)).toThrow(message);
	});
});
