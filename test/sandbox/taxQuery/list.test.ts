import type { QueryRecord } from '../../../contract/taxQuery';
import type { SandboxOptions } from '../../../sandbox';
import { CURP, startSandboxWithClients, type SandboxWithClients } from '../support/clients';
import { EMMA_RFC_CALCULATOR_BODY } from './endpointCases';

interface Page {
	data: QueryRecord[];
	total: number;
}

let bench: SandboxWithClients;
afterEach(async () => await bench.sandbox.close());

const start = async (options: Partial<SandboxOptions> = {}) => {
	bench = await startSandboxWithClients(options);
};
const list = async <T = QueryRecord[]>(params: object = {}): Promise<T> =>
	(await bench.taxQuery.get<T>('/query', { params })).data;
const page = async (params: object = {}) => await list<Page>(params);
const idsOf = (rows: QueryRecord[]) => rows.map(({ _id }) => _id);
const instantsOf = (rows: QueryRecord[]) => rows.map(({ createdAt }) => createdAt);

describe('GET /query as an array', () => {
	it('the list has every query, newest first, and a part of them by limit and offset', async () => {
		await start();
		const made = [];
		for (let queries = 0; queries < 4; queries++) made.unshift(await bench.requestCrf());
		const all = await list();
		expect(idsOf(all)).toEqual(made);
		expect(idsOf(await list({ limit: 2, offset: 1 }))).toEqual(made.slice(1, 3));
	});

	it.each([
		['service', 'CURP', ['CURP']],
		['status', 'PENDING', ['CRF']],
		['service', 'NONE', []],
	])('the list is filtered by %s=%s', async (name, value, services) => {
		await start({ resultDelay: 3_600_000 });
		await bench.taxQuery.post('/query/curp-data', { curp: CURP });
		await bench.taxQuery.post('/query/rfc-calculator', EMMA_RFC_CALCULATOR_BODY);
		await bench.requestCrf();
		expect((await list({ [name]: value })).map(({ service }) => service)).toEqual(services);
	});

	it.each([
		['limit', '0'],
		['limit', 'x'],
		['offset', '-1'],
	])('the list refuses %s=%s by name', async (name, value) => {
		await start();
		const { status, data } = await bench.taxQuery.get('/query', { params: { [name]: value } });
		expect([status, data.field]).toEqual([400, name]);
	});

	it('--page-size truncates an array, which does not report the rest', async () => {
		await start({ pageSize: 10, pastQueries: 25 });
		expect(await list()).toHaveLength(10);
		expect(await list({ offset: 20 })).toHaveLength(5);
	});
});

describe('GET /query by page', () => {
	it('--query-list page has 100 rows a page, and the total', async () => {
		await start({ queryList: 'page', pastQueries: 250 });
		const pages = [];
		for (const offset of [0, 100, 200, 300]) pages.push(await page({ offset }));
		const rows = pages.flatMap(({ data }) => data);
		expect(pages.map(({ data }) => data.length)).toEqual([100, 100, 50, 0]);
		expect(pages.map(({ total }) => total)).toEqual(Array(4).fill(250));
		expect(new Set(idsOf(rows)).size).toBe(250);
		expect(instantsOf(rows)).toEqual(instantsOf(rows).sort().reverse());
		expect(await page({ page: 2 })).toEqual(pages[1]);
		expect((await page({ limit: 7 })).data).toEqual(rows.slice(0, 7));
		expect((await page({ limit: 1000 })).data).toHaveLength(100);
		const made = await bench.requestCrf();
		expect((await page()).data[0]._id).toBe(made);
	});

	it.each([1, 10, 101, 500])('a page has %i rows at most with --page-size', async (pageSize) => {
		await start({ queryList: 'page', pageSize, pastQueries: 250 });
		const expected = Math.min(pageSize, 250);
		expect((await page()).data).toHaveLength(expected);
		expect((await page({ limit: 1000 })).data).toHaveLength(expected);
	});

	it('the first page is number 0 if the mapping says so', async () => {
		const mapping = { taxQuery: { list: { firstPage: 0 as const } } };
		await start({ queryList: 'page', pastQueries: 250, mapping });
		expect(await page({ page: 0 })).toEqual(await page());
		expect(await page({ page: 2 })).toEqual(await page({ offset: 200 }));
	});
});

