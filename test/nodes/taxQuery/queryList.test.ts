import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { ServerResponse } from 'node:http';
import { DateTime } from 'luxon';
import { type StubResponse, runAgainstStub } from '../../support/stubServer';
import { codeOf } from '../../support/errorCode';
import { runNodeInEngine } from '../../support/runNodeInEngine';
import { getCrfParameters, operationParameters, rfcs, taxQuerySandbox } from './support';
import { respondJson, serve } from '../../support/testServer';
import { until } from '../../support/until';
import { shiftAllClocks } from '../../support/clock';
import { type StoredQuery, fakeService } from './fakeService';

const getMany = (parameters = {}, options = {}) =>
	operationParameters(
		'query',
		'getAll',
		{ returnAll: true, options: { simplify: false }, ...parameters },
		options,
	);

const row = (index: number) => ({ _id: `q${index}`, status: 'SUCCESS', response: { index } });
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index));

describe('the list of all queries that comes as', () => {
	const BOM = '\uFEFF';
	const list = async (response: StubResponse) => {
		const { rows: given, error } = await runAgainstStub(() => response, getMany());
		return { ids: given.map(({ _id }) => _id), code: codeOf(error) };
	};

	it.each<[string, StubResponse]>([
		[
			'text behind a BOM',
			{ type: 'text/plain; charset=utf-8', body: BOM + JSON.stringify(rows(5)) },
		],
		['rows with the total as text', { body: { data: rows(5), total: '5' } }],
		[
			'HAL',
			{
				body: {
					_embedded: { queries: rows(5) },
					page: { size: 20, totalElements: 5, totalPages: 1, number: 0 },
				},
			},
		],
	])('%s is read', async (_how, response) => {
		expect(await list(response)).toEqual({ ids: ['q0', 'q1', 'q2', 'q3', 'q4'], code: undefined });
	});

	it.each<[string, StubResponse]>([
		['204', { status: 204, type: '' }],
		['null, of an account without queries,', { body: 'null' }],
		['null beside a total of 0', { body: { data: null, total: 0 } }],
	])('%s is empty', async (_how, response) => {
		expect(await list(response)).toEqual({ ids: [], code: undefined });
	});

	it('null lets the first query of an account begin, whatever asks for the list', async () => {
		const first = getCrfParameters(
			{ rfc: rfcs(1)[0], reuse: 'hours', reuseHours: 24 },
			{ spendingLimits: { maxQueriesPerDay: 5 } },
		);
		const { error, requests } = await runAgainstStub(
			({ method }) => ({ body: method === 'POST' ? { queryId: 'q1', message: 'ok' } : 'null' }),
			first,
		);
		expect([error, requests.filter(({ method }) => method === 'POST').length]).toEqual([
			undefined,
			2,
		]);
	});

	it.each<[string, StubResponse, string]>([
		['an empty body', { body: '' }, 'body.empty'],
		['an empty object', { body: {} }, 'shape'],
		['a message', { body: { message: 'Hello' } }, 'shape'],
		['a web page', { type: 'text/html', body: '<p>Sign in</p>' }, 'body.notJson'],
		['an error with status 200', { body: { error: 'maintenance', code: 503 } }, 'failure'],
	])('%s is an error, and not empty', async (_how, response, code) => {
		expect(await list(response)).toEqual({ ids: [], code });
	});
});

describe('the list of all queries at the sandbox', () => {
	it.each([
		['array', 250],
		['page', 250],
		['summary', 250],
		['page', 2_000],
	] as const)(
		'shaped as %s with %i past queries is read to its end, each once',
		async (queryList, pastQueries) => {
			const sandbox = await taxQuerySandbox({ queryList, pastQueries });
			const { items, error } = await sandbox.run(getMany());
			const pages = (await sandbox.requests('/api/query')).length;
			await sandbox.close();
			expect(error).toBeUndefined();
			expect(new Set(items.map(({ json }) => json._id)).size).toBe(pastQueries);
			expect(pages).toBe(queryList === 'array' ? 1 : Math.ceil(pastQueries / 100));
		},
	);

	it('sends no further request once the limit is reached', async () => {
		const sandbox = await taxQuerySandbox({ queryList: 'page', pastQueries: 250 });
		const { items } = await sandbox.run(getMany({ returnAll: false, limit: 150 }));
		const pages = (await sandbox.requests('/api/query')).length;
		await sandbox.close();
		expect([items.length, pages]).toEqual([150, 2]);
	});

	it('completes rows without responses by ID on demand', async () => {
		const sandbox = await taxQuerySandbox({ queryList: 'summary', pastQueries: 5 });
		const withoutResponse = await sandbox.run(getMany());
		const whole = await sandbox.run(getMany({}, { completeRows: true }));
		const blind = await sandbox.run(getMany({ filters: { rfc: 'GODE561231GR8' } }));
		await sandbox.close();
		expect(
			[withoutResponse, whole].map(({ items }) => items.filter(({ json }) => json.response).length),
		).toEqual([0, 5]);
		expect(codeOf(blind.error)).toBe('list.asked');
	});
});

