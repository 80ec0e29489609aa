import type { QueryRecord } from '../../../../contract/taxQuery';
import type { SandboxOptions } from '../../../../sandbox';
import { startTaxQueryBench, type TaxQueryBench } from '../support/taxQuery';

const MANY = 20_000;

interface Page {
	data: QueryRecord[];
	total: number;
}

let bench: TaxQueryBench;

afterEach(async () => await bench.sandbox.close());

const start = async (options: Partial<SandboxOptions>) => {
	bench = await startTaxQueryBench(options);
};
const list = async <T = Page>(params: object = {}): Promise<T> =>
	(await bench.service.get<T>('/query', { params })).data;
const idsOf = ({ data }: Page) => data.map(({ _id }) => _id);

describe('the list of queries with --query-list page', () => {
	beforeEach(async () => await start({ queryList: 'page', pastQueries: 250 }));

	it('has 100 rows a page, and the total', async () => {
		const { data, total } = await list();
		expect([data.length, total]).toEqual([100, 250]);
	});

	it('is read to its end by offset, each query once, newest first', async () => {
		const pages = [];
		for (const offset of [0, 100, 200, 300]) pages.push(await list({ offset }));
		const rows = pages.flatMap(({ data }) => data);
		expect(pages.map(({ data }) => data.length)).toEqual([100, 100, 50, 0]);
		expect(new Set(rows.map(({ _id }) => _id)).size).toBe(250);
		const instants = rows.map(({ createdAt }) => createdAt);
		expect(instants).toEqual([...instants].sort().reverse());
	});

	it('is the same by the number of the page', async () => {
		expect(idsOf(await list({ page: 2 }))).toEqual(idsOf(await list({ offset: 100 })));
	});

	it('gives fewer rows where fewer are wanted, and never more than a page', async () => {
		expect((await list({ limit: 7 })).data).toHaveLength(7);
		expect((await list({ limit: 1000 })).data).toHaveLength(100);
	});

	it('begins with the query made last', async () => {
		const { data: made } = await bench.service.post('/query/crf', { rfc: 'GODE561231GR8' });
		expect(idsOf(await list())[0]).toBe(made.queryId);
	});
});

describe('the list of queries with --query-list page and a mapping whose firstPage is 0', () => {
	it('has its first rows on page 0', async () => {
		const mapping = { taxQuery: { list: { firstPage: 0 as const } } };
		await start({ queryList: 'page', pastQueries: 250, mapping });
		expect(idsOf(await list({ page: 0 }))).toEqual(idsOf(await list()));
		expect(idsOf(await list({ page: 2 }))).toEqual(idsOf(await list({ offset: 200 })));
	});
});

describe('the list of queries without responses (--query-list)', () => {
	it('rows hold neither request nor response; the record by ID holds both', async () => {
		await start({ queryList: 'lean', pastQueries: 3 });
		const { data, total } = await list();
		const [{ _id, metadata, ...row }] = data;
		expect(total).toBe(3);
		expect([Object.keys(row), Object.keys(metadata)].flat()).not.toEqual(
			expect.arrayContaining(['response']),
		);
		expect(row).not.toHaveProperty('query');
		expect(metadata).not.toHaveProperty('query');
		const { data: record } = await bench.service.get<QueryRecord>(`/query/${_id}`);
		expect([record.query, record.response, record.metadata.query]).not.toContain(undefined);
	});
});

describe('the order of the list', () => {
	const instantsOf = async (listOrder: SandboxOptions['listOrder']) => {
		await start({ listOrder, pastQueries: 50 });
		return (await list<QueryRecord[]>()).map(({ createdAt }) => createdAt);
	};

	it('is oldest first with --list-order oldest, and a new query comes last', async () => {
		const instants = await instantsOf('oldest');
		expect(instants).toEqual([...instants].sort());
		const { data: made } = await bench.service.post('/query/crf', { rfc: 'GODE561231GR8' });
		expect((await list<QueryRecord[]>()).at(-1)?._id).toBe(made.queryId);
	});

	it('is none with --list-order none, and the same again', async () => {
		const instants = await instantsOf('none');
		expect(instants).not.toEqual([...instants].sort());
		expect(instants).not.toEqual([...instants].sort().reverse());
		expect((await list<QueryRecord[]>()).map(({ createdAt }) => createdAt)).toEqual(instants);
	});

	it.each(['newest', 'oldest', 'none'] as const)(
		'as %s gives each query once, page by page',
		async (listOrder) => {
			await start({ listOrder, queryList: 'page', pageSize: 7, pastQueries: 20 });
			const pages = [];
			for (const offset of [0, 7, 14]) pages.push(await list({ offset }));
			expect(pages.map(({ data }) => data.length)).toEqual([7, 7, 6]);
			expect(new Set(pages.flatMap(idsOf)).size).toBe(20);
		},
	);
});

