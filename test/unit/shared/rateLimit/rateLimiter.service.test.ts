import { sleep } from 'n8n-workflow';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimiter } from '../../../../nodes/shared/rateLimit/rateLimiter';
import { newRateLimiter, advanceTimeBy, useFakeTime } from './support';

useFakeTime();

const LIMIT = 10;
const LATENCY_MS = 300;
const HOUR_MS = 3_600_000;

interface Conditions {
	/** `truth` is in epoch milliseconds. */
	reset?: (truth: number) => string;
	/** The first ten requests travel so much longer, because they open their connections. */
	coldMs?: number;
	/** By how much travelling times differ. */
	jitterMs?: number;
	/** One in fifty travels so much longer. */
	stallMs?: number;
	/** By how much the times differ that the service takes for its answers. */
	workMs?: number;
}

/** A real limiter (§8) at the other end of a line, in the time of the fake timers. */
function startService(conditions: Conditions = {}) {
	const { reset = String, coldMs = 0, jitterMs = 0, stallMs = 0, workMs = 0 } = conditions;
	const limiter = new RateLimiterMemory({ points: LIMIT, duration: 1 });
	let requests = 0;
	const service = {
		accepted: 0,
		refused: 0,
		async request() {
			const index = requests++;
			const travelMs = 2 + ((index * 7919) % (jitterMs + 1)) + (index < LIMIT ? coldMs : 0);
			await sleep(travelMs + (index % 50 === 46 ? stallMs : 0));
			const { remainingPoints, msBeforeNext, consumedPoints } = await limiter
				.consume('token')
				.catch((refused: unknown) => refused as RateLimiterRes);
			const status = consumedPoints > LIMIT ? 429 : 200;
			service[status === 429 ? 'refused' : 'accepted']++;
			const headers = {
				'x-ratelimit-limit': String(LIMIT),
				'x-ratelimit-remaining': String(remainingPoints),
				'x-ratelimit-reset': reset(Date.now() + msBeforeNext),
			};
			await sleep(LATENCY_MS - 2 + ((index * 7919) % (workMs + 1)));
			return { status, headers };
		},
	};
	return service;
}

type Service = ReturnType<typeof startService>;

/** Sends so many requests, 40 at a time, each until it is accepted; resolves with the milliseconds it took. */
async function runExecution(
	rateLimiter: RateLimiter,
	service: Service,
	execution: string,
	items: number,
) {
	const startedAt = Date.now();
	let left = items;
	const worker = async () => {
		while (left-- > 0) {
			for (let status = 429; status === 429;) {
				await rateLimiter.acquire({ execution });
				const sentAt = Date.now();
				const answer = await service.request();
				status = answer.status;
				rateLimiter.update({ ...answer, sentAt, receivedAt: Date.now() });
			}
		}
	};
	await Promise.all(Array.from({ length: 40 }, worker));
	return Date.now() - startedAt;
}

/** The time that the limiter allows: one window for each ten requests, but no wait after the last ones. */
const idealMs = (items: number) => (Math.ceil(items / LIMIT) - 1) * 1000 + LATENCY_MS;

/** Lets the fake time pass until the work is done. */
async function finish<T>(work: Promise<T>): Promise<T> {
	let isDone = false;
	const done = work.finally(() => (isDone = true));
	while (!isDone) await advanceTimeBy(1000);
	return await done;
}