it('a search by RFC reports rows that show neither their result nor the RFC', async () => {
	const person = { name: 'EMMA', firstLastName: 'GOMEZ', day: 31, month: 12, year: 1956 };
	const listed = { _id: 'q1', service: 'RFC_CALCULATOR', status: 'SUCCESS', query: person };
	const { rows: found, hints } = await runAgainstStub(
		() => ({ body: [listed] }),
		getMany({ filters: { rfc: 'GODE561231GR8' } }),
	);
	expect(found).toEqual([]);
	expect(hints.map(({ message }) => message)).toEqual([
		expect.stringMatching(/^1 .*Complete Rows/),
	]);
});

describe('a list that shows neither what a query asked nor its result, with Complete Rows', () => {
	const asked = { q1: 'GODE561231GR8', q2: 'XAXX010101000', q3: 'GODE561231GR8' };
	const listed = [
		{ _id: 'q1', service: 'CRF', status: 'PENDING', createdAt: '2026-11-03T12:00:00Z' },
		{ _id: 'q2', service: 'CRF', status: 'FAILED', createdAt: '2026-11-02T12:00:00Z' },
		{ _id: 'q3', service: 'CRF', status: 'SUCCESS', createdAt: '2026-11-01T12:00:00Z' },
	];
	const search = async (filters: object, records: Record<string, string> = asked) =>
		await runAgainstStub(
			({ path }) => {
				const row = listed.find(({ _id }) => path.endsWith(`/query/${_id}`));
				if (!row) return { body: listed };
				const rfc = records[row._id];
				return { body: rfc ? { ...row, query: { rfc } } : row };
			},
			getMany({ filters }, { completeRows: true }),
		);

	it('is searched by RFC in every state', async () => {
		const { rows: found, error, hints } = await search({ rfc: 'GODE561231GR8' });
		expect([error, found.map(({ _id }) => _id)]).toEqual([undefined, ['q1', 'q3']]);
		expect(hints.map(({ message }) => message).join()).not.toContain('not searched');
	});

	it('says how many queries show it nowhere, and does not advise what is on', async () => {
		const { rows: found, hints } = await search({ rfc: 'GODE561231GR8' }, { q1: asked.q1 });
		expect(found.map(({ _id }) => _id)).toEqual(['q1']);
		const [text] = hints.map(({ message }) => message).filter((one) => one.includes('searched'));
		expect(text).toMatch(/^2 queries/);
		expect(text).not.toContain('Complete Rows');
	});

	it('reads no query that the list shows to be of another time or type', async () => {
		const { requests } = await search({ createdBefore: '2026-11-02T00:00:00Z', queries: ['crf'] });
		const { requests: ofType } = await search({ queries: ['curp'] });
		const read = (all: typeof requests) =>
			all.map(({ path }) => path).filter((path) => !path.endsWith('/query'));
		expect(read(requests).every((path) => path.endsWith('/query/q3'))).toBe(true);
		expect(read(ofType)).toEqual([]);
	});
});

