import { WINDOW_MS, type WindowClock } from './windowClock';

/** A window begins with the first request after the last one ended: so much later than that, where many wait for it. */
const GAP_MS = 5;
/** A process opens a window so long after the end of the last one: requests do not all travel equally fast. */
const OPEN_MS = 3;
/** Not always in the same order. */
const SPREAD_MS = 4;
/** More than requests differ in travel. Who was refused opens first, who had a point in the last window comes last. */
const RANK_MS = 6;
/** More requests follow by even steps in this part of a window: late openers have come, and it does not end yet. */
const FROM = 0.3;
const UNTIL = 0.8;
/** Who has all points sends them in this first part of a window. */
const ALONE = 0.15;
/** As long as nothing is known, at this part of the limit. */
const START = 0.5;
/** After so many responses without a trace of others this process is alone. */
const PROOF = 2;
/** What was seen of a window loses so much of the limit with each window since. */
const FADE = 0.3;
/** One more than the share is tried in one window of ten: a smaller share grows by it, a larger one does not. */
const TRY = 0.1;
/** Turns come this many windows apart once an opening was refused; and where nothing was accepted at first. */
const NEXT_BUT_ONE = 2;
const CROWDED = 4;
/** Nothing more is sent so shortly before a window ends. */
const END_MS = 20;
/** The most requests without a response that are kept: some never get one. */
const MAX_SENT = 1000;

/** The requests that this process sends in one window. */
interface Plan {
	window: number;
	begin: number;
	/** From its beginning until the first request. */
	opening: number;
	size: number;
	sent: number;
	/** The last one is more than the share, and goes late: so it sees what all others have used. */
	hasLate: boolean;
}

interface Sent {
	at: number;
	plan: Plan;
	/** Which one of the plan, from 1 on. */
	place: number;
}

/** What a response shows of a window. */
export interface Sighting {
	limit: number;
	/** Points used in the window, the request's own included; all of them, if it was refused. */
	used: number;
	isRefused: boolean;
	/** When the window ends, by the service's clock. */
	reset: number;
	sentAt: number;
	receivedAt: number;
}

/**
 * The share of this process in the points of a token that others may use, too, as the service's responses show it. The
 * rule, and where its constants come from: docs/scaling.md.
 */
export class Share {
	private limit = 1;
	/** Nothing is known yet. */
	private isStarting = true;
	private hasOthers = false;
	private proof = PROOF;
	private responses = 0;
	private accepted = 0;
	private pausedUntil = -Infinity;
	/** The share: requests in each window. */
	private count = 1;
	/** Windows from one turn to the next, where there are more processes than points. */
	private interval = 1;
	/** The most points that were seen used; fades. */
	private seen = 0;
	private plan: Plan = {
		window: 0,
		begin: -Infinity,
		opening: 0,
		size: 0,
		sent: 0,
		hasLate: false,
	};
	/** When the next window begins. */
	private next = -Infinity;
	/** Requests that may follow at once: nobody else takes these points. */
	private rest = 0;
	/** The window of the next turn. */
	private due = 0;
	/** The last turn was refused: this process comes first in the next window. */
	private mustRepeat = false;
	private lastAccepted = 0;
	/** What was seen of windows until this one says nothing of the share that was reduced then. */
	private reducedIn = 0;
	private lastSentAt = -Infinity;
	private readonly sent: Sent[] = [];

	constructor(
		private readonly clock: WindowClock,
		private readonly random: () => number,
	) {}

	/** Whether somebody says that this process is the only one. */
	set isSaidToBeAlone(isAlone: boolean) {
		this.proof = isAlone ? 1 : PROOF;
	}

	/** When the next request may be sent. */
	nextAt(now: number, limit: number): number {
		this.limit = limit;
		if (this.isStarting) {
			return Math.max(this.pausedUntil, this.lastSentAt + WINDOW_MS / (START * limit));
		}
		while (now >= this.next) this.beginWindow(now);
		if (this.rest > 0 && now < this.next - END_MS) return now;
		const { plan } = this;
		const slot = plan.begin + plan.opening + WINDOW_MS * this.step(plan.sent);
		return plan.sent < plan.size && slot < this.next ? slot : this.next;
	}

	/** Counts a request that is sent. */
	take(now: number): void {
		const { plan } = this;
		plan.sent++;
		if (this.rest > 0) this.rest--;
		this.sent.push({ at: now, plan, place: plan.sent });
		if (this.sent.length > MAX_SENT) this.sent.shift();
		this.lastSentAt = now;
	}

	/** Learns from a response, after the clock has. */
	learn(sighting: Sighting): void {
		const { limit, isRefused, used, reset, sentAt, receivedAt } = sighting;
		this.limit = limit;
		this.count = Math.min(this.count, limit);
		const request = this.takeOut(sentAt);
		const end = this.clock.endOf(reset);
		if (this.isStarting) {
			const opening = end + OPEN_MS + SPREAD_MS * this.random();
			if (isRefused) this.pausedUntil = Math.max(this.pausedUntil, opening);
			this.start(sighting, request?.place ?? 1);
			return;
		}
		this.align(receivedAt);
		if (!request || request.plan.begin === -Infinity) return;
		const { plan, place } = request;
		const isRunning = plan === this.plan && end > receivedAt + END_MS;
		if (isRefused && isRunning) [plan.size, this.rest] = [plan.sent, 0];
		const isMeant = Math.abs(end - WINDOW_MS - plan.begin) < WINDOW_MS / 2;
		if (isMeant) {
			this.seen = Math.max(this.seen, used);
			if (this.interval > 1) this.adjust(plan, isRefused);
			else if (isRefused) this.reduce(request);
			else if (plan.window > this.reducedIn) this.raise(request, used, isRunning);
		} else if (isRefused && place === 1) {
			// It came too early, and was counted in the window before.
			if (this.interval > 1) this.mustRepeat = true;
			else if (plan === this.plan && !isRunning) plan.size = Math.min(limit, plan.size + 1);
		}
		if (!isRefused) this.lastAccepted = Math.max(this.lastAccepted, plan.window);
	}

