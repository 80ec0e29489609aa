import { LoadOptionsContext } from 'n8n-core';
import {
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INode,
	type INodeParameters,
	type IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';
import {
	CredentialsInMemory,
	type NodeRunOptions,
	packageNodesByType,
	runNodeInEngine,
} from '../../support/runNodeInEngine';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { sandboxForTestGroup } from '../../support/sharedSandbox';
import { type StubRequest, type StubResponse, startStubServer } from '../../support/stubServer';
import { codeAndFieldOf, codeOf } from '../../support/errorCode';
import { LOANS_COLLECTION_ID, PEOPLE_COLLECTION_ID, createSandboxNodeRunner } from './support';
import { until } from '../../support/until';
import { serverForTestGroup } from '../../support/testServer';

describe('what an operator chooses from', () => {
	const { listSearch = {}, loadOptions = {} } = packageNodesByType.creditProfile.methods ?? {};
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0 });

	/** The context that n8n gives to a list of the node panel. */
	const parameters = { resource: 'dataCollection' };
	const panel = (api: ICredentialDataDecryptedObject = {}) => {
		const type = packageNodesByType.creditProfile;
		const node: INode = {
			id: 'node-1',
			name: 'Node under test',
			type: 'n8n-nodes-credit-profile.creditProfile',
			typeVersion: 1,
			position: [0, 0],
			parameters,
			credentials: { creditProfileApi: { id: '1', name: 'Sandbox' } },
		};
		const workflow = new Workflow({
			nodes: [node],
			connections: {},
			active: false,
			nodeTypes: {
				getByName: () => type,
				getByNameAndVersion: () => type,
				getKnownTypes: () => ({}),
			},
		});
		const additionalData = {
			credentialsHelper: new CredentialsInMemory(sandbox.credentials({ creditProfileApi: api })),
			currentNodeParameters: parameters,
		} as unknown as IWorkflowExecuteAdditionalData;
		return new LoadOptionsContext(workflow, node, additionalData, 'parameters');
	};
	const search = async (text?: string, token?: string, api?: ICredentialDataDecryptedObject) =>
		await listSearch.searchCollections.call(panel(api), text, token);

	it('are the collections by name, with their ids', async () => {
		const { results } = await search();
		expect(results.slice(0, 2)).toEqual([
			{ name: 'Solicitudes de crédito', value: 1 },
			{ name: 'Personas físicas', value: 2 },
		]);
	});

	it('are only the collections that the service itself finds by a part of the name', async () => {
		const { results } = await search('juicios');
		expect(results.map(({ name }) => name)).toEqual(['Juicios mercantiles', 'Juicios laborales']);
	});

	it.each([
		['brackets', 'filter[name__like]', 'juicios'],
		['dots', 'filter.name__like', 'juicios'],
		['json', 'filter', '{"name__like":"juicios"}'],
	])('are searched in the encoding of the API Mapping: %s', async (filterEncoding, name, value) => {
		await search('juicios', undefined, { apiMapping: JSON.stringify({ filterEncoding }) });
		const [{ query }] = await sandbox.requests();
		expect(query).toMatchObject({ [name]: value });
	});

	it('are no collections where none has the name', async () => {
		expect(await search('nothing like this')).toEqual({ results: [] });
	});

	it('come page by page, as long as there are more', async () => {
		await sandbox.faults({
			path: '/api/v1/data/collection',
			times: 1,
			fault: { status: 200, body: { data: [{ id: 1, name: 'First' }], total: 2 } },
		});
		const first = await search();
		const second = await search(undefined, String(first.paginationToken));
		expect([first.paginationToken, second.paginationToken]).toEqual(['1', undefined]);
	});

	it('go on where the page before ended', async () => {
		await search(undefined, '25');
		const [{ query }] = await sandbox.requests();
		expect(query).toMatchObject({ offset: '25' });
	});

	it('are the tags of collections', async () => {
		const tags = await loadOptions.getCollectionTags.call(panel());
		expect(tags).toContainEqual({ name: 'originación', value: 'originación' });
	});

	it('is replaced by what is wrong, if the token is', async () => {
		const searching = listSearch.searchCollections.call(panel({ apiToken: 'wrong-token' }));
		await expect(searching).rejects.toMatchObject({ code: 'status.401' });
	});
});

