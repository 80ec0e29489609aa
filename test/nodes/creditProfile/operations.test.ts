import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeParameters,
	INodePropertyOptions,
	OnError,
} from 'n8n-workflow';
import { json } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { CredentialTestContext } from 'n8n-core';
import {
	type NodeRunOptions,
	packageNodesByType,
	runNodeInEngine,
} from '../../support/runNodeInEngine';
import { type TestSandbox, startSandboxWithHelpers } from '../../support/sandbox';
import { LOANS_COLLECTION_ID, PEOPLE_COLLECTION_ID, createSandboxNodeRunner } from './support';
import { sandboxForTestGroup } from '../../support/sharedSandbox';
import { type StubRequest, type StubResponse, startStubServer } from '../../support/stubServer';
import { codeAndFieldOf, codeOf } from '../../support/errorCode';
import { shiftAllClocks } from '../../support/clock';
import { flawOfLogin, testCreditProfile } from '../../support/credentialTest';
import { toN8nCredentialLoginFields } from '../../support/credentialFields';
import { respondJson, serverForTestGroup } from '../../support/testServer';

describe('the operations of the Credit Profile node', () => {
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
		[
			'4.7',
			'GET /api/v1/data/document/tags',
			{ resource: 'dataDocument', operation: 'getTags' },
			{},
		],
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

describe('data collections', () => {
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0 });
	const run = createSandboxNodeRunner(sandbox);

	const getMany = async (parameters: INodeParameters, options?: Parameters<typeof run>[1]) =>
		await run(
			{ resource: 'dataCollection', operation: 'getAll', returnAll: true, ...parameters },
			options,
		);
	const namesOf = ({ items }: Awaited<ReturnType<typeof getMany>>) =>
		items.map(({ json }) => json.name);
	const sentQuery = async () => (await sandbox.requests())[0].query;

	describe('filters', () => {
		/** §4.4: each key with one value, and with several where the service takes them. */
		const filters: Array<[key: string, value: unknown, passing: string[]]> = [
			['name__eq', ['Garantías'], ['Garantías']],
			['name__eq', ['Garantías', 'Domicilios'], ['Domicilios', 'Garantías']],
			['name__like', 'nómina', ['Recibos de nómina']],
			['parentCollectionId__eq', [LOANS_COLLECTION_ID], ['Personas físicas', 'Personas morales']],
			[
				'parentCollectionId__eq',
				[LOANS_COLLECTION_ID, PEOPLE_COLLECTION_ID],
				['Personas físicas', 'Personas morales', 'Obligados solidarios', 'Cónyuges'],
			],
			['activeDataCollectionVersionId__eq', [5003], ['Solicitudes de crédito']],
			['tags__anyOf', ['nómina', 'campo'], ['Recibos de nómina', 'Visitas domiciliarias']],
			['tags__anyOf', 'nómina, campo', ['Recibos de nómina', 'Visitas domiciliarias']],
			['tags__eq', ['originación', 'PF'], ['Personas físicas']],
			['processorKey__eq', ['legal-records'], ['Expedientes judiciales']],
			[
				'processorKey__eq',
				['bureau-pf', 'bureau-pm'],
				['Buró de personas físicas', 'Buró de personas morales'],
			],
			['organizationId__eq', [999], []],
		];

		it.each(filters)('%s %j', async (key, value, passing) => {
			const result = await getMany({ filters: { [key]: value } as INodeParameters });
			expect(namesOf(result)).toEqual(passing);
		});

		it('together let only pass what passes each', async () => {
			const filters = { tags__anyOf: ['ingresos'], name__like: 'compañías' };
			expect(namesOf(await getMany({ filters }))).toEqual(['Ingresos de compañías pequeñas']);
		});

		it('take numbers that an expression gives as text', async () => {
			const filters = { parentCollectionId__eq: '={{ $json.parent }}' };
			const { items } = await run(
				{ resource: 'dataCollection', operation: 'getAll', filters },
				{ items: [{ parent: '1' }] },
			);
			expect(items.map(({ json }) => json.name)).toEqual(['Personas físicas', 'Personas morales']);
		});
	});

	describe('filters as the API Mapping says', () => {
		const getMapped = async (filters: INodeParameters, apiMapping: object) =>
			await getMany({ filters }, { api: { apiMapping: JSON.stringify(apiMapping) } });
		const one = { name__like: 'Juicios' };
		const several = { name__eq: ['Garantías', 'Domicilios'] };
		const page = { limit: '100', offset: '0' };

		const encodings: Array<[name: string, mapping: object, query: object]> = [
			['brackets by default', {}, { 'filter[name__like]': 'Juicios' }],
			['brackets', { filterEncoding: 'brackets' }, { 'filter[name__like]': 'Juicios' }],
			['dots', { filterEncoding: 'dots' }, { 'filter.name__like': 'Juicios' }],
			['JSON', { filterEncoding: 'json' }, { filter: '{"name__like":"Juicios"}' }],
		];
		it.each(encodings)('%s: one value is sent, and understood', async (_name, mapping, query) => {
			const result = await getMapped(one, mapping);
			expect(await sentQuery()).toEqual({ ...page, ...query });
			expect(namesOf(result)).toEqual(['Juicios mercantiles', 'Juicios laborales']);
		});

		const lists: typeof encodings = [
			['brackets by default', {}, { 'filter[name__eq][]': several.name__eq }],
			['brackets', { listEncoding: 'brackets' }, { 'filter[name__eq][]': several.name__eq }],
			[
				'indices',
				{ listEncoding: 'indices' },
				{ 'filter[name__eq][0]': 'Garantías', 'filter[name__eq][1]': 'Domicilios' },
			],
			['repeat', { listEncoding: 'repeat' }, { 'filter[name__eq]': several.name__eq }],
			[
				'dots and repeat',
				{ filterEncoding: 'dots', listEncoding: 'repeat' },
				{ 'filter.name__eq': several.name__eq },
			],
			[
				'JSON',
				{ filterEncoding: 'json' },
				{ filter: JSON.stringify({ name__eq: several.name__eq }) },
			],
		];
		it.each(lists)('%s: several values are sent, and understood', async (_name, mapping, query) => {
			const result = await getMapped(several, mapping);
			expect(await sentQuery()).toEqual({ ...page, ...query });
			expect(namesOf(result)).toEqual(['Domicilios', 'Garantías']);
		});
	});

	describe('switches', () => {
		it.each([
			['includeActiveDataCollectionVersion', true],
			['includeActiveDataCollectionVersion', false],
			['includeCreator', true],
			['includeCreator', false],
		])('%s: %s is sent as it is set', async (name, value) => {
			await getMany({ options: { [name]: value } });
			expect(await sentQuery()).toEqual({ limit: '100', offset: '0', [name]: String(value) });
		});

		it('bring the active version and the creator, flat', async () => {
			const { items } = await run({
				resource: 'dataCollection',
				operation: 'getAll',
				limit: 1,
				options: { includeActiveDataCollectionVersion: true, includeCreator: true },
			});
			expect(items[0].json).toEqual({
				id: LOANS_COLLECTION_ID,
				name: 'Solicitudes de crédito',
				slug: 'solicitudes-de-credito',
				tags: ['originación'],
				processorKey: null,
				parentCollectionId: null,
				activeVersionFields: expect.arrayContaining(['rfc']),
				creatorName: expect.stringMatching(/\w+ \w+/),
				createdAt: expect.stringMatching(/^\d{4}-.+Z$/),
				updatedAt: expect.stringMatching(/^\d{4}-.+Z$/),
			});
		});
	});

	describe('Simplify off', () => {
		/** The service itself is read apart from the node. */
		const answerOf = async (path: string) =>
			(
				await sandbox.control.get<IDataObject>(path, {
					baseURL: `${sandbox.creditProfile.baseUrl}/api/v1`,
					headers: { Authorization: `Token ${sandbox.creditProfile.token}` },
				})
			).data;
		const raw = async (operation: string, parameters: INodeParameters = {}) =>
			(
				await run({
					resource: 'dataCollection',
					operation,
					...parameters,
					options: { simplify: false, ...(parameters.options as INodeParameters) },
				})
			).items.map(({ json }) => json);
		const collection = { __rl: true, mode: 'id', value: LOANS_COLLECTION_ID };

		it('gives a collection as the service does', async () => {
			expect(await raw('get', { collection })).toEqual([await answerOf('/data/collection/1')]);
		});

		it('gives collections as the service does', async () => {
			const options = { includeActiveDataCollectionVersion: true };
			const { data } = await answerOf(
				'/data/collection?limit=50&includeActiveDataCollectionVersion=true',
			);
			expect(await raw('getAll', { options })).toEqual(data);
		});

		it('gives versions as the service does', async () => {
			const { data } = await answerOf('/data/collection/1/versions');
			expect(await raw('getVersions', { collection })).toEqual(data);
		});

		it('gives the tags with their count as the service does', async () => {
			expect(await raw('getTags')).toEqual([await answerOf('/data/collection/tags')]);
		});
	});

	it('has one item for each tag', async () => {
		const { items } = await run({ resource: 'dataCollection', operation: 'getTags' });
		expect(items.map(({ json }) => json)).toContainEqual({ tag: 'originación' });
	});

	it('has one item for each version, with the names of its fields', async () => {
		const { items } = await run({
			resource: 'dataCollection',
			operation: 'getVersions',
			collection: { __rl: true, mode: 'list', value: LOANS_COLLECTION_ID },
		});
		expect(items.map(({ json }) => json)).toEqual([
			expect.objectContaining({ id: 5003, isActive: true }),
			expect.objectContaining({ id: 5002, isActive: false }),
			{
				id: 5001,
				isActive: false,
				title: expect.any(String),
				fields: expect.arrayContaining(['rfc']),
				requiredFields: expect.arrayContaining(['rfc']),
				creatorId: expect.any(Number),
				createdAt: expect.stringMatching(/^\d{4}-.+Z$/),
			},
		]);
	});

	it('takes the id of a collection from each item', async () => {
		const { items } = await run(
			{
				resource: 'dataCollection',
				operation: 'get',
				collection: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
			},
			{ items: [{ id: 3 }, { id: '2' }, { id: 1 }] },
		);
		expect(items.map(({ json, pairedItem }) => [json.id, pairedItem])).toEqual([
			[3, { item: 0 }],
			[2, { item: 1 }],
			[1, { item: 2 }],
		]);
	});
});

