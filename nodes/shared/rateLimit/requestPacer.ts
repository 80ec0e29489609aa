import { parseLimitHeaders, retryAt, type TimedResponse } from './limitHeaders';

/** The service counts points in windows of a second (CP §8.1). */
const WINDOW_MS = 1000;
/** A window begins with the first request after the previous one ended, so a shared pace needs this much slack. */
const GAP_MS = 5;
const CYCLE_MS = WINDOW_MS + GAP_MS;
/** Requests of one process differ by this much in how long they travel. */
const TRAVEL_MS = 15;
/** A full window refuses about one request of each process. Two windows without a 429 have room again. */
const MEMORY_MS = 2 * WINDOW_MS;
/** The longest pause that a response sets: then one request shows whether it still holds. */
const MAX_RESET_PAUSE_MS = 3_600_000;
/** A timer that fires this late does not slow the pace down. */
const LATE_TIMER_MS = 20;

/**
 * Decides when the next request with a token may leave. Processes that share a token do not know each other. Each sends
 * at an even pace; its share is what the service accepts after a 429. docs/scaling.md explains the rule. Times are
 * milliseconds by one clock of this process.
 */
export class RequestPacer {
	/** Requests per window that the operator grants this process. */
	#configuredLimit = Infinity;
	/** Requests per window that the service's headers report. */
	#reportedLimit: number | undefined;
	/** Headers cannot raise the pace above this. */
	#highestLimit = Infinity;
	/** The service allows no request before, as its Retry-After says. */
	pausedUntil = -Infinity;
	#nextAt = -Infinity;
	#refusedAt = -Infinity;
	/** Times of the latest responses other than 429. */
	readonly #acceptedAt: number[] = [];
	/** The service's clock minus this machine's, plus the time that a request travels. */
	#clockOffset: number | undefined;
	/** The end of the newest window that a response showed, by this process's clock. */
	#windowEnd = -Infinity;
	readonly #random: () => number;

	constructor(random: () => number = Math.random) {
		this.#random = random;
	}

	/**
	 * Sets the operator's limit in points per second; 0 means none. With a number of `processes`, each gets its part, and
	 * a higher limit in the headers is ignored.
	 */
	configure(pointsPerSecond: number, processes?: number): void {
		this.#configuredLimit = (pointsPerSecond || Infinity) / (processes ?? 1);
		this.#highestLimit = processes === undefined ? Infinity : this.#configuredLimit;
	}

	/** It may leave now or later. */
	freeAt(now: number): number {
		return Math.max(now, this.#nextAt);
	}

	/** Is false while it is not due. */
	takeSlot(now: number): boolean {
		if (this.#nextAt > now) return false;
		const step = this.#stepMs(now);
		const dueAt = now - this.#nextAt <= LATE_TIMER_MS ? this.#nextAt : now;
		const next = dueAt + step;
		const windows = Math.round((next - this.#windowEnd) / CYCLE_MS);
		const end = this.#windowEnd + windows * CYCLE_MS; // NaN while no window is known, and then near to nothing
		// A turn near a window's end opens the next window: no point is wasted, and no time at its beginning.
		this.#nextAt = Math.abs(next - end) < step / 2 ? end + GAP_MS : next;
		return true;
	}

	/** Learns from a response. Headers that are missing or make no sense count for nothing. */
	update(response: TimedResponse): void {
		const { limit, remaining, reset } = parseLimitHeaders(response);
		if (limit !== undefined) this.#reportedLimit = limit;
		const isRefused = response.status === 429;
		const opensWindow = !isRefused && limit !== undefined && remaining === limit - 1;
		if (reset !== undefined) this.#followWindow(reset, response.sentAt, opensWindow);
		if (!isRefused) {
			this.#acceptedAt.push(response.receivedAt);
			return;
		}
		this.#refusedAt = response.receivedAt;
		const retry = retryAt(response);
		const reported = retry && Math.min(retry, response.receivedAt + MAX_RESET_PAUSE_MS);
		if (reported !== undefined) this.pausedUntil = Math.max(this.pausedUntil, reported);
		const resumeAt = reported ?? (reset === undefined ? this.#nextAt : this.#windowEnd + GAP_MS);
		const spreadMs = (this.#stepMs(response.receivedAt) / 2) * this.#random();
		this.#nextAt = Math.max(this.#nextAt, resumeAt + spreadMs);
	}

	#stepMs(now: number): number {
		while (this.#acceptedAt[0] <= now - MEMORY_MS) this.#acceptedAt.shift();
		const limit = Math.min(this.#reportedLimit ?? this.#configuredLimit, this.#highestLimit);
		const acceptedPerWindow = (this.#acceptedAt.length * WINDOW_MS) / MEMORY_MS;
		const isCrowded = now < this.#refusedAt + MEMORY_MS;
		return CYCLE_MS / (isCrowded ? Math.min(limit, acceptedPerWindow + 1) : limit);
	}

	/**
	 * Moves the end of the newest window. The clocks may differ by any amount and are never compared. A request
	 * arrived between its window's start and end, which bounds their difference. The first request began the window.
	 */
	#followWindow(reset: number, sentAt: number, opensWindow: boolean): void {
		const begin = reset - WINDOW_MS;
		const most = (opensWindow ? begin : reset) - sentAt;
		const least = begin - TRAVEL_MS - sentAt;
		this.#clockOffset = Math.min(most, Math.max(least, this.#clockOffset ?? begin - sentAt));
		this.#windowEnd = Math.max(this.#windowEnd, reset - this.#clockOffset);
	}
}
