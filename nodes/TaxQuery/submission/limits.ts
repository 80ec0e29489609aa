import { DateTime } from 'luxon';
import type { Item, Run } from '../../shared/operations/operation';
import { getClientState } from '../../shared/processState';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { itemClient } from '../client/queryClient';
import { completeSelectedRows, fetchRecordOfRow } from '../client/queryList';
import type { CollectedQueryList, QueryId, QueryRecord } from '../client/model';
import { QueryError } from '../errors/queryError';
import { indexRecords, matchRecord, type ExpectedRecord } from '../request/matchRecord';
import type { QueryRequest } from '../request/queryRequest';
import { clientAccount } from './account';
import type { PastQueries } from './reuse';
import type { Submission } from './execution';
import { acceptedIdsOf, isUncertain } from './submissionState';
import { CLOCK_MS } from './sharedList';

export interface Limits {
	maxQueries: number;
	maxQueriesPerDay: number;
}

/** A request to be sent, and the name of its reservation, which sharers have in common. */
export interface PlannedQuery {
	name: string;
	request: QueryRequest;
}

type CountedListing = Pick<CollectedQueryList, 'completeness' | 'total'> & { listed: number };

/**
 * Limits what a node sends in an execution, over its runs, calls and tries, and what an account sends in a day. A query is reserved once,
 * before the item sends anything. Every query that was not refused counts, uncertain ones too.
 */
export class SpendingLimit {
	readonly #run: Run;
	readonly #spending: ExecutionCounter;
	readonly #past: PastQueries;
	/** Days whose listed queries this run has counted, one for each account. */
	readonly #counting = new Map<DayCounter, Promise<CountedListing>>();
	readonly #reservedIn = new Set<DayCounter>();

	constructor(run: Run, past: PastQueries) {
		this.#run = run;
		this.#spending = executionCounterOf(run);
		this.#past = past;
	}

	/** Counts queries that an item will send; throws a QueryError if they are too many, before any is sent. */
	async plan(item: Item, limits: Limits, planned: PlannedQuery[]): Promise<void> {
		if (planned.length === 0) return;
		const { maxQueries, maxQueriesPerDay } = limits;
		const day = maxQueriesPerDay === Infinity ? undefined : await dayOf(item);
		const listed = day && (await this.#countOnce(item, day));
		// all of it is reserved or nothing, and nothing comes between
		this.#checkExecution(planned, maxQueries);
		if (day && listed) this.#checkDay(planned, maxQueriesPerDay, day, listed);
		this.#reserve(planned, day);
	}

	sending(name: string): void {
		this.#spending.reserved.take(name);
	}

	/** Records the outcome of a request that was in flight. */
	async ended(
		item: Item,
		name: string,
		{ expected }: QueryRequest,
		submission: Submission,
	): Promise<void> {
		const day = await dayOf(item);
		day.reserved.take(this.#nameInDay(name));
		day.addOutcome(submission, expected);
	}

	/** Records that uncertain queries were accepted under these IDs. */
	async found(item: Item, submission: Submission, ids: QueryId[]): Promise<void> {
		(await dayOf(item)).resolve(submission, ids);
	}

	/** Frees what was planned and never sent for others. */
	end(): void {
		this.#spending.reserved.leave(this.#run);
		for (const day of this.#reservedIn) day.reserved.leave(this.#run);
	}

	/** Counts a day's listed queries for all items of an account. Throws a QueryError if they cannot be counted. */
	async #countOnce(item: Item, day: DayCounter): Promise<CountedListing> {
		const known = this.#counting.get(day) ?? this.#countListed(item, day);
		this.#counting.set(day, known);
		return await known;
	}

	async #countListed(item: Item, day: DayCounter): Promise<CountedListing> {
		const client = await itemClient(item);
		const start = startOfDay(item);
		const { records, unreadable, ...listing } = await this.#past.list(item, start, 'limit');
		const isUndated = ({ createdAt }: QueryRecord) => createdAt === undefined;
		const read = async (row: QueryRecord) => await fetchRecordOfRow(client, row);
		const dated = await completeSelectedRows(records, isUndated, read);
		const undated = unreadable + dated.filter(isUndated).length;
		if (undated > 0) throw new QueryError({ kind: 'uncounted', undated });
		const since = start + client.clockOffsetMs();
		const made = dated.filter(({ createdAt = 0 }) => createdAt >= since);
		const known = clientAccount(client.clientKey);
		const unclaimed = made.filter(({ id }) => !known.isClaimed(id));
		day.addListed(made, unclaimed, client.clockOffsetMs());
		return { ...listing, listed: records.length };
	}

	#checkExecution(planned: PlannedQuery[], most: number): void {
		const { reserved, total } = this.#spending;
		const more = countQueries(planned.filter(({ name }) => !reserved.has(name)));
		if (more > 0 && total + more > most) throw new QueryError({ kind: 'limitOfExecution', most });
	}

