import { rateLimiterFor, type RateLimiter } from '../../../../nodes/shared/rateLimit/rateLimiter';

/** It counts by the fake timers. */
export const START = Date.UTC(2026, 10, 20, 12);
let tokens = 0;

/** Null: the headers show how many processes share the token. */
export const newRateLimiter = (pointsPerSecond = 10, processes: number | null = 1): RateLimiter =>
	rateLimiterFor({
		baseUrl: 'https://service.test',
		token: `token ${tokens++}`,
		pointsPerSecond,
		processes: processes ?? undefined,
	});

/** Fake timers for every test of a file. */
export function useFakeTime(): void {
	beforeEach(() => jest.useFakeTimers({ now: START }));
	afterEach(() => jest.useRealTimers());
}

/** Milliseconds since the test began. */
export const msSinceStart = () => Date.now() - START;

export const advanceTimeBy = async (ms: number) => await jest.advanceTimersByTimeAsync(ms);

/** Takes so many points at once; the list fills with the time at which each was got. */
export function acquireManyAndRecordTimes(
	rateLimiter: RateLimiter,
	count: number,
	execution = 'list',
	signal?: AbortSignal,
): number[] {
	const times: number[] = [];
	for (let i = 0; i < count; i++) {
		void rateLimiter.acquire({ execution, signal }).then((missed) => {
			if (!missed) times.push(msSinceStart());
		});
	}
	return times;
}

/** Reports a response to the rate limiter, in the millisecond in which its request was sent. */
export function reportResponse(
	rateLimiter: RateLimiter,
	headers: Record<string, unknown>,
	status = 200,
): void {
	rateLimiter.update({ status, headers, sentAt: Date.now(), receivedAt: Date.now() });
}

/** The headers of §8.4. */
export const rateLimitHeaders = (limit: number, remaining: number, resetInMs: number) => ({
	'x-ratelimit-limit': String(limit),
	'x-ratelimit-remaining': String(remaining),
	'x-ratelimit-reset': String(Date.now() + resetInMs),
});
