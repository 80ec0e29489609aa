import { sleep } from 'n8n-workflow';
import {
	reportResponse,
	rateLimitHeaders,
	newRateLimiter,
	advanceTimeBy,
	START,
	acquireManyAndRecordTimes,
	useFakeTime,
} from './support';

useFakeTime();

describe('the headers of an answer', () => {
	it('raise the limit', async () => {
		const rateLimiter = newRateLimiter(2, null);
		acquireManyAndRecordTimes(rateLimiter, 1);
		reportResponse(rateLimiter, rateLimitHeaders(50, 49, 1000));
		const times = acquireManyAndRecordTimes(rateLimiter, 49);
		await advanceTimeBy(100);
		reportResponse(rateLimiter, rateLimitHeaders(50, 48, 900));
		await advanceTimeBy(1400);
		expect(times).toHaveLength(49);
	});

	it('raise the limit for those who wait, too', async () => {
		const rateLimiter = newRateLimiter(2, null);
		const times = acquireManyAndRecordTimes(rateLimiter, 50);
		reportResponse(rateLimiter, rateLimitHeaders(50, 49, 1000));
		await advanceTimeBy(100);
		reportResponse(rateLimiter, rateLimitHeaders(50, 48, 900));
		await advanceTimeBy(1400);
		expect(times).toHaveLength(50);
	});

	it('lower the limit', async () => {
		const rateLimiter = newRateLimiter();
		acquireManyAndRecordTimes(rateLimiter, 1);
		reportResponse(rateLimiter, rateLimitHeaders(3, 2, 1000));
		const times = acquireManyAndRecordTimes(rateLimiter, 20);
		await advanceTimeBy(2000);
		expect(times).toHaveLength(6);
	});

	const perHour = {
		'x-ratelimit-limit': '5000',
		'x-ratelimit-remaining': '4990',
		'x-ratelimit-reset': String(START / 1000 + 3600),
	};
	it.each([
		['of an hour', 2, perHour, 6],
		['of an hour, where half a point is meant', 0.5, perHour, 2],
		['that is a little higher', 2, rateLimitHeaders(3, 2, 1000), 6],
		['of one, where half a point is meant', 0.5, rateLimitHeaders(1, 0, 1000), 2],
	])(
		'go never beyond what the operator has set, by a limit %s',
		async (_what, pointsPerSecond, headers, most) => {
			const rateLimiter = newRateLimiter(pointsPerSecond);
			const times = acquireManyAndRecordTimes(rateLimiter, 50);
			for (let ms = 0; ms < 2900; ms += 100) {
				reportResponse(rateLimiter, headers);
				await advanceTimeBy(100);
			}
			expect(times).toHaveLength(most);
		},
	);

	it('lead back to what the operator has set after a lower limit', async () => {
		const rateLimiter = newRateLimiter(4);
		acquireManyAndRecordTimes(rateLimiter, 1);
		reportResponse(rateLimiter, { 'x-ratelimit-limit': '1' });
		await advanceTimeBy(2000);
		reportResponse(rateLimiter, perHour);
		const times = acquireManyAndRecordTimes(rateLimiter, 20);
		await advanceTimeBy(1900);
		expect(times).toHaveLength(8);
	});

	it('hold where the operator has set no limit', async () => {
		const rateLimiter = newRateLimiter(0);
		reportResponse(rateLimiter, { 'x-ratelimit-limit': '5' });
		const times = acquireManyAndRecordTimes(rateLimiter, 50);
		await advanceTimeBy(1990);
		expect(times.length).toBeGreaterThanOrEqual(9);
		expect(times.length).toBeLessThanOrEqual(11);
	});

	it('do not stop a process whose points others have spent', async () => {
		const rateLimiter = newRateLimiter();
		acquireManyAndRecordTimes(rateLimiter, 1);
		reportResponse(rateLimiter, rateLimitHeaders(10, 4, 700));
		const times = acquireManyAndRecordTimes(rateLimiter, 20);
		await advanceTimeBy(2000);
		expect(times.length).toBeGreaterThanOrEqual(4);
	});

	const nonsense: Array<[string, unknown, unknown, unknown]> = [
		['missing', undefined, undefined, undefined],
		['empty', '', '', ''],
		['words', 'ten', 'many', 'soon'],
		['negative', '-10', '-1', '-1000'],
		['zero', '0', '0', '0'],
		['fractions', '10.5', '0.5', '1e12'],
		['objects', {}, {}, {}],
		['lists', [], [], []],
		['joined by a proxy', '10, 10', '0, 0', '1, 2'],
		['enormous', '9'.repeat(300), '9'.repeat(300), '9'.repeat(300)],
		['in seconds', '10', '0', String(START / 1000 + 1)],
		['long past', '10', '0', String(START - 86_400_000)],
		['a day ahead', '10', '0', String(START + 86_400_000)],
	];
	it.each(nonsense)('stall nobody if they are %s', async (_, limit, remaining, reset) => {
		const rateLimiter = newRateLimiter();
		acquireManyAndRecordTimes(rateLimiter, 10);
		await advanceTimeBy(300);
		for (let count = 0; count < 10; count++) {
			reportResponse(rateLimiter, {
				'x-ratelimit-limit': limit,
				'x-ratelimit-remaining': remaining,
				'x-ratelimit-reset': reset,
			});
		}
		const times = acquireManyAndRecordTimes(rateLimiter, 10);
		await advanceTimeBy(3500);
		expect(times).toHaveLength(10);
	});

	it.each(nonsense)(
		'lift the limit for nobody if they are %s',
		async (_, limit, remaining, reset) => {
			const rateLimiter = newRateLimiter();
			acquireManyAndRecordTimes(rateLimiter, 1);
			reportResponse(rateLimiter, {
				'x-ratelimit-limit': limit,
				'x-ratelimit-remaining': remaining,
				'x-ratelimit-reset': reset,
			});
			const times = acquireManyAndRecordTimes(rateLimiter, 40);
			await advanceTimeBy(1990);
			expect(times.length).toBeLessThanOrEqual(20);
		},
	);

	it('are read from lists as well', async () => {
		const rateLimiter = newRateLimiter();
		acquireManyAndRecordTimes(rateLimiter, 1);
		reportResponse(rateLimiter, { 'x-ratelimit-limit': ['3'] });
		const times = acquireManyAndRecordTimes(rateLimiter, 20);
		await advanceTimeBy(2000);
		expect(times).toHaveLength(6);
	});
});