	#checkDay(
		planned: PlannedQuery[],
		most: number,
		{ reserved, made }: DayCounter,
		listed: CountedListing,
	): void {
		const unreserved = planned.filter(({ name }) => !reserved.has(this.#nameInDay(name)));
		if (unreserved.length === 0) return;
		if (made + reserved.total + countQueries(unreserved) > most) {
			throw new QueryError({ kind: 'limitOfDay', most, made });
		}
		if (listed.completeness !== 'complete') throw new QueryError({ kind: 'uncounted', ...listed });
	}

	#reserve(planned: PlannedQuery[], day: DayCounter | undefined): void {
		for (const one of planned) {
			const count = countQueries([one]);
			this.#spending.reserved.add(one.name, count, this.#run);
			day?.reserved.add(this.#nameInDay(one.name), count, this.#run);
		}
		if (day) this.#reservedIn.add(day);
	}

	/** Reservations of a day are those of all executions. */
	#nameInDay(name: string): string {
		return `${this.#run.root ?? ''} ${this.#run.node} ${name}`;
	}
}

const countQueries = (planned: PlannedQuery[]): number =>
	planned.reduce((sum, { request }) => sum + request.expected.length, 0);

/** A request of uncertain outcome, with the records that it makes if it was accepted. */
interface UncertainQueries {
	expected: ExpectedRecord[];
	sentAt: number;
}

/** This process's knowledge of a client's queries of one day. Every query that was not refused counts. */
export class DayCounter {
	/** Queries that all executions have planned or are sending. */
	readonly reserved = new Reservations();
	/** IDs of the queries that were listed, or accepted since. */
	readonly #made = new Set<string>();
	readonly #uncertain = new Map<string, UncertainQueries>();

	/** Counts the queries that were made. */
	get size(): number {
		return this.#made.size;
	}

