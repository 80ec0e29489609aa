import type { INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { packageNodesByType } from '../../support/runNodeInEngine';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { LOANS_COLLECTION_ID, createSandboxNodeRunner } from './support';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';

const PEM =
	'-----BEGIN TEST KEY-----\nbm90IGEgcmVhbCBrZXksIGp1c3QgdGVzdA==\n-----END TEST KEY-----\n';
const bureau = { user: 'lender_1', password: 'Encrypted_9' };

const upsert = (provider: string, login: INodeParameters) => ({
	resource: 'providerLogin',
	operation: 'upsert',
	provider,
	loginFrom: 'fields',
	...login,
});
const masked = (login: object, ...secrets: string[]) => ({
	...login,
	...Object.fromEntries(secrets.map((name) => [name, '***'])),
});
const identity = { user: 'idv', password: 'S3cret pass-phrase!' };
const screening = { token: 'screening-token-1' };
const secondBureau = {
	apiKey: 'api-key-123',
	username: 'second',
	password: 'pa$$ w0rd',
	clientPrivateKey: PEM,
	bureauPublicKey: PEM,
};
const legal = { username: 'legal@lender.mx', password: 'p@ss' };
const inCollection = (operation: string) => ({
	resource: 'dataCollection',
	operation,
	collection: { __rl: true, mode: 'id', value: String(LOANS_COLLECTION_ID) },
});

/** Every endpoint of CP §4: what the operator sets, and what reaches the service (its log masks secrets). */
const endpoints: Array<
	[
		section: string,
		endpoint: string,
		parameters: INodeParameters & { resource: string; operation: string },
		sent: { path?: string; query?: object; body?: object },
	]
> = [
	[
		'4.1.1',
		'POST /api/v1/credential/bureau/pm',
		upsert('bureau/pm', bureau),
		{ body: masked(bureau, 'password') },
	],
	[
		'4.1.2',
		'POST /api/v1/credential/bureau/pf',
		upsert('bureau/pf', bureau),
		{ body: masked(bureau, 'password') },
	],
	[
		'4.1.3',
		'POST /api/v1/credential/prospector/pf',
		upsert('prospector/pf', bureau),
		{ body: masked(bureau, 'password') },
	],
	[
		'4.1.4',
		'POST /api/v1/credential/identity-verification',
		upsert('identity-verification', identity),
		{ body: masked(identity, 'password') },
	],
	[
		'4.1.5',
		'POST /api/v1/credential/sanctions-screening',
		upsert('sanctions-screening', screening),
		{ body: masked(screening, 'token') },
	],
	[
		'4.1.6',
		'POST /api/v1/credential/credit-bureau-b',
		upsert('credit-bureau-b', secondBureau),
		{ body: masked(secondBureau, 'apiKey', 'password', 'clientPrivateKey', 'bureauPublicKey') },
	],
	[
		'4.1.7',
		'POST /api/v1/credential/legal-records',
		upsert('legal-records', legal),
		{ body: masked(legal, 'password') },
	],
	['4.2', 'GET /api/v1/credential', { resource: 'providerLogin', operation: 'getAll' }, {}],
	[
		'4.3',
		'GET /api/v1/data/collection/tags',
		{ resource: 'dataCollection', operation: 'getTags' },
		{},
	],
	[
		'4.4',
		'GET /api/v1/data/collection',
		{ resource: 'dataCollection', operation: 'getAll' },
		{ query: { limit: '50', offset: '0' } },
	],
	[
		'4.5',
		'GET /api/v1/data/collection/{id}',
		inCollection('get'),
		{ path: `/api/v1/data/collection/${LOANS_COLLECTION_ID}` },
	],
	[
		'4.6',
		'GET /api/v1/data/collection/{id}/versions',
		inCollection('getVersions'),
		{
			path: `/api/v1/data/collection/${LOANS_COLLECTION_ID}/versions`,
			query: { limit: '50', offset: '0' },
		},
	],
	['4.7', 'GET /api/v1/data/document/tags', { resource: 'dataDocument', operation: 'getTags' }, {}],
	[
		'4.8',
		'GET /api/v1/data/collection/{collectionId}/document',
		{ ...inCollection('getAll'), resource: 'dataDocument', options: { simplify: false } },
		{
			path: `/api/v1/data/collection/${LOANS_COLLECTION_ID}/document`,
			query: { limit: '50', offset: '0' },
		},
	],
];

describe('the operations of the Credit Profile node', () => {
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0 });
	const run = createSandboxNodeRunner(sandbox);

	it.each(endpoints)('CP §%s: %s', async (_section, endpoint, parameters, sent) => {
		const { error } = await run(parameters);
		const [method, path] = endpoint.split(' ');
		const requests = (await sandbox.requests()).map((request) => ({
			method: request.method,
			path: request.path,
			query: request.query,
			body: request.body,
			authorization: request.headers.authorization,
			status: request.status,
		}));
		expect({ error, requests }).toEqual({
			error: undefined,
			requests: [
				{
					method,
					path,
					query: {},
					body: undefined,
					...sent,
					authorization: 'Token ***',
					status: 200,
				},
			],
		});
	});

	it('are all the endpoints that the service has', async () => {
		const { data } = await sandbox.control.get<{ paths: Record<string, object> }>('/docs/json', {
			baseURL: sandbox.page,
		});
		const served = Object.entries(data.paths)
			.filter(([path]) => path.startsWith('/api/v1/'))
			.flatMap(([path, methods]) =>
				Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
			);
		expect(endpoints.map(([, endpoint]) => endpoint).sort()).toEqual(served.sort());
	});

	it('are all the endpoints of the sections 4.1.1 to 4.8', () => {
		// a new section belongs here, too
		const upserts = [1, 2, 3, 4, 5, 6, 7].map((number) => `4.1.${number}`);
		const others = [2, 3, 4, 5, 6, 7, 8].map((number) => `4.${number}`);
		expect(endpoints.map(([section]) => section)).toEqual([...upserts, ...others]);
	});

	it('are each in the table above', () => {
		const offered = packageNodesByType.creditProfile.description.properties
			.filter(({ name }) => name === 'operation')
			.flatMap(({ displayOptions, options }) =>
				(options as INodePropertyOptions[]).map(
					({ value }) => `${String(displayOptions?.show?.resource)} ${String(value)}`,
				),
			);
		const tested = endpoints.map(([, , { resource, operation }]) => `${resource} ${operation}`);
		// of several endpoints, or of one that another operation is listed for
		const counts = ['dataCollection count', 'dataDocument count'];
		const others = ['dataDocument downloadFiles', 'connection diagnose', ...counts];
		expect(offered.sort()).toEqual([...new Set(tested), ...others].sort());
	});
});
