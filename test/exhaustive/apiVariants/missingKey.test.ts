import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';
import { CredentialTestContext } from 'n8n-core';
import { type queryTypesByOperation } from '../../../nodes/shared/queryTypes/catalog';
import { testCreditProfile, testTaxQuery } from '../../support/credentialTest';
import type { SandboxOptions } from '../../../sandbox';
import { createSandboxNodeRunner } from '../../nodes/creditProfile/support';
import { mappingArbitrary, postMappedTokenRequest } from '../../support/mappedClient';
import { startSandboxWithHelpers, type TestSandbox } from '../../support/sandbox';
import { toN8nCredentialLoginFields } from '../../support/credentialFields';
import {
	CIEC,
	createTaxProfileParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
	type TaxQuerySandbox,
} from '../../nodes/taxQuery/support';
import { parametersOfEachQuery } from './parameters';
import type { ApiVariant } from './samples';

const [RFC] = rfcs(1);
const MAX_WAIT = 5;
const days = { period: 'dates', firstDay: '2026-01-02', lastDay: '2026-01-05' };

const parametersByQuery: Record<keyof typeof queryTypesByOperation, INodeParameters> = {
	...parametersOfEachQuery(MAX_WAIT),
	createTaxProfile: operationParameters('taxAuthority', 'createTaxProfile', {
		loginFrom: 'stored',
		rfc: RFC,
	}),
};
const names = Object.keys(parametersByQuery) as Array<keyof typeof queryTypesByOperation>;

/** The mapping without these keys. */
function without(mapping: object, ...paths: string[][]): object {
	return Object.fromEntries(
		Object.entries(mapping)
			.filter(([key]) => !paths.some((path) => path.length === 1 && path[0] === key))
			.map(([key, value]: [string, unknown]) => {
				const inside = paths.filter(([first]) => first === key).map((path) => path.slice(1));
				return [key, inside.length > 0 ? without(value as object, ...inside) : value];
			}),
	);
}

const sample = (hasOwnPaths: boolean): ApiVariant =>
	fc.sample(
		mappingArbitrary.filter(
			({ taxQuery: { paths = {}, token = {} } }) =>
				'getAll' in paths === hasOwnPaths &&
				token.clientAuthentication === 'body' &&
				token.body === 'form',
		),
		{ numRuns: 1, seed: 11 },
	)[0];
const ownPaths = sample(true);
const ownTax = sample(false);

/** The operator reads the error, or the warning beside the result. */
const textOf = ({ items, error }: Awaited<ReturnType<TaxQuerySandbox['run']>>): string =>
	error
		? `${error.message} ${error.description}`
		: JSON.stringify(items.map(({ json }) => json.warnings));