interface Paged {
	total: number;
	/** The most rows of a page. */
	cap?: number;
	/** The total is not true then. */
	reported?: number | null | ((offset: number, length: number) => number);
	ignoresOffset?: true;
	/** A row that it counts and does not show. */
	hidden?: number;
}

/** Serves lists in pages of its own size, or other pages than requested. */
async function listAt(
	{ total, cap = 100, reported = total, ignoresOffset, hidden }: Paged,
	list: INodeParameters,
) {
	const page = ({ path, query }: StubRequest) => {
		const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
		const start = ignoresOffset ? 0 : offset;
		const rows = upTo(Math.min(total, start + Math.min(cap, limit)), start + 1)
			.filter((id) => id !== hidden)
			.map((id) => ({ id, name: `Row ${id}`, schema: {}, document: {} }));
		const count = typeof reported === 'function' ? reported(offset, rows.length) : reported;
		return { body: { total: count, [path.endsWith('/document') ? 'documents' : 'data']: rows } };
	};
	const service = await startStubServer(page);
	const { items, error } = await runNodeInEngine({
		type: 'creditProfile',
		parameters: { options: { simplify: false }, ...list },
		credentials: {
			creditProfileApi: { baseUrl: service.url, apiToken: 'token-1', pointsPerSecond: 0 },
		},
	});
	await service.close();
	return { ids: items.map(({ json }) => json.id), code: codeOf(error), requests: service.requests };
}

const collections = { resource: 'dataCollection', operation: 'getAll' };
const collection = { __rl: true, mode: 'id', value: LOANS_COLLECTION_ID };
const versions = { resource: 'dataCollection', operation: 'getVersions', collection };
const documents = { resource: 'dataDocument', operation: 'getAll', collection };

const upTo = (last: number, first = 1) =>
	Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

describe('a service whose pages are smaller than requested', () => {
	it.each<[string, INodeParameters, total: number, cap: number, requests: number]>([
		['collections', collections, 250, 50, 5],
		['documents', documents, 250, 50, 5],
		['documents, fewer than are asked for at least', documents, 40, 4, 10],
		['versions', versions, 250, 50, 5],
		['collections, one at a time', collections, 15, 1, 15],
	])('loses no row of all: %s', async (_what, list, total, cap, requests) => {
		const {
			ids,
			code,
			requests: sentRequests,
		} = await listAt({ total, cap }, { ...list, returnAll: true });
		expect([code, ids, sentRequests.length]).toEqual([undefined, upTo(total), requests]);
	});

	it.each<[number, number, INodeParameters]>([
		[60, 50, collections],
		[60, 50, documents],
		[3, 2, documents],
		[120, 50, collections],
		[50, 50, collections],
	])('fills a Limit of %i from pages of %i', async (limit, cap, list) => {
		const { ids, requests: sentRequests } = await listAt({ total: 250, cap }, { ...list, limit });
		expect(ids).toEqual(upTo(limit));
		expect(sentRequests.length).toBe(Math.ceil(limit / cap));
	});

	it('goes on from Offset', async () => {
		const { ids } = await listAt(
			{ total: 250, cap: 50 },
			{ ...collections, returnAll: true, options: { offset: 70 } },
		);
		expect(ids).toEqual(upTo(250, 71));
	});
});