describe('filters that the list does not show', () => {
	const records = [
		{ _id: 'q1', service: 'CRF', status: 'PENDING', createdAt: '2026-11-03T12:00:00Z' },
		{ _id: 'q2', service: 'CURP', status: 'SUCCESS', createdAt: '2026-11-01T12:00:00Z' },
	];
	const FIELDS: Array<[filters: INodeParameters, hidden: string]> = [
		[{ createdAfter: '2026-11-02T00:00:00Z' }, 'createdAt'],
		[{ queries: ['getCrf'] }, 'service'],
	];
	const search = async (
		[filters, hidden]: (typeof FIELDS)[number],
		completeRows: boolean,
		isShownById = true,
	) => {
		const without = (row: object) =>
			Object.fromEntries(Object.entries(row).filter(([name]) => name !== hidden));
		const { rows, error, hints } = await runAgainstStub(
			({ path }) => {
				const one = records.find(({ _id }) => path.endsWith(`/query/${_id}`));
				if (!one) return { body: records.map(without) };
				return { body: isShownById ? one : without(one) };
			},
			getMany({ filters }, { completeRows }),
		);
		return [rows.map(({ _id }) => _id), codeOf(error), hints.map(({ message }) => message).join()];
	};

	it.each(FIELDS)('are compared with each query by its ID: %j', async (...field) => {
		expect((await search(field, true)).slice(0, 2)).toEqual([['q1'], undefined]);
	});

	it.each(FIELDS)('are an error without Complete Rows: %j', async (...field) => {
		expect((await search(field, false)).slice(0, 2)).toEqual([[], 'list.asked']);
	});

	it('are no error where enough queries came before such a row', async () => {
		const [fitting, { _id, service }] = records;
		const filters = { createdAfter: '2026-11-02T00:00:00Z' };
		const { rows, error } = await runAgainstStub(
			() => ({ body: [fitting, { _id, service }] }),
			getMany({ filters, returnAll: false, limit: 1 }),
		);
		expect([codeOf(error), rows.map(({ _id }) => _id)]).toEqual([undefined, ['q1']]);
	});

	it.each(FIELDS)('leave nothing out in silence: %j', async (...field) => {
		expect(await search(field, true, false)).toEqual([
			[],
			undefined,
			expect.stringMatching(/2 queries were not searched/),
		]);
	});
});

