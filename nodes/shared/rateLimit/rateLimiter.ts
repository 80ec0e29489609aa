import { sleep } from 'n8n-workflow';
import type { RequestProblem } from '../errors/requestProblem';
import type { TimedResponse } from './limitHeaders';
import { RequestPacer } from './requestPacer';
import { getClientState } from '../processState';
import { hash } from '../utils/hash';
import { FairQueue } from './fairQueue';
import { CodedError } from '../utils/codedError';

export type AcquireFailure = Extract<RequestProblem, { kind: 'rateLimit' | 'cancelled' }>;

/** Keeps all who use one token within its rate limit (§8). */
export interface RateLimiter {
	/**
	 * Waits until one point may be spent. Resolves with a reason if it is not: soon after `signal` aborts, or after
	 * `maxWaitMs` (5 minutes by default). It resolves at once if the service allows nothing for that long. Executions
	 * take turns, so that a long list does not hold up a single lookup.
	 */
	acquire(options: {
		execution: string;
		signal?: AbortSignal;
		maxWaitMs?: number;
	}): Promise<AcquireFailure | undefined>;
	/**
	 * Takes the limit and the reset from a response: its status, headers by lower-case name, and times by its clock.
	 * After a 429 every request waits for Retry-After, or else for the reset.
	 */
	update(response: TimedResponse): void;
}

interface TurnWaiter {
	execution: string;
	signal?: AbortSignal;
	since: number;
	deadline: number;
	resolve(missed?: AcquireFailure): void;
}

const MAX_TURN_WAIT_MS = 300_000;
/** The longest single sleep: the end of a wait, or an earlier turn, is noticed at most this late. */
const LIMITER_SLICE_MS = 25;

class PacedRateLimiter implements RateLimiter {
	readonly #pace = new RequestPacer();
	readonly #turns = new FairQueue<TurnWaiter>();
	#configured = '';
	#isDriving = false;
	/** The difference between the time of day and the monotonic clock when this limiter began. */
	readonly #begunMs = Date.now() - performance.now();

	/** Sets the initial limit; equal values leave what responses have shown. */
	configure(pointsPerSecond: number, processes: number | undefined): void {
		const configured = `${pointsPerSecond} by ${processes}`;
		if (configured === this.#configured) return;
		this.#configured = configured;
		this.#pace.configure(pointsPerSecond, processes);
	}

	get isInUse(): boolean {
		return !this.#turns.isEmpty;
	}

	async acquire(
		options: Parameters<RateLimiter['acquire']>[0],
	): Promise<AcquireFailure | undefined> {
		const { execution, signal, maxWaitMs = MAX_TURN_WAIT_MS } = options;
		if (signal?.aborted) return { kind: 'cancelled' };
		const since = this.#now();
		const paused = this.#pausedBeyond(since + maxWaitMs, 0);
		if (paused) return paused;
		if (this.#turns.isEmpty && this.#pace.takeSlot(since)) return undefined;
		return await new Promise((resolve) => {
			this.#turns.add(execution, {
				execution,
				signal,
				since,
				deadline: since + maxWaitMs,
				resolve,
			});
			if (!this.#isDriving) void this.#drive();
		});
	}

	update({ status, headers, sentAt, receivedAt }: TimedResponse): void {
		const now = this.#now();
		const shift = now - Date.now();
		this.#pace.update({
			status,
			headers,
			sentAt: sentAt + shift,
			receivedAt: receivedAt + shift,
		});
		this.#serve(now);
	}

	/** A clock that jumps would end or stall all who wait. */
	#now(): number {
		return this.#begunMs + performance.now();
	}

	/** The service allows nothing before the deadline. */
	#pausedBeyond(deadline: number, waitedMs: number): AcquireFailure | undefined {
		const { pausedUntil } = this.#pace;
		if (pausedUntil <= deadline) return undefined;
		return { kind: 'rateLimit', waitedMs, retryAt: Date.now() + pausedUntil - this.#now() };
	}

	/** The only timer: runs while somebody waits. */
	async #drive(): Promise<void> {
		this.#isDriving = true;
		while (!this.#turns.isEmpty) {
			const now = this.#now();
			this.#serve(now);
			const wait = Math.min(LIMITER_SLICE_MS, this.#pace.freeAt(now) - now);
			if (!this.#turns.isEmpty) await sleep(Math.max(1, wait));
		}
		this.#isDriving = false;
	}

	/** Ends the waits that are over, and gives the free points to the others. */
	#serve(now: number): void {
		for (const waiter of [...this.#turns]) {
			const { execution, signal, since, deadline, resolve } = waiter;
			const paused = this.#pausedBeyond(deadline, now - since);
			if (!signal?.aborted && deadline > now && !paused) continue;
			this.#turns.remove(execution, waiter);
			if (signal?.aborted) resolve({ kind: 'cancelled' });
			else resolve(paused ?? { kind: 'rateLimit', waitedMs: now - since });
		}
		while (!this.#turns.isEmpty && this.#pace.takeSlot(now)) this.#turns.next()?.resolve();
	}
}

const newRateLimiter = () => new PacedRateLimiter();

/**
 * All requests to this base URL with this token share it. `token` is what the service limits: a token, or the
 * client's ID. `pointsPerSecond` holds until the service's headers show another limit; 0 means none. `processes`
 * share it; without a number, the headers show who else sends. Throws a UserError if the points are no number from
 * 0 on.
 */
export function rateLimiterFor(options: {
	baseUrl: string;
	token: string;
	pointsPerSecond: number;
	processes?: number;
}): RateLimiter {
	const { baseUrl, token, pointsPerSecond, processes } = options;
	if (!(pointsPerSecond >= 0)) {
		throw new CodedError(
			'credential.pointsPerSecond',
			'Max Requests per Second is not a number of 0 or more',
			{ description: 'Check it in the credential.' },
		);
	}
	const rateLimiter = getClientState(hash(JSON.stringify([baseUrl, token]))).shared(newRateLimiter);
	rateLimiter.configure(pointsPerSecond, processes);
	return rateLimiter;
}