const LEGAL = 'legal-records';
let executions = 0;

/** Stores each item's login at a service with this response; the item names the provider, too. */
async function store(
	answer: (requests: StubRequest) => StubResponse,
	items: IDataObject[],
	more: Partial<NodeRunOptions> = {},
) {
	const service = await startStubServer(answer);
	const { error, ...run } = await runNodeInEngine({
		type: 'creditProfile',
		executionId: `execution ${++executions}`, // within one, a refused login is not sent again
		parameters: {
			...{ resource: 'providerLogin', operation: 'upsert', loginFrom: 'fields' },
			...{ provider: LEGAL, username: '={{ $json.user }}', password: '={{ $json.password }}' },
		},
		items,
		credentials: {
			creditProfileApi: { baseUrl: service.url, apiToken: 'token-1', pointsPerSecond: 0 },
		},
		...more,
	});
	await service.close();
	const sent = service.requests.map(({ body }) => (JSON.parse(body) as IDataObject).password);
	return {
		error,
		sent,
		hints: run.hints.map(({ message }) => message),
		rows: run.items.map(({ json }) => json.user ?? json.error),
		failed: run.failed.map(({ json }) => json.error),
		actions: run.items.map(({ json }) => json.action),
	};
}

const login = (password: string) => ({ user: 'lender', password });

