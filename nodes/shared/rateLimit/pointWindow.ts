import { readLimits, retryAt, type Answer } from './limitHeaders';
import { Share } from './share';
import { WINDOW_MS, WindowClock } from './windowClock';

export type { Answer } from './limitHeaders';

/** Requests travel at different speeds: one sent a whole window after another may arrive a little sooner. */
const SAFETY_MS = 8;
/** What is known of others holds for so long after the last response. */
const MEMORY_MS = 60_000;
/** A timer that comes a little late does not slow the pace down. */
const LATE_MS = 20;
/** After a 429 that tells nothing more, so that several n8n processes do not return at the same moment each time. */
const JITTER_MS = 50;
/** Without headers a 429 makes the pace slower by so much, and every response after it a little faster again. */
const SLOWER = 1.3;
const FASTER = 0.8;
const SLOWEST = 4;
/** Several who keep an even pace fill a window that begins with a request a little before it ends. */
const SHARED = 1.05;

/**
 * The points of one token: which are in use, and when they come back. A spent point comes back after a whole window, so
 * that no window, wherever it begins, holds more requests of this process than the limit. Where the service's headers
 * tell of its windows (§8.4), this process takes its share of them; else it keeps to what the operator has set.
 */
export class PointWindow {
	private limit = Infinity;
	private windowMs = WINDOW_MS;
	/** Processes that share the limit, as the operator says; undefined: the headers will tell. */
	private processes: number | undefined;
	/** What the operator has set, and as points per second: a header that tells more counts for nothing. */
	private most = { perSecond: Infinity, limit: Infinity, windowMs: WINDOW_MS };
	/** When each point in use comes back, in ascending order. */
	private points: number[] = [];
	private pausedUntil = -Infinity;
	/** When the next request may go, where no headers tell of windows. */
	private nextAt = -Infinity;
	private slowness = 1;
	/** Whether headers tell of windows; undefined: no response has come. */
	private isTold: boolean | undefined;
	/** When they did last. */
	private toldAt = -Infinity;
	private readonly clock = new WindowClock();
	private readonly share: Share;

	constructor(private readonly random: () => number = Math.random) {
		this.share = new Share(this.clock, random);
	}

	/** Sets the points per second that hold until a header tells another limit; 0: no limit. */
	configure(pointsPerSecond: number, processes?: number): void {
		this.limit = pointsPerSecond === 0 ? Infinity : Math.max(1, Math.floor(pointsPerSecond));
		this.windowMs = pointsPerSecond === 0 ? WINDOW_MS : WINDOW_MS / Math.min(1, pointsPerSecond);
		this.processes = processes;
		this.share.isSaidToBeAlone = processes === 1;
		const isSet = processes !== undefined && pointsPerSecond > 0;
		const { limit, windowMs } = this;
		this.most = { perSecond: isSet ? pointsPerSecond : Infinity, limit, windowMs };
	}

	/** Spends a point; false if none is free. */
	spend(now: number): boolean {
		if (this.freeAt(now) > now) return false;
		this.share.take(now);
		if (this.limit === Infinity) return true;
		const back = now + this.windowMs + SAFETY_MS;
		const isLast = this.points.length === 0 || this.points[this.points.length - 1] <= back;
		this.points.push(back);
		if (!isLast) this.points.sort((a, b) => a - b);
		this.nextAt = Math.max(this.nextAt, now - LATE_MS) + this.gap();
		return true;
	}

	/** When the next point is free: now or later. */
	freeAt(now: number): number {
		while (this.points[0] <= now) this.points.shift();
		const inUse = this.points.length;
		const free = inUse < this.limit ? now : this.points[inUse - this.limit];
		const isShared = this.isTold ?? this.processes === undefined;
		if (isShared && now > this.toldAt + MEMORY_MS) {
			this.share.forget();
			this.toldAt = now;
		}
		const turn = isShared ? this.share.nextAt(now, this.limit) : this.nextAt;
		return Math.max(now, free, turn, this.pausedUntil);
	}

	/** Learns from a response. Headers that are missing or make no sense count for nothing. */
	update(answer: Answer): void {
		const { status, receivedAt, sentAt } = answer;
		const isRefused = status === 429;
		const { limit, remaining, reset } = readLimits(answer);
		const isBeyond = limit !== undefined && limit > this.most.perSecond;
		if (isBeyond) [this.limit, this.windowMs] = [this.most.limit, this.most.windowMs];
		else if (limit) this.follow(limit, receivedAt);
		const used = isRefused ? this.limit : this.limit - (remaining ?? Infinity);
		const tellsWindow = !isBeyond && reset !== undefined && used > 0 && used < Infinity;
		if (tellsWindow) {
			[this.isTold, this.toldAt] = [true, receivedAt];
			this.clock.see(reset, sentAt, !isRefused && used === 1);
			this.share.learn({ limit: this.limit, used, isRefused, reset, sentAt, receivedAt });
		} else {
			this.isTold ??= false;
			const factor = isRefused ? SLOWER : FASTER;
			this.slowness = Math.min(SLOWEST, Math.max(1, this.slowness * factor));
		}
		if (!isRefused) return;
		const told = retryAt(answer) ?? (tellsWindow ? -Infinity : receivedAt + WINDOW_MS);
		this.pausedUntil = Math.max(this.pausedUntil, told + JITTER_MS * this.random());
	}

	/** The time between two requests, where no headers tell of windows. */
	private gap(): number {
		const even = this.windowMs / this.limit;
		if (this.processes === undefined) return even;
		const isAlone = this.processes <= 1 && this.slowness === 1;
		return isAlone ? 0 : even * this.processes * this.slowness * SHARED;
	}

	private follow(limit: number, now: number): void {
		const before = this.limit;
		this.limit = limit;
		this.windowMs = WINDOW_MS;
		// Nobody counted what was sent until now.
		if (before === Infinity) {
			this.points = new Array<number>(limit).fill(now + WINDOW_MS + SAFETY_MS);
		}
	}
}