describe('a list of 300 items at the limiter of the service', () => {
	const all: Array<[string, Conditions]> = [
		['with clocks that agree', {}],
		['when requests travel at different speeds', { jitterMs: 6 }],
		['with a clock 120 ms ahead', { reset: (ms) => String(ms + 120) }],
		['with a clock 120 ms behind', { reset: (ms) => String(ms - 120) }],
		['with a clock minutes ahead', { reset: (ms) => String(ms + 180_000), jitterMs: 6 }],
		['with a clock hours behind', { reset: (ms) => String(ms - 7 * HOUR_MS), jitterMs: 6 }],
		['with a clock a day ahead', { reset: (ms) => String(ms + 24 * HOUR_MS), jitterMs: 6 }],
		['when the reset is in seconds', { reset: (ms) => String(Math.ceil(ms / 1000)) }],
		['when the reset is garbled', { reset: () => 'soon' }],
		['when the reset stands still', { reset: () => '1000000000000' }],
		['without a reset', { reset: () => '' }],
	];

	it.each(all)('takes at most 6 %% more than the ideal time %s', async (_, conditions) => {
		const running = runExecution(newRateLimiter(), startService(conditions), 'list', 300);
		expect(await finish(running)).toBeLessThanOrEqual(1.06 * idealMs(300));
	});

	it.each(all)('is refused at most three times %s', async (_, conditions) => {
		const service = startService(conditions);
		await finish(runExecution(newRateLimiter(), service, 'list', 300));
		expect(service.refused).toBeLessThanOrEqual(3);
	});

	it('is not slowed down by answers that overtake each other', async () => {
		const running = runExecution(
			newRateLimiter(10, null),
			startService({ workMs: 1200, jitterMs: 6 }),
			'list',
			300,
		);
		expect(await finish(running)).toBeLessThanOrEqual(1.1 * idealMs(300));
	});

	it('is not shared with others because one request overtook another', async () => {
		const service = startService({ stallMs: 18, jitterMs: 6, workMs: 30 });
		const running = runExecution(newRateLimiter(10, null), service, 'list', 300);
		expect(await finish(running)).toBeLessThanOrEqual(1.05 * idealMs(300));
	});

	it.each([-120, 0, 120])(
		'is refused one window at most with slow connections, clocks %d ms apart',
		async (skew) => {
			const service = startService({ coldMs: 150, reset: (ms) => String(ms + skew) });
			const running = runExecution(newRateLimiter(), service, 'list', 300);
			expect(await finish(running)).toBeLessThanOrEqual(1.07 * idealMs(300));
			expect(service.refused).toBeLessThanOrEqual(LIMIT);
		},
	);
});

describe('three executions of 100 items each with one token', () => {
	const runThree = async () => {
		const service = startService({ jitterMs: 6 });
		const rateLimiter = newRateLimiter();
		const runs = ['a', 'b', 'c'].map((name) => runExecution(rateLimiter, service, name, 100));
		return { service, took: await finish(Promise.all(runs)) };
	};

	it('take at most 5 % more than the ideal time together', async () => {
		const { took } = await runThree();
		expect(Math.max(...took)).toBeLessThanOrEqual(1.05 * idealMs(300));
	});

	it('end at about the same time', async () => {
		const { took } = await runThree();
		expect(Math.max(...took) - Math.min(...took)).toBeLessThanOrEqual(3000);
	});

	it('are refused at most three times', async () => {
		const { service } = await runThree();
		expect(service.refused).toBeLessThanOrEqual(3);
	});
});

describe('a token that somebody else uses, too', () => {
	/** Another program that sends four requests each second, whatever happens to them. */
	const disturb = async (service: Service, seconds: number) => {
		for (let second = 0; second < seconds; second++) {
			for (let i = 0; i < 4; i++) void service.request();
			await sleep(1000);
		}
	};

	it('still gets what is left of the limit, once it has seen that nobody else takes it', async () => {
		const service = startService();
		const list = runExecution(newRateLimiter(), service, 'list', 200);
		const [took] = await finish(Promise.all([list, disturb(service, 60)]));
		expect(took).toBeLessThanOrEqual(1.25 * (200 / 6) * 1000);
	});

	it('gets it as well where the other sends evenly', async () => {
		const service = startService();
		const others = async () => {
			for (let count = 0; count < 240; count++) {
				void service.request();
				await sleep(250);
			}
		};
		const list = runExecution(newRateLimiter(), service, 'list', 200);
		const [took] = await finish(Promise.all([list, others()]));
		expect(took).toBeLessThanOrEqual(1.25 * (200 / 6) * 1000);
	});

	it('is refused about once a second at most', async () => {
		const service = startService();
		const list = runExecution(newRateLimiter(), service, 'list', 200);
		await finish(Promise.all([list, disturb(service, 60)]));
		expect(service.refused).toBeLessThanOrEqual(60);
	});

	it('serves the lists of two processes in the time of both, on average', async () => {
		let total = 0;
		for (let attempt = 0; attempt < 20; attempt++) {
			const service = startService();
			const lists = [newRateLimiter(), newRateLimiter()].map((rateLimiter) =>
				runExecution(rateLimiter, service, 'list', 100),
			);
			total += Math.max(...(await finish(Promise.all(lists))));
		}
		expect(total / 20).toBeLessThanOrEqual(22_500);
	});
});