describe('the list of all queries at a service that', () => {
	let close: () => Promise<void>;
	let requests: IDataObject[];
	afterEach(async () => await close());

	/** Runs Get Many against a service that answers GET /query so. */
	async function listFrom(
		answer: (query: IDataObject) => unknown,
		list?: object,
		parameters: INodeParameters = {},
	) {
		requests = [];
		const service = await serve(({ url }, response) => {
			const query = Object.fromEntries(new URL(String(url), 'http://x').searchParams);
			requests.push(query);
			respondJson(response, answer(query));
		});
		({ close } = service);
		const run = await runNodeInEngine({
			type: 'taxQuery',
			parameters: getMany(parameters),
			credentials: {
				taxQueryApi: {
					baseUrl: `${service.url}/api`,
					grant: 'accessToken',
					pastedToken: 'pasted-token-1',
					pointsPerSecond: 0,
					apiMapping: JSON.stringify(list ? { list } : {}),
				},
			},
		});
		const items = run.items.map(({ json }) => json);
		return {
			items,
			ids: items.map(({ _id }) => _id),
			error: run.error,
			hints: run.hints.map(({ message }) => message),
		};
	}
	const all = (count: number) => rows(count).map(({ _id }) => _id);

	it('reports a service that ignores paging, and returns each row once', async () => {
		const { error } = await listFrom(() => ({ data: rows(10), total: 30 }));
		expect([error?.context, requests.length]).toEqual([
			expect.objectContaining({ code: 'list.cut', listed: 10, total: 30 }),
			2,
		]);
	});

	it('advises a lower Limit where its list is cut and one is set', async () => {
		const answer = () => ({ data: rows(10), total: 30 });
		const { error } = await listFrom(answer, undefined, { returnAll: false, limit: 20 });
		expect(error?.description).toContain('lower Limit');
	});

	it.each<[string, INodeParameters, string]>([
		['all of them', {}, '25 of 25 '],
		['fewer, by the Limit', { returnAll: false, limit: 5 }, '5 of 25 '],
		['fewer, by the filters', { filters: { status: ['pending'] } }, '0 of 25 '],
	])('reports the total when %s come', async (_what, parameters, text) => {
		for (const total of ['total', 'totalCount']) {
			const answer = ({ offset = 0 }: IDataObject) => ({
				data: rows(25).slice(Number(offset), Number(offset) + 10),
				[total]: 25,
			});
			const { hints } = await listFrom(answer, undefined, parameters);
			expect(hints).toEqual([expect.stringContaining(text)]);
			await close();
		}
	});

	it('keeps names and nesting of an undocumented result', async () => {
		const response = { addressCalle: 'own', address: { calle: 'inner' }, event: 'alta' };
		const record = { ...row(1), service: 'CSF', response };
		const { items } = await listFrom(() => [record], undefined, { options: { simplify: true } });
		expect(items).toEqual([
			{
				...{ addressCalle: 'own', address: { calle: 'inner' }, resultEvent: 'alta' },
				...{
					outcome: 'result',
					reason: null,
					status: 'SUCCESS',
					service: 'CSF',
					queryId: 'q1',
				},
			},
		]);
	});

	it('reports a total below the number of rows unchanged', async () => {
		const { ids, hints } = await listFrom(() => ({ data: rows(12), total: 3 }));
		expect([ids, hints]).toEqual([all(12), [expect.stringMatching(/^12 .* 3\.$/)]]);
	});

	it('repeats the last row of a page on the next: each once', async () => {
		const { ids } = await listFrom(({ offset = 0 }) => {
			const from = Math.max(0, Number(offset) - 1);
			return { data: rows(25).slice(from, from + 10), total: 25 };
		});
		expect(ids).toEqual(all(25));
	});

	it.each<[string, (from: number) => object]>([
		['that more exist', (from) => ({ hasMore: from + 10 < 25 })],
		["the next page's address", (from) => ({ next: `https://elsewhere.invalid/x?o=${from + 10}` })],
		['nothing', () => ({})],
	])(
		'returns part of a list without total with %s, and all by the API Mapping',
		async (_what, mark) => {
			const answer = ({ offset = 0 }: IDataObject) => {
				const from = Number(offset);
				return { items: rows(25).slice(from, from + 10), ...mark(from) };
			};
			const part = await listFrom(answer);
			const [count, hints] = [requests.length, part.hints];
			await close();
			const whole = await listFrom(answer, { offset: 'offset' });
			expect([part.ids, count, hints]).toEqual([
				all(10),
				1,
				[expect.stringMatching(/ 10 .*list\.limit/)],
			]);
			expect([whole.ids, whole.hints]).toEqual([all(25), []]);
		},
	);

	it.each<[string, (query: IDataObject) => unknown, list: IDataObject, pages: string[]]>([
		[
			'of a plain array by number',
			({ page, size }) =>
				rows(25).slice((Number(page) - 1) * Number(size), Number(page) * Number(size)),
			{ limit: 'size', page: 'page', pageSize: 10 },
			['1', '2', '3'],
		],
		[
			'by number, with a nested total',
			({ p = '1' }) => {
				const from = (Number(p) - 1) * 10;
				return { rows: rows(25).slice(from, from + 10), meta: { totalCount: '25' } };
			},
			{ page: 'p' },
			['1', '2', '3'],
		],
		[
			'by number from 0 on',
			({ page = '0', size }) => {
				const from = Number(page) * Number(size);
				return { content: rows(25).slice(from, from + 10), totalElements: 25 };
			},
			{ limit: 'size', page: 'page', pageSize: 10, firstPage: 0 },
			['0', '1', '2'],
		],
		[
			'by skip and take',
			({ skip = '0', take }) => rows(25).slice(Number(skip), Number(skip) + Number(take)),
			{ limit: 'take', offset: 'skip', pageSize: 10 },
			['0', '10', '20'],
		],
	])('has pages %s, as the API Mapping says', async (_how, answer, list, pages) => {
		const { ids } = await listFrom(answer, list);
		const name = String(list.page ?? list.offset);
		expect(ids).toEqual(all(25));
		expect(requests.map((query) => query[name] ?? '0')).toEqual(pages);
	});

	it('gives new rows for ever: is given up', async () => {
		let index = 0;
		const { error } = await listFrom(() => [row(index++)], { page: 'page' });
		expect([error?.context, requests.length]).toEqual([
			expect.objectContaining({ code: 'list.cut', listed: 500 }),
			500,
		]);
	});

	it.each([
		[11, {}, false],
		[13, {}, false],
		[37, {}, false],
		[15, {}, true],
		[16, {}, true],
		[20, {}, true],
		[100, {}, true],
		[37, { limit: 'limit', pageSize: 37 }, true],
		[37, { limit: 'limit', pageSize: 100 }, false],
		[37, { offset: 'offset' }, true],
		[37, { page: 'page' }, true],
	])(
		'hints at more queries only if its rows look like a page: %i, mapping %j',
		async (count, list, isReported) => {
			const { ids, hints } = await listFrom(() => rows(count), list);
			expect([ids, hints]).toEqual([
				all(count),
				isReported
					? [expect.stringMatching(new RegExp(`^These ${count} queries may not be all`))]
					: [],
			]);
		},
	);

	it('shows no hint for a single page that the API Mapping calls complete', async () => {
		const { ids, hints } = await listFrom(() => rows(25), { paging: 'none' });
		expect([ids, hints, requests.length]).toEqual([all(25), [], 1]);
	});

	it('names the API Mapping key if a response holds two lists', async () => {
		const two = () => ({ mine: rows(2), others: rows(3) });
		const { error } = await listFrom(two);
		await close();
		const { ids } = await listFrom(two, { rows: 'mine' });
		expect([error?.context?.mappingKeys, ids]).toEqual([
			expect.arrayContaining(['list.rows']),
			all(2),
		]);
	});
});

