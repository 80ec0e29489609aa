import { DateTime } from 'luxon';

/** The window that the service counts points in (§8.1). */
const WINDOW_MS = 1000;
/** Requests travel at different speeds: one sent a whole window after another may arrive a little sooner. */
const SAFETY_MS = 15;
/** After a 429, so that several n8n processes do not return at the same moment each time. */
const JITTER_MS = 50;
const MAX_RETRY_AFTER_MS = 60_000;
/** More than anybody sends in a second; keeps the bookkeeping small whatever a header claims. */
const MAX_LIMIT = 10_000;

/** An answer of the service, as far as the pace depends on it; times in milliseconds by the rate limiter's clock. */
export interface Answer {
	status: number;
	/** By lower-case name. */
	headers: Record<string, unknown>;
	sentAt: number;
	receivedAt: number;
}

/**
 * The points of one token: which are in use, and when they come back. A spent point comes back after a whole
 * window, so that no window, wherever it begins, holds more requests than the limit. What the service's headers
 * say (§8.4) can only hold points back for longer, within bounds, or change the limit.
 */
export class PointWindow {
	private limit = Infinity;
	private windowMs = WINDOW_MS;
	/** When each point in use comes back, in ascending order. */
	private points: number[] = [];
	private pausedUntil = -Infinity;
	/** After a 429 one request goes ahead as a scout; the others follow once the service has accepted it. */
	private isProbing = false;
	private probeSentAt = Infinity;
	/** The service's clock minus ours, plus the time that the fastest request travels; unknown at first. */
	private offset: number | undefined;
	private lastReset = -Infinity;
	private lastResetSeenAt = -Infinity;

	/** Sets the points per second that hold until a header tells another limit; 0: no limit. */
	configure(pointsPerSecond: number): void {
		this.limit = pointsPerSecond === 0 ? Infinity : Math.max(1, Math.floor(pointsPerSecond));
		this.windowMs = pointsPerSecond === 0 ? WINDOW_MS : WINDOW_MS / Math.min(1, pointsPerSecond);
	}

	/** Spends a point; false if none is free. */
	spend(now: number): boolean {
		if (this.freeAt(now) > now) return false;
		if (this.isProbing) {
			this.probeSentAt = Math.min(this.probeSentAt, now);
			this.pausedUntil = now + this.windowMs + SAFETY_MS; // then another, should its answer not come
		}
		if (this.limit === Infinity) return true;
		const back = now + this.windowMs + SAFETY_MS;
		const isLast = this.points.length === 0 || this.points[this.points.length - 1] <= back;
		this.points.push(back);
		if (!isLast) this.points.sort((a, b) => a - b);
		return true;
	}

	/** When the next point is free: now or later. */
	freeAt(now: number): number {
		while (this.points[0] <= now) this.points.shift();
		const inUse = this.points.length;
		const back = inUse < this.limit ? now : this.points[inUse - this.limit];
		return Math.max(now, back, this.pausedUntil);
	}

	/** Learns from an answer. Headers that are missing or make no sense count for nothing. */
	update(answer: Answer): void {
		const { status, headers, sentAt, receivedAt } = answer;
		if (sentAt >= this.probeSentAt) {
			this.isProbing = false;
			this.probeSentAt = Infinity;
			this.pausedUntil = -Infinity;
		}
		const told = readCount(headers['x-ratelimit-limit']);
		if (told) this.follow(Math.min(told, MAX_LIMIT), receivedAt);
		const remaining = readCount(headers['x-ratelimit-remaining']);
		const isFirst = status !== 429 && remaining === this.limit - 1;
		const end = this.windowEnd(readCount(headers['x-ratelimit-reset']), isFirst, answer);
		if (status === 429) {
			const resume = Math.max(retryAt(answer) ?? 0, end ?? 0) || receivedAt + WINDOW_MS;
			this.isProbing = true;
			this.pausedUntil = Math.max(this.pausedUntil, resume + Math.random() * JITTER_MS);
		} else if (end !== undefined && remaining !== undefined && this.limit !== Infinity) {
			this.hold(this.limit - Math.min(this.limit, remaining), end + SAFETY_MS);
		}
	}

	private follow(limit: number, now: number): void {
		const before = this.limit;
		this.limit = limit;
		this.windowMs = WINDOW_MS;
		// Nobody counted what was sent until now.
		if (before === Infinity) this.hold(limit, now + WINDOW_MS + SAFETY_MS);
	}

	/** Sees to it that at least `count` points are in use until then. */
	private hold(count: number, until: number): void {
		const early = this.points.filter((back) => back < until).length;
		const missing = count - (this.points.length - early);
		if (missing <= 0) return;
		const moved = Math.min(early, missing);
		const held = new Array<number>(missing).fill(until);
		this.points.splice(early - moved, moved, ...held);
	}

	/**
	 * From when on a request will arrive after the reset. The header is by the service's clock, which may differ
	 * from ours by any amount. The request that began a window tells the difference, for it arrived a window
	 * before the reset; except where it had to open a connection first, as after a break. Until the difference is
	 * known, the clocks are taken to agree if the reset is where it can be, between the sending and a window after
	 * the answer; if it is not, the latest is assumed.
	 */
	private windowEnd(
		reset: number | undefined,
		isFirst: boolean,
		{ sentAt, receivedAt }: Answer,
	): number | undefined {
		if (reset === undefined || reset < EPOCH_MS_SINCE) return undefined;
		const sinceLast = reset - this.lastReset;
		if (sinceLast !== 0) this.lastResetSeenAt = receivedAt;
		if (sentAt > this.lastResetSeenAt + WINDOW_MS) return undefined; // it stands still
		this.lastReset = reset;
		if (isFirst && sinceLast > WINDOW_MS / 2 && sinceLast < WINDOW_MS * 2) {
			const offset = reset - WINDOW_MS - sentAt;
			// The smallest counts, but is forgotten by and by, for clocks drift.
			this.offset = Math.min(offset, (this.offset ?? offset) + 1);
		}
		const end = reset - (this.offset ?? 0);
		const latest = receivedAt + WINDOW_MS;
		if (end >= sentAt && end <= latest) return end;
		this.offset = undefined;
		return latest;
	}
}

/** Earlier resets are no epoch time in milliseconds; in seconds, it would say too little. */
const EPOCH_MS_SINCE = Date.UTC(2000);

/** A header's value as a whole number from 0 on; undefined if it is anything else. */
function readCount(value: unknown): number | undefined {
	const text = headerText(value);
	return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** When Retry-After allows another request: seconds, or an HTTP date, which is by the service's clock. */
function retryAt({ headers, receivedAt }: Answer): number | undefined {
	const text = headerText(headers['retry-after']);
	if (text === undefined) return undefined;
	const date = readDate(text);
	const serviceNow = readDate(headerText(headers.date)) ?? receivedAt;
	const wait = date === undefined ? (readCount(text) ?? 0) * 1000 : date - serviceNow;
	return wait > 0 ? receivedAt + Math.min(wait, MAX_RETRY_AFTER_MS) : undefined;
}

function readDate(text: string | undefined): number | undefined {
	const date = DateTime.fromHTTP(text ?? '');
	return date.isValid ? date.toMillis() : undefined;
}

function headerText(value: unknown): string | undefined {
	const first: unknown = Array.isArray(value) ? value[0] : value;
	return typeof first === 'string' || typeof first === 'number' ? String(first).trim() : undefined;
}
