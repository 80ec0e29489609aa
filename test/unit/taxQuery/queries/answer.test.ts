import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import type { UserError } from 'n8n-workflow';
import { pageMarksOf, readQueryList, readQueryRecord } from '../../../../nodes/TaxQuery/queries';

const record = { _id: 'q1', service: 'CRF', status: 'SUCCESS', query: { rfc: 'x' } };
const row = { queryId: 'q1', status: 'SUCCESS' };
const full = { ...record, response: { invoices: [{ uuid: 'a' }] } };

describe('the list of queries, whose shape is not shown', () => {
	it.each<[string, unknown]>([
		['an array', [row]],
		['an array with something else in it', [null, row, 'text']],
		['under data', { data: [row], total: 1 }],
		['under queries', { queries: [row] }],
		['under results', { message: 'OK', results: [row] }],
		['under a key of its own', { consultas: [row], ok: true }],
		['under a key of its own, beside an empty array', { consultas: [row], avisos: [] }],
		['under a key of its own, beside texts', { consultas: [row], avisos: ['slow'] }],
		['with IDs, beside objects without', { consultas: [row], avisos: [{ text: 'slow' }] }],
		['two levels down', { data: { items: [row] } }],
		['two levels down under keys of their own', { respuesta: { consultas: [row] }, total: 1 }],
		['beside an ID and a status of the answer', { id: 7, status: 'ok', data: [row] }],
	])('is read as %s', (_where, body) => {
		expect(readQueryList(body)).toEqual([row]);
	});

	it.each<[unknown]>([
		[[]],
		[{ data: [] }],
		[{ consultas: [], total: 0 }],
		[{ data: { rows: [] } }],
		[{ queries: null, total: 0 }],
		[{ data: null, meta: { totalCount: '0' } }],
		[{ data: { items: null, count: 0 }, message: 'OK' }],
	])('is read as empty from %j', (body) => {
		expect(readQueryList(body)).toEqual([]);
	});

	it.each<[unknown]>([
		[null],
		['text'],
		[{}],
		[[1, 2]],
		[{ data: 'none' }],
		[{ message: 'Not allowed' }],
		[full],
		[{ a: [row], b: [{ ...row, queryId: 'q2' }] }],
		[{ success: false, message: 'db down', data: [] }],
		[{ statusCode: 500, message: 'x', errors: [] }],
		[{ data: null }],
		[{ queries: null, total: 2 }],
		[{ error: null, total: 0 }],
		[{ success: false, data: null, total: 0 }],
		[{ success: false, errors: [{ message: 'db down' }] }],
		[{ errors: [{ id: 'e1', status: '500', title: 'db down' }] }],
		[{ data: { errors: [{ id: 'e1', status: '500', title: 'db down' }] } }],
		[{ status: 'error', data: [{ detail: 'db down' }] }],
		[[{ error: 'db down' }]],
		[[{ ok: false, data: [] }]],
	])('is refused as %j', (body) => {
		expect(() => readQueryList(body)).toThrow('holds no list of queries');
	});
});

describe('a list of queries that says it is an error', () => {
	it.each<[unknown, string]>([
		[{ success: false, message: 'db down', data: [] }, 'db down'],
		[{ error: { detail: 'db down' } }, 'db down'],
	])('is refused in its own words: %j', (body, words) => {
		const read = () => {
			try {
				return readQueryList(body);
			} catch (error) {
				return (error as UserError).description;
			}
		};
		expect(read()).toContain(`The service says: "${words}"`);
	});

	it.each<[object]>([
		[{ success: false, data: [row] }],
		[{ status: 'error', message: 'slow', consultas: [row] }],
	])('is one all the same where queries are in it: %j', (body) => {
		expect(readQueryList(body)).toEqual([row]);
	});

	it('is one where its only query has failed', () => {
		const failed = { ...row, status: 'FAILED', error: 'No funds' };
		expect(readQueryList([failed])).toEqual([failed]);
	});
});

