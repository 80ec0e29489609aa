import { readQueryList, readQueryRecord, totalOf } from '../../../nodes/shared/queries';

const record = { _id: 'q1', service: 'CRF', status: 'SUCCESS', query: { rfc: 'x' } };

describe('the list of queries, whose shape is not shown', () => {
	it.each<[string, unknown]>([
		['an array', [record]],
		['under data', { data: [record], total: 1 }],
		['under queries', { queries: [record] }],
		['under results', { message: 'OK', results: [record] }],
		['two levels down', { data: { items: [record] } }],
	])('is read as %s', (_where, body) => {
		expect(readQueryList(body)).toEqual([record]);
	});

	it.each([[null], ['text'], [{}], [{ data: 'none' }]])('is refused as %j', (body) => {
		expect(() => readQueryList(body)).toThrow('holds no list of queries');
	});

	it.each<[unknown, number | undefined]>([
		[[record], undefined],
		[{ data: [record], total: 9 }, 9],
		[{ data: { items: [], total: '7' } }, 7],
	])('of %j is known to have %s entries', (body, total) => {
		expect(totalOf(body)).toBe(total);
	});
});

describe('a query record, whose shape as an answer is not shown', () => {
	it.each<[string, unknown]>([
		['itself', record],
		['under data', { data: record }],
		['under query', { query: record }],
		['as the only one of a list', [record]],
	])('is read as %s', (_where, body) => {
		expect(readQueryRecord(body)).toEqual(record);
	});

	it.each([[null], [[]], [{}], [{ message: 'gone' }]])('is refused as %j', (body) => {
		expect(() => readQueryRecord(body)).toThrow('holds no query record');
	});
});