describe('a list that may be truncated is an error, not a part:', () => {
	const all = { ...collections, returnAll: true };
	it.each<[string, Paged, INodeParameters]>([
		['without a total, Return All', { total: 7, reported: null }, all],
		[
			'without a total, below the Limit',
			{ total: 7, reported: null },
			{ ...collections, limit: 50 },
		],
		['of fewer rows than reported', { total: 130, reported: 150 }, all],
		['of none though some are reported', { total: 0, reported: 5 }, all],
		['whose offset is ignored', { total: 250, ignoresOffset: true }, all],
		['with a row that is counted and not shown', { total: 250, hidden: 120 }, all],
	])('%s', async (_what, service, list) => {
		expect((await listAt(service, list)).code).toBe('incomplete');
	});

	it('unless it fills the Limit', async () => {
		const { ids, code } = await listAt(
			{ total: 250, reported: null },
			{ ...collections, limit: 50 },
		);
		expect([code, ids]).toEqual([undefined, upTo(50)]);
	});
});

describe('a list is read to its end where the total', () => {
	it.each<[string, (offset: number, length: number) => number, INodeParameters]>([
		['counts the page: documents', (_offset, length) => length, documents],
		['counts the page: collections', (_offset, length) => length, collections],
		['counts the page: versions', (_offset, length) => length, versions],
		['is 0 behind the end: documents', (offset) => (offset < 250 ? 250 : 0), documents],
		['shrinks to the page: documents', (offset, length) => (offset > 0 ? length : 250), documents],
	])('%s', async (_what, reported, list) => {
		const { ids, code } = await listAt({ total: 250, reported }, { ...list, returnAll: true });
		expect({ ids, code }).toEqual({ ids: upTo(250), code: undefined });
	});
});

describe('a count', () => {
	const counts: Array<[string, INodeParameters]> = [
		['documents', { resource: 'dataDocument', operation: 'count', collection }],
		['collections', { resource: 'dataCollection', operation: 'count' }],
	];

	it.each(counts)('of %s is an error where the total counts the page', async (_what, count) => {
		const { code } = await listAt({ total: 250, reported: (_offset, length) => length }, count);
		expect(code).toBe('shape');
	});

	it.each(counts)('of %s takes one request where the total counts all', async (_what, count) => {
		const { code, requests } = await listAt({ total: 250 }, count);
		expect([code, requests.length]).toEqual([undefined, 1]);
	});
});