	/** After a long silence nothing of it is worth much. */
	forget(): void {
		[this.isStarting, this.hasOthers, this.pausedUntil] = [true, false, -Infinity];
		[this.responses, this.accepted, this.rest] = [0, 0, 0];
		this.plan = { ...this.plan, begin: -Infinity, size: 0, sent: 0 };
	}

	/** Until it is known that nobody else is there, or where the windows begin. */
	private start({ limit, used, isRefused, receivedAt }: Sighting, place: number): void {
		this.responses++;
		if (!isRefused) this.accepted++;
		this.hasOthers ||= isRefused || used > place;
		if (!this.clock.isKnown || (!this.hasOthers && this.responses < this.proof)) return;
		this.isStarting = false;
		this.count = this.hasOthers ? Math.min(limit, Math.max(1, this.accepted)) : limit;
		this.interval = this.accepted === 0 ? CROWDED : 1;
		this.seen = isRefused ? limit : used;
		this.align(receivedAt);
		const window = this.plan.window + 1;
		[this.lastAccepted, this.due] = [window, window + 1];
		const begin = this.next - WINDOW_MS;
		const { sent } = this.plan;
		const size = this.hasOthers ? 0 : limit;
		this.plan = { window, begin, opening: 0, size, sent, hasLate: false };
	}

	/** The next window begins when the one that is running ends. */
	private align(now: number): void {
		const cycle = WINDOW_MS + GAP_MS;
		const from = Math.max(this.plan.begin + WINDOW_MS / 2, now - WINDOW_MS);
		const { end } = this.clock;
		this.next = end + cycle * Math.max(0, Math.ceil((from - end) / cycle));
	}

	private beginWindow(now: number): void {
		const window = this.plan.window + 1;
		const begin = now - this.next > 2 * WINDOW_MS ? now : this.next;
		this.next = begin + WINDOW_MS + GAP_MS;
		this.rest = 0;
		const isRepeated = this.mustRepeat;
		const isSole = this.count === 1 && !isRepeated;
		const rank = isSole ? (window - this.lastAccepted > 1 ? 1 : 2) : 0;
		const opening = OPEN_MS + SPREAD_MS * this.random() + RANK_MS * rank;
		let hasLate = false;
		let size = this.count;
		if (this.interval > 1) {
			size = isRepeated || window >= this.due ? 1 : 0;
			const turn = isRepeated || window - this.due >= 1 ? window : this.due;
			if (size > 0) this.due = turn + this.interval;
		} else {
			if (this.count < this.limit) {
				hasLate = this.random() < this.unseen() ** 2;
				if (hasLate || this.random() < TRY) size++;
			}
			this.seen -= FADE * this.limit;
			this.due = window + 1;
		}
		if (size > 0) this.mustRepeat = false;
		this.plan = { window, begin, opening, size, sent: 0, hasLate };
	}

	/** The part of the limit that was not seen used: from 0 to 1. */
	private unseen(): number {
		return Math.max(0, 1 - this.seen / this.limit);
	}

	/** When the request is sent that so many precede, in windows from the opening on. */
	private step(index: number): number {
		const { limit, plan } = this;
		if (index === 0) return 0;
		if (this.count >= limit) return (ALONE * index) / limit;
		if (plan.hasLate && index === plan.size - 1) return UNTIL;
		return FROM + ((UNTIL - FROM) * (index - 1)) / (limit - 1);
	}

	/** More requests than points: takes what it got. */
	private reduce({ place }: Sent): void {
		if (place === 1) {
			[this.count, this.interval] = [1, NEXT_BUT_ONE];
			this.due = this.plan.window + 1;
			this.mustRepeat = true;
		} else if (place <= this.count) {
			this.count = place - 1;
			this.reducedIn = this.plan.window;
		}
	}

	/** The last request of a window shows how many points the others leave. */
	private raise({ plan, place }: Sent, used: number, isRunning: boolean): void {
		const { limit } = this;
		if (plan.hasLate && place === plan.size) {
			this.count = Math.min(limit, Math.max(this.count, place + limit - used));
		} else if (place > 1 && place >= plan.size - (plan.hasLate ? 1 : 0)) {
			// By the same steps each other process has sent about as many: so this is the number of processes.
			const processes = Math.max(1, (used - 1) / (place - 1));
			const fair = Math.floor(limit / processes);
			if (isRunning && fair > place) {
				this.rest = fair - place;
				[plan.size, plan.hasLate] = [plan.sent + this.rest, false];
			}
			this.count = Math.max(this.count, place, fair);
		}
	}

	/** More processes than points: a turn comes after as many windows as it took the last times. */
	private adjust({ window }: Plan, isRefused: boolean): void {
		if (isRefused) {
			this.mustRepeat = true;
			return;
		}
		const mean = (this.interval + window - this.lastAccepted) / 2;
		this.interval = Math.max(1, mean * (1 - this.unseen() ** 5));
		this.seen -= FADE * this.limit;
	}

	/** The request that was sent then, or just before. */
	private takeOut(sentAt: number): Sent | undefined {
		let index = this.sent.length - 1;
		while (index >= 0 && this.sent[index].at > sentAt) index--;
		return index < 0 ? undefined : this.sent.splice(index, 1)[0];
	}
}