	/** Counts the queries that were made, or may have been. */
	get made(): number {
		const uncertain = [...this.#uncertain.values()];
		return uncertain.reduce((sum, { expected }) => sum + expected.length, this.#made.size);
	}

	/** Adds listed queries. No item has claimed `unclaimed`: those may be queries of uncertain outcome. */
	addListed(records: QueryRecord[], unclaimed: QueryRecord[], clockOffsetMs: number): void {
		this.#addMade(records.map(({ id }) => id));
		this.#dropListed(unclaimed, clockOffsetMs);
	}

	/** It may have been accepted or not. */
	addOutcome(submission: Submission, expected: ExpectedRecord[]): void {
		const { state, sentAt } = submission;
		if (isUncertain(state)) this.#uncertain.set(uncertainName(submission), { expected, sentAt });
		this.#addMade(acceptedIdsOf(state));
	}

	/** Replaces queries of uncertain outcome by those that were accepted. */
	resolve(submission: Submission, ids: QueryId[]): void {
		this.#uncertain.delete(uncertainName(submission));
		this.#addMade(ids);
	}

	#addMade(ids: QueryId[]): void {
		for (const id of ids) this.#made.add(id);
	}

	/** Drops the uncertain queries that the list shows, so that each counts once. */
	#dropListed(records: QueryRecord[], clockOffsetMs: number): void {
		if (this.#uncertain.size === 0) return;
		const recordsLike = indexRecords(records);
		const taken = new Set<QueryRecord>();
		for (const lost of this.#uncertain.values()) {
			const sentAt = lost.sentAt + clockOffsetMs - CLOCK_MS;
			lost.expected = lost.expected.filter((one) => {
				const isIt = (record: QueryRecord) =>
					!taken.has(record) &&
					(record.createdAt ?? 0) >= sentAt &&
					matchRecord(one, record) === 'match';
				const found = recordsLike(one).find(isIt);
				if (found) taken.add(found);
				return !found;
			});
		}
	}
}

/** The name is stable over tries and processes. */
const uncertainName = ({ sharingKey, sentAt }: Submission) => `${sharingKey} ${sentAt}`;

/** The days of one client, by when they began: they differ by the time zones of workflows. */
class SpendingDays {
	readonly #byStart = new BoundedMap<number, DayCounter>(30);

	of(start: number): DayCounter {
		return this.#byStart.getOrMake(start, () => new DayCounter());
	}

	get size(): number {
		return [...this.#byStart.values()].reduce((sum, { size }) => sum + size, 0);
	}

	get isInUse(): boolean {
		return [...this.#byStart.values()].some(({ reserved }) => reserved.total > 0);
	}
}

const newSpendingDays = () => new SpendingDays();

export async function dayOf(item: Item): Promise<DayCounter> {
	const { clientKey } = await itemClient(item);
	return getClientState(clientKey).shared(newSpendingDays).of(startOfDay(item));
}

/** The day is that of the workflow's time zone. */
export const startOfDay = ({ run }: Item): number =>
	DateTime.now().setZone(run.timeZone).startOf('day').toMillis();

/** The number of queries that one node has sent in an execution, and its further reservations. */
class ExecutionCounter {
	sent = 0;
	readonly reserved = new Reservations();
	readonly #journals = new WeakSet<object>();

	/** Adds the queries of a journal, once for each journal. */
	adopt(journal: object, sent: number): void {
		if (this.#journals.has(journal)) return;
		this.#journals.add(journal);
		this.sent += sent;
	}

	get total(): number {
		return this.sent + this.reserved.total;
	}
}

const newExecutionCounters = () => new Map<string, ExecutionCounter>();

/** Its runs, calls and tries in an execution share it. */
export function executionCounterOf({ execution, node }: Run): ExecutionCounter {
	const counters = execution.shared(newExecutionCounters);
	const known = counters.get(node) ?? new ExecutionCounter();
	counters.set(node, known);
	return known;
}

/** Counts queries that will be sent: equal requests once, however many runs of a node plan them. */
class Reservations {
	readonly #places = new Map<string, { count: number; holders: Set<object> }>();
	total = 0;

	/** Nothing more is needed for a reserved request. */
	has(request: string): boolean {
		return this.#places.has(request);
	}

	/** Reserves for a request, on behalf of a run. */
	add(request: string, count: number, holder: object): void {
		const place = this.#places.get(request);
		if (place) {
			place.holders.add(holder);
			return;
		}
		this.#places.set(request, { count, holders: new Set([holder]) });
		this.total += count;
	}

	/** Frees the reservation of a request that is on its way, or will never be. */
	take(request: string): void {
		this.total -= this.#places.get(request)?.count ?? 0;
		this.#places.delete(request);
	}

	/** Frees what an ended run has reserved, unless another run has it, too. */
	leave(holder: object): void {
		for (const [request, { holders }] of [...this.#places]) {
			if (holders.delete(holder) && holders.size === 0) this.take(request);
		}
	}
}