/** Numbers between 0 and 1 that are the same in every run (mulberry32). */
function seededRandom(): () => number {
	let state = 1;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

describe('several n8n processes with one token that see only the headers', () => {
	beforeEach(() => jest.spyOn(Math, 'random').mockImplementation(seededRandom()));
	afterEach(() => jest.restoreAllMocks());

	const runProcesses = async (lists: number[]) => {
		const service = startService({ jitterMs: 6 });
		const runs = lists.map(async (items, index) => {
			await sleep(13 * index); // n8n gives them their work one after the other
			return await runExecution(newRateLimiter(10, null), service, 'list', items);
		});
		const took = await finish(Promise.all(runs));
		return { service, took };
	};
	const all: Array<[string, number[]]> = [
		['two', [150, 150]],
		['two, one of which has more to do', [200, 100]],
		['four', [75, 75, 75, 75]],
	];

	// How it is on average, and with other clocks, is measured by `npm run bench -- limiter`.
	it.each(all)('need little more than the time that the limit leaves: %s', async (_, lists) => {
		const { took } = await runProcesses(lists);
		expect(Math.max(...took)).toBeLessThanOrEqual(1.15 * idealMs(300));
	});

	it.each(all)('are refused at most every second time: %s', async (_, lists) => {
		const { service } = await runProcesses(lists);
		expect(service.refused).toBeLessThanOrEqual(0.5 * 300);
	});

	it('let one that comes later take part within seconds', async () => {
		const service = startService({ jitterMs: 6 });
		const long = runExecution(newRateLimiter(10, null), service, 'list', 200);
		const late = (async () => {
			await sleep(5000);
			return await runExecution(newRateLimiter(10, null), service, 'lookup', 5);
		})();
		const [, took] = await finish(Promise.all([long, late]));
		expect(took).toBeLessThanOrEqual(6000);
	});

	it('leave all of it to the last one when the others have ended', async () => {
		const service = startService({ jitterMs: 6 });
		const short = runExecution(newRateLimiter(10, null), service, 'list', 20);
		const long = runExecution(newRateLimiter(10, null), service, 'list', 180);
		const [, took] = await finish(Promise.all([short, long]));
		expect(took).toBeLessThanOrEqual(1.15 * idealMs(200));
	});
});

describe('several processes with one token at a service that sends no headers', () => {
	it.each([2, 4])('keep to their share of what the credential says: %d', async (count) => {
		const limiters = Array.from({ length: count }, () => newRateLimiter(10, count));
		const sent: number[] = [];
		const list = async (limiter: RateLimiter) => {
			for (let items = 100 / count; items > 0; items--) {
				await limiter.acquire({ execution: 'list' });
				sent.push(Date.now());
			}
		};
		await finish(Promise.all(limiters.map(list)));
		const perSecond = (1000 * (sent.length - count)) / (sent[sent.length - 1] - sent[0]);
		expect(perSecond).toBeGreaterThan(9);
		expect(perSecond).toBeLessThanOrEqual(10);
	});

	it('slow down for two seconds after a 429 that names no reset', async () => {
		const limiter = newRateLimiter(10, 1);
		const sendTen = async () => {
			const startedAt = Date.now();
			for (let items = 0; items < 10; items++) {
				await limiter.acquire({ execution: 'list' });
				limiter.update({ status: 200, headers: {}, sentAt: Date.now(), receivedAt: Date.now() });
			}
			return Date.now() - startedAt;
		};
		limiter.update({ status: 429, headers: {}, sentAt: Date.now(), receivedAt: Date.now() });
		const slowed = await finish(sendTen());
		await advanceTimeBy(2000);
		const normal = await finish(sendTen());
		expect(slowed).toBeGreaterThan(2000);
		expect(normal).toBeLessThan(1000);
	});
});