describe('a mapping of the query service that misses one key', () => {
	const running: TaxQuerySandbox[] = [];
	const start = async ({ taxQuery }: ApiVariant, options: Partial<SandboxOptions> = {}) => {
		const sandbox = await taxQuerySandbox({ mapping: { taxQuery }, ...options });
		running.push(sandbox);
		await sandbox.run(createTaxProfileParameters(RFC), { apiMapping: taxQuery, secrets: [CIEC] });
		/** By a token of its own, with which nothing has worked yet: after that no key is named. */
		return async (keys: string[][], parameters: INodeParameters) => {
			await sandbox.control.post('/clock', { advance: 1000 }); // tokens of one second are the same
			const { data } = await postMappedTokenRequest(sandbox, { taxQuery });
			const { taxQueryApi } = sandbox.credentials({
				taxQueryApi: {
					grant: 'accessToken',
					pastedToken: data.access_token ?? data.accessToken,
					pointsPerSecond: 0,
					apiMapping: JSON.stringify(without(taxQuery, ...keys)),
					...toN8nCredentialLoginFields('taxAuthority', { rfc: RFC, ciec: CIEC }),
				},
			});
			const credentials = { taxQueryApi };
			return textOf(await sandbox.run(parameters, { credentials, secrets: [CIEC] }));
		};
	};
	const all = operationParameters('query', 'getAll', { returnAll: true });
	let askOwn: Awaited<ReturnType<typeof start>>;
	let askTax: typeof askOwn;
	beforeAll(async () => {
		askOwn = await start(ownPaths);
		askTax = await start(ownTax);
	});
	afterAll(async () => await Promise.all(running.map(async (sandbox) => await sandbox.close())));

	it('is none where nothing is missing', async () => {
		for (const name of names) {
			expect([name, await askOwn([], parametersByQuery[name])]).toEqual([
				name,
				expect.stringMatching(/^\[null(,null)?\]$/),
			]);
		}
	});

	it('names the path of a query', async () => {
		const text = await askOwn([['paths', 'getCrf']], parametersByQuery.getCrf);
		expect(text).toContain('paths.getCrf');
	});

	it('names paths.tax, which several queries share', async () => {
		expect(await askTax([['paths', 'tax']], parametersByQuery.getCsf)).toContain('paths.tax');
	});

	it('names the path of the list', async () => {
		expect(await askOwn([['paths', 'getAll']], all)).toContain('paths.getAll');
	});

	it.each([
		['getCrf', 'rfc'],
		['createTaxProfile', 'ciec'],
	] as const)('names fields.%s without its %s', async (name, field) => {
		expect(await askOwn([['fields', name, field]], parametersByQuery[name])).toContain(
			`fields.${name}`,
		);
	});

	it.each([
		['months', parametersByQuery.getInvoices],
		['days', operationParameters('taxAuthority', 'getInvoices', { rfc: RFC, ...days })],
	])('names periodFormat for %s', async (unit, parameters) => {
		expect(await askOwn([['periodFormat', unit]], parameters)).toContain('periodFormat');
	});

	it('names the service of a query', async () => {
		const text = await askOwn([['services', 'getCrf']], parametersByQuery.getCrf);
		expect(text).toContain('services.getCrf');
	});

	it('names statuses.success where a result comes with a word that it does not know', async () => {
		const text = await askOwn([['statuses', 'success']], parametersByQuery.getCurpData);
		expect(text).toContain('statuses.success');
	});

	it.each(['pending', 'failed'] as const)('names statuses.%s', async (state) => {
		const { rfc } = running[0].reserved(state);
		const text = await askOwn(
			[['statuses', state]],
			operationParameters('taxpayer', 'getCrf', { rfc, waitForResult: true, maxWait: MAX_WAIT }),
		);
		expect(text).toContain(`statuses.${state}`);
	});

	it('names list.parameters', async () => {
		expect(await askOwn([['list', 'parameters']], all)).toContain('list.parameters');
	});

	it.each([
		[
			'list.page',
			ownPaths.taxQuery,
			[
				['list', 'page'],
				['list', 'offset'],
			],
		],
		['list.offset', without(ownPaths.taxQuery, ['list', 'page']), [['list', 'offset']]],
	])('names %s where the list has no other way on', async (name, taxQuery, keys) => {
		const service = await start({ ...ownPaths, taxQuery }, { queryList: 'page', pastQueries: 250 });
		expect(await service([], all)).not.toContain('list.');
		expect(await service(keys, all)).toContain(name);
	});

	it.each([
		[['paths', 'getAll'], 'paths.getAll'],
		[['list', 'parameters'], 'list.parameters'],
		[['paths', 'oauth/token'], 'paths.oauth/token'],
	])("the credential's test reports the missing key: %j", async (key, name) => {
		const { taxQueryApi } = running[0].credentials({
			taxQueryApi: { apiMapping: JSON.stringify(without(ownPaths.taxQuery, key)) },
		});
		const tested = { id: '1', name: 'Test', type: 'test', data: taxQueryApi };
		const { message } = await testTaxQuery.call(new CredentialTestContext(), tested);
		expect(message).toContain(name);
	});
});

describe('a key whose lack brings no error', () => {
	const diagnose = operationParameters('connection', 'diagnose');
	const { taxQuery } = ownPaths;
	const pageSize = Number(taxQuery.list?.pageSize);
	let sandbox: TaxQuerySandbox;
	const startWith = async (options: Partial<SandboxOptions>) =>
		(sandbox = await taxQuerySandbox({ mapping: { taxQuery }, ...options }));
	afterEach(async () => await sandbox.close());

	const check = async (name: string, apiMapping: object) => {
		const { items } = await sandbox.run(diagnose, { apiMapping });
		const row = items.map(({ json }) => json).find(({ check }) => check === name);
		return `${String(row?.result)} ${String(row?.seen)} ${String(row?.advice)}`;
	};
	const paging = async (apiMapping: object) => await check('Paging of the list', apiMapping);

	describe.each([
		['reports a total', { queryList: 'page' as const }],
		['reports no further pages', { listShape: { rows: 'filas' } }],
	])('in a list that %s', (_what, shape) => {
		it('returns all queries without list.limit, and Diagnose proposes it', async () => {
			await startWith({ ...shape, pastQueries: 250 });
			const apiMapping = without(taxQuery, ['list', 'limit']);
			const all = operationParameters('query', 'getAll', { returnAll: true });
			expect((await sandbox.run(all, { apiMapping })).items).toHaveLength(250);
			expect(await paging(apiMapping)).toMatch(/^OK .*list\.limit/);
			expect(await paging(taxQuery)).not.toContain('list.');
		});

		it('returns all queries without list.pageSize, and Diagnose proposes it', async () => {
			await startWith({ ...shape, pastQueries: 250 });
			const apiMapping = without(taxQuery, ['list', 'pageSize']);
			const all = operationParameters('query', 'getAll', { returnAll: true });
			expect((await sandbox.run(all, { apiMapping })).items).toHaveLength(250);
			expect(await paging(apiMapping)).toMatch(
				new RegExp(`^OK .*list\\.pageSize in the API Mapping to ${pageSize}`),
			);
		});
	});

	it('Get Many hints at a missing list.page or list.offset', async () => {
		await startWith({ listShape: { rows: 'filas' }, pastQueries: 250 });
		const apiMapping = without(taxQuery, ['list', 'limit'], ['list', 'offset']);
		const wrong = { ...apiMapping, list: { ...taxQuery.list, limit: undefined, page: 'hoja' } };
		const all = operationParameters('query', 'getAll', { returnAll: true });
		const { items, hints } = await sandbox.run(all, { apiMapping: wrong });
		expect([items.length, hints.map(({ message }) => message).join()]).toEqual([
			pageSize,
			expect.stringContaining('list.page, in'),
		]);
		expect(await paging(wrong)).toMatch(/^Not known .*list\.page/);
	});

	it('logs in anew without token.fields.refresh_token, and Diagnose proposes it', async () => {
		await startWith({});
		const apiMapping = without(taxQuery, ['token', 'fields', 'refresh_token']);
		const ask = async () => await sandbox.run(parametersByQuery.getCurpData, { apiMapping });
		await ask();
		await sandbox.control.post('/clock', { advance: 2 * 3_600_000 });
		const { error, items } = await ask();
		expect([error, items.length]).toEqual([undefined, 1]);
		expect(await check('Token lifetime', apiMapping)).toContain('token.fields.refresh_token');
	});

	it('is paths.get where Diagnose reads a query by its ID', async () => {
		await startWith({});
		await sandbox.run(parametersByQuery.getCurpData, { apiMapping: taxQuery });
		const apiMapping = without(taxQuery, ['paths', 'get']);
		expect(await check('One query by its ID', apiMapping)).toMatch(/^Change needed .*paths\.get /);
		expect(await check('One query by its ID', taxQuery)).toMatch(/^OK /);
	});

	it.each([
		['services.getCrf', { queries: ['getCrf'] }, ['services', 'getCrf']],
		['statuses.success', { status: ['success'] }, ['statuses', 'success']],
	])('is %s of what Get Many filters by: it hints at it', async (name, filters, key) => {
		await startWith({});
		await sandbox.run(parametersByQuery.getCrf, { apiMapping: taxQuery });
		const ofFilter = operationParameters('query', 'getAll', { returnAll: true, filters });
		const text = async (apiMapping: object) => {
			const { items, hints } = await sandbox.run(ofFilter, { apiMapping });
			return `${items.length} ${hints.map(({ message }) => message).join()}`;
		};
		expect(await text(taxQuery)).toBe('1 ');
		expect(await text(without(taxQuery, key))).toMatch(new RegExp(`^0 .*${name}`));
	});
});

