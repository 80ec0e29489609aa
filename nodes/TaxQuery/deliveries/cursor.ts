import { LAST, nothingSaved, type CutOff, type SavedCursor } from './memory/saved';
import { isUndated, Unsure } from './memory/unsure';
import { byAge, isPending, isVague, type Place, type Result } from './result';
import { queryIdOf } from '../queries';
import { BoundedMap } from '../../shared/utils/boundedMap';

/** How much later than others a result may appear in the list … */
const LAG_MS = 15 * 60_000;
/** … or behind how many, whatever their dates are: a service's clock may be set back, or know days only. */
const LAG_RESULTS = 500;
/** Results behind the cursor and pending queries that are saved; together under 100 kB. */
const MAX_SAVED = 1_000;
const MAX_STARTED = 500;
/** Of the IDs of pending queries, and of those that were started, if they are long. */
const MAX_LETTERS = 35_000;
const LETTERS_BESIDE_ID = 50;
/** The same kept in this process, where a service gives its rows no dates. */
const MAX_KNOWN = 50_000;

/** The letters of a deliveryId that are saved. */
const short = ({ deliveryId }: Place) => deliveryId.slice(0, 12);

/**
 * Up to where results have settled: started, known to have been started, or not asked for. Everything up to its place
 * has; behind it, what is remembered one by one.
 */
export class Cursor {
	/** Always up to date, and the same object: n8n writes it when it saves static data. */
	readonly saved: SavedCursor;
	private readonly settled = new BoundedMap<string, number>(MAX_KNOWN);
	private pending: Set<string>;
	/** Queries that have settled, whatever their dates are; and whether there can be no others. */
	private readonly met = new BoundedMap<string, true>(MAX_KNOWN);
	private areAllMet = false;
	unsure = new Unsure();
	/** All that has settled behind the place is known one by one. */
	private isComplete: boolean;
	/** The saved place, or one before it: this process remembers more results one by one than it saves. */
	private place: Place;
	/** Emitted, and not settled yet. */
	private readonly inFlight = new Map<string, Result>();
	/** Started by the process before this one, and not known to have ended: until started again, or `end` is called. */
	readonly cutOff: Map<string, CutOff>;

	/** `ended` is a result whose execution has ended since the rest was saved. */
	constructor(saved: Partial<SavedCursor> = {}, ended = '') {
		this.saved = { ...nothingSaved(), ...saved };
		this.place = { updatedAt: this.saved.updatedAt, deliveryId: this.saved.deliveryId };
		for (const [id, time] of Object.entries(this.saved.settled)) this.settled.set(id, time);
		this.isComplete = this.saved.startedFrom === '';
		this.pending = new Set(this.saved.pending);
		if (this.saved.unsaved > 0) this.saved.readWholeAt = 0;
		delete this.saved.started[ended];
		this.cutOff = new Map(Object.entries(this.saved.started));
	}

	/**
	 * Begins with what is listed: what is not later than a moment is old, or all of it without one. It is known one by
	 * one, so that neither clocks nor equal dates hide what comes. What a row does not tell, its record will (`isOld`).
	 */
	begin(startAt: number | undefined, listed: Result[], from: string, isAll = false): void {
		this.place = { updatedAt: 0, deliveryId: LAST };
		Object.assign(this.saved, this.place, { startedFrom: from, beganAt: Date.now() });
		this.pending = new Set();
		this.isComplete = true;
		this.areAllMet = isAll;
		const isOld = (one: Result) =>
			!startAt || (one.updatedAt === undefined ? isUndated(one) : one.updatedAt <= startAt);
		const old = listed.filter(isOld);
		this.settle([...old].sort(byAge));
		this.unsure = new Unsure(old, startAt);
		this.advance(listed, [], false);
	}

	/** Takes in what was read of such a row: whether it is old. If not, it is awaited. */
	isOld(row: Result, read: Result): boolean {
		if (this.unsure.rankOf(row) === 0) return false;
		if (this.unsure.isOld(row, read)) return true;
		this.unsure.delete(queryIdOf(row.record) ?? '');
		this.settled.delete(short(row));
		this.awaitQuery(queryIdOf(row.record));
		return false;
	}

	/** Whether it was settled or is on its way; any result, also one that is not listed. */
	has(result: Place): boolean {
		return this.settled.has(short(result)) || this.inFlight.has(result.deliveryId);
	}

	/** IDs of queries with a result on its way, maybe under another date than in the list. */
	get onTheirWay() {
		return new Set([...this.inFlight.values()].map(({ record }) => queryIdOf(record)));
	}

	/** Whether a listed result has come since. */
	isNew(result: Result): boolean {
		if (this.unsure.rankOf(result) > 0) return true;
		if (this.has(result)) return false;
		if (result.updatedAt === undefined || byAge(result, this.place) > 0) return true;
		const id = queryIdOf(result.record);
		const isUnmet = this.areAllMet && this.met.size < MAX_KNOWN && !this.met.has(id ?? '');
		return !isPending(result) && (this.isPendingQuery(id) || (isUnmet && id !== undefined));
	}

	/** A delivery names it: it is new whatever its place is, unless it has settled. */
	awaitDelivered(result: Result): void {
		const id = queryIdOf(result.record) ?? '';
		if (!isPending(result) && !this.has(result) && !this.met.has(id)) this.awaitQuery(id);
	}

	/** Whether a listed result tells anything new: not so a query that is known to be pending, and still is. */
	isNews(result: Result): boolean {
		const isAwaited = isPending(result) && this.isPendingQuery(queryIdOf(result.record));
		return this.isNew(result) && !isAwaited;
	}

	isPendingQuery(id: string | undefined): boolean {
		return id !== undefined && this.pending.has(id);
	}