describe('the order of GET /query', () => {
	const rowsIn = async (listOrder: SandboxOptions['listOrder']) => {
		await start({ listOrder, queryList: 'page', pageSize: 20, pastQueries: 50 });
		const made = await bench.requestCrf();
		const pages = [];
		for (const offset of [0, 20, 40]) pages.push((await page({ offset })).data);
		const rows = pages.flat();
		expect([pages[2].length, new Set(idsOf(rows)).size]).toEqual([11, 51]);
		expect(idsOf((await page()).data)).toEqual(idsOf(pages[0]));
		return { made, rows, sorted: instantsOf(rows).sort() };
	};

	it('--list-order newest and oldest list a new query first and last', async () => {
		const newest = await rowsIn('newest');
		expect(newest.rows[0]._id).toBe(newest.made);
		expect(instantsOf(newest.rows)).toEqual(newest.sorted.reverse());
		await bench.sandbox.close();
		const oldest = await rowsIn('oldest');
		expect(oldest.rows[50]._id).toBe(oldest.made);
		expect(instantsOf(oldest.rows)).toEqual(oldest.sorted);
	});

	it('--list-order none lists by no time, and each query once', async () => {
		const { rows, sorted } = await rowsIn('none');
		expect(instantsOf(rows)).not.toEqual(sorted);
		expect(instantsOf(rows)).not.toEqual([...sorted].reverse());
	});
});

describe('what the records of GET /query hold', () => {
	const hasFields = (record: object) =>
		['query', 'response'].map((field) => Object.hasOwn(record, field));

	it('the list "summary" has neither request nor response; a record by ID has both', async () => {
		await start({ queryList: 'summary', pastQueries: 3 });
		const { data, total } = await page();
		expect([total, hasFields(data[0]), data[0].metadata.query]).toEqual([
			3,
			[false, false],
			undefined,
		]);
		const { data: record } = await bench.taxQuery.get<QueryRecord>(`/query/${data[0]._id}`);
		expect([hasFields(record), record.metadata.query]).toEqual([[true, true], record.query]);
	});

	it.each(['array', 'page', 'summary'] as const)(
		'--record "no-response" has no response, neither by ID nor in the list %s',
		async (queryList) => {
			await start({ record: 'no-response', queryList, pastQueries: 1 });
			const listed = await list<QueryRecord[] | Page>();
			const [row] = Array.isArray(listed) ? listed : listed.data;
			const { data: record } = await bench.taxQuery.get<QueryRecord>(`/query/${row._id}`);
			expect(record).toMatchObject({ _id: row._id, status: 'SUCCESS' });
			expect([hasFields(record), 'response' in row]).toEqual([[true, false], false]);
		},
	);

	it('--record "no-response" leaves the response of a query that answers at once', async () => {
		await start({ record: 'no-response', recordEnvelope: 'data' });
		const body = { curp: CURP };
		const { data } = await bench.taxQuery.post<{ data: QueryRecord }>('/query/curp-data', body);
		const { _id, response } = data.data;
		const { data: stored } = await bench.taxQuery.get<{ data: QueryRecord }>(`/query/${_id}`);
		expect([response.curp, hasFields(stored.data)]).toEqual([CURP, [true, false]]);
	});
});

describe('--list-shape', () => {
	it.each([
		[{ rows: 'items', total: 'totalCount' }, { totalCount: 150 }, { totalCount: 150 }],
		[{ rows: 'results', total: 'hasMore' }, { hasMore: true }, { hasMore: false }],
		[{ rows: 'rows', total: 'next' }, { next: '/api/query?offset=100' }, { next: null }],
		[{ rows: 'queries' }, {}, {}],
	])('the list has the shape %j', async (listShape, first, last) => {
		await start({ listShape, pastQueries: 150 });
		const read = async (offset?: number) => {
			const { [listShape.rows]: rows, ...others } = await list<Record<string, object[]>>({
				offset,
			});
			return [rows.length, others];
		};
		expect([await read(), await read(100)]).toEqual([
			[100, first],
			[50, last],
		]);
	});

	it('next leads to the following page, with the same parameters', async () => {
		await start({ listShape: { rows: 'rows', total: 'next' }, pastQueries: 150 });
		const { next } = await list<{ next: string }>({ page: 1, service: 'CRF', limit: 10 });
		expect(next).toBe('/api/query?page=2&service=CRF&limit=10');
	});
});

describe('--past-queries', () => {
	it('20,000 past queries each have their own ID and an instant of the past year', async () => {
		await start({ pastQueries: 20_000 });
		const now = Date.parse((await bench.control.get('/clock')).data.now);
		const rows = await list();
		const ages = instantsOf(rows).map((instant) => (now - Date.parse(instant)) / 86_400_000);
		expect([rows.length, new Set(idsOf(rows)).size]).toEqual([20_000, 20_000]);
		expect(rows.every(({ status }) => status === 'SUCCESS')).toBe(true);
		expect(ages.filter((days) => days < 0 || days > 366)).toEqual([]);
	});

	it('past queries are read by their ID, and are not billed', async () => {
		await start({ pastQueries: 5 });
		const [, past] = await list();
		const { data } = await bench.taxQuery.get<QueryRecord>(`/query/${past._id}`);
		expect([data, (await bench.control.get('/ledger')).data]).toEqual([past, []]);
	});
});
