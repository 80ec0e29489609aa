import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { FaultRule } from '../../../sandbox/plugins/faults';
import { codeAndFieldOf, codeOf } from '../../support/errorCode';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { LOANS_COLLECTION_ID, createSandboxNodeRunner } from './support';
import { sandboxForTestGroup } from '../../support/sharedSandbox';
import { type StubResponse, startStubServer } from '../../support/stubServer';
import { type NodeRunOptions, runNodeInEngine } from '../../support/runNodeInEngine';

describe('bad input', () => {
	const byId = (value: unknown) => ({ __rl: true, mode: 'id', value: value as string });
	const collection = byId(LOANS_COLLECTION_ID);
	const get = (value: unknown) => ({
		resource: 'dataCollection',
		operation: 'get',
		collection: byId(value),
	});
	const documents = { resource: 'dataDocument', operation: 'getAll', collection };
	const collections = { resource: 'dataCollection', operation: 'getAll' };
	const filtered = (filters: INodeParameters) => ({ ...collections, filters });
	const parent = (value: INodeParameters[string]) => filtered({ parentCollectionId__eq: value });
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0 });
	const run = createSandboxNodeRunner(sandbox);

	/** Nothing of it is worth a request. */
	type Refusal = [code: string, field: string];
	const refused: Array<[what: string, parameters: INodeParameters, expected: Refusal]> = [
		['an object for an id', get('={{ { a: 1 } }}'), ['field.id', 'Collection']],
		['a text for an id', get('={{ "abc" }}'), ['field.id', 'Collection']],
		['a path for an id', get('={{ "1/../2" }}'), ['field.id', 'Collection']],
		['a fraction for an id', get('={{ 1.5 }}'), ['field.id', 'Collection']],
		['a negative id', get('={{ -1 }}'), ['field.id', 'Collection']],
		['no id', get('={{ undefined }}'), ['field.empty', 'Collection']],
		['an empty id', get('={{ "" }}'), ['field.empty', 'Collection']],
		['a Limit of 0', { ...collections, limit: 0 }, ['field.number', 'Limit']],
		['a Limit of half a row', { ...collections, limit: '={{ 2.5 }}' }, ['field.number', 'Limit']],
		['a text for a Limit', { ...documents, limit: '={{ "many" }}' }, ['field.number', 'Limit']],
		[
			'a text for a switch',
			{ ...documents, options: { simplify: '={{ "yes" }}' } },
			['field.boolean', 'Simplify'],
		],
		[
			'a text for Return All',
			{ ...documents, returnAll: '={{ "yes" }}' },
			['field.boolean', 'Return All'],
		],
		[
			'a text for an option',
			{ ...documents, options: { includeAssociations: '={{ "yes" }}' } },
			['field.choice', 'Include Associations'],
		],
		[
			'a text where a filter wants a number',
			filtered({ parentCollectionId__eq: '={{ "abc" }}' }),
			['filter.id', 'Parent Collection ID'],
		],
		[
			'an object where a filter wants a text',
			filtered({ name__eq: '={{ { a: 1 } }}' }),
			['filter.text', 'Name'],
		],
		[
			'a list where a filter takes one text',
			filtered({ name__like: '={{ ["a", "b"] }}' }),
			['filter.list', 'Name Contains'],
		],
		[
			'a filter whose expression gives nothing',
			filtered({ name__eq: '={{ $json.missing }}' }),
			['filter.empty', 'Name'],
		],
		[
			'an empty list of tags',
			filtered({ tags__anyOf: [] }),
			['filter.empty', 'Any Tag Names or IDs'],
		],
		['an empty name', filtered({ name__eq: [''] }), ['filter.empty', 'Name']],
		['a 0 for an id of a filter', parent(0), ['filter.empty', 'Parent Collection ID']],
		['a fraction for an id of a filter', parent(1.5), ['filter.id', 'Parent Collection ID']],
		['a 0 among ids of a filter', parent([4, 0]), ['filter.empty', 'Parent Collection ID']],
	];
	it.each(refused)('%s is refused before a request is spent', async (_what, parameters, text) => {
		const { error } = await run(parameters);
		const sent = (await sandbox.requests()).length;
		expect([codeAndFieldOf(error), sent]).toEqual([text, 0]);
	});

	it('fails the item of a collection that does not exist', async () => {
		const { error } = await run(get('={{ $json.id }}'), { items: [{ id: 1 }, { id: 4711 }] });
		expect({ code: codeOf(error), index: error?.context?.item }).toEqual({
			code: 'status.404',
			index: 2,
		});
	});

	it('the error of the only item has no index', async () => {
		const { error } = await run(get('={{ $json.id }}'), { items: [{ id: 4711 }] });
		expect([codeOf(error), error?.context?.item]).toEqual(['status.404', undefined]);
	});

	const path = '/api/v1/data/collection';
	/** Its own words are among them. */
	const answers: Array<
		[what: string, fault: FaultRule['fault'], code: string, serviceMessage: unknown]
	> = [
		['401', { status: 401, body: {} }, 'status.401', undefined],
		['403', { status: 403, body: {} }, 'status.403', undefined],
		['404', { status: 404, body: {} }, 'status.404', undefined],
		['400', { status: 400, body: { message: 'offset?' } }, 'status.400', 'offset?'],
		['texts of errors', { status: 422, body: { errors: ['a', '', 'b'] } }, 'status.422', 'a; b'],
		['500', { status: 500, body: {} }, 'status.500', undefined],
		['a body that is cut', 'truncated', 'body.truncated', undefined],
		['a web page', 'nonJson', 'body.notJson', undefined],
		['no list', { status: 200, body: { data: {} } }, 'shape', undefined],
		[
			'a list of something else, with a message',
			{ status: 200, body: { data: ['x'], total: 1, message: 'Moved' } },
			...(['shape', 'Moved'] as const),
		],
	];
	it.each(answers)('fails with the right code: %s', async (_what, fault, code, message) => {
		await sandbox.faults({ path, fault });
		const { error } = await run(collections);
		expect([codeOf(error), error?.context?.serviceMessage]).toEqual([code, message]);
	});

	it('an error in a later page is not taken for the end of the list', async () => {
		await sandbox.faults(
			{ path, times: 1, fault: { latency: 0 } },
			{
				path,
				times: 1,
				fault: { status: 200, body: { data: [{ id: 1, name: 'A' }], total: 900 } },
			},
			{ path, fault: { status: 403, body: {} } },
		);
		const { items, error } = await run({ ...collections, returnAll: true });
		expect([items, codeOf(error)]).toEqual([[], 'status.403']);
	});

	describe('among good items', () => {
		const items = [{ id: 1 }, { id: 4711 }, { id: 3 }];
		const mixed = get('={{ $json.id }}');
		it('becomes an item in its place, under Continue On Fail', async () => {
			const result = await run(mixed, { items, onError: 'continueRegularOutput' });
			expect(
				result.items.map(({ json, pairedItem }) => [codeOf(json) ?? json.id, pairedItem]),
			).toEqual([
				[1, { item: 0 }],
				['status.404', { item: 1 }],
				[3, { item: 2 }],
			]);
		});

		it('has its own index where all fail for one reason', async () => {
			await sandbox.faults({
				path: '/api/v1/credential/bureau/pm',
				fault: { status: 403, body: {} },
			});
			const login = { loginFrom: 'fields', provider: 'bureau/pm', user: 'a', password: 'b' };
			const result = await run(
				{ resource: 'providerLogin', operation: 'upsert', ...login },
				{ items: items.map(() => ({})), onError: 'continueRegularOutput' },
			);
			const text = result.items.map(({ json, pairedItem }) => [codeOf(json), pairedItem]);
			expect(text).toEqual([0, 1, 2].map((index) => ['status.403', { item: index }]));
		});

		it('reports the failing item while the rate limit delays another', async () => {
			const path = '/api/v1/data/collection';
			await sandbox.faults(
				{ path: `${path}/1`, fault: { status: 429, body: {} } },
				{ path: `${path}/3`, fault: { status: 422, body: {} } },
			);
			const { error } = await run(mixed, { items: [{ id: 1 }, { id: 3 }] });
			expect([codeOf(error), error?.context?.item]).toEqual(['status.422', 2]);
		});

		it('goes to the error output', async () => {
			const result = await run(mixed, { items, onError: 'continueErrorOutput' });
			expect([
				result.items.map(({ json }) => json.id),
				result.failed.map(({ json }) => codeOf(json)),
			]).toEqual([[1, 3], ['status.404']]);
		});
	});
});