describe('a mapping of the Credit Profile Service that misses one key', () => {
	const dialect: ApiVariant['creditProfile'] = {
		...ownPaths.creditProfile,
		filterEncoding: 'dots',
		listEncoding: 'repeat',
	};
	let sandbox: TestSandbox;
	// each anew, because no key is named any more once its path has worked
	beforeEach(async () => {
		sandbox = await startSandboxWithHelpers({ rateLimit: 0, mapping: { creditProfile: dialect } });
	});
	afterEach(async () => await sandbox.close());

	const ask = async (key: string[], parameters: INodeParameters) => {
		const { error, items } = await createSandboxNodeRunner(sandbox)(parameters, {
			api: { apiMapping: JSON.stringify(without(dialect, key)) },
		});
		return error ? `${error.message} ${error.description}` : `${items.length} items`;
	};
	const login = (provider: string, more = {}) => ({
		...{ resource: 'providerLogin', operation: 'upsert', loginFrom: 'fields', provider },
		...{ user: 'lender_1', username: 'lender_1', password: 'Secret_1', token: 'token-123' },
		...{ apiKey: 'key-123', clientPrivateKey: 'private-123', bureauPublicKey: 'public-123' },
		...more,
	});
	const filtered = (names: string[]) => ({
		...{ resource: 'dataCollection', operation: 'getAll', returnAll: true },
		filters: { name__eq: names },
	});

	it.each([
		['credential', { resource: 'providerLogin', operation: 'getAll', returnAll: true }],
		['credential', login('bureau/pm')],
		['bureau', login('bureau/pf')],
	])('names paths.%s', async (key, parameters) => {
		expect(await ask(['paths', key], parameters)).toContain(`paths.${key}`);
		expect(await ask(['none'], parameters)).toMatch(/^\d items$/);
	});

	it('names fields.bureauPublicKey', async () => {
		const text = await ask(['fields', 'bureauPublicKey'], login('credit-bureau-b'));
		expect(text).toContain('fields.bureauPublicKey');
	});

	it.each([
		['filterEncoding', ['Identidad']],
		['listEncoding', ['Identidad', 'Personas físicas']],
	])('names %s', async (key, values) => {
		expect(await ask([key], filtered(values))).toContain(key);
		expect(await ask(['none'], filtered(values))).toBe(`${values.length} items`);
	});

	it("the credential's test reports a missing paths.credential", async () => {
		const apiMapping = JSON.stringify(without(dialect, ['paths', 'credential']));
		const { creditProfileApi } = sandbox.credentials({ creditProfileApi: { apiMapping } });
		const tested = { id: '1', name: 'Test', type: 'test', data: creditProfileApi };
		const { message } = await testCreditProfile.call(new CredentialTestContext(), tested);
		expect(message).toContain('paths.credential');
	});
});
