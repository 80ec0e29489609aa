import { Cursor } from '../../../../nodes/TaxQuery/deliveries/cursor';
import { resultOf, type Result } from '../../../../nodes/TaxQuery/deliveries/result';
import { asDocumented } from '../../../../nodes/TaxQuery/queries/catalog';

const NOW = Date.parse('2026-05-01T12:00:00Z');

/** A result of so many milliseconds ago. */
const result = (id: string, ago: number, status = 'SUCCESS'): Result => {
	const updatedAt = new Date(NOW - ago).toISOString();
	return resultOf({ _id: id, status, updatedAt, createdAt: updatedAt }, asDocumented);
};
const many = (count: number, status?: string) =>
	Array.from({ length: count }, (_, index) => {
		const id = `0123456789abcdef${String(index).padStart(8, '0')}`;
		return result(id, index, status ?? (index % 2 ? 'PENDING' : 'SUCCESS'));
	});

/** The process ends, and another reads what was saved. */
const restarted = (cursor: Cursor, ended?: string) =>
	new Cursor(JSON.parse(JSON.stringify(cursor.saved)), ended);

describe('the cursor', () => {
	it('keeps what it saves under 100 kB, with 20,000 queries of a moment', () => {
		const cursor = new Cursor();
		const results = many(20_000);
		cursor.settle(...results.filter(({ state }) => state === 'success'));
		for (const one of many(1_000, 'FAILED')) cursor.start(one, 1);
		cursor.advance(results, [], true);
		expect(JSON.stringify(cursor.saved).length).toBeLessThan(100_000);
	});

	it('begins with a list of 150,000', () => {
		const cursor = new Cursor();
		const results = many(150_000, 'SUCCESS');
		cursor.begin(undefined, results, '');
		expect([results[0], results[40_000]].map((one) => cursor.isNew(one))).toEqual([false, false]);
		expect(cursor.isNew(result('later', -1))).toBe(true);
	});

	it('keeps it under 100 kB also where IDs are long', () => {
		const cursor = new Cursor();
		const long = (index: number, status: string) => result(`${'x'.repeat(200)}${index}`, 0, status);
		const pending = Array.from({ length: 2_000 }, (_, index) => long(index, 'PENDING'));
		for (let index = 0; index < 1_000; index++) cursor.start(long(index, 'SUCCESS'), 1);
		cursor.settle(...many(2_000, 'SUCCESS'));
		cursor.advance(pending, [], true);
		expect(JSON.stringify(cursor.saved).length).toBeLessThan(100_000);
		expect(Object.keys(cursor.saved.started).length).toBeGreaterThan(100);
		expect(cursor.saved.pending.at(-1)).toBe(cursor.pendingQueries.at(-1));
	});

	it('takes nothing for new that it has settled, though more than it saves, after a restart', () => {
		const cursor = new Cursor();
		const results = many(20_000, 'SUCCESS');
		cursor.settle(...results);
		cursor.advance(results, [], true);
		const again = restarted(cursor);
		expect(results.filter((one) => again.isNew(one))).toEqual([]);
	});

	it('does not move over what is on its way, and has it new again if nothing comes of it', () => {
		const cursor = new Cursor();
		const [first, second] = [result('a', 3_600_000), result('b', 0)];
		cursor.start(first, 1);
		cursor.settle(second);
		cursor.advance([first, second], [], true);
		const whileOnItsWay = cursor.isNew(first);
		cursor.giveBack(first);
		expect([whileOnItsWay, cursor.isNew(first), cursor.isNew(second)]).toEqual([
			false,
			true,
			false,
		]);
	});

	it('does not move over what a look has left', () => {
		const cursor = new Cursor();
		const [left, settled] = [result('a', 3_600_000), result('b', 0)];
		cursor.settle(settled);
		cursor.advance([left, settled], [left], true);
		expect([cursor.isNew(left), cursor.isNew(settled)]).toEqual([true, false]);
	});

	it('awaits a query that was pending, however old it is', () => {
		const cursor = new Cursor();
		const newer = result('b', 0);
		cursor.begin(NOW, [result('a', 3_600_000, 'PENDING'), newer], '');
		cursor.advance([newer], [], false);
		expect(restarted(cursor).isNew(result('a', 3_600_000))).toBe(true);
	});

	it('takes a late result for old once it was started, though its date lies before the place', () => {
		const cursor = new Cursor();
		const A_MINUTE = 60_000;
		const newer = Array.from({ length: 600 }, (_, index) => result(`n${index}`, index * A_MINUTE));
		const slow = result('slow', 1_000 * A_MINUTE, 'PENDING');
		cursor.begin(undefined, [slow, ...newer], '');
		const done = result('slow', 1_000 * A_MINUTE);
		const before = cursor.isNew(done);
		cursor.start(done, 1);
		cursor.settle(done);
		cursor.advance([done, ...newer], [], true);
		expect([before, cursor.isNew(done), restarted(cursor).isNew(done)]).toEqual([
			true,
			false,
			false,
		]);
	});

	it('awaits what n8n could not start, though so many newer ones have come that its place is behind', () => {
		const cursor = new Cursor();
		const first = result('a', 3_600_000);
		cursor.begin(NOW - 7_200_000, [], '');
		cursor.start(first, 1);
		cursor.giveBack(first);
		const newer = many(600, 'SUCCESS');
		cursor.settle(...newer);
		cursor.advance(newer, [], false);
		expect([cursor.pendingQueries, cursor.isNew(first)]).toEqual([['a'], true]);
	});

	it.each([
		[10, false],
		[2_000, true],
	])('has the whole list read after a restart, if %i waited for: %s', (count, isRead) => {
		const cursor = new Cursor();
		cursor.advance(many(count, 'PENDING'), [], true);
		expect(restarted(cursor).saved.readWholeAt === 0).toBe(isRead);
	});

	it('knows after a restart which executions are not known to have ended', () => {
		const cursor = new Cursor();
		const results = ['a', 'b', 'c'].map((id) => result(id, 0));
		for (const one of results) cursor.start(one, 1);
		cursor.settle(...results);
		cursor.end(results[0]);
		const again = restarted(cursor, results[1].deliveryId);
		expect([...again.cutOff]).toEqual([[results[2].deliveryId, ['c', 1]]]);
	});
});