describe('Return All and Limit', () => {
	const ALL = 12_000;
	const collection = { __rl: true, mode: 'id', value: PEOPLE_COLLECTION_ID };
	const documents = {
		resource: 'dataDocument',
		operation: 'getAll',
		collection,
		options: { simplify: false },
	};
	const PATH = `/api/v1/data/collection/${PEOPLE_COLLECTION_ID}/document`;

	describe('ask for pages', () => {
		const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0, documents: 950 });

		const list = async (parameters: INodeParameters) => {
			const { items } = await createSandboxNodeRunner(sandbox)({ collection, ...parameters });
			const pages = (await sandbox.requests())
				.map(({ query }) => query as { offset: string; limit: string })
				.map(({ offset, limit }) => [Number(offset), Number(limit)])
				.sort(([a], [b]) => a - b);
			return { items: items.length, pages };
		};
		const documentPages: Array<[limit: number, pages: number[][], items?: number]> = [
			[1, [[0, 10]]],
			[3, [[0, 10]]],
			[10, [[0, 10]]],
			[99, [[0, 99]]],
			[100, [[0, 100]]],
			[103, [[0, 100], [100, 10]]],
			[250, [[0, 100], [100, 100], [200, 50]]],
		]; // prettier-ignore
		it.each(documentPages)('of 10 to 100 documents for a Limit of %d', async (limit, pages) => {
			expect(await list({ ...documents, limit })).toEqual({ items: limit, pages });
		});

		it('from Offset, and no page before it', async () => {
			const result = await list({
				...documents,
				limit: 150,
				options: { simplify: false, offset: 800 },
			});
			expect(result).toEqual({ items: 150, pages: [[800, 100], [900, 50]] }); // prettier-ignore
		});

		it.each([
			['the last row', 949, 1],
			['nothing, at the end', 950, 0],
			['nothing, beyond the end', 4000, 0],
		])('from Offset with Return All: %s', async (_what, startAt, items) => {
			const result = await list({
				...documents,
				returnAll: true,
				options: { simplify: false, offset: startAt },
			});
			expect(result).toEqual({ items, pages: [[startAt, 100]] });
		});

		/** A large list, so many rows to an item, by an expression that says where each begins. */
		const inBatches = async (parameters: INodeParameters, size: number, rows: number) => {
			const starts = Array.from({ length: Math.ceil(rows / size) }, (_, index) => index * size);
			const { items } = await createSandboxNodeRunner(sandbox)(
				{
					...parameters,
					limit: size,
					options: { ...(parameters.options as object), offset: '={{ $json.start }}' },
				},
				{ items: starts.map((start) => ({ start })) },
			);
			return items.map(({ json }) => json);
		};
		const whole = async (parameters: INodeParameters) =>
			(await createSandboxNodeRunner(sandbox)({ ...parameters, returnAll: true })).items.map(
				({ json }) => json,
			);

		it.each<[string, INodeParameters, number, number]>([
			['documents', documents, 950, 137],
			['collections', { resource: 'dataCollection', operation: 'getAll' }, 30, 7],
			[
				'versions',
				{
					...{ resource: 'dataCollection', operation: 'getVersions' },
					collection: { __rl: true, mode: 'id', value: LOANS_COLLECTION_ID },
				},
				3,
				1,
			],
		])(
			'so that %s in batches are the whole list, each row once',
			async (_what, wanted, rows, size) => {
				const all = await whole(wanted);
				expect(all).toHaveLength(rows);
				expect(await inBatches(wanted, size, rows)).toEqual(all);
			},
		);

		it('each once, in order, while some requests meet 503 or 429', async () => {
			await sandbox.faults(
				{ path: PATH, times: 1, fault: { status: 503 } },
				{ path: PATH, times: 1, fault: 'storm' },
			);
			const ids = (await whole(documents)).map(({ id }) => id);
			expect(ids).toEqual(
				Array.from({ length: 950 }, (_, index) => PEOPLE_COLLECTION_ID * 100_000 + index + 1),
			);
			const statuses = (await sandbox.requests(PATH)).map(({ status }) => status);
			expect(new Set(statuses)).toEqual(new Set([200, 503, 429]));
		});

		it('until there are no more, for a Limit beyond the end', async () => {
			const { items, pages } = await list({ ...documents, limit: 5000 });
			expect({ items, pages: pages.length }).toEqual({ items: 950, pages: 10 });
		});

		it.each([
			['collections', { resource: 'dataCollection', operation: 'getAll' }],
			['versions', { resource: 'dataCollection', operation: 'getVersions' }],
		])('of 1 of the %s for a Limit of 1', async (_name, parameters) => {
			expect(await list({ ...parameters, limit: 1 })).toEqual({ items: 1, pages: [[0, 1]] });
		});

		it('no more once the execution is cancelled', async () => {
			const calm = await startSandboxWithHelpers({ rateLimit: 10, documents: ALL });
			let cancel = () => {};
			const running = createSandboxNodeRunner(calm)(
				{ ...documents, returnAll: true },
				{ onStart: (how) => (cancel = how) },
			);
			await until('12 requests', async () => (await calm.requests()).length >= 12);
			cancel();
			await running;
			const atTheEnd = (await calm.requests()).length;
			await calm.close();
			expect(atTheEnd).toBeLessThan(40);
		});
	});

	describe('of a list that changes meanwhile', () => {
		/** A service with one list of ids. */
		let ids: number[];
		let total: () => number;
		let offsets: number[];
		/** The most rows of a page. */
		let cap: number;
		/** May alter the list before the request of this number is answered. */
		let change: (request: number) => void;
		/** The page at this offset is sent only after the tenth is requested. */
		let late: number | undefined;
		let release: () => void;
		/** Requests that the run of another test left on their way are not of this one. */
		let tests = 0;

		const server = serverForTestGroup((request, response) => {
			const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://127.0.0.1');
			if (!pathname.startsWith(`/${tests}/`)) return void response.writeHead(410).end();
			const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
			const answer = () => {
				const page = ids
					.slice(offset, offset + Math.min(limit, cap))
					.map((id) => ({ id, document: {} }));
				response
					.setHeader('content-type', 'application/json')
					.setHeader('x-ratelimit-limit', '1000')
					.end(JSON.stringify({ total: total(), documents: page }));
			};
			offsets.push(offset);
			change(offsets.length);
			if (offset === late && offsets.length < 10) release = answer;
			else answer();
			if (offsets.length === 10) release();
		});
		beforeEach(() => {
			ids = Array.from({ length: 1000 }, (_, index) => index);
			total = () => ids.length;
			offsets = [];
			cap = 100;
			change = () => {};
			late = undefined;
			release = () => {};
			tests++;
		});

		let failure: unknown;
		const readAll = async (parameters: INodeParameters = { returnAll: true }) => {
			const run = await runNodeInEngine({
				type: 'creditProfile',
				parameters: { ...documents, ...parameters },
				credentials: {
					creditProfileApi: { baseUrl: `${server.url}/${tests}`, apiToken: 'token-1' },
				},
			});
			failure = run.error && codeOf(run.error);
			return run.items.map(({ json }) => json.id as number);
		};
		const before = Array.from({ length: 1000 }, (_, index) => index);

		it('no id comes twice when rows are added in front', async () => {
			change = (request) => {
				if (request === 4) ids = [-1, -2, -3, ...ids];
			};
			const read = await readAll();
			expect(read.length).toBe(new Set(read).size);
		});

		it('no row is lost when rows are added in front, and the order stays', async () => {
			change = (request) => {
				if (request === 4) ids = [-1, -2, -3, ...ids];
			};
			expect(await readAll()).toEqual(before);
		});

		it('no row that stays is lost when rows in front are removed, and the order stays', async () => {
			change = (request) => {
				if (request === 4) ids = ids.slice(7);
			};
			expect((await readAll()).filter((id) => id >= 7)).toEqual(before.slice(7));
		});

		it.each([
			['one after the first page', 50, [2]],
			['one after the first page', 100, [2]],
			['one after each of two pages', 100, [2, 3]],
			['one after each of two pages', 50, [2, 3]],
			['one while it is looked up', 100, [2, 3, 4, 5]],
		])(
			'no row that stays is lost when some in front are removed: %s, in pages of %i',
			async (_what, most, requests) => {
				ids = Array.from({ length: 256 }, (_, index) => index);
				cap = most;
				change = (request) => {
					if (requests.includes(request)) ids = ids.slice(1);
				};
				const read = await readAll();
				const stayed = read.filter((id) => id >= requests.length);
				expect(stayed.sort((a, b) => a - b)).toEqual(
					Array.from({ length: 256 - requests.length }, (_, index) => requests.length + index),
				);
			},
		);

		it('no row slips by a page that is answered late', async () => {
			late = 300;
			change = (request) => {
				if (request === 9) ids = [-1, -2, -3, ...ids];
			};
			expect(await readAll()).toEqual(before);
		});

		it('rows added at the end come as well', async () => {
			change = (request) => {
				if (request === 4) ids = [...ids, ...Array.from({ length: 150 }, (_, i) => 1000 + i)];
			};
			expect((await readAll()).length).toBe(1150);
		});

		it('sends no request beyond the end of a list that became shorter', async () => {
			ids = Array.from({ length: 6000 }, (_, index) => index);
			change = (request) => {
				if (request === 2) ids = ids.slice(0, 300);
			};
			await readAll();
			expect(Math.max(...offsets)).toBeLessThan(4200);
		});

		it('a total that is never reached is an error, and nothing is output', async () => {
			total = () => 1_000_000;
			expect(await readAll()).toEqual([]);
			expect([failure, Math.max(...offsets) < 6000]).toEqual(['incomplete', true]);
		});

		it('a Limit is filled although rows came twice', async () => {
			change = (request) => {
				if (request === 2) ids = [-1, -2, -3, -4, -5, ...ids];
			};
			expect(await readAll({ limit: 300 })).toEqual(before.slice(0, 300));
		});
	});
});