/** Runs the node at a service that answers everything so. */
async function runAgainst(
	answer: StubResponse,
	parameters: INodeParameters,
	more: Partial<NodeRunOptions> = {},
) {
	const service = await startStubServer(() => answer);
	const { error, hints } = await runNodeInEngine({
		type: 'creditProfile',
		parameters,
		credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
		...more,
	});
	await service.close();
	return {
		error: error && `${error.message} | ${error.description ?? ''}`,
		hints: hints.map(({ message }) => message),
	};
}

const byId = (value: unknown) => ({ __rl: true, mode: 'id', value: value as number });

const get = (id: unknown) => ({
	...{ resource: 'dataCollection', operation: 'get', collection: byId(id) },
});

const filtered = (filters: IDataObject): INodeParameters => ({
	...{ resource: 'dataCollection', operation: 'getAll', returnAll: true },
	filters: filters as INodeParameters,
});

const upsert = (fields: object): INodeParameters => ({
	...{ resource: 'providerLogin', operation: 'upsert', loginFrom: 'fields' },
	...fields,
});

const legal = upsert({ provider: 'legal-records', username: 'lender', password: 'Secret_1' });

const documents = {
	...{ resource: 'dataDocument', operation: 'getAll', collection: byId(LOANS_COLLECTION_ID) },
	...{ returnAll: true, options: {} },
};

