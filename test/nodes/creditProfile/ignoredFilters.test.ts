import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { startStubServer, type StubResponse } from '../../exhaustive/apiVariants/stubServer';
import { codeOf, codeAndFieldOf } from '../../support/errorCode';
import { runNodeInEngine, type NodeRunOptions } from '../../support/runNodeInEngine';

const row = (id: number, more: IDataObject = {}) => ({
	...{ id, name: `Collection ${id}`, tags: ['a'], slug: `c-${id}`, creatorId: 1 },
	...{ activeDataCollectionVersionId: 100 + id, parentCollectionId: 1, processorKey: 'legal' },
	...more,
});

/** Lists collections with these filters at a service that responds so, whatever is requested. */
async function collectionsAt(
	response: StubResponse,
	filters: IDataObject,
	parameters: INodeParameters = {},
	options: Partial<NodeRunOptions> = {},
) {
	const service = await startStubServer(() => response);
	const { items, error, hints } = await runNodeInEngine({
		type: 'creditProfile',
		parameters: {
			...{ resource: 'dataCollection', operation: 'getAll', returnAll: true },
			filters: filters as INodeParameters,
			...parameters,
		},
		credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
		...options,
	});
	await service.close();
	return {
		given: items.map(({ json }) => json.id),
		error,
		hints: hints.map(({ message }) => message),
		queries: service.requests.map(({ query }) => query),
	};
}
const collections = async (
	filters: IDataObject,
	rows: IDataObject[],
	parameters: INodeParameters = {},
) => await collectionsAt({ body: { data: rows, total: rows.length } }, filters, parameters);
const nullOf = (name: string): IDataObject => ({ [name]: null });
const all = Array.from({ length: 12 }, (_, at) => row(at + 1));

describe('a filter that the service ignores', () => {
	const [ONE, BOTH] = [['filterEncoding'], ['filterEncoding', 'listEncoding']];
	const ignored: Array<[filters: IDataObject, field: string, mappingKeys: string[]]> = [
		[{ name__eq: ['Collection 3'] }, 'Name', ONE],
		[{ name__eq: ['Collection 3', 'X'] }, 'Name', BOTH],
		[{ parentCollectionId__eq: [7] }, 'Parent Collection ID', ONE],
		[{ activeDataCollectionVersionId__eq: ['103'] }, 'Active Version ID', ONE],
		[{ processorKey__eq: ['bureau-pf'] }, 'Processor Key', ONE],
		[{ tags__anyOf: ['b'] }, 'Any Tag Names or IDs', ONE],
		[{ tags__eq: ['b', 'c'] }, 'Exact Tag Names or IDs', BOTH],
		[{ name__like: 'Coll', processorKey__eq: ['x'] }, 'Processor Key', ONE],
	];

	it.each([true, false])('is an error that names the keys, Simplify %s', async (simplify) => {
		for (const [filters, field, mappingKeys] of ignored) {
			const { given, error } = await collections(filters, all, { options: { simplify } });
			expect([given, error?.context]).toEqual([
				[],
				expect.objectContaining({ code: 'filter.ignored', field, mappingKeys }),
			]);
		}
	});

	it('detects an ignored filter by a single row', async () => {
		const { error } = await collections({ tags__anyOf: ['a'] }, [...all, row(13, { tags: [] })]);
		expect(codeAndFieldOf(error)).toEqual(['filter.ignored', 'Any Tag Names or IDs']);
	});

	it.each<[string, IDataObject, IDataObject]>([
		['Parent Collection ID', { parentCollectionId__eq: [7] }, { parentCollectionId: null }],
		['Processor Key', { processorKey__eq: ['x'] }, { processorKey: null }],
		['Processor Key', { processorKey__eq: ['x'] }, { processorKey: '' }],
		[
			'Active Version ID',
			{ activeDataCollectionVersionId__eq: [7] },
			nullOf('activeDataCollectionVersionId'),
		],
		['Organization ID', { organizationId__eq: [7] }, { organizationId: null }],
		['Name', { name__eq: ['x'] }, { name: null }],
		['Exact Tag Names or IDs', { tags__eq: ['x'] }, { tags: null }],
		['Any Tag Names or IDs', { tags__anyOf: ['x'] }, { tags: [] }],
	])('is found where the field is null or empty: %s %j %j', async (field, filters, shown) => {
		const { given, error } = await collections(filters, [row(1, shown)]);
		expect([given, ...codeAndFieldOf(error)]).toEqual([[], 'filter.ignored', field]);
	});

	it('is found among 2,000 rows with 200 names', async () => {
		const rows = Array.from({ length: 2_000 }, (_, at) => row(at, { name: `N${at % 201}` }));
		const names = Array.from({ length: 200 }, (_, at) => `N${at}`);
		const { error } = await collections({ name__eq: names }, rows);
		expect(codeAndFieldOf(error)).toEqual(['filter.ignored', 'Name']);
	});

	it('hints once at an ignored filter by part of the name', async () => {
		const { given, error, hints } = await collections({ name__like: 'zzz' }, all);
		expect([given.length, error, hints]).toEqual([
			12,
			undefined,
			[expect.stringMatching(/'Name Contains'.*filterEncoding/)],
		]);
	});
});