const stored = ({ body }: StubRequest): StubResponse => ({
	body: { id: 1, type: LEGAL, user: (JSON.parse(body) as IDataObject).username },
});

describe('several logins for one provider in one run', () => {
	it('are stored one after another: the last item is the one that stays', async () => {
		const { error, sent, rows } = await store(
			(requests) => (requests.times === 0 ? { status: 429, body: {} } : stored(requests)),
			[login('Old_1'), login('New_2')],
		);
		expect([error, sent, rows]).toEqual([
			undefined,
			['Old_1', 'Old_1', 'New_2'],
			['lender', 'lender'],
		]);
	});

	it('that are the same are stored once, and each item gets the answer', async () => {
		const { sent, rows } = await store(
			stored,
			Array.from({ length: 60 }, () => login('Same_1')),
		);
		expect([sent, rows]).toEqual([['Same_1'], Array.from({ length: 60 }, () => 'lender')]);
	});

	it('that come again after another are stored again', async () => {
		const { sent } = await store(stored, [login('A'), login('B'), login('A'), login('A')]);
		expect(sent).toEqual(['A', 'B', 'A']);
	});

	const refuseOld = (request: StubRequest) =>
		request.body.includes('Old') ? { status: 422, body: { message: 'No' } } : stored(request);

	it('go on after one that fails, under Continue On Fail', async () => {
		const { sent, rows, failed } = await store(
			refuseOld,
			[login('Old_1'), login('New_2'), login('Old_3'), login('New_4')],
			{ onError: 'continueErrorOutput' },
		);
		expect([sent, rows, failed.length]).toEqual([
			['Old_1', 'New_2', 'Old_3', 'New_4'],
			['lender', 'lender'],
			2,
		]);
	});

	it('are not sent any more after one that fails', async () => {
		const { error, sent } = await store(refuseOld, [login('New_1'), login('Old_2'), login('B')]);
		expect([codeOf(error), error?.context?.item, sent]).toEqual([
			'status.422',
			2,
			['New_1', 'Old_2'],
		]);
	});

	it('fail with the first item where the same login is refused', async () => {
		const { error, sent } = await store(refuseOld, [login('Old_1'), login('Old_1')]);
		expect([error?.context?.item, sent]).toEqual([1, ['Old_1']]);
	});
});