const row = { id: 1, type: 'legal-records', user: 'lender' };

/** The sandbox's own 404, whichever operation asks. */
describe('an unknown collection', () => {
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0, documents: 0 });
	const unknown = { collection: byId(999_999), returnAll: true };

	it.each([
		{ resource: 'dataCollection', operation: 'get' },
		{ resource: 'dataCollection', operation: 'getVersions' },
		{ resource: 'dataDocument', operation: 'getAll' },
		{ resource: 'dataDocument', operation: 'getAll', returnAll: false, limit: 5 },
		{ resource: 'dataDocument', operation: 'count' },
		{ resource: 'dataDocument', operation: 'downloadFiles', filesFrom: 'collection' },
	])('is named by its ID: $resource $operation', async (parameters) => {
		const { error } = await createSandboxNodeRunner(sandbox)({ ...unknown, ...parameters });
		expect(error?.message).toBe('There is no collection 999999');
	});
});

/** What an operator reads about a mistake, or about what the service does. */
describe('an error', () => {
	it.each<[INodeParameters, RegExp]>([
		[get('abc'), /^'Collection' must be an ID/],
		[get('={{ "" }}'), /^No collection is chosen/],
		[{ ...documents, returnAll: false, limit: 0 }, /^'Limit' must be a whole number, 1 or more/],
		[{ ...documents, options: { simplify: 'no' } }, /^'Simplify' is neither/],
		[
			{ ...documents, options: { includeAssociations: 'x' } },
			/^'Include Associations' is empty or holds/,
		],
		[
			{ ...documents, options: { personalData: 'x' } },
			/^'Personal Data' must be full, masked or pseudonym/,
		],
		[
			{ ...documents, options: { personalData: 'pseudonym' } },
			/^Pseudonyms need the credential's 'Pseudonym Key'/,
		],
		[
			{ ...documents, options: { timeout: 86_401 } },
			/^'Timeout \(Seconds\)' must be 86400, which is a day, or less/,
		],
		[
			filtered({ parentCollectionId__eq: 'a' }),
			/^'Parent Collection ID' in 'Filters' must be a whole/,
		],
		[filtered({ name__eq: {} }), /^'Name' in 'Filters' must be a text/],
		[filtered({ name__like: ['a', 'b'] }), /^'Name Contains' in 'Filters' takes one text/],
		[filtered({ name__eq: '' }), /^'Name' in 'Filters' has no value/],
		[
			upsert({ provider: 'bureau/pm', user: '__n8n_BLANK_VALUE_x', password: 'b' }),
			/^'User' .* is a placeholder of n8n: open the credential and enter it again/,
		],
		[
			upsert({ provider: 'bureau/pm', user: 'a-b', password: 'b' }),
			/^'User' .* may hold only letters/,
		],
		[
			upsert({ provider: 'bureau/pm', user: ' ', password: 'b' }),
			/^'User' .* is empty or not a text/,
		],
	])('names the field: %j', async (parameters, words) => {
		expect((await runAgainst({ body: {} }, parameters)).error).toMatch(words);
	});

	it.each<[INodeParameters, object, RegExp]>([
		[
			filtered({ tags__eq: ['b', 'c'] }),
			{ data: [{ id: 1, name: 'A', tags: ['a'] }], total: 1 },
			/^The Credit Profile Service gave a collection that does not pass 'Exact Tag Names or IDs' in 'Filters' \| If the service reads filters in another form, set filterEncoding or listEncoding in the credential's API Mapping\.$/,
		],
		[
			get(5),
			{ id: 99, name: 'A' },
			/^The Credit Profile Service gave data collection 99, not 5 \| /,
		],
		[
			{ ...documents, output: 'associations' },
			{ total: 1, documents: [{ id: 7, document: {}, associations: { id: 3 } }] },
			/^The response of the Credit Profile Service is not a list of associations \| /,
		],
		[legal, { message: 'Your contract ended' }, /^It is not known whether the login was saved \| /],
	])('quotes the response of the service: %j', async (parameters, body, words) => {
		expect((await runAgainst({ body }, parameters)).error).toMatch(words);
	});

	it('says what to check when the bureau refuses a login', async () => {
		const login = upsert({ provider: 'bureau/pf', user: 'a', password: 'b' });
		const { error } = await runAgainst({ status: 422, body: { message: 'No' } }, login);
		expect(error).toMatch(/its password the encrypted one.*The service says: "No"\.$/);
	});

	it('about an item without files says where they come from', async () => {
		const parameters = { ...documents, operation: 'downloadFiles', filesFrom: 'incoming' };
		const { error } = await runAgainst({ body: {} }, parameters, { items: [{ id: 9 }] });
		expect(error).toMatch(
			/^The incoming item holds no file associations \| .*Include Associations/,
		);
	});
});

