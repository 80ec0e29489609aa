import axios from 'axios';
import fc from 'fast-check';
import { fetchUnpooled } from '../../../demo/fetchUnpooled';
import type { N8n } from '../../../demo/startN8n';
import type { Workflow, WorkflowNode } from '../../../demo/n8nClient';
import { productionUrl } from '../../../demo/provision';
import type { SandboxOptions } from '../../../sandbox';
import type { Mapping, OperationName } from '../../../sandbox/apiNameMappingSchema';
import {
	mappingArbitrary,
	mappedClient,
	startMappedSandboxWithRawClients,
} from '../../support/mappedClient';
import { proposedMappingIn } from '../../support/readDiagnoseRows';
import { toN8nCredentialLoginFields } from '../../support/credentialFieldBuilders';
import { waitForEndedExecutionOf, outOf } from '../support/executions';
import { startDemoOncePerFile } from '../support/demoOncePerTestFile';

const PACKAGE = 'n8n-nodes-credit-profile';
const RFC = 'GODE561231GR8';
const CURP = 'PEXL990821HSRRXS05';
const COMPANY = 'EKU9003173C9';
const KEY = 'two\nlines';

type Parameters = Record<string, unknown>;
type Credentials = Record<string, { id: string; name: string }>;

const waited = { waitForResult: true, maxWait: 30, options: {} };
/** Every operation of the query service; the last three read what the others have made. */
const queries: Record<string, Parameters> = {
	Profile: { resource: 'taxAuthority', operation: 'createTaxProfile', rfc: RFC },
	Calculate: {
		...{ resource: 'taxpayer', operation: 'calculateRfc', birthDate: '1956-12-31' },
		...{ name: 'Emma', firstLastName: 'Gómez', secondLastName: 'Díaz' },
	},
	CRF: { resource: 'taxpayer', operation: 'getCrf', rfc: RFC, ...waited },
	RFC: { resource: 'taxpayer', operation: 'getRfcData', rfc: RFC, ...waited },
	CURP: { resource: 'person', operation: 'getCurpData', curp: CURP },
	Jobs: { resource: 'person', operation: 'getEmploymentHistory', curp: CURP, ...waited },
	Shareholders: { resource: 'company', operation: 'getShareholders', rfc: COMPANY, ...waited },
	CSF: { resource: 'taxAuthority', operation: 'getCsf', rfc: RFC, ...waited },
	Opinion: { resource: 'taxAuthority', operation: 'getComplianceOpinion', rfc: RFC, ...waited },
	Invoices: {
		...{ resource: 'taxAuthority', operation: 'getInvoices', rfc: RFC, ...waited },
		...{ period: 'months', firstMonth: '2026-01', lastMonth: '2026-02' },
	},
	One: {
		...{ resource: 'query', operation: 'get' },
		queryId: '={{ $("Calculate").first().json.queryId }}',
	},
	All: { resource: 'query', operation: 'getAll', returnAll: true },
	Filtered: {
		...{ resource: 'query', operation: 'getAll', returnAll: true },
		filters: { queries: ['calculateRfc', 'getCsf'] },
	},
};

const bureau = { user: 'lender_1', password: 'Encrypted_1' };
const logins: Record<string, object> = {
	'bureau/pm': bureau,
	'bureau/pf': bureau,
	'prospector/pf': bureau,
	'identity-verification': { user: 'idv', password: 'pass phrase' },
	'sanctions-screening': { token: 'screening-1' },
	'credit-bureau-b': {
		...{ apiKey: 'key-1', username: 'second', password: 'pass' },
		...{ clientPrivateKey: KEY, bureauPublicKey: KEY },
	},
	'legal-records': { username: 'legal@lender.mx', password: 'pass' },
};

