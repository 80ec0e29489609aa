import { inspect } from 'node:util';
import { UserError } from 'n8n-workflow';
import { rateLimiterFor } from '../../../../nodes/shared/rateLimit/rateLimiter';
import {
	reportResponse,
	msSinceStart,
	rateLimitHeaders,
	newRateLimiter,
	advanceTimeBy,
	START,
	acquireManyAndRecordTimes,
	useFakeTime,
} from './support';

useFakeTime();

describe('a rateLimiter', () => {
	it('gives the first turn at once, without a timer', async () => {
		await newRateLimiter().acquire({ execution: 'list' });
		expect(msSinceStart()).toBe(0);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('keeps an even pace', async () => {
		const times = acquireManyAndRecordTimes(newRateLimiter(), 20);
		await advanceTimeBy(5000);
		expect(times).toHaveLength(20);
		const steps = times.slice(1).map((time, index) => time - times[index]);
		expect(steps.every((step) => step >= 75 && step <= 126)).toBe(true);
	});

	it('gives one point in two seconds for half a point per second', async () => {
		const times = acquireManyAndRecordTimes(newRateLimiter(0.5), 2);
		await advanceTimeBy(5000);
		expect(times[1]).toBeGreaterThan(2000);
		expect(times[1]).toBeLessThanOrEqual(2050);
	});

	it('does not pace at 0 points per second', async () => {
		const times = acquireManyAndRecordTimes(newRateLimiter(0), 5000);
		await advanceTimeBy(0);
		expect(times).toHaveLength(5000);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('paces from 0 points per second as soon as a header reports a limit', async () => {
		const rateLimiter = newRateLimiter(0);
		acquireManyAndRecordTimes(rateLimiter, 100);
		await advanceTimeBy(1);
		for (let count = 0; count < 10; count++)
			reportResponse(rateLimiter, rateLimitHeaders(10, 0, 900));
		const times = acquireManyAndRecordTimes(rateLimiter, 30);
		await advanceTimeBy(10_000);
		expect(times).toHaveLength(30);
		expect(times.filter((time) => time < 2000).length).toBeLessThanOrEqual(21);
	});

	it.each([NaN, -1])('refuses %d points per second, and names the setting', (pointsPerSecond) => {
		expect(() => newRateLimiter(pointsPerSecond)).toThrow(UserError);
		expect(() => newRateLimiter(pointsPerSecond)).toThrow('Max Requests per Second');
	});

	it('goes on when the clock of the host is set back', async () => {
		const rateLimiter = newRateLimiter();
		acquireManyAndRecordTimes(rateLimiter, 1);
		await advanceTimeBy(100);
		jest.setSystemTime(START - 3_600_000);
		const times = acquireManyAndRecordTimes(rateLimiter, 10);
		await advanceTimeBy(1050);
		expect(times).toHaveLength(10);
	});

	it('ends no wait where the clock jumps an hour ahead', async () => {
		const rateLimiter = newRateLimiter();
		const missed = Array.from({ length: 60 }, async () => {
			return await rateLimiter.acquire({ execution: 'list' });
		});
		await advanceTimeBy(1500);
		jest.setSystemTime(START + 3_600_000);
		await advanceTimeBy(6000);
		expect(await Promise.all(missed)).toEqual(new Array(60).fill(undefined));
	});

	it('learns from responses on both sides of a jump of the clock', async () => {
		const rateLimiter = newRateLimiter(10, null);
		for (const jump of [0, 3_600_000, -7_200_000]) {
			jest.setSystemTime(Date.now() + jump);
			reportResponse(rateLimiter, rateLimitHeaders(10, 9, 1000));
			const times = acquireManyAndRecordTimes(rateLimiter, 5);
			await advanceTimeBy(5000);
			expect(times).toHaveLength(5);
		}
	});
});

describe('fairness between executions', () => {
	it('serves a lookup within a round, however long the list before it', async () => {
		const rateLimiter = newRateLimiter();
		acquireManyAndRecordTimes(rateLimiter, 1000, 'list');
		const lookup = acquireManyAndRecordTimes(rateLimiter, 1, 'lookup');
		await advanceTimeBy(1100);
		expect(lookup).toHaveLength(1);
	});

	it('shares the turns evenly', async () => {
		const rateLimiter = newRateLimiter(12);
		const lists = ['a', 'b', 'c'].map((execution) =>
			acquireManyAndRecordTimes(rateLimiter, 100, execution),
		);
		await advanceTimeBy(1010);
		const counts = lists.map((times) => times.length);
		expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
		expect(Math.min(...counts)).toBeGreaterThanOrEqual(4);
	});

	it('serves requests in the order of their arrival', async () => {
		const rateLimiter = newRateLimiter();
		const waiting = acquireManyAndRecordTimes(rateLimiter, 3, 'waiting');
		const late150 = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 150);
		const late = acquireManyAndRecordTimes(rateLimiter, 1, 'late');
		await advanceTimeBy(0);
		late150.mockRestore();
		expect([waiting.length, late.length]).toEqual([1, 0]);
	});

	it('keeps the order within an execution', async () => {
		const rateLimiter = newRateLimiter(1);
		const order: number[] = [];
		for (const index of [0, 1, 2, 3]) {
			void rateLimiter.acquire({ execution: 'list' }).then(() => order.push(index));
		}
		await advanceTimeBy(5000);
		expect(order).toEqual([0, 1, 2, 3]);
	});
});

describe('a cancelled execution', () => {
	it('ends its waits soon', async () => {
		const rateLimiter = newRateLimiter(1);
		acquireManyAndRecordTimes(rateLimiter, 1);
		const cancel = new AbortController();
		const wait = rateLimiter.acquire({ execution: 'list', signal: cancel.signal });
		cancel.abort();
		await advanceTimeBy(25);
		expect(await wait).toEqual({ kind: 'cancelled' });
	});

	it('gets no point, even if one is free', async () => {
		const wait = newRateLimiter().acquire({ execution: 'list', signal: AbortSignal.abort() });
		expect(await wait).toEqual({ kind: 'cancelled' });
	});

	it('leaves its turn to the others', async () => {
		const rateLimiter = newRateLimiter(1);
		const cancel = new AbortController();
		acquireManyAndRecordTimes(rateLimiter, 1);
		acquireManyAndRecordTimes(rateLimiter, 100, 'cancelled', cancel.signal);
		const others = acquireManyAndRecordTimes(rateLimiter, 1, 'other');
		cancel.abort();
		await advanceTimeBy(1100);
		expect(others).toHaveLength(1);
	});

	it('leaves no timer running for longer than 25 ms', async () => {
		const rateLimiter = newRateLimiter();
		reportResponse(rateLimiter, { 'retry-after': '60' }, 429);
		const cancel = new AbortController();
		acquireManyAndRecordTimes(rateLimiter, 100, 'list', cancel.signal);
		await advanceTimeBy(1100);
		cancel.abort();
		await advanceTimeBy(25);
		expect(jest.getTimerCount()).toBe(0);
	});
});

describe('a wait that takes too long', () => {
	it('ends, and says how long it was', async () => {
		const rateLimiter = newRateLimiter(1);
		acquireManyAndRecordTimes(rateLimiter, 1);
		const wait = rateLimiter.acquire({ execution: 'list', maxWaitMs: 600 });
		await advanceTimeBy(625);
		expect(await wait).toEqual({ kind: 'rateLimit', waitedMs: 600 });
	});

	it('ends after 5 minutes by default', async () => {
		const rateLimiter = newRateLimiter(1);
		acquireManyAndRecordTimes(rateLimiter, 1000, 'a');
		const wait = rateLimiter.acquire({ execution: 'a' });
		await advanceTimeBy(300_025);
		expect(await wait).toMatchObject({ kind: 'rateLimit' });
	});

	it('ends alone', async () => {
		const rateLimiter = newRateLimiter(1);
		acquireManyAndRecordTimes(rateLimiter, 1);
		const impatient = rateLimiter.acquire({ execution: 'a', maxWaitMs: 500 });
		const others = acquireManyAndRecordTimes(rateLimiter, 1, 'b');
		await advanceTimeBy(525);
		expect(await impatient).toMatchObject({ kind: 'rateLimit' });
		await advanceTimeBy(1100);
		expect(others).toHaveLength(1);
	});
});

describe('the timer', () => {
	it('ends when nobody waits any more', async () => {
		acquireManyAndRecordTimes(newRateLimiter(), 95);
		await advanceTimeBy(9600);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('never sleeps for longer than 25 ms', async () => {
		acquireManyAndRecordTimes(newRateLimiter(0.1), 3);
		const slept: number[] = [];
		while (msSinceStart() < 30_000 && jest.getTimerCount() > 0) {
			const before = Date.now();
			await jest.advanceTimersToNextTimerAsync();
			slept.push(Date.now() - before);
		}
		expect([slept.length > 100, Math.max(...slept) <= 25]).toEqual([true, true]);
	});

	it('is one, however many wait', async () => {
		const rateLimiter = newRateLimiter();
		for (const execution of ['a', 'b', 'c']) acquireManyAndRecordTimes(rateLimiter, 100, execution);
		await advanceTimeBy(500);
		expect(jest.getTimerCount()).toBe(1);
	});
});

describe('rateLimiters in a process', () => {
	const baseUrl = 'https://shared.test';
	const pointsPerSecond = 10;

	it('are shared by all who use a token at a base URL', async () => {
		acquireManyAndRecordTimes(
			rateLimiterFor({ processes: 1, baseUrl, token: 'shared', pointsPerSecond }),
			10,
		);
		const times = acquireManyAndRecordTimes(
			rateLimiterFor({ processes: 1, baseUrl, token: 'shared', pointsPerSecond }),
			1,
		);
		await advanceTimeBy(900);
		expect(times).toEqual([]);
	});

	it.each([
		['token', { baseUrl, token: 'another' }],
		['base URL', { baseUrl: 'https://elsewhere.test', token: 'mine' }],
	])('do not hold up one another if they differ by %s', async (_, other) => {
		acquireManyAndRecordTimes(
			rateLimiterFor({ processes: 1, baseUrl, token: 'mine', pointsPerSecond }),
			10,
		);
		const times = acquireManyAndRecordTimes(
			rateLimiterFor({ processes: 1, ...other, pointsPerSecond }),
			1,
		);
		await advanceTimeBy(0);
		expect(times).toHaveLength(1);
	});

	it("keep the headers' limit when the credential is used again", async () => {
		reportResponse(rateLimiterFor({ processes: 1, baseUrl, token: 'again', pointsPerSecond }), {
			'x-ratelimit-limit': '5',
		});
		const times = acquireManyAndRecordTimes(
			rateLimiterFor({ processes: 1, baseUrl, token: 'again', pointsPerSecond }),
			50,
		);
		await advanceTimeBy(900);
		expect(times).toHaveLength(5);
	});

	it('follow a credential that was edited', async () => {
		rateLimiterFor({ processes: 1, baseUrl, token: 'edited', pointsPerSecond });
		const times = acquireManyAndRecordTimes(
			rateLimiterFor({ processes: 1, baseUrl, token: 'edited', pointsPerSecond: 20 }),
			20,
		);
		await advanceTimeBy(1000);
		expect(times.length).toBeGreaterThanOrEqual(19);
	});

	it('stay in memory while in use, however many others there are', () => {
		const busy = rateLimiterFor({ processes: 1, baseUrl, token: 'busy', pointsPerSecond });
		for (let i = 0; i < 1000; i++) {
			rateLimiterFor({ processes: 1, baseUrl, token: `more ${i}`, pointsPerSecond });
			expect(rateLimiterFor({ processes: 1, baseUrl, token: 'busy', pointsPerSecond })).toBe(busy);
		}
	});

	it('know a token by a hash only', async () => {
		const token = 'a-token-that-nobody-may-see';
		const keep = jest.spyOn(Map.prototype, 'set');
		const rateLimiter = rateLimiterFor({ processes: 1, baseUrl, token, pointsPerSecond });
		acquireManyAndRecordTimes(rateLimiter, 20);
		const storedItems = inspect([keep.mock.calls, rateLimiter], {
			depth: Infinity,
			showHidden: true,
		});
		keep.mockRestore();
		expect(storedItems).toContain('PacedRateLimiter');
		expect(storedItems).not.toContain(token);
	});
});