describe('after a 429', () => {
	// The pause has a random part, which timers of whole milliseconds can round up to the next second.
	beforeEach(() => jest.spyOn(Math, 'random').mockReturnValue(0.5));
	afterEach(() => jest.restoreAllMocks());

	it('everybody waits for the reset', async () => {
		const rateLimiter = newRateLimiter();
		acquireManyAndRecordTimes(rateLimiter, 1);
		reportResponse(rateLimiter, rateLimitHeaders(10, 0, 800), 429);
		const lists = ['a', 'b'].map((execution) =>
			acquireManyAndRecordTimes(rateLimiter, 5, execution),
		);
		await advanceTimeBy(790);
		expect(lists.flat()).toEqual([]);
	});

	it.each([0, 50, 1000, 3000, 7 * 3_600_000])(
		'everybody waits for the reset of a service whose clock is %d ms off',
		async (skew) => {
			const rateLimiter = newRateLimiter();
			acquireManyAndRecordTimes(rateLimiter, 1);
			reportResponse(rateLimiter, rateLimitHeaders(10, 9, 999 + skew));
			await advanceTimeBy(200);
			acquireManyAndRecordTimes(rateLimiter, 1);
			reportResponse(rateLimiter, rateLimitHeaders(10, 0, 799 + skew), 429);
			const times = acquireManyAndRecordTimes(rateLimiter, 5);
			await advanceTimeBy(798);
			expect(times).toEqual([]);
			await advanceTimeBy(600);
			expect(times.length).toBeGreaterThan(0);
		},
	);

	it('not every n8n process returns at the same moment', async () => {
		jest.restoreAllMocks();
		const processes = Array.from({ length: 20 }, () => {
			const rateLimiter = newRateLimiter();
			acquireManyAndRecordTimes(rateLimiter, 1);
			reportResponse(rateLimiter, rateLimitHeaders(10, 0, 800), 429);
			return acquireManyAndRecordTimes(rateLimiter, 1);
		});
		await advanceTimeBy(1600);
		expect(new Set(processes.flat()).size).toBeGreaterThan(1);
	});

	it('requests go ahead at half the pace, even if no answer comes', async () => {
		const rateLimiter = newRateLimiter();
		acquireManyAndRecordTimes(rateLimiter, 1);
		reportResponse(rateLimiter, rateLimitHeaders(10, 0, 800), 429);
		const times = acquireManyAndRecordTimes(rateLimiter, 20);
		await advanceTimeBy(2500);
		expect(times.length).toBeGreaterThanOrEqual(5);
		expect(times.length).toBeLessThanOrEqual(11);
	});

	it('answers to older requests that were accepted do not end the wait', async () => {
		const rateLimiter = newRateLimiter();
		acquireManyAndRecordTimes(rateLimiter, 2);
		reportResponse(rateLimiter, rateLimitHeaders(10, 0, 800), 429);
		reportResponse(rateLimiter, rateLimitHeaders(10, 0, 800), 200);
		const times = acquireManyAndRecordTimes(rateLimiter, 1);
		await advanceTimeBy(498);
		expect(times).toEqual([]);
	});

	const date = (ms: number) => new Date(START + ms).toUTCString();
	it.each<[string, Record<string, unknown>, number]>([
		['of seconds', { 'retry-after': '7' }, 7],
		['that is a number', { 'retry-after': 7 }, 7],
		['that is a date', { 'retry-after': date(7000) }, 7],
		[
			'that is a date by a clock hours ahead',
			{ 'retry-after': date(7_207_000), date: date(7_200_000) },
			7,
		],
		['later than the reset', { 'retry-after': '7', ...rateLimitHeaders(10, 0, 500) }, 7],
		['of seconds and a part', { 'retry-after': '2.5' }, 2],
		['of two values is the longer one', { 'retry-after': '7, 9' }, 9],
		['that is there twice is the longer one', { 'retry-after': ['9', '7'] }, 9],
		['that is negative counts as none', { 'retry-after': '-7' }, 0],
		['of 0 seconds counts as none', { 'retry-after': '0' }, 0],
		['in the past counts as none', { 'retry-after': date(-60_000) }, 0],
		['that is garbled counts as none', { 'retry-after': '7 apples' }, 0],
	])('a Retry-After %s', async (_, headers, seconds) => {
		const rateLimiter = newRateLimiter();
		reportResponse(rateLimiter, headers, 429);
		const times = acquireManyAndRecordTimes(rateLimiter, 1);
		await advanceTimeBy(120_000);
		expect(Math.floor(times[0] / 1000)).toBe(seconds);
	});

	it('a Retry-After of 2.5 seconds is no shorter', async () => {
		const rateLimiter = newRateLimiter();
		reportResponse(rateLimiter, { 'retry-after': '2.5' }, 429);
		const times = acquireManyAndRecordTimes(rateLimiter, 1);
		await advanceTimeBy(5000);
		expect(times[0]).toBeGreaterThanOrEqual(2500);
	});

	it.each<[string, string, number]>([
		['of an hour', '3600', 3_600_000],
		['of a day, for an hour at most', '86400', 3_600_000],
		['that is a date next year', date(3e10), 3_600_000],
		['without end', '9'.repeat(30), 3_600_000],
	])('a Retry-After %s ends all waits at once, and says until when', async (_, header, waitMs) => {
		const rateLimiter = newRateLimiter();
		const begun = acquireManyAndRecordTimes(rateLimiter, 1);
		const waiting = rateLimiter.acquire({ execution: 'list' });
		reportResponse(rateLimiter, { 'retry-after': header }, 429);
		const later = rateLimiter.acquire({ execution: 'list' });
		await advanceTimeBy(25);
		const retryAt = expect.closeTo(START + waitMs, -3) as number;
		expect([begun.length, await waiting, await later]).toEqual([
			1,
			expect.objectContaining({ kind: 'rateLimit', retryAt }),
			expect.objectContaining({ kind: 'rateLimit', retryAt }),
		]);
	});

	it('the longest wait is bounded by maxWaitMs', async () => {
		const rateLimiter = newRateLimiter();
		reportResponse(rateLimiter, { 'retry-after': '60' }, 429);
		const missed = rateLimiter.acquire({ execution: 'list', maxWaitMs: 5000 });
		await advanceTimeBy(5025);
		expect(await missed).toMatchObject({ kind: 'rateLimit' });
	});

	it.each([
		['with headers', rateLimitHeaders(10, 0, 400)],
		['without headers', {}],
	])('forever %s, at most two requests a second are sent', async (_, headers) => {
		const rateLimiter = newRateLimiter();
		const cancel = new AbortController();
		let sent = 0;
		const worker = async () => {
			while (!cancel.signal.aborted) {
				if (await rateLimiter.acquire({ execution: 'list', signal: cancel.signal })) return;
				sent++;
				const sentAt = Date.now();
				await sleep(100);
				rateLimiter.update({ status: 429, headers, sentAt, receivedAt: Date.now() });
			}
		};
		const workers = Promise.allSettled(Array.from({ length: 40 }, worker));
		await advanceTimeBy(30_000);
		cancel.abort();
		await advanceTimeBy(100);
		await workers;
		expect(sent).toBeLessThanOrEqual(60 + 10);
	});
});