describe('what a list tells of further pages', () => {
	it.each<[unknown, object]>([
		[[row], {}],
		[{ data: [row] }, {}],
		[{ data: [row], total: 9 }, { total: 9 }],
		[{ data: { items: [], total: '7' } }, { total: 7 }],
		[{ rows: [row], meta: { totalCount: 3 } }, { total: 3 }],
		[{ rows: [row], count: 12 }, { total: 12 }],
		[{ rows: [row], count: 1 }, {}],
		[{ rows: [row], total: 'many' }, {}],
		[{ rows: [row], total: -1 }, {}],
		[{ rows: [row], total: { toString: 'x' } }, {}],
		[{ rows: [row], hasMore: true }, { hasMore: true }],
		[{ rows: [row], has_more: 'false' }, { hasMore: false }],
		[
			{ rows: [row], pagination: { hasNext: true, total: 4 } },
			{ hasMore: true, total: 4 },
		],
		[{ rows: [row], next: null }, { hasMore: false }],
		[{ rows: [row], next: '' }, { hasMore: false }],
		[{ rows: [row], nextPage: 2 }, { hasMore: true }],
		[{ rows: [row], nextCursor: 'eyJp' }, { hasMore: true }],
		[{ rows: [row], meta: { next_cursor: null } }, { hasMore: false }],
		[{ rows: [row], nextPageToken: '' }, { hasMore: false }],
		[{ data: [row], page: 1, totalPages: 4 }, { hasMore: true }],
		[{ data: [row], total_pages: '4' }, { hasMore: true }],
		[{ data: [row], meta: { current_page: 3, last_page: 4 } }, { hasMore: true }],
		[{ data: [row], currentPage: '4', lastPage: 4 }, { hasMore: false }],
		[{ data: [row], page: 5, pageCount: 4 }, { hasMore: false }],
		[{ data: [row], page: 1, totalPages: 1 }, { hasMore: false }],
		[{ data: [row], page: 0, totalPages: 1 }, { hasMore: false }],
		[{ data: [], totalPages: 0 }, { hasMore: false }],
		[{ data: [row], totalPages: 4, total: 1 }, { total: 1 }],
		[{ data: [row], totalPages: 4, hasMore: false }, { hasMore: false }],
		[{ data: [row], totalPages: 4, next: null }, { hasMore: false }],
		[{ data: [row], totalPages: 'many' }, {}],
		[
			{ data: [row], page: 1, perPage: '20' },
			{ page: 1, size: 20 },
		],
		[{ data: [row], totalPages: -4 }, {}],
		[{ data: [{ ...row, totalPages: 4 }] }, {}],
		[
			{ rows: [row], next: '/query?page=2&limit=50' },
			{ hasMore: true, next: { page: '2', limit: '50' } },
		],
		[
			{ rows: [row], links: { next: { href: 'https://elsewhere.example/x?cursor=a%20b#end' } } },
			{ hasMore: true, next: { cursor: 'a b' } },
		],
	])('is read from %j', (body, marks) => {
		expect(pageMarksOf(body)).toEqual(marks);
	});
});

describe('a query record, whose shape as an answer is not shown', () => {
	it.each<[string, unknown]>([
		['itself', full],
		['under data', { data: full }],
		['under query', { query: full }],
		['under a key of its own', { consulta: full, ok: true }],
		['two levels down', { respuesta: { consulta: full } }],
		['as the only one of a list', [full]],
		['as the only row under a key', { rows: [full] }],
	])('is read as %s', (_where, body) => {
		expect(readQueryRecord(body, 'q1')).toEqual(full);
	});

	const unnamed = { status: 'FAILED', service: 'CRF', response: { message: 'No' } };
	it.each<[object, object?]>([
		[unnamed],
		[{ status: 'SUCCESS', response: { RFC: 'X' } }],
		[{ status: 'PENDING', service: 'CRF' }],
		[{ data: unnamed, ok: true }, unnamed],
	])('has the ID that was asked for where it names none: %j', (body, record = body) => {
		expect(readQueryRecord(body, 'q1')).toEqual({ _id: 'q1', ...record });
	});

	it.each<[unknown]>([
		[null],
		['text'],
		[[]],
		[{}],
		[{ status: 'PENDING' }],
		[{ status: 'error', service: 'gateway' }],
		[{ status: 500, response: 'Oops' }],
		[{ one: unnamed, other: unnamed }],
		[{ RFC: 'X', RazonSocial: 'Y' }],
		[{ message: 'gone' }],
		[{ _id: 'q1' }],
		[{ one: record, other: { ...record, _id: 'q2' } }],
		[[record, { ...record, _id: 'q2' }]],
	])('is refused as %j', (body) => {
		expect(() => readQueryRecord(body, 'q1')).toThrow('holds no query record');
	});
});

describe('any JSON as an answer', () => {
	const hostile = fc.constantFrom<unknown>(
		{ toString: 'x', valueOf: 1 },
		JSON.parse('{"__proto__": {"status": "SUCCESS", "_id": 1}}'),
		{ _id: { toString: null }, status: [] },
	);
	const json = fc.oneof(fc.jsonValue({ maxDepth: 5 }), hostile);

	it.each([
		['list', readQueryList],
		['record', readQueryRecord],
		['page', pageMarksOf],
	] as Array<[string, (body: unknown) => unknown]>)(
		'is read or refused in words: %s',
		(_what, read) => {
			fc.assert(
				fc.property(json, (body) => {
					try {
						read(body);
					} catch (error) {
						expect((error as Error).message).toMatch(/^The answer of the query service holds no/);
					}
				}),
				{ numRuns: 2_000 },
			);
		},
	);

	it('never makes text of an object', () => {
		for (const file of ['answer', 'record', 'simplify', 'client', 'catalog']) {
			const source = readFileSync(
				`${__dirname}/../../../../nodes/TaxQuery/queries/${file}.ts`,
				'utf8',
			);
			expect(source).not.toMatch(/\bString\(|\.toString\(/);
		}
	});
});
