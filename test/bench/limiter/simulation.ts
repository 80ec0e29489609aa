// Several n8n processes that share one token, in virtual time: the real rate limiter of each, a limiter of the service
// as its document describes it, and between them a network.
import { rateLimiterFor } from '../../../nodes/shared/rateLimit/rateLimiter';
import { VirtualTime } from './virtualTime';

export interface Simulated {
	/** Lookups that each process has to do, all from the same moment on. */
	lookups: number[];
	/** Points per second of the service. */
	limit: number;
	/** Whether the service sends X-RateLimit-* headers. */
	headers: boolean;
	/** Points per second that each process begins with. */
	pointsPerSecond: number;
	/** For how many processes that is meant; only where there are no headers. */
	processes?: number;
	/** How long an answer takes. */
	latencyMs?: number;
	/** By how much answers come later than that at most; one in ten by four times as much. */
	jitterMs?: number;
	/** By how much the clocks of the processes differ from the service's at most. */
	skewMs?: number;
	/** By how much the processes differ in when they begin. */
	startMs?: number;
	/** Whether all have run such a job before. */
	isWarm?: boolean;
	/** Where the service's windows begin. */
	windows?: 'first request' | 'full seconds' | 'sliding';
	seed?: number;
}

export interface Outcome {
	/** Milliseconds until the last process was done. */
	ms: number;
	/** The time that the limit leaves no way around. */
	idealMs: number;
	/** Answers 429 until then. */
	refused: number;
	/** When each process was done. */
	doneAt: number[];
	/** When each lookup was accepted, and by whose request. */
	accepted: Array<{ at: number; process: number }>;
	/** The longest time that a process which had something to send got nothing accepted. */
	longestPauseMs: number;
}

/** When the measured job begins: time enough for one before. */
const BEGIN_MS = 60_000;
const AT_ONCE = 40;
const WINDOW_MS = 1000;
/** When the time begins; headers hold milliseconds since the epoch. */
const EPOCH = Date.UTC(2026, 10, 20, 12);

let simulations = 0;

/** Numbers between 0 and 1 that come again with the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

export async function simulate(options: Simulated): Promise<Outcome> {
	const {
		lookups,
		limit,
		headers,
		latencyMs = 300,
		jitterMs = 30,
		skewMs = 0,
		startMs = 100,
		seed = 1,
	} = options;
	const { windows = 'first request', pointsPerSecond, processes } = options;
	const simulation = simulations++;
	const random = randomFrom(seed);
	const time = new VirtualTime();
	const accepted: Outcome['accepted'] = [];
	const doneAt = lookups.map(() => 0);
	let refused = 0;

	let windowEnd = -Infinity;
	let used = 0;
	const sliding: number[] = [];
	/** Consumes a point; the headers tell what is left and until when. */
	const consume = () => {
		const { now } = time;
		if (windows === 'sliding') {
			while (sliding[0] <= now - WINDOW_MS) sliding.shift();
			const isAccepted = sliding.length < limit;
			if (isAccepted) sliding.push(now);
			return { isAccepted, remaining: limit - sliding.length, reset: sliding[0] + WINDOW_MS };
		}
		if (now >= windowEnd) {
			windowEnd =
				WINDOW_MS + (windows === 'full seconds' ? Math.floor(now / WINDOW_MS) * WINDOW_MS : now);
			used = 0;
		}
		used++;
		return { isAccepted: used <= limit, remaining: Math.max(0, limit - used), reset: windowEnd };
	};

	const request = async (process: number) => {
		await time.sleep(1 + 6 * random() + (random() < 0.02 ? 20 * random() : 0));
		const { isAccepted, remaining, reset } = consume();
		if (isAccepted) accepted.push({ at: time.now - BEGIN_MS, process });
		else {
			refused++;
		}
		const late = jitterMs > 0 ? jitterMs * random() * (random() < 0.1 ? 4 : 1) : 0;
		await time.sleep(latencyMs * (0.95 + 0.1 * random()) + late);
		return {
			status: isAccepted ? 200 : 429,
			headers: headers
				? {
						'x-ratelimit-limit': String(limit),
						'x-ratelimit-remaining': String(remaining),
						'x-ratelimit-reset': String(Math.round(EPOCH + reset)),
					}
				: {},
		};
	};

	const runProcess = async (process: number) => {
		const skew = EPOCH + Math.round((2 * random() - 1) * skewMs);
		const clock = {
			now: () => Math.floor(time.now + skew),
			sleep: async (ms: number) => await time.sleep(ms + 2 * random()),
		};
		const rateLimiter = rateLimiterFor({
			baseUrl: `https://simulation-${simulation}.test`,
			token: `of process ${process}`,
			pointsPerSecond,
			processes,
			clock,
		});
		const work = async (count: number) => {
			let left = count;
			const worker = async () => {
				while (left-- > 0) {
					for (let status = 429; status === 429;) {
						await rateLimiter.acquire({ execution: 'simulated', maxWaitMs: Infinity });
						const sentAt = clock.now();
						const answer = await request(process);
						status = answer.status;
						rateLimiter.update({ ...answer, sentAt, receivedAt: clock.now() });
					}
				}
			};
			await Promise.all(Array.from({ length: AT_ONCE }, worker));
		};
		if (options.isWarm) await work(25);
		await time.sleep(BEGIN_MS - time.now + startMs * random());
		if (process === 0) [refused, accepted.length] = [0, 0];
		await work(lookups[process]);
		doneAt[process] = time.now - BEGIN_MS;
	};

	await time.run(Promise.all(lookups.map(async (_, process) => await runProcess(process))));
	const total = lookups.reduce((sum, count) => sum + count, 0);
	return {
		ms: Math.max(...doneAt),
		idealMs: (Math.ceil(total / limit) - 1) * WINDOW_MS + latencyMs,
		refused,
		doneAt,
		accepted,
		longestPauseMs: longestPause(accepted, lookups.length),
	};
}

function longestPause(accepted: Outcome['accepted'], processes: number): number {
	const last = new Array<number>(processes).fill(0);
	let longest = 0;
	for (const { at, process } of accepted) {
		longest = Math.max(longest, at - last[process]);
		last[process] = at;
	}
	return longest;
}
