import { readLimits, type Answer } from './limitHeaders';

/** What the headers of an answer tell of the window in which the service counted the request. */
export interface Sighting {
	/** Whether it is another window than that of the answer before. */
	isNew: boolean;
	/** Whether the window began with this request. */
	isFirst: boolean;
	isRefused: boolean;
	/** When the window ends: from when on a request that is sent arrives in the next one; by our clock. */
	end: number;
	/** How much of it was over when the request arrived, from 0 to 1; undefined if the clocks do not tell. */
	elapsed: number | undefined;
	/** Points spent in it until then by the answered requests of this process. */
	mine: number;
	/** Points spent in it by others, as far as that is sure: answers come in any order. */
	foreign: number;
}

/** The most requests without an answer that are kept: some never get one. */
const MAX_SENT = 2_000;
/** A request that is sent so long before a window begins may be counted in it: they travel at different speeds. */
const TRAVEL_MS = 20;

/** The service's window of one second, as the headers of its answers tell it (§8.4). */
export class ServiceWindow {
	private reset = -Infinity;
	private resetSeenAt = -Infinity;
	private lastSentAt = -Infinity;
	/** When the requests were sent whose answers are still to come. */
	private sent: number[] = [];
	/** The last of those that are known to be counted in an earlier window was sent then. */
	private lastBefore = -Infinity;
	private used = 0;
	/** When the request was sent that told so. */
	private usedAt = -Infinity;
	private mine = 0;
	private foreign = 0;
	/** The service's clock minus ours, plus the time that the fastest request travels; unknown at first. */
	private offset: number | undefined;
	/** Between these it is. */
	private least = -Infinity;
	private most = Infinity;

	constructor(private readonly windowMs: number) {}

	/** Counts a request that is sent. */
	send(now: number): void {
		this.sent.push(now);
		if (this.sent.length > MAX_SENT) this.sent.shift();
	}

	/** Learns from an answer; undefined if its headers do not tell of a window, or of one that is long over. */
	see(answer: Answer, limit: number): Sighting | undefined {
		const { reset, remaining } = readLimits(answer);
		const { sentAt, receivedAt } = answer;
		const isRefused = answer.status === 429;
		if (reset === undefined || (remaining === undefined && !isRefused)) return undefined;
		const sinceLast = reset - this.reset;
		// Some services tell the reset anew with each answer; only what is far off is another window.
		const isNew = Math.abs(sinceLast) > this.windowMs / 2;
		this.answered(sentAt);
		if (isNew && sinceLast < 0 && sentAt <= this.lastSentAt) {
			this.lastBefore = Math.max(this.lastBefore, sentAt);
			return undefined;
		}
		if (isNew) this.resetSeenAt = receivedAt;
		if (sentAt > this.resetSeenAt + this.windowMs) return undefined; // it stands still
		if (isNew) this.begin(reset);
		this.lastSentAt = Math.max(this.lastSentAt, sentAt);
		if (!isRefused) this.mine++;
		const used = isRefused ? limit : limit - (remaining ?? limit);
		if (used > this.used) [this.used, this.usedAt] = [used, sentAt];
		const isFirst = !isRefused && remaining === limit - 1;
		const place = this.locate(answer, reset, isFirst, sinceLast);
		const others = this.used - this.mine - this.onTheirWay(place);
		this.foreign = Math.min(limit, Math.max(this.foreign, others));
		const { mine, foreign } = this;
		return { isNew, isFirst, isRefused, mine, foreign, ...place };
	}

	private begin(reset: number): void {
		this.reset = reset;
		this.lastBefore = Math.max(this.lastBefore, this.lastSentAt);
		[this.used, this.mine, this.foreign] = [0, 0, 0];
	}

	/** Takes the request that was sent then from those whose answers are still to come. */
	private answered(sentAt: number): void {
		let index = this.sent.length - 1;
		while (index >= 0 && this.sent[index] > sentAt) index--;
		if (index >= 0) this.sent.splice(index, 1);
	}

	/** How many requests without an answer the window may have counted before the one that told the most. */
	private onTheirWay({ end, elapsed }: Pick<Sighting, 'end' | 'elapsed'>): number {
		const since = elapsed === undefined ? -Infinity : end - this.windowMs - TRAVEL_MS;
		return this.sent.filter(
			(at) => at > this.lastBefore && at >= since && at <= this.usedAt + TRAVEL_MS,
		).length;
	}

	/**
	 * The header is by the service's clock, which may differ from ours by any amount. The request that began a window
	 * tells the difference, for it arrived a window before the reset; except where it had to open a connection first, as
	 * after a break. Every other one bounds it, for it arrived within the window; as long as that is all, the clocks are
	 * taken to agree if that can be, and else any difference that can be, so that the next answer tells more.
	 */
	private locate(
		{ sentAt, receivedAt }: Answer,
		reset: number,
		isFirst: boolean,
		sinceLast: number,
	) {
		const { windowMs } = this;
		const [earliest, latest] = [reset - windowMs - sentAt, reset - sentAt];
		this.least = Math.max(this.least - 1, earliest);
		this.most = Math.min(this.most + 1, latest);
		if (this.least > this.most)
			[this.least, this.most, this.offset] = [earliest, latest, undefined]; // a clock was set
		const isAfterBreak = sinceLast <= windowMs / 2 || sinceLast >= windowMs * 2;
		const mayAgree = this.least <= receivedAt - sentAt && this.most >= 0;
		if (isFirst && (!isAfterBreak || (this.offset === undefined && !mayAgree))) {
			// The smallest counts, but is forgotten by and by, for clocks drift.
			this.offset = Math.min(earliest, (this.offset ?? earliest) + 1);
		}
		const { least, most } = this;
		const known = this.offset ?? (mayAgree ? 0 : undefined);
		const offset = known ?? least + (most - least) * Math.random();
		const end = Math.min(reset - offset, receivedAt + windowMs);
		const elapsed = 1 - (reset - offset - sentAt) / windowMs;
		const isPrecise = known !== undefined || most - least < windowMs / 3;
		return { end, elapsed: isPrecise ? Math.max(0, Math.min(1, elapsed)) : undefined };
	}
}
