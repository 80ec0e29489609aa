import { randomBytes } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { getProcessState } from '../../shared/processStateByScope';
import {
	hasStatusMark,
	uniteMarksOfOneQuery,
	hashQueryId,
	toStatusMark,
	parseSettledMarks,
	serializeSettledMarks,
	type SettledMarksOfOneQuery,
	type SettledMarksByQueryKey,
} from './settledStatusMarks';
import {
	emptyLedgerStateBesideQueries,
	isNumber,
	isIdWithStartCount,
	isText,
	parseMap,
	readLedgerStateBesideQueries,
	type LedgerStateBesideQueries,
	type SavedLedger,
} from './savedLedgerFormat';
import {
	ResultsToRestartAfterCrash,
	type QueryIdWithStartCount,
} from './resultsToRestartAfterCrash';

/** This process, in the ledgers that it writes. */
const newProcessId = () => ({ id: randomBytes(9).toString('base64url') });
const processId = (): string => getProcessState().shared(newProcessId).id;

export const MAX_SEEN = 1_000;
/** `seen` is trimmed once it is this much too long. */
const TRIM_SLACK = 100;
const MAX_LATE = 1_000;
export const MAX_PENDING = 25_000;
const MAX_PENDING_IDS = 1_000;
const MAX_PENDING_LETTERS = 24_000;
const MAX_FAILED_STARTS = 1_000;

export interface QueryStatus {
	queryId: string;
	status: string;
}

/** Pending queries that are no longer followed. */
export interface UntrackedPendingQueries {
	/** IDs that are no longer read by ID: such a query starts if it is listed or named by a webhook call. */
	unread: string[];
	/** The number of queries that the ledger no longer has at all. */
	forgotten: number;
}

/**
 * Remembers which queries a trigger has seen, which of their statuses have settled, and which are pending. Only polls
 * add to `seen`. Results of webhook calls settle in `late`, so that they never move the place where polls stop.
 */
export class Ledger {
	readonly state: LedgerStateBesideQueries;
	/** Started by an earlier process and not known to have ended, until it is started again or `end` is called. */
	readonly interrupted: Map<string, QueryIdWithStartCount>;
	/** The process that had written it before. */
	readonly savedBy: string | undefined;
	/**
	 * Stands for the ledger in static data. n8n writes those as JSON: so each time the ledger is written as it is then.
	 */
	readonly saved = {
		toJSON: (): SavedLedger => {
			this.#hasChangedEnds = false;
			return this.#write();
		},
	};
	#seen: SettledMarksByQueryKey;
	readonly #late: SettledMarksByQueryKey;
	readonly #pending: SettledMarksByQueryKey;
	/** IDs of pending queries in the order of their turns, and their total number of letters. */
	readonly #ids: Set<string>;
	#letters: number;
	readonly #started: ResultsToRestartAfterCrash;
	readonly #failures: Map<string, number>;
	#hasChangedEnds = false;

	/** `process`: the process that knows it. */
	constructor(
		before: Partial<SavedLedger> | IDataObject = {},
		readonly process = processId(),
	) {
		const saved = JSON.parse(JSON.stringify(before)) as Partial<SavedLedger>;
		const { savedBy, pendingIds, started, failedStarts } = saved;
		this.savedBy = savedBy;
		this.state = readLedgerStateBesideQueries(saved);
		this.#seen = parseSettledMarks(saved.seen);
		this.#late = parseSettledMarks(saved.late);
		this.#pending = parseSettledMarks(saved.pending);
		this.#ids = new Set([pendingIds].flat().filter(isText));
		this.#letters = [...this.#ids].reduce((sum, id) => sum + id.length, 0);
		this.interrupted = parseMap(started, isIdWithStartCount);
		this.#started = new ResultsToRestartAfterCrash(this.interrupted);
		this.#failures = parseMap(failedStarts, isNumber);
	}

	/** Returns whether an execution has ended since the ledger was written. */
	hasUnsavedEnds(): boolean {
		return this.#hasChangedEnds;
	}

	isEmpty(): boolean {
		return this.#seen.size === 0;
	}

	isSeen(queryId: string): boolean {
		return this.#seen.has(hashQueryId(queryId));
	}

