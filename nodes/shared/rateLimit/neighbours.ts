import type { Sighting } from './serviceWindow';

/** A window begins with the first request after the last one ended, so it takes a little longer than its second. */
const CYCLE_MS = 1005;
/** So long after the end of a window each process sends the request by which it takes part in the next. */
const AFTER_MS = 2;
const SPREAD_MS = 6;
/** Who was first in a window lets others be first in the next. */
const POLITE_MS = 15;
/** So long after its answer the second in a window looks what the first has left. */
const LOOK_MS = 80;
/** An answer that takes longer, in windows, comes too late for that. */
const LATE = 0.45;
/** Who is first more often than so in a row is among strangers, who do not look what is left. */
const IN_ROW = 2;
/** After so many windows without a trace of others this process is alone. */
const MEMORY = 3;
/** From so many windows the number of others is taken, and whether answers come late. */
const COUNTED = 6;
/** After so many windows in which others were first, one looks whether they leave points unused. */
const PATIENCE = 6;
/** A refusal so early in a window comes from too many who take part, not from the one who takes the rest. */
const EARLY = 0.2;
/** In so many of all windows a process takes part at least, however many there are. */
const LEAST = 1 / 8;

/**
 * The other processes and programs that spend points of the same token, as the service's headers show them. While there
 * are any, each process sends one request at the beginning of a window, and the one whose request came first takes what
 * the others leave, but for one point: with that one the second looks what is left after all, as where the first had
 * nothing more to send, and takes it. So no window is overfull, none stays empty, and nobody needs to know how many they
 * are. Where they are more than the points, each takes part in some of the windows only, fewer if it is refused.
 */
export class Neighbours {
	/** Points that others spent in the last windows, as far as this process saw. */
	private seen: number[] = [];
	/** The same, before anybody took the rest: how many others take part. */
	private others: number[] = [];
	private end = -Infinity;
	private lastTurn = -Infinity;
	private delay = AFTER_MS;
	private chance = 1;
	private chanceSince = -Infinity;
	/** Once in a window is enough. */
	private isReduced = false;
	/** Points of the running window that are ours to take. */
	private rest = { points: 0, from: -Infinity, until: -Infinity };
	/** How many of our requests the service has counted in it once the rest is taken. */
	private expected = Infinity;
	/** This process took the rest of the window. */
	private tookRest = false;
	/** And left one point to the second. */
	private leftOne = false;
	/** When an answer came too late last. */
	private lateAt = -Infinity;
	/** In so many windows one after the other this process was first. */
	private firstInRow = 0;
	private windowsBehind = 0;
	/** Others never take the rest, though they are first: some other program. */
	private isDeputy = false;

	get areSeen(): boolean {
		return this.seen.some((points) => points > 0);
	}

	/** How long this process leaves the points to others at most. */
	get pauseMs(): number {
		return this.delay;
	}

	/** After a break nothing of this is worth much. */
	forget(): void {
		this.seen = [];
		this.others = [];
		this.isDeputy = false;
		this.chance = 1;
	}

	/** When this process may send its next request. */
	turnAt(now: number): number {
		const { points, from, until } = this.rest;
		const next = this.nextWindowAt(now);
		return points > 0 && now < until ? Math.min(next, from) : next;
	}

	/** Counts a request that is sent. */
	take(now: number): void {
		const { points, from, until } = this.rest;
		if (points > 0 && now >= from && now < until) {
			this.rest.points--;
			return;
		}
		this.lastTurn = now;
		this.plan(0);
	}

	/** Learns from an answer. `isSettled`: its request was sent when this process knew of others. */
	see(sighting: Sighting, limit: number, receivedAt: number, isSettled: boolean): void {
		const { isNew, isFirst, isRefused, foreign, mine, end, elapsed = 0 } = sighting;
		this.end = end;
		if (isNew) {
			this.seen = [...this.seen.slice(1 - MEMORY), 0];
			this.expected = Infinity;
			[this.tookRest, this.leftOne] = [false, false];
			this.isReduced = false;
		}
		this.seen[this.seen.length - 1] = foreign;
		if (isRefused) {
			if (mine === 0 && elapsed < EARLY && isSettled && !this.isReduced) this.takePartLess();
			if (mine === 0) this.plan(-AFTER_MS);
			if (mine > 0) [this.windowsBehind, this.isDeputy] = [0, false];
			return;
		}
		if (mine === 1) this.takePart(foreign);
		else if (this.tookRest) this.others[this.others.length - 1] = foreign;
		if (!this.areSeen) return;

		if (receivedAt - end + (1 - elapsed) * CYCLE_MS > LATE * CYCLE_MS) this.lateAt = receivedAt;
		const isPrompt = receivedAt - this.lateAt > COUNTED * CYCLE_MS;
		const left = this.leftOne && foreign > 0 ? 0 : limit - mine - foreign;
		const free = limit - Math.max(...this.others);
		const until = receivedAt + CYCLE_MS / 2;
		if (isFirst) this.plan(POLITE_MS);
		if (mine === 1) this.firstInRow = isFirst ? this.firstInRow + 1 : 0;
		this.windowsBehind = isFirst ? 0 : this.windowsBehind + (mine === 1 ? 1 : 0);
		if (mine === 1 && (isFirst || this.isDeputy)) {
			this.tookRest = true;
			this.leftOne = isPrompt && isFirst && this.firstInRow <= IN_ROW;
			this.expected = free - (this.leftOne ? 1 : 0);
			this.rest = { points: this.expected - 1, from: receivedAt, until };
		} else if (mine === 1 && foreign === 1 && isPrompt && free > 1) {
			this.expected = 2;
			this.rest = { points: 1, from: receivedAt + LOOK_MS, until };
		} else if (mine === this.expected && left > 0) {
			this.expected += left; // somebody who used to take part did not
			this.rest = { points: left, from: receivedAt, until };
		} else if (mine === 1 && this.windowsBehind > PATIENCE && left > 0) {
			const from = Math.max(receivedAt, end - 0.4 * CYCLE_MS);
			this.expected = 2;
			this.isDeputy = true;
			this.rest = { points: 1, from, until: from + CYCLE_MS / 2 };
		}
	}

	private nextWindowAt(now: number): number {
		if (this.lastTurn < now - 3 * CYCLE_MS && this.chance === 1) return now;
		const windows = Math.max(0, Math.floor((this.lastTurn - this.end) / CYCLE_MS) + 1);
		return this.end + windows * CYCLE_MS + this.delay;
	}

	/** Decides how long after the end of the window that is running the next turn comes. */
	private plan(laterMs: number): void {
		const skipped = this.chance < 1 ? 2 * Math.random() * (1 / this.chance - 1) + 0.5 : 0;
		this.delay = Math.floor(skipped) * CYCLE_MS + AFTER_MS + SPREAD_MS * Math.random() + laterMs;
	}

	private takePart(others: number): void {
		this.others = [...this.others.slice(1 - COUNTED), others];
		const windows = Math.min(64, Math.max(1, (this.end - this.chanceSince) / CYCLE_MS));
		this.chance = Math.min(1, this.chance * 1.03 ** windows + windows / 1000);
		this.chanceSince = this.end;
	}

	private takePartLess(): void {
		this.isReduced = true;
		this.chance = Math.max(LEAST, this.chance * 0.6);
		this.chanceSince = this.end;
		this.plan(0);
	}
}