	/** Queries by which the service shows that it is the same. */
	get landmarks(): string[] {
		return [this.saved.landmark ?? '', ...this.pendingQueries.slice(-1)].filter(Boolean);
	}

	/** Queries without a result, the latest last. */
	get pendingQueries(): string[] {
		return [...this.pending];
	}

	/** Its result is taken whatever its place is, and read by its ID where the list does not show it. */
	awaitQuery(id: string | undefined): void {
		if (id !== undefined) this.pending.add(id);
	}

	/** It was looked at in vain: the others first; or it is not awaited any more. */
	deferPending(id: string, isAwaited = true): void {
		if (this.pending.delete(id) && isAwaited) this.pending.add(id);
	}

	/** It is about to be emitted; `times` counts the starts of the same result. */
	start(result: Result, times: number): void {
		this.inFlight.set(result.deliveryId, result);
		this.cutOff.delete(result.deliveryId);
		const { started } = this.saved;
		const id = queryIdOf(result.record) ?? '';
		started[result.deliveryId] = [id, times];
		const most = Math.min(MAX_STARTED, MAX_LETTERS / (id.length + LETTERS_BESIDE_ID));
		for (const oldest of Object.keys(started).slice(0, -Math.ceil(most))) delete started[oldest];
	}

	/** Nothing came of it: it is new again, though the first page may hold newer ones by now, or cut off as before. */
	giveBack({ deliveryId, record }: Result, before?: CutOff): void {
		this.inFlight.delete(deliveryId);
		delete this.saved.started[deliveryId];
		if (before) this.cutOff.set(deliveryId, (this.saved.started[deliveryId] = before));
		else this.awaitQuery(queryIdOf(record));
	}

	/** Its execution has ended, or had been started before. */
	end({ deliveryId }: Place): void {
		this.cutOff.delete(deliveryId);
		delete this.saved.started[deliveryId];
	}

	settle(...results: Array<Result | Result[]>): void {
		for (const result of results.flat()) {
			this.inFlight.delete(result.deliveryId);
			this.settled.set(short(result), result.updatedAt ?? 0);
			// before the place it is forgotten at once
			const id = queryIdOf(result.record) ?? '';
			if (!isPending(result)) this.pending.delete(id);
			this.unsure.delete(id);
			this.met.set(id, true);
			this.saved.landmark = id || this.saved.landmark;
		}
		this.write();
	}

	/**
	 * After a restart: what has settled without being saved, because a list has no dates or many equal ones, is known
	 * again one by one from a list that was read to its end. Returns how many may be new and are taken for old.
	 */
	recognize(listed: Result[], isAll: boolean): number {
		if (this.isComplete) return 0;
		this.isComplete = true;
		const { updatedAt } = this.place;
		const known = listed.filter((one) => one.updatedAt === updatedAt && !this.isNew(one));
		const undated = listed.filter(isUndated);
		const old = this.saved.undated > MAX_SAVED ? undated.filter((one) => this.isNews(one)) : [];
		this.place = { updatedAt, deliveryId: '' };
		for (const one of listed) if (!this.isNew(one)) this.met.set(queryIdOf(one.record) ?? '', true);
		this.areAllMet = isAll;
		this.settle(known, old);
		return old.length;
	}

	/** Takes in a look: which queries have no result yet, and up to where all has settled but what is `left`. */
	advance(listed: Result[], left: Place[], isWhole: boolean): void {
		if (isWhole) this.saved.readWholeAt = Date.now();
		this.notePending(listed);
		this.pending = new Set([...this.pending].slice(-MAX_KNOWN));
		const [firstLeft] = [...left, ...this.inFlight.values()].sort(byAge);
		const settled = [...this.settled]
			.map(([deliveryId, updatedAt]) => ({ deliveryId, updatedAt }))
			.filter((one) => one.updatedAt > 0 && (!firstLeft || byAge(one, firstLeft) < 0))
			.sort(byAge);
		const until = (settled.at(-1)?.updatedAt ?? 0) - LAG_MS;
		const late = settled.filter(({ updatedAt }) => updatedAt > until).length;
		const reached = settled.at(-1 - Math.max(late, LAG_RESULTS));
		if (reached) this.place = reached;
		const small = settled.at(-1 - LAG_RESULTS) ?? this.place;
		if (byAge(small, this.saved) > 0) Object.assign(this.saved, small);
		this.write();
	}

	private notePending(listed: Result[]): void {
		for (const result of [...listed].sort(byAge)) {
			const id = queryIdOf(result.record);
			if (id === undefined) continue;
			const isSettled = this.settled.has(short(result));
			if (isSettled) this.pending.delete(id);
			// a row that says nothing is pending only until it was read by its ID
			const isPast = isSettled || byAge(result, this.place) <= 0;
			if (!isPending(result) || (isVague(result) && (isPast || this.pending.has(id)))) continue;
			this.pending.delete(id);
			this.pending.add(id); // the latest last
		}
	}

	/** Puts into `saved` what is remembered one by one, and forgets what lies before the place. */
	private write(): void {
		const { updatedAt: from = 0 } = this.place;
		for (const [id, time] of this.settled) {
			if (time > 0 && time < from) this.settled.delete(id);
		}
		const all = [...this.settled];
		const undated = all.filter(([, time]) => time === 0);
		const dated = all.filter(([, time]) => time > 0 && time >= this.saved.updatedAt);
		this.saved.settled = Object.fromEntries([...undated, ...dated].slice(-MAX_SAVED));
		this.saved.undated = undated.length;
		let letters = 0;
		this.saved.pending = [...this.pending]
			.slice(-MAX_SAVED)
			.reverse()
			.filter((id) => (letters += id.length) <= MAX_LETTERS)
			.reverse();
		this.saved.unsaved = this.pending.size - this.saved.pending.length;
	}
}