describe('a real n8n at environments that call everything otherwise', () => {
	const dialects: Array<Awaited<ReturnType<typeof startMappedSandboxWithRawClients>>> = [];
	let n8n: N8n;

	beforeAll(async () => {
		({ n8n } = await startDemoOncePerFile());
	});
	afterAll(async () => {
		await Promise.all(dialects.map(async ({ sandbox }) => await sandbox.close()));
	});

	const start = async (mapping: Mapping, options: Partial<SandboxOptions> = {}) => {
		const dialect = await startMappedSandboxWithRawClients(mapping, options);
		dialects.push(dialect);
		return dialect;
	};
	const credential = async (type: string, data: object) => ({
		[type]: { name: type, id: await n8n.client.createCredential(type, type, data) },
	});
	/** Both services' credentials, with what the operator knows of the mapping. */
	const credentialsFor = async (
		{ sandbox }: (typeof dialects)[0],
		{ creditProfile = {}, taxQuery = {} }: Mapping,
	): Promise<Credentials> => ({
		...(await credential('creditProfileApi', {
			baseUrl: sandbox.creditProfile.baseUrl,
			apiToken: sandbox.creditProfile.token,
			apiMapping: JSON.stringify(creditProfile),
			...Object.assign(
				{},
				...Object.entries(logins).map(([name, login]) => toN8nCredentialLoginFields(name, login)),
			),
			providerLogins: Object.keys(logins),
		})),
		...(await credential('taxQueryApi', {
			baseUrl: sandbox.taxQuery.baseUrl,
			grant: 'clientCredentials',
			clientId: sandbox.taxQuery.clientId,
			clientSecret: sandbox.taxQuery.clientSecret,
			pointsPerSecond: 0,
			apiMapping: JSON.stringify(taxQuery),
			...toN8nCredentialLoginFields('taxAuthority', { rfc: RFC, ciec: 'Signs_in_1' }),
		})),
	});
	const node = (name: string, type: string, parameters: object, credentials?: Credentials) => ({
		...{ name, type: `${PACKAGE}.${type}`, typeVersion: 1, parameters, credentials },
		executeOnce: true,
	});
	/** Makes a workflow of one trigger, on one kind of query. */
	const createTrigger = async (service: string, credentials: Credentials) => {
		const trigger = {
			...node('Result', 'taxQueryTrigger', { services: [service] }, credentials),
			...{ id: 't', position: [0, 0], webhookId: `results-of-${service}` },
		} as unknown as WorkflowNode;
		const id = await n8n.client.createWorkflow({
			...{ name: 'Trigger', nodes: [trigger], connections: {} },
			settings: { executionOrder: 'v1' },
		});
		return { id, trigger };
	};
	/** Runs nodes one after the other, and gives what came out of each. */
	const run = async (path: string, nodes: Array<{ name: string }>) => {
		const webhook = {
			...{ name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2, webhookId: path },
			parameters: { path, responseMode: 'lastNode' },
		};
		const all = [webhook, ...nodes];
		const id = await n8n.client.createWorkflow({
			name: path,
			nodes: all.map((one, index) => ({
				...one,
				...{ id: String(index), position: [200 * index, 0] },
			})) as unknown as Workflow['nodes'],
			connections: Object.fromEntries(
				all
					.slice(0, -1)
					.map(({ name }, index) => [
						name,
						{ main: [[{ node: all[index + 1].name, type: 'main', index: 0 }]] },
					]),
			),
			settings: { executionOrder: 'v1' },
		});
		await n8n.client.publish(id);
		await fetchUnpooled(`${n8n.url}/webhook/${path}`);
		const execution = await waitForEndedExecutionOf(n8n.client, id, { node: nodes[0].name });
		expect(execution.data?.resultData.error?.message).toBeUndefined();
		return (name: string) => outOf(execution, name);
	};

	describe('with the mapping in the credential', () => {
		const [mapping] = fc.sample(
			mappingArbitrary.filter(({ taxQuery }) => 'getAll' in (taxQuery.paths ?? {})),
			{ numRuns: 1, seed: 3 },
		);
		const client = mappedClient(mapping);
		let dialect: (typeof dialects)[0];
		let credentials: Credentials;
		beforeAll(async () => {
			dialect = await start(mapping, {
				recordEnvelope: 'consulta',
				listShape: { rows: 'consultas', total: 'cuenta' },
				tokenShape: 'camel',
			});
			credentials = await credentialsFor(dialect, mapping);
		});

		it('asks every query, and reads them', async () => {
			const names = Object.keys(queries);
			const out = await run(
				'every-query',
				names.map((name) =>
					node(name, 'taxQuery', { ...queries[name], includeOtherFields: false }, credentials),
				),
			);
			const { services = {}, statuses } = mapping.taxQuery;
			const paid = names.filter((name) => queries[name].resource !== 'query');
			const records = new Map(out('All').map((row) => [row.queryId, row]));
			const recordOf = (name: string) => records.get(out(name)[0].queryId);
			expect(paid.map((name) => [name, recordOf(name)?.service, recordOf(name)?.status])).toEqual(
				paid.map((name) => [
					name,
					services[queries[name].operation as keyof typeof services] ?? expect.anything(),
					statuses?.success?.[0],
				]),
			);
			expect(out('One')).toEqual([recordOf('Calculate')]);
			expect(names.filter((name) => out(name).some((row) => row.warnings))).toEqual([]);
			expect(out('CRF')[0]).toMatchObject({ rfc: RFC, legalName: expect.any(String) });
			expect(out('Invoices').map(({ period }) => period)).toEqual(['2026-01', '2026-02']);
			expect(out('Filtered')).toHaveLength(2);
		});

		it('stores the login of every provider, and lists them', async () => {
			const providers = Object.keys(logins);
			const nodes = providers.map((provider) =>
				node(
					provider,
					'creditProfile',
					{ resource: 'providerLogin', operation: 'upsert', provider },
					credentials,
				),
			);
			const list = { resource: 'providerLogin', operation: 'getAll', returnAll: true };
			const filter = {
				...{ resource: 'dataCollection', operation: 'getAll', returnAll: true },
				filters: { name__eq: ['Identidad', 'Personas físicas'] },
			};
			const out = await run('every-login', [
				...nodes,
				node('List', 'creditProfile', list, credentials),
				node('Filter', 'creditProfile', filter, credentials),
			]);
			const typeOf = (provider: string) =>
				client.credentialPath(provider).slice(client.credentialPath().length + 1);
			expect(providers.map((provider) => out(provider)[0].type)).toEqual(providers.map(typeOf));
			expect(out('List').map(({ type }) => type)).toEqual(
				expect.arrayContaining(providers.map(typeOf)),
			);
			expect(
				out('Filter')
					.map(({ name }) => name)
					.sort(),
			).toEqual(['Identidad', 'Personas físicas']);
		});

		it('starts a workflow once for the result of the query that its trigger is on', async () => {
			const { id, trigger } = await createTrigger('getRfcData', credentials);
			await n8n.client.publish(id);
			const url = await productionUrl(n8n, trigger);
			await axios.put(`${dialect.sandbox.page}sandbox/webhook`, { url });
			const ask = async (operation: 'getCrf' | 'getRfcData') =>
				(
					await dialect.taxQuery.post<{ queryId: string }>(
						client.path(operation),
						client.body(operation, { rfc: COMPANY }),
					)
				).data.queryId;
			await ask('getCrf');
			const queryId = await ask('getRfcData');
			const execution = await waitForEndedExecutionOf(n8n.client, id, { node: 'Result' });
			expect(outOf(execution, 'Result')).toEqual([
				expect.objectContaining({
					...{ queryId, rfc: COMPANY, confirmed: true },
					...{ legalName: expect.any(String), service: mapping.taxQuery.services?.getRfcData },
				}),
			]);
			expect(await n8n.client.executions(id)).toHaveLength(1);
		});
	});

	it('reports in the list of executions the unmapped names that a trigger excludes', async () => {
		const dialect = await start({ taxQuery: { services: { getCrf: 'CONSTANCIA' } } });
		const credentials = await credentialsFor(dialect, {});
		const { id } = await createTrigger('getCrf', credentials);
		await dialect.taxQuery.post('/query/crf', { rfc: RFC });
		await n8n.client.publish(id);
		const execution = await waitForEndedExecutionOf(n8n.client, id, { status: 'error' });
		expect(execution.data?.resultData.error).toMatchObject({
			context: { code: 'leftOut' },
			message: expect.stringMatching(/: CONSTANCIA\..*services\.getCrf/),
		});
		expect(JSON.stringify(execution.data)).not.toContain(RFC);
	});

	const words = {
		services: {
			calculateRfc: 'CALCULO',
			getCrf: 'CONSTANCIA',
			getCurpData: 'PERSONA',
			getRfcData: 'CONTRIBUYENTE',
		},
		fields: { getCrf: { rfc: 'clave' } },
		statuses: { success: ['LISTO'], pending: ['ESPERA'], failed: ['SIN_DATOS'] },
	};
	/** Defines what is served, and of it what the operator must know before anything can be read. */
	const environments: Array<
		[what: string, served: Required<Mapping>, known: Mapping, options: Partial<SandboxOptions>]
	> = [
		['as the documents', { creditProfile: {}, taxQuery: {} }, {}, {}],
		[
			'with words of its own',
			{ creditProfile: { filterEncoding: 'dots', listEncoding: 'repeat' }, taxQuery: words },
			{},
			{ listShape: { rows: 'consultas', total: 'totalCount' }, recordEnvelope: 'consulta' },
		],
		[
			'with paths and paging of its own',
			{
				creditProfile: { paths: { credential: 'llaves' }, filterEncoding: 'json' },
				taxQuery: {
					paths: { get: 'consultas/{queryId}', getAll: 'consultas', 'oauth/token': 'llave' },
					list: { limit: 'pageSize', offset: 'skip', pageSize: 100 },
					token: { body: 'form', clientAuthentication: 'basic' },
				},
			},
			{
				creditProfile: { paths: { credential: 'llaves' } },
				taxQuery: {
					paths: { get: 'consultas/{queryId}', getAll: 'consultas', 'oauth/token': 'llave' },
					token: { body: 'form', clientAuthentication: 'basic' },
				},
			},
			{ queryList: 'page', pastQueries: 150 },
		],
	];

	it.each(environments)(
		'Diagnose proposes the mapping of an environment %s and names what stays open',
		async (what, served, known, options) => {
			const dialect = await start(served, options);
			const client = mappedClient(served);
			const ask = async (operation: OperationName, body: object) =>
				await dialect.taxQuery.post(client.path(operation), client.body(operation, body));
			for (const one of await rfcsOf(dialect.sandbox.page)) await ask('getCrf', { rfc: one });
			await ask('getRfcData', { rfc: RFC });
			await ask('getCurpData', { curp: CURP });
			const born = { day: 31, month: 12, year: 1956 };
			await ask('calculateRfc', { name: 'Emma', firstLastName: 'Gómez', ...born });
			const credentials = await credentialsFor(dialect, known);
			const billed = async () =>
				(await axios.get<unknown[]>(`${dialect.sandbox.page}sandbox/ledger`)).data.length;
			const before = await billed();

			const parameters = { resource: 'connection', operation: 'diagnose' };
			const out = await run(`diagnose-${what.replaceAll(' ', '-')}`, [
				node('Credit Profile', 'creditProfile', parameters, credentials),
				node('Tax Query', 'taxQuery', parameters, credentials),
			]);
			expect(proposedMappingIn(out('Credit Profile'))).toEqual(served.creditProfile);
			expect(proposedMappingIn(out('Tax Query'))).toEqual(served.taxQuery);
			const missing = (name: string) =>
				out(name)
					.filter(({ result }) => result === 'Not known')
					.map(({ check }) => check);
			expect(missing('Credit Profile')).toContain('Names of login paths');
			expect(missing('Tax Query')).toContain('Paths of the queries');
			expect(await billed()).toBe(before);
			expect(JSON.stringify([out('Credit Profile'), out('Tax Query')])).not.toMatch(
				/[A-Z]{4}\d{6}|@|Gómez/,
			);
		},
	);
});

/** One RFC, and those whose queries stay pending and fail. */
async function rfcsOf(page: string): Promise<string[]> {
	type State = { reserved: Array<{ behaviour: string; rfc: string }> };
	const { data } = await axios.get<State>(`${page}sandbox/state`);
	const chosen = data.reserved.filter(({ behaviour }) => ['pending', 'failed'].includes(behaviour));
	return [RFC, ...chosen.map(({ rfc }) => rfc)];
}