it.each([400, 422])('a filter refused with %i names the key of its encoding', async (status) => {
	const { error } = await collectionsAt({ status, body: {} }, { name__eq: ['x'] });
	expect(error?.context).toMatchObject({ mappingKeys: ['filterEncoding'] });
});

it('an ID of 0 that an AI agent fills in is no filter', async () => {
	const { error, queries } = await collectionsAt(
		{ body: { data: [], total: 0 } },
		{ parentCollectionId__eq: 0 },
		{},
		{ isTool: true },
	);
	expect(error).toBeUndefined();
	expect(queries.map((query) => [...query.keys()])).toEqual([['limit', 'offset']]);
});

describe('rows that may pass a filter are given', () => {
	it.each<[string, IDataObject, IDataObject]>([
		['in another case', { name__eq: ['garantías'] }, { name: 'GARANTÍAS' }],
		['without accents', { name__eq: ['Garantías'] }, { name: 'Garantias' }],
		['a number as text', { parentCollectionId__eq: [7] }, { parentCollectionId: '7' }],
		['without the field', { processorKey__eq: ['x'] }, { processorKey: undefined }],
		['of an organization that is not shown', { organizationId__eq: [7] }, {}],
		['all at once', { name__eq: ['N'], tags__eq: ['x'] }, { name: 'n', tags: ['x'] }],
	])('%s', async (_what, filters, shown) => {
		expect(await collections(filters, [row(1, shown)])).toMatchObject({
			given: [1],
			error: undefined,
			hints: [],
		});
	});
});

describe('an entry of a filter', () => {
	/** The filter as it is sent. */
	async function sent(filters: unknown, row: object = {}) {
		const queries: string[] = [];
		const service = await startStubServer(({ query }) => {
			queries.push(query.toString());
			return { body: { data: [], total: 0, ...row } };
		});
		const { error } = await runNodeInEngine({
			type: 'creditProfile',
			parameters: {
				...{ resource: 'dataCollection', operation: 'getAll', returnAll: true },
				filters: filters as INodeParameters,
			},
			credentials: {
				creditProfileApi: {
					...{ baseUrl: service.url, apiToken: 'token-1' },
					apiMapping: '{"filterEncoding": "json"}',
				},
			},
		});
		await service.close();
		const filter = new URLSearchParams(queries[0]).get('filter');
		return error ? codeAndFieldOf(error) : (JSON.parse(filter ?? '{}') as unknown);
	}

	it.each<[string, unknown, unknown]>([
		['chosen from the list is not split', ['Norte, Sur'], 'Norte, Sur'],
		['chosen beside others is not split', ['Norte, Sur', 'Este'], ['Norte, Sur', 'Este']],
		['chosen is sent as the service gave it', ['a\u00a0 b'], 'a\u00a0 b'],
		['of an expression that gives a list is not split', '={{ ["Norte, Sur"] }}', 'Norte, Sur'],
		['typed is split', 'Norte, Sur', ['Norte', 'Sur']],
		['typed is cleaned', ' No\u200brte ,Sur\u00a0', ['Norte', 'Sur']],
	])('%s', async (_how, tags, expected) => {
		expect(await sent({ tags__anyOf: tags })).toEqual({ tags__anyOf: expected });
	});

	it('is a name without invisible characters, with composed letters', async () => {
		expect(await sent({ name__eq: ['Garanti\u0301as\u200b \u00a0A'] })).toEqual({
			name__eq: 'Garantías A',
		});
	});

	it('that is damaged is refused', async () => {
		expect(await sent({ name__eq: ['GarantÃ\u00adas'] })).toEqual(['field.damaged', 'Name']);
	});
});

describe('a collection by its ID', () => {
	const get = async (answer: unknown) => {
		const service = await startStubServer(() => ({ body: answer }));
		const { items, error } = await runNodeInEngine({
			type: 'creditProfile',
			parameters: {
				...{ resource: 'dataCollection', operation: 'get' },
				collection: { __rl: true, mode: 'id', value: 5 },
			},
			credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
		});
		await service.close();
		return { items, error };
	};

	it.each([row(99)])('that is another one is an error: %j', async (answer) => {
		const { items, error } = await get(answer);
		expect([items, codeOf(error)]).toEqual([[], 'otherCollection']);
	});

	it.each([row(5), row(1, { id: '5' })])('is taken: %j', async (answer) => {
		const { items, error } = await get(answer);
		expect([error, items[0].json.slug]).toEqual([undefined, answer.slug]);
	});
});
