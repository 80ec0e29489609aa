import { requireWantedRows } from '../../../nodes/CreditProfile/lists';

const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));

describe('a list that comes at once', () => {
	it.each<[wanted: number, given: number, total: number | undefined]>([
		[5, 3, 8],
		[Infinity, 3, 4],
	])('of which %d rows are wanted is refused with %d of %d', (wanted, given, total) => {
		expect(() => requireWantedRows({ rows: rows(given), total }, wanted)).toThrow();
	});

	it.each<[wanted: number, given: number, total: number | undefined, out: number]>([
		[5, 8, 8, 5],
		[5, 3, 3, 3],
		[2, 3, 9, 2],
		[Infinity, 3, undefined, 3],
	])('of which %d rows are wanted is taken with %d of %d', (wanted, given, total, out) => {
		expect(requireWantedRows({ rows: rows(given), total }, wanted)).toEqual(rows(out));
	});
});