describe('a list that is cut off', () => {
	const [RFC] = rfcs(1);
	const ONE_DAY = { reuse: 'hours', reuseHours: 24 };

	/** Midnight just over would make the queries those of yesterday. */
	const timezone = DateTime.utc().hour < 12 ? 'Etc/GMT+11' : 'UTC';
	const item = { items: [{ rfc: RFC }], timezone };
	const getMany = operationParameters('query', 'getAll', { returnAll: true, filters: {} });
	const UNREPORTED = expect.stringContaining('list.paging');
	type Shape = (rows: StoredQuery[], requests: { page?: number; offset: number }) => unknown;
	const newest = (rows: StoredQuery[]) => rows.slice(0, 20);

	/** They list only their newest 20 queries. */
	const cut: Array<[string, Shape]> = [
		['a plain array', newest],
		['rows under data', (rows) => ({ data: newest(rows) })],
		['a filter by what it does not know', (rows, { offset }) => (offset ? [] : newest(rows))],
	];

	/** They have further pages by the API Mapping, and report no total. */
	const further: Array<[string, Shape, list: object]> = [
		[
			'by page',
			(rows, { page = 1 }) => ({ data: rows.slice((page - 1) * 20, page * 20), page, limit: 20 }),
			{ page: 'page' },
		],
		[
			'by page from 0 on',
			(rows, { page = 0 }) => rows.slice(page * 20, (page + 1) * 20),
			{ page: 'page', firstPage: 0 },
		],
		['by offset', (rows, { offset }) => rows.slice(offset, offset + 20), { offset: 'offset' }],
	];

	/** A service with so many queries made a while ago. */
	async function serviceWith(shape: Shape, count: number, agoMs = 60_000, isLosing = false) {
		const listed: string[] = [];
		const service = await fakeService({
			list(stored: StoredQuery[], response: ServerResponse) {
				const { search, searchParams } = new URL(String(response.req.url), 'http://any');
				listed.push(search);
				const page = searchParams.has('page') ? Number(searchParams.get('page')) : undefined;
				respondJson(response, shape(stored, { page, offset: Number(searchParams.get('offset')) }));
			},
			post(accept, response) {
				const stored = accept();
				if (isLosing) response.destroy();
				else respondJson(response, { queryId: stored._id });
			},
		});
		service.billed.push(
			...rfcs(count).map((rfc, index) => ({
				_id: `${service.baseUrl}-${index}`,
				service: 'CRF',
				status: 'SUCCESS',
				query: { rfc },
				response: { RFC: rfc },
				createdAt: new Date(Date.now() - agoMs - (count - index) * 10).toISOString(),
			})),
		);
		return { ...service, listed };
	}

	const limited = (maxQueriesPerDay: number, more = {}) =>
		getCrfParameters(more, { spendingLimits: { maxQueriesPerDay } });

	const KEYS = ['list.limit', 'list.offset', 'list.page'];
	/** The newest of 60 queries, which the list begins with, and one that nobody has made. */
	const [NEWEST, RFC_60] = rfcs(61).slice(59);

	describe('a list that does not say whether there are more', () => {
		it.each(cut)('is not counted for Max Queries per Day: %s', async (_what, shape) => {
			const service = await serviceWith(shape, 60);
			const { error } = await service.run(limited(100), item);
			await service.close();
			expect(error?.context).toMatchObject({
				code: 'uncounted',
				list: 'untold',
				mappingKeys: KEYS,
			});
			expect(service.sent()).toBe(0);
		});

		it('is truncated if it reports more and repeats its rows', async () => {
			const shape: Shape = (rows) => ({ data: newest(rows), total: rows.length });
			const service = await serviceWith(shape, 30);
			const { error } = await service.run(limited(100), item);
			await service.close();
			expect(error?.context).toMatchObject({ code: 'uncounted', list: 'cut' });
			expect({ sent: service.sent(), listed: service.listed }).toEqual({
				...{ sent: 0, listed: ['', '?offset=20'] },
			});
		});

		it('is counted as far as it is enough to refuse', async () => {
			const service = await serviceWith(newest, 60);
			const { error } = await service.run(limited(20), item);
			await service.close();
			expect([codeOf(error), service.sent()]).toEqual(['limitOfDay', 0]);
		});

		it.each(further)('is counted whole by the API Mapping: %s', async (_how, shape, list) => {
			const service = await serviceWith(shape, 45);
			const mapped = { ...item, ...service.mapped({ list }) };
			const { error } = await service.run(limited(45), mapped);
			const { items } = await service.run(limited(46), mapped);
			await service.close();
			expect({ code: codeOf(error), items: items.length, sent: service.sent() }).toEqual({
				...{ code: 'limitOfDay', items: 1, sent: 1 },
			});
		});

		it('is counted where the API Mapping says that all come at once', async () => {
			const service = await serviceWith((rows) => rows, 45);
			const { items } = await service.run(limited(46), {
				...item,
				...service.mapped({ list: { paging: 'none' } }),
			});
			await service.close();
			expect([items.length, service.sent()]).toEqual([1, 1]);
		});

		it.each<[string, Shape, object?]>([...cut, ...further])(
			'Reuse Results reports the list: %s',
			async (_what, shape) => {
				const service = await serviceWith(shape, 60);
				const { hints } = await service.run(getCrfParameters(ONE_DAY), item);
				await service.close();
				expect(hints.map(({ message }) => message)).toEqual([UNREPORTED]);
			},
		);

		it.each([
			['is short', 13, RFC_60, false],
			['is cut, but has the query', 20, NEWEST, false],
			['is cut, and lacks the query', 20, RFC_60, true],
		])('is reported by a receipt only if it %s', async (_what, shown, rfc, isReported) => {
			const service = await serviceWith((rows) => rows.slice(0, shown), 60);
			const { hints } = await service.run(getCrfParameters(ONE_DAY), { ...item, items: [{ rfc }] });
			await service.close();
			const reported = hints.some(({ message }) => message.includes('may not be all'));
			expect(reported).toBe(isReported);
		});

		it.each(further)(
			'is read on by Reuse Results, by the API Mapping: %s',
			async (_how, shape, list) => {
				const service = await serviceWith(shape, 60);
				const { items } = await service.run(getCrfParameters(ONE_DAY), {
					...item,
					...service.mapped({ list }),
				});
				await service.close();
				expect([items[0].json.reused, service.sent()]).toEqual([true, 0]);
			},
		);

		it('is read on by Reuse Results behind a row without a date', async () => {
			const undated = (one: StoredQuery, index: number) =>
				index === 19 ? { ...one, createdAt: undefined } : one;
			const shape: Shape = (rows, { offset }) => rows.slice(offset, offset + 20).map(undated);
			const service = await serviceWith(shape, 45);
			const { items } = await service.run(getCrfParameters(ONE_DAY), {
				...item,
				...service.mapped({ list: { offset: 'offset' } }),
			});
			await service.close();
			expect([items[0].json.reused, service.sent()]).toEqual([true, 0]);
		});

		const noId: Shape = (rows) => [...rows.slice(0, 8), { status: 'SUCCESS' }];
		it.each<[string, Shape, list: object, extent: string]>([
			...cut.map(([what, shape]): [string, Shape, object, string] => [what, shape, {}, 'untold']),
			['parameters that it ignores', newest, { offset: 'offset' }, 'untold'],
			['a row without an ID', noId, {}, 'cut'],
			['a total beyond its rows', (rows) => ({ data: newest(rows), total: 5000 }), {}, 'cut'],
		])('lets nothing be sent again: %s', async (_what, shape, list, extent) => {
			const oldest: Shape = (rows, requests) => shape([...rows].reverse(), requests);
			const service = await serviceWith(oldest, 60, 60_000, true);
			const unlisted = { ...item, items: [{ rfc: rfcs(61)[60] }], ...service.mapped({ list }) };
			const running = service.run(
				getCrfParameters({}, { spendingLimits: { sendAgain: true } }),
				unlisted,
			);
			await until('a search for it', () => service.sent() > 0 && service.listed.length > 0);
			shiftAllClocks(61_000); // by now a whole list would show it
			const { error } = await running;
			await service.close();
			expect([error?.context?.list, service.sent()]).toEqual([extent, 1]);
		});

		it.each<[string, Shape, object?]>([cut[0], further[2]])(
			'comes out of Get Many with a hint, and no further request: %s',
			async (_what, shape) => {
				const service = await serviceWith(shape, 60);
				const { items, hints } = await service.run(getMany);
				await service.close();
				expect(items.length).toBeGreaterThanOrEqual(17);
				expect(hints.map(({ message }) => message)).toEqual([UNREPORTED]);
				expect(service.listed).toEqual(['']);
			},
		);

		it('ends behind its total, in which a row without an ID counts', async () => {
			const service = await serviceWith((rows) => ({ data: [...rows, {}], total: 21 }), 20);
			const { items } = await service.run(getMany);
			await service.close();
			expect([items.length, service.listed]).toEqual([20, ['', '?offset=21']]);
		});

		it('is whole though a query that is made meanwhile moves the others by one', async () => {
			let pages = 0;
			const shape: Shape = (rows, { offset }) => {
				const all = pages++ > 0 ? [{}, ...rows] : rows;
				return { data: all.slice(offset, offset + 20), total: all.length };
			};
			const service = await serviceWith(shape, 45);
			const { error } = await service.run(limited(100), item);
			await service.close();
			expect([codeOf(error), service.sent()]).toEqual([undefined, 1]);
		});

		it.each<[string, Shape, number, number, string]>([
			['reaches back far enough', newest, 60, 48 * 3_600_000, ''],
			['is shorter than any page', newest, 9, 60_000, ''],
			['reports a total', (rows) => ({ data: rows, total: rows.length }), 20, 60_000, '?offset=20'],
		])('is whole where it %s', async (_what, shape, count, agoMs, listed) => {
			const service = await serviceWith(shape, count, agoMs);
			const { error } = await service.run(limited(30, ONE_DAY), item);
			await service.close();
			expect([error, service.listed.join('')]).toEqual([undefined, listed]);
		});
	});

	describe('a list whose totals do not count it', () => {
		const PAGE = 100;
		const pageOf = (rows: StoredQuery[], offset: number) => rows.slice(offset, offset + PAGE);
		const totals: Array<[what: string, shape: Shape]> = [
			[
				'counts the page',
				(rows, { offset }) => {
					const data = pageOf(rows, offset);
					return { data, total: data.length };
				},
			],
			[
				'is 0 behind the end',
				(rows, { offset }) => ({
					data: pageOf(rows, offset),
					total: offset < rows.length ? rows.length : 0,
				}),
			],
			[
				'counts the rows so far, as text',
				(rows, { offset }) => {
					const data = pageOf(rows, offset);
					return { data, total: String(offset + data.length) };
				},
			],
			['is negative', (rows, { offset }) => ({ data: pageOf(rows, offset), total: -1 })],
			[
				'shrinks to the page',
				(rows, { offset }) => {
					const data = pageOf(rows, offset);
					return { data, total: offset === 0 ? rows.length : data.length };
				},
			],
		];
		const mapped = { list: { offset: 'offset' } };

		it.each(totals)('is read to its end where the total %s', async (_what, shape) => {
			const found = [];
			for (const count of [250, 200, 100, 12]) {
				const service = await serviceWith(shape, count);
				const { items } = await service.run(getMany, service.mapped(mapped));
				await service.close();
				found.push(items.length);
			}
			expect(found).toEqual([250, 200, 100, 12]);
		});

		it.each(totals)('is counted for the limit per day where the total %s', async (_what, shape) => {
			const service = await serviceWith(shape, 250);
			const run = { ...item, ...service.mapped(mapped) };
			const { error } = await service.run(limited(150), run);
			await service.close();
			expect([codeOf(error), service.sent()]).toEqual(['limitOfDay', 0]);
		});

		it('keeps a total in force that a later page does not repeat', async () => {
			const shape: Shape = (rows, { offset }) =>
				offset === 0 ? { data: pageOf(rows, 0), total: 450 } : { data: pageOf(rows, offset) };
			const service = await serviceWith(shape, 200);
			const { error } = await service.run(getMany, service.mapped(mapped));
			await service.close();
			expect(error?.context).toMatchObject({ code: 'list.cut', listed: 200, total: 450 });
		});

		it.each(totals)(
			'shows Send Again a query on its last page where it %s',
			async (_what, shape) => {
				const oldestFirst: Shape = (rows, requests) => shape([...rows].reverse(), requests);
				const service = await serviceWith(oldestFirst, 250, 60_000, true);
				const { items } = await service.run(
					getCrfParameters({}, { spendingLimits: { sendAgain: true } }),
					{
						...{ items: [{ rfc: rfcs(251)[250] }], timezone },
						...service.mapped(mapped),
					},
				);
				await service.close();
				expect({ recovered: items[0]?.json.recovered, sent: service.sent() }).toEqual({
					...{ recovered: true, sent: 1 },
				});
			},
		);
	});

	describe('a list that reports a failure with status 200', () => {
		const failures: Array<[what: string, body: object]> = [
			['success: false', { success: false, data: [] }],
			['success as text', { success: 'false', data: [], total: 0 }],
			['an error', { error: 'timeout', data: [] }],
			['errors', { errors: [{ code: 7 }], data: [] }],
			['ok: false', { ok: false, data: [] }],
			['a status', { status: 'error', data: [] }],
			['an HTTP status', { statusCode: 503, data: [], total: 0 }],
			['success: false inside', { data: { success: false, rows: [] } }],
			['success: false without rows', { success: false }],
		];
		const failsAt =
			(page: number, body: object): Shape =>
			(rows, { offset }) =>
				offset >= page * 20 ? body : { data: rows.slice(offset, offset + 20) };

		it.each(failures)('is not empty for the limit per day: %s', async (_what, body) => {
			const service = await serviceWith(() => body, 140);
			const { error } = await service.run(limited(140), item);
			await service.close();
			expect([codeOf(error), service.sent()]).toEqual(['unlisted', 0]);
		});

		it.each(failures)('is no end of the list: %s on the third page', async (_what, body) => {
			const service = await serviceWith(failsAt(2, body), 60);
			const mapped = { ...item, ...service.mapped({ list: { offset: 'offset' } }) };
			const { error, items } = await service.run(getMany, mapped);
			const { error: limitError } = await service.run(limited(60), mapped);
			await service.close();
			expect([codeOf(error), items.length]).toEqual(['failure', 0]);
			expect([codeOf(limitError), service.sent()]).toEqual(['unlisted', 0]);
		});

		it.each([failures[0], failures[6]])('pays for nothing by Reuse: %s', async (_what, body) => {
			const service = await serviceWith(() => body, 3);
			const { error } = await service.run(getCrfParameters(ONE_DAY), item);
			await service.close();
			expect([codeOf(error), service.sent()]).toEqual(['unlisted', 0]);
		});

		it.each([failures[0], failures[3]])('lets nothing be sent again: %s', async (_what, body) => {
			const service = await serviceWith(() => body, 3, 60_000, true);
			const running = service.run(
				getCrfParameters({}, { spendingLimits: { sendAgain: true } }),
				item,
			);
			await until('a search for it', () => service.sent() > 0 && service.listed.length > 0);
			shiftAllClocks(61_000);
			const { error } = await running;
			await service.close();
			expect([codeOf(error), service.sent()]).toEqual(['unsure', 1]);
		});
	});
});