describe('a response to a login', () => {
	const row = {
		...{ id: 1, type: LEGAL, user: 'lender', isEnabled: true, organizationId: 7 },
		...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-02-01T00:00:00.000Z' },
	};
	const respond = async (body: unknown, status = 200) =>
		await store(() => ({ status, body }), [login('Lender_Secret_1')]);

	it.each<[string, unknown, number?]>([
		['the row', row],
		['the row without a user', { ...row, user: undefined }],
		['the row, created', row, 201],
		['a short row', { id: 1, type: LEGAL }],
		['an ID as text', { ...row, id: '17' }],
		['a row with a state of its own', { ...row, status: 'failed' }],
		['the row in a list', [row]],
		['the row under data', { data: row }],
		['the row under another name', { credential: row, message: 'ok' }],
		['the row without errors', { ...row, errors: [], error: null }],
	])('that is %s says that it was saved', async (_what, body, status = 200) => {
		const { error, sent } = await respond(body, status);
		expect([error, sent]).toEqual([undefined, ['Lender_Secret_1']]);
	});

	it.each<[unknown, number?]>([
		['', 200],
		['', 204],
		['<html>Saved</html>'],
		[null],
		[[]],
		[{}],
		[{ locked: true }],
		[{ message: 'Your contract ended', code: 204 }],
		[{ status: 'rejected' }],
		[{ user: 'lender', message: 'Wrong password' }],
		[{ success: true }],
		[{ message: 'Credential stored successfully' }],
		[{ user: 'lender', type: LEGAL }],
		[{ id: 1 }],
		[{ id: 17, type: 'error', message: 'Locked' }],
		[{ id: null, type: LEGAL, isEnabled: true }],
		[{ ...row, id: undefined }],
		[{ ...row, success: false }],
		[{ success: false, data: row }],
		[{ errors: [{ id: 'e1', detail: 'No such user' }] }],
		[[{ ...row, id: 2, type: 'bureau-pm' }, row]],
		[{ data: [row] }],
		[{ old: row, new: row }],
	])('that is anything else leaves it unknown: %j, %j', async (body, status = 200) => {
		const { error, rows, sent } = await respond(body, status);
		expect([rows, sent, codeOf(error)]).toEqual([[], ['Lender_Secret_1'], 'unsure']);
	});

	it('that quotes no row is quoted', async () => {
		const { error } = await respond({ message: 'Your contract ended' });
		expect(error?.context?.serviceMessage).toBe('Your contract ended');
	});

	it('with status 404 quotes the service', async () => {
		const message = 'The organization has not contracted the bureau service';
		const { error } = await respond({ message }, 404);
		expect(error?.context).toMatchObject({ code: 'status.404', serviceMessage: message });
	});

	it('that repeats the password is not', async () => {
		const { error } = await respond({ message: 'Lender_Secret_1 rejected' });
		expect(error?.description).not.toContain('Lender_Secret_1');
	});

	it('sends no other item, nor this login again, after a response without a row', async () => {
		const answer = () => ({ body: { status: 'rejected' } });
		const items = [login('A'), login('A'), login('B')];
		expect((await store(answer, items)).sent).toEqual(['A']);
		const { sent, failed } = await store(answer, items, { onError: 'continueErrorOutput' });
		expect([sent, failed.length]).toEqual([['A', 'B'], 3]);
	});

	it.each<[string, IDataObject]>([
		['another user', { user: 'SOMEBODY_ELSE' }],
		['a user masked by the service', { user: 'lexxxx' }],
		['a login that is off', { isEnabled: false }],
	])('hints at a login whose row shows %s, without failing', async (_what, more) => {
		const { error, rows, hints } = await respond({ ...row, ...more });
		expect([error, rows, hints]).toEqual([
			undefined,
			[more.user ?? 'lender'],
			[expect.stringContaining('Legal Records')],
		]);
	});

	it.each<[string, IDataObject]>([
		['what was sent', {}],
		['no user', { user: null }],
		['a type of its own', { type: 'LEGAL_RECORDS' }],
	])('shows no hint for a login whose row shows %s', async (_what, more) => {
		const { error, hints } = await respond({ ...row, ...more });
		expect([error, hints]).toEqual([undefined, []]);
	});

	it.each<[string, IDataObject, string | null]>([
		['created', { updatedAt: row.createdAt }, 'created'],
		['updated', {}, 'updated'],
		['saved, as far as it shows', { updatedAt: undefined }, null],
	])('reports that the login was %s', async (_what, more, action) => {
		const { actions } = await respond({ ...row, ...more });
		expect(actions).toEqual([action]);
	});
});

