// Simulates several n8n processes with one token, in virtual time. Each keeps its pace, and the service's documented
// limiter counts. A network lies between them, and another program uses the token, too.
import { RequestPacer } from '../../nodes/shared/rateLimit/requestPacer';
import { VirtualTime } from './virtualTime';

/** It does so whatever becomes of its requests. */
export type OtherTrafficPattern = 'bursts' | 'evenly' | 'at the start of each window';

export interface SimulationInput {
	/** Lookups that each process has to do, all from about the same moment on. */
	lookups: number[];
	/** Points per second of the service. */
	limit: number;
	/** The service sends X-RateLimit-* headers. */
	headers: boolean;
	/** Points per second that each process begins with. */
	pointsPerSecond: number;
	/** For how many processes that is meant; only where there are no headers. */
	processes?: number;
	latencyMs?: number;
	/** By how much responses come later than that at most; one in ten by four times as much. */
	jitterMs?: number;
	/** By how much the clocks of the processes differ from the service's at most. */
	skewMs?: number;
	/** By how much the processes differ in when they begin. */
	startMs?: number;
	/** Another program that sends so many requests a second. */
	other?: { perSecond: number; pattern: OtherTrafficPattern };
	windows?: 'first request' | 'full seconds' | 'sliding';
	seed?: number;
}

export interface Outcome {
	/** Milliseconds until the last process was done. */
	ms: number;
	/** The time that the limit leaves no way around. */
	idealMs: number;
	/** Responses 429 to the processes until then. */
	refused: number;
	/** Responses 429 to the other program, and its requests. */
	otherRefused: number;
	otherSent: number;
	doneAt: number[];
	/** Each has the process whose request it was. */
	accepted: Array<{ at: number; process: number }>;
	/** The longest time that a process which had something to send got nothing accepted. */
	longestWaitMs: number;
}

/** A node has so many items waiting or on their way. */
const AT_ONCE = 40;
/** The limiter's own longest sleep. */
const SLICE_MS = 25;
const WINDOW_MS = 1000;
/** Headers hold milliseconds since the epoch. */
const EPOCH = Date.UTC(2026, 10, 20, 12);
/** Nobody waits for longer. */
const END_MS = 3_600_000;

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

/** The service's limiter: says of each request whether it is accepted, what is left and until when. */
class Service {
	windowEnd = -Infinity;
	private used = 0;
	private readonly sliding: number[] = [];

	constructor(
		private readonly limit: number,
		private readonly windows: NonNullable<SimulationInput['windows']>,
	) {}

	consume(now: number): { isAccepted: boolean; remaining: number; reset: number } {
		const { limit, sliding } = this;
		if (this.windows === 'sliding') {
			while (sliding[0] <= now - WINDOW_MS) sliding.shift();
			const isAccepted = sliding.length < limit;
			if (isAccepted) sliding.push(now);
			return { isAccepted, remaining: limit - sliding.length, reset: sliding[0] + WINDOW_MS };
		}
		if (now >= this.windowEnd) {
			const isAligned = this.windows === 'full seconds';
			this.windowEnd = WINDOW_MS + (isAligned ? Math.floor(now / WINDOW_MS) * WINDOW_MS : now);
			this.used = 0;
		}
		this.used++;
		const remaining = Math.max(0, limit - this.used);
		return { isAccepted: this.used <= limit, remaining, reset: this.windowEnd };
	}
}