describe('the completeness of a list', () => {
	/** Runs the node at a service that responds so. */
	async function run(response: StubResponse, parameters: INodeParameters) {
		const service = await startStubServer(() => response);
		const { items, error } = await runNodeInEngine({
			type: 'creditProfile',
			parameters,
			credentials: { creditProfileApi: { baseUrl: service.url, apiToken: 'token-1' } },
		});
		await service.close();
		return { rows: items.map(({ json }) => json), code: codeOf(error), context: error?.context };
	}

	const logins = {
		resource: 'providerLogin',
		operation: 'getAll',
		returnAll: true,
		options: { simplify: false },
	};

	const tags = { resource: 'dataCollection', operation: 'getTags' };

	const documents = {
		...{ ...logins, resource: 'dataDocument' },
		collection: { __rl: true, mode: 'id', value: 7 },
	};

	const files = { ...documents, operation: 'downloadFiles', filesFrom: 'collection' };

	/** Each way in which rows are read: at once, texts, page by page, and by what needs them. */
	const lists = Object.entries({ logins, tags, documents, files });

	describe('a list is an error and no empty list', () => {
		it.each(lists)('without content: %s', async (_, list) => {
			const { rows, code } = await run({ status: 204, type: '' }, list);
			expect({ rows, code }).toEqual({ rows: [], code: 'body.empty' });
		});

		it.each(lists)('with a reported failure: %s', async (_, list) => {
			const body = { success: false, message: 'down', data: [], documents: [], total: 0 };
			const { rows, context } = await run({ body }, list);
			expect(rows).toEqual([]);
			expect(context).toMatchObject({ code: 'failure', serviceMessage: 'down' });
		});

		it.each(['down', 'OK'])('without rows and total, with the message %s', async (message) => {
			const { rows, code } = await run({ body: { documents: [], message } }, documents);
			expect({ rows, code }).toEqual({ rows: [], code: 'incomplete' });
		});
	});

	it.each(['dataCollection', 'dataDocument'])(
		'tags are an error where the response counts more of them: %s',
		async (resource) => {
			const { rows, context } = await run(
				{ body: { count: 3, data: ['a', 'b'] } },
				{ ...tags, resource },
			);
			expect(rows).toEqual([]);
			expect(context).toMatchObject({ code: 'incomplete', given: 2, total: 3 });
		},
	);
});

describe('filters that a service ignores', () => {
	const row = (id: number, more: IDataObject = {}) => ({
		...{ id, name: `Collection ${id}`, tags: ['a'], slug: `c-${id}`, creatorId: 1 },
		...{ activeDataCollectionVersionId: 100 + id, parentCollectionId: 1, processorKey: 'legal' },
		...more,
	});

	/** Whatever is requested, the service responds so. */
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

		it.each(['x', '1'])('is an error of Count, too, by any row of a page: %s', async (first) => {
			const rows = all.map((one, at) => ({ ...one, processorKey: at === 0 ? first : 'y' }));
			const { error, queries } = await collections({ processorKey__eq: [first] }, rows, {
				operation: 'count',
			});
			expect(codeAndFieldOf(error)).toEqual(['filter.ignored', 'Processor Key']);
			expect(queries).toHaveLength(1);
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
});