describe('a hint', () => {
	it.each<[object, string]>([
		[{ user: 'SOMEBODY_ELSE' }, 'shows another user'],
		[{ isEnabled: false }, 'says that it is not enabled'],
	])('hints that the row of a saved login %j', async (more, uncertainty) => {
		const { hints } = await runAgainst({ body: { ...row, ...more } }, legal);
		expect(hints).toEqual([
			expect.stringContaining(
				`The login for Legal Records was saved, but the response ${uncertainty}`,
			),
		]);
	});

	it('hints at blanks around a secret', async () => {
		const login = upsert({ provider: 'sanctions-screening', token: ' a' });
		const { hints } = await runAgainst({ body: { ...row, type: 'sanctions-screening' } }, login);
		expect(hints[0]).toBe(
			"'Token' of the provider's login begins or ends with a blank or line break; it was sent as entered.",
		);
	});

	it('hints that a file may not hold all documents', async () => {
		const page = [1, 2].map((id) => ({ id, document: {}, associations: [] }));
		const file = { ...documents, output: 'file', returnAll: false, limit: 2 };
		const { hints } = await runAgainst(
			{ body: { total: 9, documents: page, name: 'A', id: LOANS_COLLECTION_ID } },
			file,
		);
		expect(hints).toEqual([
			'The file holds the first 2 documents; there may be more. Switch on Return All for all.',
		]);
	});

	it('hints at associations without files, and at equal downloads', async () => {
		const associations = [{ type: 'archivos', association: { id: 1 } }];
		const parameters = { ...documents, operation: 'downloadFiles', filesFrom: 'collection' };
		const body = { total: 1, documents: [{ id: 7, document: {}, associations }] };
		const { hints } = await runAgainst({ body }, parameters, { items: [{}, {}] });
		expect(hints).toEqual(
			expect.arrayContaining([
				'Associations of a type other than Profiles, Forms and Files: 1. They were not downloaded: Data Document → Get Many shows them.',
				expect.stringMatching(/^Several items download the same files,.*: 1\./),
			]),
		);
	});
});