describe('the credentials of providers', () => {
	const PEM =
		'-----BEGIN TEST KEY-----\nbm90IGEgcmVhbCBrZXksIGp1c3QgdGVzdA==\n-----END TEST KEY-----\n';
	/** A complete login of each provider. */
	const logins: Array<[provider: string, login: Record<string, string>]> = [
		['bureau/pm', { user: 'lender_1', password: 'Bureau_Secret_1' }],
		['bureau/pf', { user: 'lender_2', password: 'Encrypted_Secret_2' }],
		['prospector/pf', { user: 'lender_3', password: 'Encrypted_Secret_3' }],
		['identity-verification', { user: 'idv', password: 'S3cret pass-phrase!' }],
		['sanctions-screening', { token: 'screening-token-1' }],
		[
			'credit-bureau-b',
			{
				apiKey: 'api-key-123',
				username: 'second',
				password: 'pa$$ w0rd "quoted"',
				clientPrivateKey: PEM,
				bureauPublicKey: 'ssh-rsa\nAAAAB3NzaC1yc2E=\n',
			},
		],
		['legal-records', { username: 'legal@lender.mx', password: 'l3gal p@ss' }],
	];
	const upsert = (provider: string) => ({
		resource: 'providerLogin',
		operation: 'upsert',
		provider,
	});
	const stored = toN8nCredentialLoginFields;
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0 });
	const run = createSandboxNodeRunner(sandbox);

	describe('are sent as they were entered', () => {
		/** Answers like the service and keeps the bodies, which the sandbox's log masks. */
		const bodies: unknown[] = [];
		const server = serverForTestGroup((request, response) => {
			void json(request).then((body) => {
				bodies.push(body);
				respondJson(response, { id: 1, type: 'x' });
			});
		});

		const received = async (parameters: object, login?: ICredentialDataDecryptedObject) => {
			bodies.length = 0;
			await run(
				{ ...parameters },
				{
					credentials: {
						creditProfileApi: { baseUrl: server.url, apiToken: 'token-1', ...login },
					},
				},
			);
			return bodies;
		};

		it.each(logins)('%s, from a stored credential', async (provider, login) => {
			expect(await received(upsert(provider), stored(provider, login))).toEqual([login]);
		});

		it.each(logins)('%s, from fields of the node', async (provider, login) => {
			const parameters = { ...upsert(provider), loginFrom: 'fields', ...login };
			expect(await received(parameters)).toEqual([login]);
		});
	});

	it('come back simplified, without a secret', async () => {
		const login = stored(...logins[1]);
		await run(upsert('bureau/pf'), { login });
		shiftAllClocks(2_000); // what is stored within a second of its creation counts as created
		const { items, hints } = await run(upsert('bureau/pf'), { login });
		expect(hints).toEqual([]);
		expect(items.map(({ json }) => json)).toEqual([
			{
				action: 'updated',
				id: expect.any(Number),
				type: 'bureau/pf',
				user: 'lender_2',
				isEnabled: true,
				expirationDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
				isAutoRenewEnabled: true,
				ownerId: expect.any(Number),
				createdAt: expect.any(String),
				updatedAt: expect.any(String),
			},
		]);
	});

	it('come back as the service gives them with Simplify off', async () => {
		const login = stored(...logins[1]);
		const { items } = await run(
			{ ...upsert('bureau/pf'), options: { simplify: false } },
			{ login },
		);
		expect(items[0].json).toMatchObject({
			metadata: { expirationDate: expect.any(String) },
			configuration: { isAutoRenewEnabled: true },
		});
	});

	it.each(['1', 'Encrypted_Secret_2'])(
		'removes a password that the service repeats, and nothing else: %s',
		async (secret) => {
			const body = {
				id: 11,
				type: 'bureau/pf',
				user: '1 and 11',
				metadata: { password: secret, '1': 1, note: 'x1y' },
				configuration: { basic: Buffer.from('Encrypted_Secret_2').toString('base64') },
			};
			await sandbox.faults({
				path: '/api/v1/credential/bureau/pf',
				fault: { status: 200, body },
			});
			const login = stored('bureau/pf', { user: 'lender_2', password: secret });
			const { items } = await run(
				{ ...upsert('bureau/pf'), options: { simplify: false } },
				{ login },
			);
			const isLong = secret.length > 3; // a shorter one is in texts that have nothing to do with it
			expect(items.map(({ json }) => json)).toEqual([
				{
					...body,
					metadata: { ...body.metadata, password: '***' },
					configuration: isLong ? { basic: '***' } : body.configuration,
				},
			]);
		},
	);

	it("keeps the row's own ID and dates, though a short password is part of them", async () => {
		const at = '2026-11-01T00:00:00Z';
		const body = { id: 2026, createdAt: at, updatedAt: at, type: 'bureau/pm', user: 'u' };
		await sandbox.faults({ path: '/api/v1/credential/bureau/pm', fault: { status: 200, body } });
		const login = { loginFrom: 'fields', user: 'u', password: '2026' };
		const { items, error } = await run({ ...upsert('bureau/pm'), ...login });
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toMatchObject([
			{ id: 2026, createdAt: at, updatedAt: at },
		]);
	});

	it('come back without a secret that the service repeats as a number or as a key', async () => {
		const body = { id: 11, type: 'bureau/pf', password: 12345678, metadata: { '12345678': 1 } };
		await sandbox.faults({ path: '/api/v1/credential/bureau/pf', fault: { status: 200, body } });
		const login = stored('bureau/pf', { user: 'lender_2', password: '12345678' });
		const { items } = await run(
			{ ...upsert('bureau/pf'), options: { simplify: false } },
			{ login },
		);
		expect(items.map(({ json }) => json)).toEqual([
			{ ...body, password: '***', metadata: { '***': 1 } },
		]);
	});

	describe('listed', () => {
		let own: TestSandbox; // in which no other test stores a login
		beforeAll(async () => {
			own = await startSandboxWithHelpers({ rateLimit: 0 });
			for (const [provider, login] of logins.slice(0, 3)) {
				await createSandboxNodeRunner(own)(upsert(provider), { login: stored(provider, login) });
			}
		});
		afterAll(async () => await own.close());
		const list = async (parameters: object) =>
			(
				await createSandboxNodeRunner(own)({
					resource: 'providerLogin',
					operation: 'getAll',
					...parameters,
				})
			).items.map(({ json }) => json.type);
		/** Two of those that the sandbox has from the start, and the three stored here. */
		const all = [
			'identity-verification',
			'legal-records',
			'bureau/pm',
			'bureau/pf',
			'prospector/pf',
		];

		it('are all there with Return All', async () => {
			expect((await list({ returnAll: true })).sort()).toEqual([...all].sort());
		});

		it('are no more than the Limit', async () => {
			expect(await list({ limit: 2 })).toHaveLength(2);
		});
	});

	it('are refused by the bureau itself', async () => {
		const refused = stored('bureau/pf', { user: 'REFUSED_USER', password: 'Encrypted_Secret_2' });
		const { error } = await run(upsert('bureau/pf'), { login: refused });
		expect([codeOf(error), error?.context?.serviceMessage]).toEqual([
			'status.422',
			expect.stringContaining('bureau did not accept'), // of the sandbox
		]);
		const { items } = await run({
			...{ resource: 'providerLogin', operation: 'getAll', returnAll: true },
		});
		expect(items.map(({ json }) => json.user)).not.toContain('REFUSED_USER');
	});

	it.each(['bureau/pm', 'bureau/pf', 'credit-bureau-b'])(
		'of the credit bureau %s come with the day on which they end',
		async (provider) => {
			const [, login] = logins.find(([name]) => name === provider) as (typeof logins)[0];
			const { items } = await run(upsert(provider), { login: stored(provider, login) });
			expect(items[0].json.expirationDate).toMatch(/^\d{4}-\d\d-\d\d$/);
		},
	);

	describe('are checked before a request is spent', () => {
		/** A login, and what the error is about. */
		const [EMPTY, SIGN] = ['login.empty', 'login.characters'];
		const wrong: Array<[what: string, provider: string, login: object, ...expected: string[]]> = [
			['an empty user', 'bureau/pm', { user: '', password: 'x1' }, EMPTY, 'User'],
			['a blank password', 'legal-records', { username: 'a', password: ' ' }, EMPTY, 'Password'],
			['a blank in the user', 'bureau/pm', { user: 'a b', password: 'x1' }, SIGN, 'User'],
			['a sign in the password', 'bureau/pm', { user: 'a', password: 'x-1' }, SIGN, 'Password'],
			['an ñ', 'prospector/pf', { user: 'ñ', password: 'x1' }, SIGN, 'User'],
			['a line end', 'bureau/pf', { user: 'a', password: 'x1\n' }, SIGN, 'Encrypted Password'],
			['a token that is missing', 'sanctions-screening', {}, EMPTY, 'Token'],
			['a number', 'sanctions-screening', { token: 12345 }, EMPTY, 'Token'],
			['an object', 'sanctions-screening', { token: { a: 1 } }, EMPTY, 'Token'],
			['a key that is missing', 'credit-bureau-b', { apiKey: 'k' }, EMPTY, 'Username'],
		];

		it.each(wrong)('%s', async (_what, provider, login, ...reported) => {
			const { error } = await run(upsert(provider), { login: stored(provider, login) });
			const sent = await sandbox.requests();
			expect([codeAndFieldOf(error), error?.context?.sent, sent]).toEqual([reported, false, []]);
		});

		it('a provider that was not chosen', async () => {
			const running = run({ ...upsert(''), loginFrom: 'fields' });
			await expect(running).rejects.toThrow('Parameter "Provider" is required');
		});

		it.each(['bureau/pm', 'bureau/pf', 'prospector/pf'])(
			'one of %s may be empty where the operator allows it',
			async (provider) => {
				const login = stored(provider, { user: '', password: '' });
				const { error } = await run(
					{ ...upsert(provider), options: { allowEmpty: true } },
					{ login },
				);
				expect(error).toBeUndefined();
				expect((await sandbox.requests()).length).toBe(1);
			},
		);

		it('blanks around it are sent as entered, with a warning', async () => {
			const login = stored('sanctions-screening', { token: ' screening-token-1\t' });
			const { error, hints } = await run(upsert('sanctions-screening'), { login });
			expect([error, hints.map(({ message }) => message)]).toEqual([
				undefined,
				[expect.stringContaining("'Token'")],
			]);
		});

		it('a stored login that is missing', async () => {
			const login = stored('legal-records', { username: 'u', password: 'p' });
			for (const held of [undefined, login]) {
				const { error } = await run(upsert('bureau/pm'), { login: held });
				expect(codeOf(error)).toBe('storedLogin.provider');
			}
			expect(await sandbox.requests()).toEqual([]);
		});

		it('one of several stored logins is sent, by the provider that the node names', async () => {
			const login = {
				...stored('bureau/pm', { user: 'lender_1', password: 'Bureau_Secret_1' }),
				...stored('legal-records', { username: 'legal@lender.mx', password: 'l3gal p@ss' }),
				providerLogins: ['bureau/pm', 'legal-records'],
			};
			const { items } = await run(upsert('legal-records'), { login });
			expect(items.map(({ json }) => [json.type, json.user])).toEqual([
				['legal-records', 'legal@lender.mx'],
			]);
		});
	});

	describe('stay secret', () => {
		const secretsOf = (login: Record<string, string>) =>
			Object.entries(login)
				.filter(([name]) => !/^user|Public/.test(name))
				.flatMap(([, value]) => [value, JSON.stringify(value).slice(1, -1)])
				.concat(login.clientPrivateKey ? [PEM.split('\n')[1]] : []);
		/** The service answers with the whole login, as no service should. */
		const echo = async (provider: string, login: object) =>
			await sandbox.faults({
				path: `/api/v1/credential/${provider}`,
				fault: {
					status: 400,
					body: {
						message: `Not valid: ${Object.values(login).join(', ')} ${JSON.stringify(login)}`,
					},
				},
			});

		it.each(logins)(
			'%s, stored, when the service echoes them in a sentence, which is withheld',
			async (provider, login) => {
				await echo(provider, login);
				const secrets = secretsOf(login);
				const { error } = await run(upsert(provider), { login: stored(provider, login), secrets });
				expect([codeOf(error), error?.description]).toEqual([
					'status.400',
					expect.not.stringContaining('Not valid'),
				]);
			},
		);

		it('when the service quotes the body that held them', async () => {
			const [provider, login] = ['legal-records', { username: 'u', password: 'l3g"al/ñ' }];
			const message = `Bad body: ${JSON.stringify(login)}`;
			await sandbox.faults({
				path: `/api/v1/credential/${provider}`,
				fault: { status: 422, body: { message } },
			});
			const { error } = await run(upsert(provider), { login: stored(provider, login) });
			expect(codeOf(error)).toBe('status.422');
			expect(error?.description).not.toContain('Bad body');
		});

		/** All that comes out of a run; n8n itself keeps the node's fields beside it, to be able to run it again. */
		const everythingOut = ({ items, failed, error, hints }: Awaited<ReturnType<typeof run>>) =>
			JSON.stringify({ items, failed, hints, error, ...error }) + inspect(error, { depth: 10 });

		const fromFields = async (provider: string, login: object, onError?: OnError) =>
			everythingOut(await run({ ...upsert(provider), loginFrom: 'fields', ...login }, { onError }));

		describe.each(logins)('%s, from fields', (provider, login) => {
			const found = (text: string) => secretsOf(login).filter((secret) => text.includes(secret));

			it('when the service echoes them', async () => {
				await echo(provider, login);
				expect(found(await fromFields(provider, login))).toEqual([]);
			});

			it('in an item of the error output', async () => {
				await echo(provider, login);
				expect(found(await fromFields(provider, login, 'continueErrorOutput'))).toEqual([]);
			});

			it.each([
				['the connection breaks', 'resetAfter' as const],
				['the service fails', { status: 500 }],
				['the answer is no JSON', 'nonJson' as const],
			])('when %s', async (_what, fault) => {
				await sandbox.faults({ path: `/api/v1/credential/${provider}`, fault });
				expect(found(await fromFields(provider, login))).toEqual([]);
			});

			it('when a field is wrong', async () => {
				const [last] = Object.keys(login).slice(-1);
				expect(found(await fromFields(provider, { ...login, [last]: ' ' }))).toEqual([]);
			});
		});
	});

	describe('that are stored are tested offline', () => {
		it.each([...logins, ['taxAuthority', { rfc: 'GODE561231GR8', ciec: 'Abcd1234' }] as const])(
			'a complete one of %s is fine',
			async (provider, login) => {
				expect(await flawOfLogin(provider, login)).toBeUndefined();
			},
		);

		it.each([
			['no user', 'bureau/pm', { password: 'x' }, "'User'"],
			['a sign', 'bureau/pf', { user: 'a', password: '*' }, "'Encrypted Password'"],
			['no CIEC', 'taxAuthority', { rfc: 'GODE561231GR8' }, "'CIEC'"],
		])('one with %s is not', async (_what, provider, login, message) => {
			expect(await flawOfLogin(provider, login)).toContain(message);
		});

		it('by the test of the whole credential, after its connection', async () => {
			const { creditProfileApi } = sandbox.credentials();
			const messageOf = async (login: object) => {
				const data = {
					...creditProfileApi,
					...toN8nCredentialLoginFields('bureau/pm', login),
				};
				const credential = { id: '1', name: 'x', type: 'creditProfileApi', data };
				return await testCreditProfile.call(new CredentialTestContext(), credential as never);
			};
			expect([
				(await messageOf({ user: 'lender_1', password: 'Bureau_1' })).status,
				(await messageOf({ user: '', password: '' })).message,
			]).toEqual(['OK', expect.stringContaining('Persona Moral')]);
		});
	});
});