describe('the size of a page', () => {
	it.each([1, 10, 101, 500])('is %i with --page-size', async (pageSize) => {
		await start({ queryList: 'page', pageSize, pastQueries: 250 });
		expect((await list()).data).toHaveLength(Math.min(pageSize, 250));
		expect((await list({ limit: 1000 })).data).toHaveLength(Math.min(pageSize, 250));
	});

	it('truncates an array, too, which does not report the rest', async () => {
		await start({ pageSize: 10, pastQueries: 25 });
		const [first, last] = [await list<unknown[]>(), await list<unknown[]>({ offset: 20 })];
		expect([first.length, last.length]).toEqual([10, 5]);
	});
});

describe('the records without responses (--record)', () => {
	it.each(['array', 'page', 'lean'] as const)(
		'hold no response, neither by ID nor in the list %s',
		async (queryList) => {
			await start({ record: 'lean', queryList, pastQueries: 1 });
			const listed = await list<QueryRecord[] | Page>();
			const [row] = Array.isArray(listed) ? listed : listed.data;
			const { data: record } = await bench.service.get<QueryRecord>(`/query/${row._id}`);
			expect(record).toMatchObject({ _id: row._id, status: 'SUCCESS' });
			expect(record).toHaveProperty('query');
			expect('response' in record || 'response' in row).toBe(false);
		},
	);

	it('are whole where the document shows the response to the query itself', async () => {
		await start({ record: 'lean', recordEnvelope: 'data' });
		const { data: answered } = await bench.service.post<{ data: QueryRecord }>('/query/curp-data', {
			curp: 'EISE850314MDFXGL08',
		});
		const { _id, response } = answered.data;
		const { data: stored } = await bench.service.get<{ data: QueryRecord }>(`/query/${_id}`);
		expect(response.curp).toBe('EISE850314MDFXGL08');
		expect(stored.data).not.toHaveProperty('response');
	});
});

describe('the shape of the list', () => {
	it.each([
		[{ rows: 'items', total: 'totalCount' }, { totalCount: 150 }, { totalCount: 150 }],
		[{ rows: 'results', total: 'hasMore' }, { hasMore: true }, { hasMore: false }],
		[{ rows: 'rows', total: 'next' }, { next: '/api/query?offset=100' }, { next: null }],
		[{ rows: 'queries' }, {}, {}],
	])('%j', async (listShape, first, last) => {
		await start({ listShape, pastQueries: 150 });
		const { [listShape.rows]: rows, ...marks } = await list<Record<string, unknown[]>>();
		const { [listShape.rows]: rest, ...ends } = await list<Record<string, unknown[]>>({
			offset: 100,
		});
		expect([rows.length, marks, rest.length, ends]).toEqual([100, first, 50, last]);
	});

	it('leads by `next` to the following page', async () => {
		await start({ listShape: { rows: 'rows', total: 'next' }, pastQueries: 150 });
		const { next } = await list<{ next: string }>({ page: 1, service: 'CRF', limit: 10 });
		expect(next).toBe('/api/query?page=2&service=CRF&limit=10');
	});
});

describe('past queries', () => {
	it('lists 20,000 past queries, each with its own ID and instant', async () => {
		await start({ pastQueries: MANY });
		const rows = await list<QueryRecord[]>();
		const instants = rows.map(({ createdAt }) => Date.parse(createdAt));
		expect(rows).toHaveLength(MANY);
		expect(new Set(rows.map(({ _id }) => _id)).size).toBe(MANY);
		expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['SUCCESS']));
		expect(Math.max(...instants)).toBeLessThan(Date.now());
		expect(Math.min(...instants)).toBeGreaterThan(Date.now() - 366 * 86_400_000);
	});

	it('are read by their ID, and are not billed', async () => {
		await start({ pastQueries: 5 });
		const [, { _id }] = await list<QueryRecord[]>();
		const { data } = await bench.service.get<QueryRecord>(`/query/${_id}`);
		expect([data._id, (await bench.control.get('/ledger')).data]).toEqual([_id, []]);
	});

	it('are the same again by seed', async () => {
		const ids = [];
		for (const seed of [3, 3, 4]) {
			await bench?.sandbox.close();
			await start({ seed, pastQueries: 20 });
			ids.push((await list<QueryRecord[]>()).map(({ _id }) => _id));
		}
		expect(ids[1]).toEqual(ids[0]);
		expect(ids[2]).not.toEqual(ids[0]);
	});
});