describe('bodies of other shapes', () => {
	/** It is rows, or the error's code. */
	async function outcomeOf(parameters: INodeParameters, answer: StubResponse) {
		const service = await startStubServer(() => answer);
		try {
			const { items, error } = await runNodeInEngine({
				type: 'creditProfile',
				parameters,
				credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
			});
			return error ? codeOf(error) : items.length;
		} finally {
			await service.close();
		}
	}

	const row = { id: 1, name: 'A', tags: [], creatorId: 2, activeDataCollectionVersionId: 3 };
	const two = [row, { ...row, id: 2 }];

	/** Responses that mean the same wherever they come. */
	const anywhere: Array<[body: unknown, code: string]> = [
		[{}, 'shape'],
		[{ ok: true }, 'shape'],
		[{ ok: true, id: 7 }, 'shape'],
		[{ locked: true }, 'shape'],
		[{ status: 'DONE' }, 'shape'],
		[{ message: 'Your contract ended', code: 204 }, 'shape'],
		[{ mensaje: 'Recibido', turno: 12 }, 'shape'],
		[{ data: null }, 'shape'],
		[{ data: {} }, 'shape'],
		[{ data: 'none' }, 'shape'],
		[{ data: [1, 2] }, 'shape'],
		[{ data: [{ id: 1 }], total: 1 }, 'shape'],
		[{ data: [{ name: 'A' }], total: 1 }, 'shape'],
		[{ data: [{ ...row, id: null }], total: 1 }, 'shape'],
		[{ data: [{ ...row, id: '' }], total: 1 }, 'shape'],
		[{ data: [row, 'x'], total: 2 }, 'shape'],
		[[[row]], 'shape'],
		[[1], 'shape'],
		[{ a: two, b: two, total: 2 }, 'shape'],
		[{ success: false }, 'failure'],
		[{ success: false, data: [] }, 'failure'],
		[{ success: false, message: 'Not today', data: [], total: 0 }, 'failure'],
		[{ errors: [{ message: 'No' }] }, 'failure'],
		[{ errors: ['No'], data: [], total: 0 }, 'failure'],
		[{ error: { code: 17 } }, 'failure'],
		[{ error: 'No' }, 'failure'],
		['<html>Sign in</html>', 'body.notJson'],
		['{"data": [', 'body.truncated'],
		['', 'body.empty'],
		['null', 'body.scalar'],
		['17', 'body.scalar'],
		['"ok"', 'body.notJson'],
	];

	const lists: Array<[body: unknown, outcome: unknown]> = [
		...anywhere,
		[{ data: two, total: 2 }, 2],
		[{ data: two, total: '2' }, 2],
		[{ data: two, totalCount: 2 }, 2],
		[{ data: [], total: 0 }, 0],
		[{ data: null, total: 0 }, 0],
		[{ items: null, total: 0 }, 0],
		[{ data: null, total: 7 }, 'shape'],
		[{ data: null }, 'shape'],
		[null, 'body.scalar'],
		[{ rows: two, total: 2 }, 2],
		[{ errors: [], data: two, total: 2 }, 2],
		[{ data: two }, 'incomplete'],
		[two, 'incomplete'],
		[{ data: two, count: 2 }, 'incomplete'],
		[{ data: two, pagination: { total: 2, next: null } }, 'incomplete'],
		[{ data: two, total: 1 }, 2],
		[{ data: two, total: -1 }, 'incomplete'],
		[{ data: two, total: 'many' }, 'incomplete'],
		[{ data: [], total: 7 }, 'incomplete'],
		[{ data: [] }, 'incomplete'],
	];

	const records: Array<[body: unknown, outcome: unknown]> = [
		...anywhere.filter(([body]) => !JSON.stringify(body).includes('"name":"A"')),
		[row, 1],
		[{ data: row }, 1],
		[{ collection: row }, 1],
		[[row], 1],
		[two, 'shape'],
		[{ a: row, b: row }, 'shape'],
		[{ id: 1 }, 'shape'],
		[{ name: 'A' }, 'shape'],
		[{ data: { data: row } }, 'shape'],
		[{ success: false, id: 1 }, 'failure'],
		[{ ...row, success: false }, 'failure'],
		[{ ...row, error: 'No' }, 'failure'],
	];

	const statuses: Array<[status: number, code: string]> = [
		...[400, 401, 402, 403, 404, 405, 409, 410, 413, 415, 418, 422, 423, 451].map(
			(status): [number, string] => [status, `status.${status}`],
		),
		...[300, 301, 302, 303, 307, 308].map((status): [number, string] => [
			status,
			`status.${status}`,
		]),
	];

	const getMany = { resource: 'dataCollection', operation: 'getAll', returnAll: true };
	const documentsOf = (id: number) => ({
		resource: 'dataDocument',
		collection: { __rl: true, mode: 'id', value: id },
	});

	const get = {
		resource: 'dataCollection',
		operation: 'get',
		collection: { __rl: true, mode: 'id', value: 1 },
	};

	it.each<[string, INodeParameters, object]>([
		[
			'the documents',
			{ ...documentsOf(1), operation: 'getAll', options: { includeAssociations: ['files'] } },
			{ documents: [{ associations: [{ type: 'Files', association: { url: 'SECRET' } }] }] },
		],
		[
			'the number of documents',
			{ ...documentsOf(1), operation: 'count' },
			{ documents: ['SECRET'] },
		],
		[
			'the logins',
			{ resource: 'providerLogin', operation: 'getAll' },
			[{ type: 'bureau-pm', password: 'SECRET' }],
		],
	])(
		'quotes nothing of %s where they are not as the document says',
		async (_what, parameters, body) => {
			const service = await startStubServer(() => ({ body }));
			const { error, items } = await runNodeInEngine({
				...{ type: 'creditProfile', parameters },
				credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
			});
			await service.close();
			expect([codeOf(error), items]).toEqual(['shape', []]);
			const { message, description, context } = error ?? {};
			expect(JSON.stringify({ message, description, context })).not.toContain('SECRET');
		},
	);

	describe('a list of collections', () => {
		it.each(lists)('with the body %j gives %p', async (body, outcome) => {
			expect(await outcomeOf(getMany, { body })).toEqual(outcome);
		});
	});

	describe('a list of provider logins', () => {
		const login = {
			...{ id: 1, type: 'legal_records', organizationId: 2, isEnabled: true },
			...{ createdAt: '2026-01-05T10:00:00.000Z', updatedAt: '2026-01-05T10:00:00.000Z' },
		};
		const all = { resource: 'providerLogin', operation: 'getAll', returnAll: true };
		const one = { ...all, returnAll: false, limit: 1 };
		it.each<[body: unknown, parameters: INodeParameters, outcome: unknown]>([
			[[login], all, 1],
			[{ data: [login] }, all, 1],
			[{ data: [login], total: 1 }, all, 1],
			[{ data: [login], total: 2 }, all, 'incomplete'],
			[{ data: [login], total: 2 }, one, 1],
			[{ credentials: [login], count: 1 }, all, 1],
			[{ data: null, count: 0 }, all, 'shape'],
		])('with the body %j, read by %j, gives %p', async (body, parameters, outcome) => {
			expect(await outcomeOf(parameters, { body })).toEqual(outcome);
		});
	});

	describe('tags', () => {
		const tags = { resource: 'dataDocument', operation: 'getTags' };

		it.each<[body: unknown, outcome: unknown]>([
			[{ count: 0, data: null }, 0],
			[{ count: 1, data: ['aval'] }, 1],
			[['aval', 'otro'], 2],
		])('with the body %j give %p', async (body, outcome) => {
			expect(await outcomeOf(tags, { body })).toEqual(outcome);
		});

		it('of a plain array are counted with Simplify off', async () => {
			const service = await startStubServer(() => ({ body: ['aval', 'otro'] }));
			const { items } = await runNodeInEngine({
				type: 'creditProfile',
				parameters: { ...tags, options: { simplify: false } },
				credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
			});
			await service.close();
			expect(items.map(({ json }) => json)).toEqual([{ count: 2, data: ['aval', 'otro'] }]);
		});
	});

	describe('a record', () => {
		it.each(records)('with the body %j gives %p', async (body, outcome) => {
			expect(await outcomeOf(get, { body })).toEqual(outcome);
		});
	});

	describe('a list and a record', () => {
		it.each(statuses)('with status %d fail with %s', async (status, code) => {
			const answer = { status, body: { data: two, total: 2 } };
			expect([await outcomeOf(getMany, answer), await outcomeOf(get, answer)]).toEqual([
				code,
				code,
			]);
		});
	});
});