describe('the option Personal Data', () => {
	const documents = {
		resource: 'dataDocument',
		operation: 'getAll',
		collection: { __rl: true, mode: 'id', value: LOANS_COLLECTION_ID },
		limit: 10,
	};
	const IDENTIFIER = /[A-ZÑ&]{3,4}\d{6}[A-Z0-9]{3}/;
	const withMode = (personalData: string, options: object = {}) => ({
		...documents,
		options: { personalData, includeAssociations: ['profiles', 'files'], ...options },
	});

	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0 });
	const run = createSandboxNodeRunner(sandbox);

	it.each([true, false])(
		'Masked leaves no identifier, name or link, Simplify %s',
		async (simplify) => {
			const full = await run(withMode('full', { simplify }));
			const { items } = await run(withMode('masked', { simplify }));
			const text = JSON.stringify(items);
			expect(JSON.stringify(full.items)).toMatch(IDENTIFIER);
			expect(text).not.toMatch(IDENTIFIER);
			expect(text).not.toContain('http');
			expect(items.length).toBe(10);
		},
	);

	it('Pseudonym gives the same person the same code, in documents and their profiles', async () => {
		const api = { pseudonymKey: 'sixteen or more letters' };
		const { items } = await run(withMode('pseudonym'), { api });
		const [{ json }] = items;
		const [profile] = json.profiles as Array<{ rfc: string }>;
		expect([json.rfc, profile.rfc]).toEqual([expect.stringMatching(/^p_[0-9a-f]{24}$/), json.rfc]);
	});

	it('Pseudonym without a key is refused before a request is spent', async () => {
		const { error } = await run(withMode('pseudonym'));
		expect([codeOf(error), await sandbox.requests()]).toEqual(['credential.pseudonymKey', []]);
	});

	it('an expression that comes out empty is not taken for Full', async () => {
		const { error } = await run(withMode('={{ $json.missing }}'));
		expect(codeAndFieldOf(error)).toEqual(['field.choice', 'Personal Data']);
	});

	it('withholds what the service says in an error', async () => {
		const path = `/api/v1/data/collection/${LOANS_COLLECTION_ID}/document`;
		await sandbox.faults({ path, fault: { status: 400, body: { message: 'No GODE561231GR8' } } });
		const { error } = await run(withMode('masked', { simplify: false }));
		expect([codeOf(error), error?.description]).toEqual([
			'status.400',
			expect.not.stringContaining('GODE'),
		]);
	});

	it('withholds where a redirect leads, which may name somebody', async () => {
		const path = `/api/v1/data/collection/${LOANS_COLLECTION_ID}/document`;
		const headers = { location: '/person/EMMA' };
		await sandbox.faults({ path, fault: { status: 302, headers } });
		const reported = [];
		for (const personalData of ['full', 'masked']) {
			const { error, saved } = await run(withMode(personalData, { simplify: false }));
			reported.push([codeOf(error), saved.includes('EMMA')]); // in all that n8n keeps
		}
		expect(reported).toEqual([
			['status.302', true],
			['status.302', false],
		]);
	});
});
