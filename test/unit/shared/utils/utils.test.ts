import { backoffMs } from '../../../../nodes/shared/utils/backoff';
import { BoundedMap } from '../../../../nodes/shared/utils/boundedMap';
import { sentences } from '../../../../nodes/shared/utils/sentences';

describe('sentences', () => {
	it.each([
		[['Not found', 'Check the ID'], 'Not found. Check the ID.'],
		[['Not found.', 'Check the ID.'], 'Not found. Check the ID.'],
		[['It broke..', undefined, null, '  '], 'It broke.'],
		[['Why?', 'It says: "no."', 'It says: "no"'], 'Why? It says: "no." It says: "no".'],
		[['and so on…', 'really!'], 'and so on… really!'],
		[[], ''],
	])('%j become %j', (texts, joined) => {
		expect(sentences(...texts)).toBe(joined);
	});
});

describe('a bounded map', () => {
	it('forgets the entry that was set longest ago', () => {
		const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('a', 3).set('c', 4);
		expect([...map]).toEqual([
			['a', 3],
			['c', 4],
		]);
	});

	it('makes an entry once, and keeps what is asked for', () => {
		const map = new BoundedMap<string, number>(2);
		const made = ['a', 'b', 'a', 'c', 'a'].map((key, index) => map.getOrMake(key, () => index));
		expect(made).toEqual([0, 1, 0, 3, 0]);
	});
});

describe('a backoff', () => {
	it('doubles up to its end, and is spread by a quarter', () => {
		for (const [failures, ms] of [
			[1, 400],
			[2, 800],
			[3, 1600],
			[9, 5000],
		]) {
			const waits = Array.from({ length: 200 }, () => backoffMs(failures, 5000));
			expect(Math.min(...waits)).toBeGreaterThanOrEqual(ms * 0.75);
			expect(Math.max(...waits)).toBeLessThanOrEqual(ms * 1.25);
			expect(new Set(waits).size).toBeGreaterThan(1);
		}
	});
});