export function simulate(options: SimulationInput): Outcome {
	const { lookups, limit, headers, pointsPerSecond, processes, other } = options;
	const { latencyMs = 300, jitterMs = 30, skewMs = 0, startMs = 100, seed = 1 } = options;
	const { windows = 'first request' } = options;
	const random = randomFrom(seed);
	const time = new VirtualTime();
	const service = new Service(limit, windows);
	const accepted: Outcome['accepted'] = [];
	const doneAt = lookups.map(() => 0);
	let [running, refused, otherRefused, otherSent] = [lookups.length, 0, 0, 0];

	const travelMs = () => 1 + 6 * random() + (random() < 0.02 ? 20 * random() : 0);

	const startProcess = (process: number) => {
		const skew = EPOCH + Math.round((2 * random() - 1) * skewMs);
		const clock = () => Math.floor(time.now + skew);
		const pace = new RequestPacer(random);
		pace.configure(pointsPerSecond, processes);
		let left = lookups[process];
		let onTheirWay = 0;
		let wakeAt = Infinity;
		let wakes = 0;

		const waiting = () => Math.min(AT_ONCE, left) - onTheirWay;
		const sleepFor = (ms: number) => {
			const id = ++wakes;
			wakeAt = time.now + ms;
			time.after(ms + 2 * random(), () => {
				if (id === wakes) drive();
			});
		};
		const serve = () => {
			while (waiting() > 0 && pace.takeSlot(clock())) send();
		};
		const drive = () => {
			serve();
			wakeAt = Infinity;
			const now = clock();
			if (waiting() > 0) sleepFor(Math.max(1, Math.min(SLICE_MS, pace.freeAt(now) - now)));
		};
		const send = () => {
			const sentAt = clock();
			onTheirWay++;
			time.after(travelMs(), () => {
				const { isAccepted, remaining, reset } = service.consume(time.now);
				if (isAccepted) accepted.push({ at: time.now, process });
				else refused++;
				const late = jitterMs > 0 ? jitterMs * random() * (random() < 0.1 ? 4 : 1) : 0;
				time.after(latencyMs * (0.95 + 0.1 * random()) + late, () => {
					onTheirWay--;
					if (isAccepted && --left === 0) {
						doneAt[process] = time.now;
						running--;
					}
					pace.update({
						status: isAccepted ? 200 : 429,
						headers: headers
							? {
									'x-ratelimit-limit': String(limit),
									'x-ratelimit-remaining': String(remaining),
									'x-ratelimit-reset': String(Math.round(EPOCH + reset)),
								}
							: {},
						sentAt,
						receivedAt: clock(),
					});
					serve();
					if (wakeAt === Infinity && waiting() > 0) drive();
				});
			});
		};
		time.after(startMs * random(), drive);
	};

	const startOther = ({ perSecond, pattern }: NonNullable<SimulationInput['other']>) => {
		const request = () => {
			otherSent++;
			time.after(travelMs(), () => {
				if (!service.consume(time.now).isAccepted) otherRefused++;
			});
		};
		const evenly = () => {
			request();
			time.after(WINDOW_MS / perSecond, evenly);
		};
		const burst = () => {
			for (let count = 0; count < perSecond; count++) request();
			if (pattern === 'bursts') time.after(WINDOW_MS, burst);
			else time.after(WINDOW_MS / 2, () => time.after(service.windowEnd - time.now, burst));
		};
		time.after(startMs * random(), pattern === 'evenly' ? evenly : burst);
	};

	lookups.forEach((_, process) => startProcess(process));
	if (other) startOther(other);
	time.runUntil(() => running === 0 || time.now > END_MS);
	const total = lookups.reduce((sum, count) => sum + count, 0);
	return {
		ms: running > 0 ? Infinity : Math.max(...doneAt),
		idealMs: (Math.ceil(total / (limit - (other?.perSecond ?? 0))) - 1) * WINDOW_MS + latencyMs,
		refused,
		otherRefused,
		otherSent,
		doneAt,
		accepted,
		longestWaitMs: longestWait(accepted, lookups.length),
	};
}

function longestWait(accepted: Outcome['accepted'], processes: number): number {
	const last = new Array<number>(processes).fill(0);
	let longest = 0;
	for (const { at, process } of accepted) {
		longest = Math.max(longest, at - last[process]);
		last[process] = at;
	}
	return longest;
}
