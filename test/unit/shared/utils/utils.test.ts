import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { backoffMs } from '../../../../nodes/shared/utils/backoff';
import { BoundedMap } from '../../../../nodes/shared/utils/boundedMap';
import { joinSentences } from '../../../../nodes/shared/utils/joinSentences';
import { timeOf } from '../../../../nodes/shared/utils/parseTime';

describe('sentences', () => {
	it.each([
		[['Not found', 'Check the ID'], 'Not found. Check the ID.'],
		[['Not found.', 'Check the ID.'], 'Not found. Check the ID.'],
		[['It broke..', undefined, null, '  '], 'It broke.'],
		[['Why?', 'It says: "no."', 'It says: "no"'], 'Why? It says: "no." It says: "no".'],
		[['and so on…', 'really!'], 'and so on… really!'],
		[[], ''],
	])('%j become %j', (texts, joined) => {
		expect(joinSentences(...texts)).toBe(joined);
	});
});

describe('a moment', () => {
	const NOON = Date.UTC(2026, 0, 2, 12);
	const file = join(__dirname, '..', '..', '..', '..', 'nodes', 'shared', 'utils', 'parseTime.ts');
	const values = [
		'2026-01-02T12:00:00',
		'2026-01-02 12:00:00',
		'2026-01-02T12:00',
		'2026-01-02T12:00:00.000',
		'2026-01-02T12:00:00.000000',
		' 2026-01-02T12:00:00 ',
		'2026-01-02T12:00:00Z',
		'2026-01-02T06:00:00-06:00',
		'2026-01-02T06:00:00-0600',
		'2026-01-02 12:00:00+00',
		NOON,
		String(NOON / 1000),
	];

	it.each(['America/Mexico_City', 'Asia/Tokyo', 'UTC'])(
		'is the same where n8n runs in the zone %s',
		(TZ) => {
			const script = `const { timeOf } = require(${JSON.stringify(file)});
				console.log(JSON.stringify([new Date(0).getHours(), ${JSON.stringify(values)}.map(timeOf)]));`;
			const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '-e', script], {
				cwd: join(__dirname, '..', '..', '..', '..'),
				env: { ...process.env, TZ },
				encoding: 'utf8',
			});
			const hour = { 'America/Mexico_City': 18, 'Asia/Tokyo': 9, UTC: 0 }[TZ];
			expect([stderr, JSON.parse(stdout)]).toEqual(['', [hour, values.map(() => NOON)]]);
		},
	);

	it.each([
		['2026-13-02T12:00:00'],
		['T12:00:00'],
		['soon'],
		[''],
		[null],
		[{}],
		[true],
		[17],
		['01/12/2026 12:00:00'],
		['1-12-2026'],
		['01.12.26 10:00'],
	])('is none: %j', (value) => {
		expect(timeOf(value)).toBeUndefined();
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

	it('makes an entry once, and keeps the newest', () => {
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