	/** Keys of the listed queries, the oldest first. */
	seenKeys(): string[] {
		return [...this.#seen.keys()];
	}

	/** Returns whether a query's result in this status came through before, or is not wanted. */
	isSettled({ queryId, status }: QueryStatus): boolean {
		return hasStatusMark(this.#getMarks(hashQueryId(queryId)), toStatusMark(status));
	}

	/** Returns whether any status of a query has settled. */
	hasSettled(queryId: string): boolean {
		return this.#getMarks(hashQueryId(queryId)) !== '';
	}

	isPending(queryId: string): boolean {
		return this.#pending.has(hashQueryId(queryId));
	}

	pendingCount(): number {
		return this.#pending.size;
	}

	/** Returns the IDs of pending queries, in the order of their turns. */
	pendingIds(): string[] {
		return [...this.#ids];
	}

	/** Adds a listed query. Only polls call it, from the oldest query on. */
	take(queryId: string, createdAt = 0): void {
		const key = hashQueryId(queryId);
		this.#seen.set(key, this.#late.get(key) ?? '');
		this.#late.delete(key);
		this.state.newest = Math.max(this.state.newest, createdAt);
	}

	/**
	 * Forgets the oldest surplus entries of `seen`, except pending ones. `listed` holds the IDs of a poll, newest
	 * first.
	 */
	trim(listed: string[]): void {
		const [seen, pending] = [this.#seen, this.#pending];
		if (seen.size <= MAX_SEEN + TRIM_SLACK) return;
		const recent = new Set(listed.map(hashQueryId).reverse());
		const inOrder = [
			...[...seen.keys()].filter((key) => !recent.has(key)),
			...[...recent].filter((key) => seen.has(key)),
		];
		const left = inOrder.splice(-MAX_SEEN);
		for (const key of inOrder) {
			const marks = pending.get(key);
			if (marks !== undefined)
				pending.set(key, uniteMarksOfOneQuery(marks, seen.get(key) as SettledMarksOfOneQuery));
		}
		this.#seen = new Map(left.map((key) => [key, seen.get(key) as SettledMarksOfOneQuery]));
		this.state.isComplete = false;
	}

	/**
	 * Settles this status: its result came through, or is not wanted. The query stays pending if `isStillPending`.
	 */
	settle({ queryId, status }: QueryStatus, isStillPending = false): void {
		const key = hashQueryId(queryId);
		const mark = toStatusMark(status);
		if (!isStillPending) this.drop(queryId);
		const where = [this.#seen, this.#pending].find((queries) => queries.has(key));
		if (where) where.set(key, uniteMarksOfOneQuery(where.get(key) as SettledMarksOfOneQuery, mark));
		else this.#addLate(key, mark);
	}

	/** Makes queries pending, last in turn. Returns those that are too many to follow. */
	addPending(queryIds: string[]): UntrackedPendingQueries {
		const [pending, seen, late, ids] = [this.#pending, this.#seen, this.#late, this.#ids];
		for (const id of queryIds) {
			const key = hashQueryId(id);
			if (!pending.has(key)) {
				pending.set(key, seen.has(key) ? '' : (late.get(key) ?? ''));
				if (!seen.has(key)) late.delete(key);
			}
			this.#forgetId(id);
			ids.add(id);
			this.#letters += id.length;
		}
		const unread: string[] = [];
		for (const id of ids) {
			if (ids.size <= MAX_PENDING_IDS && this.#letters <= MAX_PENDING_LETTERS) break;
			this.#forgetId(id);
			unread.push(id);
		}
		const forgotten = Math.max(0, pending.size - MAX_PENDING);
		if (forgotten > 0) dropFirst(pending, MAX_PENDING);
		return { unread, forgotten };
	}

	/** Drops a query that has settled or that the service refuses. Its marks move to where it is known. */
	drop(queryId: string): void {
		const key = hashQueryId(queryId);
		const marks = this.#pending.get(key);
		this.#forgetId(queryId);
		if (marks === undefined) return;
		this.#pending.delete(key);
		if (marks === '') return;
		const listed = this.#seen.get(key);
		if (listed === undefined) this.#addLate(key, marks);
		else this.#seen.set(key, uniteMarksOfOneQuery(listed, marks));
	}

	startedCount(): number {
		return this.#started.size;
	}

	/** Returns how many more results may be started and still be remembered. */
	remainingStarts(): number {
		return this.#started.remaining();
	}

	/** Returns whether a result can be remembered as started. */
	canStart(deliveryId: string, queryId: string): boolean {
		return this.#started.canAdd(deliveryId, queryId);
	}

	/** Notes that a result is about to be emitted; `times` counts its starts. */
	start(deliveryId: string, queryId: string, times: number): void {
		this.interrupted.delete(deliveryId);
		this.#started.set(deliveryId, [queryId, times]);
	}

	/** Returns how often n8n failed to start a result that has not been started since. */
	failedStarts(deliveryId: string): number {
		return this.#failures.get(deliveryId) ?? 0;
	}

	/** Undoes a start that failed: only the number of failures changes. */
	undoStart(deliveryId: string, known?: QueryIdWithStartCount): void {
		const failures = this.failedStarts(deliveryId) + 1;
		this.end(deliveryId);
		this.#failures.set(deliveryId, failures);
		dropFirst(this.#failures, MAX_FAILED_STARTS);
		if (!known) return;
		this.#started.set(deliveryId, known);
		this.interrupted.set(deliveryId, known);
	}

	/** Its execution has ended, or had been started before. */
	end(deliveryId: string): void {
		this.interrupted.delete(deliveryId);
		this.#failures.delete(deliveryId);
		if (this.#started.delete(deliveryId)) this.#hasChangedEnds = true;
	}

	/** Takes over which statuses came through by what this process knew before another one wrote the ledger. */
	adoptSettled(others: Iterable<[key: string, marks: SettledMarksOfOneQuery]>): void {
		const [seen, pending, late] = [this.#seen, this.#pending, this.#late];
		const unknown: SettledMarksByQueryKey = new Map();
		for (const [key, more] of others) {
			const where = [seen, pending, late].find((queries) => queries.has(key)) ?? unknown;
			if (more !== '') where.set(key, uniteMarksOfOneQuery(where.get(key) ?? '', more));
		}
		const newer = [...late];
		late.clear();
		for (const [key, marks] of [...unknown, ...newer]) late.set(key, marks);
		dropFirst(late, MAX_LATE);
	}

	/** Returns the marks of all known queries. */
	settledMarks(): Array<[key: string, marks: SettledMarksOfOneQuery]> {
		return [...this.#late, ...this.#pending, ...this.#seen];
	}

	/** Forgets which queries were listed and which are pending. Settled statuses stay known. */
	begin(startedFrom: string): void {
		for (const queries of [this.#pending, this.#seen])
			for (const [key, marks] of queries) if (marks !== '') this.#addLate(key, marks);
		this.#seen = new Map();
		this.#pending.clear();
		this.#ids.clear();
		this.#letters = 0;
		const { runsElsewhere } = this.state;
		Object.assign(this.state, emptyLedgerStateBesideQueries(), { startedFrom, runsElsewhere });
	}

	#write(): SavedLedger {
		return {
			seen: serializeSettledMarks(this.#seen),
			late: serializeSettledMarks(this.#late),
			pending: serializeSettledMarks(this.#pending),
			pendingIds: [...this.#ids],
			started: this.#started.toObject(),
			failedStarts: Object.fromEntries(this.#failures),
			...this.state,
			savedBy: this.process,
		};
	}

	#getMarks(key: string): SettledMarksOfOneQuery {
		return (
			(this.#seen.get(key) ?? '') + (this.#pending.get(key) ?? '') + (this.#late.get(key) ?? '')
		);
	}

	#forgetId(queryId: string): void {
		if (this.#ids.delete(queryId)) this.#letters -= queryId.length;
	}

	#addLate(key: string, marks: SettledMarksOfOneQuery): void {
		const all = uniteMarksOfOneQuery(this.#late.get(key) ?? '', marks);
		this.#late.delete(key);
		this.#late.set(key, all); // the newest last
		dropFirst(this.#late, MAX_LATE);
	}
}

/**
 * Returns which of two ledgers counts: this process's, or the saved one. If another process has written it since,
 * because it led meanwhile, the saved one counts. It adopts the statuses that this process knows as settled. An older
 * one was imported with the workflow.
 */
export function adoptSavedLedgerIfNewer(known: Ledger, saved: Ledger): Ledger {
	const isByAnother = saved.savedBy !== undefined && saved.savedBy !== known.process;
	if (!isByAnother || saved.state.newest < known.state.newest) return known;
	saved.adoptSettled(known.settledMarks());
	return saved;
}

/** Leaves this many entries, the latest. */
function dropFirst<V>(entries: Map<string, V>, most: number): void {
	for (const key of entries.keys()) {
		if (entries.size <= most) return;
		entries.delete(key);
	}
}
