import { readLimits, retryAt, type Answer } from './limitHeaders';
import { Neighbours } from './neighbours';
import { ServiceWindow } from './serviceWindow';

export type { Answer } from './limitHeaders';

/** The window that the service counts points in (§8.1). */
const WINDOW_MS = 1000;
/** Requests travel at different speeds: one sent a whole window after another may arrive a little sooner. */
const SAFETY_MS = 10;
/** Alone, requests go out at seven times the limit until the points are spent: who else comes is seen between them. */
const ALONE = 7;
/** As long as nothing is known of others, more slowly. */
const UNKNOWN = 1;
/** Known is who has seen so many points of a window. */
const KNOWN = 0.2;
/** For so long it is known that nobody else was there, and that somebody was. */
const ALONE_FOR_MS = 60_000;
const NEIGHBOURS_FOR_MS = 5_000;
/** A timer that comes a little late does not slow the pace down. */
const LATE_MS = 20;
/** After a 429 that tells nothing more, so that several n8n processes do not return at the same moment each time. */
const JITTER_MS = 50;
/** Without headers a 429 makes the pace slower by so much, and every answer after it a little faster again. */
const SLOWER = 1.3;
const FASTER = 0.8;
/** Several who keep an even pace fill a window that begins with a request a little before it ends. */
const TOLD = 1.05;
const SLOWEST = 4;

/**
 * The points of one token: which are in use, and when they come back. A spent point comes back after a whole window, so
 * that no window, wherever it begins, holds more requests of this process than the limit. What the service's headers
 * tell (§8.4) of the requests of others can only hold points back for longer, within bounds, or change the limit: never
 * beyond what an operator has set.
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
	/** Points that others have spent, and when they come back. */
	private foreign = { points: 0, until: -Infinity };
	private pausedUntil = -Infinity;
	private nextAt = -Infinity;
	private slowness = 1;
	private heardAt = -Infinity;
	/** Since when it is known whether others are there. */
	private knownAt = Infinity;
	private readonly window = new ServiceWindow(WINDOW_MS);
	private readonly neighbours = new Neighbours();

	/** Sets the points per second that hold until a header tells another limit; 0: no limit. */
	configure(pointsPerSecond: number, processes?: number): void {
		this.limit = pointsPerSecond === 0 ? Infinity : Math.max(1, Math.floor(pointsPerSecond));
		this.windowMs = pointsPerSecond === 0 ? WINDOW_MS : WINDOW_MS / Math.min(1, pointsPerSecond);
		this.processes = processes;
		const isSet = processes !== undefined && pointsPerSecond > 0;
		const { limit, windowMs } = this;
		this.most = { perSecond: isSet ? pointsPerSecond : Infinity, limit, windowMs };
	}

	/** Spends a point; false if none is free. */
	spend(now: number): boolean {
		if (this.freeAt(now) > now) return false;
		this.window.send(now);
		if (this.limit === Infinity) return true;
		const back = now + this.windowMs + SAFETY_MS;
		const isLast = this.points.length === 0 || this.points[this.points.length - 1] <= back;
		this.points.push(back);
		if (!isLast) this.points.sort((a, b) => a - b);
		this.nextAt = Math.max(this.nextAt, now - LATE_MS) + this.gap(now);
		this.neighbours.take(now);
		return true;
	}

	/** When the next point is free: now or later. */
	freeAt(now: number): number {
		while (this.points[0] <= now) this.points.shift();
		const { points, until } = this.foreign;
		const besideForeign = this.backAt(this.limit - points, now);
		const free = Math.min(besideForeign, Math.max(until, this.backAt(this.limit, now)));
		const turn = this.hasNeighbours(now) ? this.neighbours.turnAt(now) : this.nextAt;
		return Math.max(now, free, turn, this.pausedUntil);
	}

	/** Learns from an answer. Headers that are missing or make no sense count for nothing. */
	update(answer: Answer): void {
		const { status, receivedAt } = answer;
		const { limit } = readLimits(answer);
		const isBeyond = limit !== undefined && limit > this.most.perSecond;
		if (isBeyond) [this.limit, this.windowMs] = [this.most.limit, this.most.windowMs];
		else if (limit) this.follow(limit, receivedAt);
		const isUntold = isBeyond || this.limit === Infinity;
		const sighting = isUntold ? undefined : this.window.see(answer, this.limit);
		if (sighting) {
			if (!this.isRemembered(receivedAt)) {
				this.knownAt = Infinity;
				this.neighbours.forget();
			}
			this.heardAt = receivedAt;
			this.neighbours.see(sighting, this.limit, receivedAt, answer.sentAt > this.knownAt);
			this.foreign = { points: sighting.foreign, until: sighting.end };
			this.hold(sighting.mine, sighting.end);
			if (this.knownAt > receivedAt && sighting.mine + sighting.foreign >= KNOWN * this.limit) {
				this.knownAt = receivedAt;
				this.nextAt = receivedAt;
			}
		} else {
			const factor = status === 429 ? SLOWER : FASTER;
			this.slowness = Math.min(SLOWEST, Math.max(1, this.slowness * factor));
		}
		if (status !== 429) return;
		const told = Math.max(retryAt(answer) ?? 0, sighting?.end ?? 0);
		const resume = told || receivedAt + WINDOW_MS;
		this.pausedUntil = Math.max(
			this.pausedUntil,
			resume + (sighting ? 0 : JITTER_MS * Math.random()),
		);
	}

	/** Sees to it that at least `count` of our points are in use until then. */
	private hold(count: number, until: number): void {
		const early = this.points.filter((back) => back < until).length;
		const moved = Math.min(early, count - (this.points.length - early));
		if (moved > 0) this.points.fill(until, early - moved, early);
	}

	/** The time between two requests, where no neighbour is known. */
	private gap(now: number): number {
		const even = this.windowMs / this.limit;
		if (this.heardAt !== -Infinity || this.processes === undefined) {
			return even / (this.knownAt <= now && this.isRemembered(now) ? ALONE : UNKNOWN);
		}
		const isAlone = this.processes <= 1 && this.slowness === 1;
		return isAlone ? 0 : even * this.processes * this.slowness * TOLD;
	}

	private hasNeighbours(now: number): boolean {
		return this.knownAt <= now && this.neighbours.areSeen && this.isRemembered(now);
	}

	private isRemembered(now: number): boolean {
		const { areSeen, pauseMs } = this.neighbours;
		return this.heardAt > now - (areSeen ? NEIGHBOURS_FOR_MS + pauseMs : ALONE_FOR_MS);
	}

	/** When fewer than so many points are in use. */
	private backAt(count: number, now: number): number {
		const inUse = this.points.length;
		if (inUse < count) return now;
		return count > 0 ? this.points[inUse - count] : Infinity;
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
