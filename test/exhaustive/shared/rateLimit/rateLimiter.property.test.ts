import fc from 'fast-check';
import {
	rateLimitHeaders,
	newRateLimiter,
	advanceTimeBy,
	useFakeTime,
} from '../../../unit/shared/rateLimit/support';

useFakeTime();

const LIMIT = 10;
const WINDOW_MS = 1000;
/** The longest Retry-After below, and a scout. */
const MAX_PAUSE_MS = 6500;

const anyReset = fc.oneof(
	fc.integer({ min: -2000, max: 3000 }).map((ms) => () => String(Date.now() + ms)),
	fc.integer({ min: -86_400_000, max: 86_400_000 }).map((ms) => () => String(Date.now() + ms)),
	fc.constant(() => String(Math.round(Date.now() / 1000))),
	fc.string().map((text) => () => text),
	fc.constant(() => undefined),
);
const anyCount = fc.oneof(
	fc.integer({ min: 0, max: 12 }).map(String),
	fc.string(),
	fc.constant(undefined),
);
const anyStep = fc.oneof(
	fc.record({ take: fc.integer({ min: 1, max: 25 }) }),
	fc.record({ pass: fc.integer({ min: 1, max: 1500 }) }),
	fc.record({
		status: fc.constantFrom(200, 200, 200, 401, 429, 500),
		limit: fc.oneof(fc.integer({ min: 1, max: 15 }).map(String), anyCount),
		remaining: anyCount,
		reset: anyReset,
		retryAfter: fc.oneof(fc.constant(undefined), fc.integer({ min: 0, max: 5 }).map(String)),
		tookMs: fc.integer({ min: 0, max: 3000 }),
	}),
);
const anySteps = fc.array(anyStep, { minLength: 5, maxLength: 40 });

type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

interface Play {
	/** `limit` was in force then. */
	sent: Array<{ at: number; limit: number }>;
	requested: number;
}

/** Plays the steps, then lets the service answer as it should until everybody had time to get a point. */
async function play(steps: Step[]): Promise<Play> {
	const rateLimiter = newRateLimiter(LIMIT);
	const result: Play = { sent: [], requested: 0 };
	let limit = LIMIT;
	const take = async (execution: string) => {
		await rateLimiter.acquire({ execution, maxWaitMs: Infinity });
		result.sent.push({ at: Date.now(), limit });
	};
	for (const step of steps) {
		if ('take' in step) {
			for (let i = 0; i < step.take; i++) void take(`execution ${i % 3}`);
			result.requested += step.take;
		} else if ('pass' in step) {
			await advanceTimeBy(step.pass);
		} else {
			const reported = Number(/^\s*(\d{1,15})\s*$/.exec(step.limit ?? '')?.[1] ?? 0);
			if (reported > 0) limit = reported;
			const { status, tookMs } = step;
			const headers = {
				'x-ratelimit-limit': step.limit,
				'x-ratelimit-remaining': step.remaining,
				'x-ratelimit-reset': step.reset(),
				'retry-after': step.retryAfter,
			};
			const receivedAt = Date.now();
			rateLimiter.update({ status, headers, sentAt: receivedAt - tookMs, receivedAt });
		}
		await advanceTimeBy(0);
	}
	await advanceTimeBy(MAX_PAUSE_MS);
	limit = LIMIT;
	// The service is well again: it answers each request at once, and truly.
	let answered = result.sent.length;
	let [end, used] = [0, 0];
	const wellUntil = Date.now() + 30_000 + (4 * WINDOW_MS * result.requested) / LIMIT;
	while (Date.now() < wellUntil && answered < result.requested) {
		for (; answered < result.sent.length; answered++) {
			if (Date.now() >= end) [end, used] = [Date.now() + WINDOW_MS, 0];
			used++;
			const headers = rateLimitHeaders(LIMIT, Math.max(0, LIMIT - used), end - Date.now());
			const sentAt = result.sent[answered].at;
			const status = used > LIMIT ? 429 : 200;
			rateLimiter.update({ status, headers, sentAt, receivedAt: Date.now() });
		}
		await advanceTimeBy(10);
	}
	await advanceTimeBy(wellUntil - Date.now());
	return result;
}

describe('whatever the service answers', () => {
	const holds = async (numRuns: number, check: (result: Play) => boolean) =>
		await fc.assert(
			fc.asyncProperty(anySteps, async (steps) => check(await play(steps))),
			{ numRuns },
		);

	it('no second holds more than twice the limit, even if the resets are wrong', async () => {
		await holds(200, ({ sent }) =>
			sent.every(({ at }, index) => {
				const inSecond = sent.slice(0, index + 1).filter((other) => other.at > at - WINDOW_MS);
				const highest = Math.max(...inSecond.map(({ limit }) => limit));
				return inSecond.length <= 2 * highest + 1;
			}),
		);
	});

	it('everybody gets a point soon after the answers are good again', async () => {
		await holds(100, ({ sent, requested: requests }) => sent.length === requests);
	});

	it('no timer is left when nobody waits any more', async () => {
		await holds(50, () => jest.getTimerCount() === 0);
	});
});
