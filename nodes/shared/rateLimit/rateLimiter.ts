import { createHash } from 'node:crypto';
import { OperationalError, sleep, UserError } from 'n8n-workflow';
import { PointWindow, type Answer } from './pointWindow';
import { BoundedMap } from '../utils/boundedMap';
import { FairQueue } from './fairQueue';
import { CodedError } from '../utils/codedError';

/** Milliseconds since the epoch, and a wait of so many milliseconds. */
interface Clock {
	now(): number;
	sleep(ms: number): Promise<void>;
}

/** Keeps all who use one token within its rate limit (§8). */
export interface RateLimiter {
	/**
	 * Waits until one point may be spent; resolves with the milliseconds waited. Executions take turns, so that a
	 * long list does not hold up a single lookup. Throws a RateLimitCancelledError as soon as `signal` aborts, and a
	 * RateLimitTimeoutError after `maxWaitMs` (5 minutes by default).
	 */
	acquire(options: {
		execution: string;
		signal?: AbortSignal;
		maxWaitMs?: number;
	}): Promise<number>;
	/**
	 * Learns the limit and the reset from an answer: its status, its headers by lower-case name, and when the
	 * request was sent and answered by its clock. After a 429 everybody waits for the reset.
	 */
	update(answer: Answer): void;
}

/** The execution was cancelled before its turn came. */
export class RateLimitCancelledError extends OperationalError {
	constructor() {
		super('The execution was cancelled while it waited for the rate limit');
	}
}

/** The turn did not come in time. */
export class RateLimitTimeoutError extends UserError {
	constructor(waitedMs: number) {
		super(`Waited ${(waitedMs / 1000).toFixed(1)} s for the rate limit, and no turn came`, {
			description:
				'Too many requests share this token, in this n8n or elsewhere, or the service keeps refusing them. Run fewer executions at a time, give other programs a token of their own, or try again later.',
		});
	}
}

interface Waiter {
	execution: string;
	signal?: AbortSignal;
	since: number;
	deadline: number;
	resolve(waitedMs: number): void;
	reject(error: Error): void;
}

const MAX_WAIT_MS = 300_000;
/** The longest single sleep: so late at most is it seen that an answer has let the next one go earlier. */
const SLICE_MS = 25;

class TokenRateLimiter implements RateLimiter {
	private readonly budget = new PointWindow();
	private readonly turns = new FairQueue<Waiter>();
	/** One listener per signal, for Node warns of a leak above ten. */
	private readonly listeners = new Map<AbortSignal, { waiters: Set<Waiter>; onAbort(): void }>();
	private configured = '';
	private isDriving = false;
	private lastNow = -Infinity;
	private setBackMs = 0;

	constructor(private readonly clock: Clock) {}

	/** Sets what it begins with; the same values again leave what was learned from answers. */
	configure(pointsPerSecond: number, processes: number | undefined): void {
		const configured = `${pointsPerSecond} by ${processes}`;
		if (configured === this.configured) return;
		this.configured = configured;
		this.budget.configure(pointsPerSecond, processes);
	}

	async acquire(options: Parameters<RateLimiter['acquire']>[0]): Promise<number> {
		const { execution, signal, maxWaitMs = MAX_WAIT_MS } = options;
		if (signal?.aborted) throw new RateLimitCancelledError();
		const since = this.now();
		if (this.turns.isEmpty && this.budget.spend(since)) return 0;
		return await new Promise((resolve, reject) => {
			this.enter({ execution, signal, since, deadline: since + maxWaitMs, resolve, reject });
		});
	}

	update({ status, headers, sentAt, receivedAt }: Answer): void {
		const now = this.now();
		const shift = this.setBackMs;
		this.budget.update({
			status,
			headers,
			sentAt: sentAt + shift,
			receivedAt: receivedAt + shift,
		});
		this.serve(now);
	}

	/** The clock's time, but it never runs backwards: a clock that was set back would stall all who wait. */
	private now(): number {
		const now = this.clock.now();
		if (now < this.lastNow) this.setBackMs += this.lastNow - now;
		this.lastNow = now;
		return now + this.setBackMs;
	}

	private enter(waiter: Waiter): void {
		this.turns.add(waiter.execution, waiter);
		if (waiter.signal) this.listen(waiter.signal, waiter);
		if (!this.isDriving) void this.drive();
	}

	private leave(waiter: Waiter): void {
		this.turns.remove(waiter.execution, waiter);
		const { signal } = waiter;
		const listener = signal && this.listeners.get(signal);
		listener?.waiters.delete(waiter);
		if (signal && listener?.waiters.size === 0) {
			signal.removeEventListener('abort', listener.onAbort);
			this.listeners.delete(signal);
		}
	}

	private listen(signal: AbortSignal, waiter: Waiter): void {
		let listener = this.listeners.get(signal);
		if (!listener) {
			const waiters = new Set<Waiter>();
			const onAbort = () => {
				for (const cancelled of [...waiters]) {
					this.leave(cancelled);
					cancelled.reject(new RateLimitCancelledError());
				}
			};
			listener = { waiters, onAbort };
			this.listeners.set(signal, listener);
			signal.addEventListener('abort', onAbort);
		}
		listener.waiters.add(waiter);
	}

	/** The only timer: runs while somebody waits. */
	private async drive(): Promise<void> {
		this.isDriving = true;
		while (!this.turns.isEmpty) {
			const now = this.now();
			this.serve(now);
			const next = this.endOverdue(now);
			if (!this.turns.isEmpty) {
				const wait = Math.min(SLICE_MS, next - now, this.budget.freeAt(now) - now);
				await this.clock.sleep(Math.max(1, wait));
			}
		}
		this.isDriving = false;
	}

	private serve(now: number): void {
		while (!this.turns.isEmpty && this.budget.spend(now)) {
			const waiter = this.turns.next();
			if (!waiter) return;
			this.leave(waiter);
			waiter.resolve(now - waiter.since);
		}
	}

	/** Ends the waits whose time is over; returns the next deadline. */
	private endOverdue(now: number): number {
		let next = Infinity;
		for (const waiter of [...this.turns]) {
			if (waiter.deadline > now) {
				next = Math.min(next, waiter.deadline);
			} else {
				this.leave(waiter);
				waiter.reject(new RateLimitTimeoutError(now - waiter.since));
			}
		}
		return next;
	}
}

const systemClock: Clock = { now: () => Date.now(), sleep };

/** One per base URL and token in this process, by a hash of both. */
const rateLimiters = new BoundedMap<string, TokenRateLimiter>(500);

/**
 * The rate limiter that everybody shares who sends to this base URL with this token. `pointsPerSecond` is what it begins
 * with until the service's headers tell more; 0: no limit. `processes` share them, as far as the operator knows; where
 * that is left out, the headers tell who else is there. Throws a UserError if the points are no number from 0 on.
 */
export function rateLimiterFor(options: {
	baseUrl: string;
	token: string;
	pointsPerSecond: number;
	processes?: number;
	clock?: Clock;
}): RateLimiter {
	const { baseUrl, token, pointsPerSecond, processes, clock = systemClock } = options;
	if (!(pointsPerSecond >= 0)) {
		throw new CodedError(
			'credential.pointsPerSecond',
			'Max Requests per Second is not a number of 0 or more',
			{
				description: 'Check Max Requests per Second in the credential.',
			},
		);
	}
	const key = createHash('sha256')
		.update(JSON.stringify([baseUrl, token]))
		.digest('hex');
	const rateLimiter = rateLimiters.getOrMake(key, () => new TokenRateLimiter(clock));
	rateLimiter.configure(pointsPerSecond, processes);
	return rateLimiter;
}
