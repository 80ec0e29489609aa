import { DateTime } from 'luxon';
import type { Prices } from '../../shared/credentials/prices';
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
import { addTallies, amountOf, countOf, unpricedTypes, type Tally } from '../spending/amounts';
import type { PastQueries } from './reuse';
import { acceptedIdsOf, isUncertain, type Submission } from './submissionState';
import { CLOCK_MS } from './sharedList';

export interface Limits {
	maxQueries: number;
	maxQueriesPerDay: number;
	/** In ten-thousandths of the currency of the credential's prices. */
	maxAmountPerDay: number;
}

/** A request to be sent, and the name of its reservation, which sharers have in common. */
export interface PlannedQuery {
	name: string;
	request: QueryRequest;
}

type CountedListing = Pick<CollectedQueryList, 'completeness' | 'total'> & { listed: number };

/**
 * Limits what a node sends in an execution, and what a client sends in a day. What counts?
 *
 * - Execution: what this node has sent and reserved, over its runs, calls, tries and retries. The journal keeps the number;
 *   without one (`Journal` says when) it begins at zero.
 * - Day: what the list shows of today, whoever sent it; what this process has sent since then, or is sending; what nodes
 *   with such a limit have reserved. Days are those of the workflow's time zone, and each zone counts for itself.
 * - Each query of a request: with a result, pending, failed, or of unknown outcome. A refused or reused one does not count.
 *   One that is sent again counts again. Items that share one count it once (`reservationName` in `sharing.ts`).
 *
 * Before an item sends anything, all queries that it expects to send are reserved, or none. The execution's reservation
 * ends as a query leaves, the day's once its outcome is known.
 */
export class SpendingLimit {
	readonly #run: Run;
	readonly #isPreview: boolean;
	readonly #spending: ExecutionCounter;
	readonly #past: PastQueries;
	/** Days whose listed queries this run has counted, one for each account. */
	readonly #counting = new Map<DayCounter, Promise<CountedListing>>();
	readonly #days = new Set<DayCounter>();

	/** A preview counts what others plan; what it plans itself is nobody else's business. */
	constructor(run: Run, past: PastQueries, isPreview: boolean) {
		this.#run = run;
		this.#isPreview = isPreview;
		this.#spending = executionCounterOf(run);
		this.#past = past;
	}

	/** Counts queries that an item will send; throws a QueryError if they are too many, before any is sent. */
	async plan(item: Item, limits: Limits, planned: PlannedQuery[]): Promise<void> {
		if (planned.length === 0) return;
		const { maxQueries, maxQueriesPerDay, maxAmountPerDay } = limits;
		const isOfDay = Math.min(maxQueriesPerDay, maxAmountPerDay) < Infinity;
		const prices = maxAmountPerDay === Infinity ? undefined : await pricesOf(item, planned);
		const day = isOfDay ? await dayOf(item) : undefined;
		const listed = day && (await this.#countOnce(item, day));
		// all of it is reserved or nothing, and nothing comes between
		this.#checkExecution(planned, maxQueries);
		if (day && listed) this.#checkDay(planned, limits, day, listed, prices);
		this.#reserve(planned, day);
	}

	/** From here to its outcome it counts for the day, also where the node has no limit. */
	sending({ name, request }: PlannedQuery, day: DayCounter): void {
		this.#spending.reserved.take(name);
		day.reserved.add(this.#nameInDay(name), tallyOf([{ name, request }]), this.#run);
		this.#days.add(day);
	}

	/** Records the outcome of a request that was in flight. */
	async ended(
		item: Item,
		name: string,
		request: QueryRequest,
		submission: Submission,
	): Promise<void> {
		const day = await dayOf(item);
		day.reserved.take(this.#nameInDay(name));
		day.addOutcome(submission, request);
	}

	/** Records that uncertain queries were accepted under these IDs. */
	async found(
		item: Item,
		{ definition }: QueryRequest,
		submission: Submission,
		ids: QueryId[],
	): Promise<void> {
		(await dayOf(item)).resolve(submission, definition.queryType.operation, ids);
	}

	/** Frees what was planned and never sent for others. What a preview plans counts until its execution ends. */
	end(): void {
		if (this.#isPreview) return;
		this.#spending.reserved.leave(this.#run);
		for (const day of this.#days) day.reserved.leave(this.#run);
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
		const more = countOf(tallyOf(planned.filter(({ name }) => !reserved.has(name))));
		if (more > 0 && total + more > most) throw new QueryError({ kind: 'limitOfExecution', most });
	}

	#checkDay(
		planned: PlannedQuery[],
		{ maxQueriesPerDay, maxAmountPerDay }: Limits,
		day: DayCounter,
		listed: CountedListing,
		prices: Prices | undefined,
	): void {
		const own = this.#reservedIn(day);
		const unreserved = planned.filter(({ name }) => !own.has(this.#nameInDay(name)));
		if (unreserved.length === 0) return;
		const others = own === day.reserved ? none() : day.reserved.tally;
		const all = addTallies(day.made, others, own.tally, tallyOf(unreserved));
		if (countOf(all) > maxQueriesPerDay) {
			const made = countOf(all) - countOf(tallyOf(unreserved));
			throw new QueryError({ kind: 'limitOfDay', most: maxQueriesPerDay, made });
		}
		if (listed.completeness !== 'complete') throw new QueryError({ kind: 'uncounted', ...listed });
		if (prices) checkBudget(all, tallyOf(unreserved), maxAmountPerDay, prices);
	}

	#reserve(planned: PlannedQuery[], day: DayCounter | undefined): void {
		for (const one of planned) {
			const tally = tallyOf([one]);
			this.#spending.reserved.add(one.name, tally, this.#run);
			if (day) this.#reservedIn(day).add(this.#nameInDay(one.name), tally, this.#run);
		}
		if (day) this.#days.add(day);
	}

	/** Reservations count for all executions, those of a preview for the previews of its own. */
	#reservedIn(day: DayCounter): Reservations {
		if (!this.#isPreview) return day.reserved;
		const previews = this.#run.execution.shared(newPreviews);
		const own = previews.get(day) ?? new Reservations();
		previews.set(day, own);
		return own;
	}

	/** Reservations of a day are those of all executions. */
	#nameInDay(name: string): string {
		return `${this.#run.root ?? ''} ${this.#run.node} ${name}`;
	}
}

/** No query of any type. */
const none = (): Tally => new Map();

const tallyOf = (planned: PlannedQuery[]): Tally =>
	addTallies(...planned.map(({ request }) => tallyOfRequest(request)));

const tallyOfRequest = ({ definition, expected }: QueryRequest): Tally =>
	new Map([[definition.queryType.operation, expected.length]]);

/** The reservations of an execution's previews, by day. */
const newPreviews = () => new WeakMap<DayCounter, Reservations>();

/** Returns the prices by which a limit counts. Throws a QueryError where a planned query has none. */
async function pricesOf(item: Item, planned: PlannedQuery[]): Promise<Prices> {
	const prices = (await itemClient(item)).prices();
	const lacking = planned.find(
		({ request }) => prices?.byOperation[request.definition.queryType.operation] === undefined,
	);
	if (prices && !lacking) return prices;
	const { label } = (lacking ?? planned[0]).request.definition.queryType;
	throw new QueryError({ kind: 'unpriced', labels: [label] });
}

/** Throws a QueryError where the amount of all is too high with these `more`, or where it is not known. */
function checkBudget(all: Tally, more: Tally, most: number, prices: Prices): void {
	const { currency } = prices;
	const { units } = amountOf(all, prices);
	if (units > most) {
		const spent = units - amountOf(more, prices).units;
		throw new QueryError({ kind: 'budgetOfDay', currency, most, spent });
	}
	const labels = unpricedTypes(all, prices);
	if (labels.length > 0) throw new QueryError({ kind: 'unpriced', labels });
}

/** A request of uncertain outcome, with the records that it makes if it was accepted. */
interface UncertainQueries {
	operation: string;
	expected: ExpectedRecord[];
	sentAt: number;
}

/** This process's knowledge of a client's queries of one day. Every query that was not refused counts. */
export class DayCounter {
	/** Queries that all executions have planned or are sending. */
	readonly reserved = new Reservations();
	/** The queries that were listed, or accepted since, and their operations. */
	readonly #made = new Map<QueryId, string>();
	/** Is kept, because each item needs it. */
	readonly #madeTally = new Map<string, number>();
	readonly #uncertain = new Map<string, UncertainQueries>();

	/** Counts the queries that were made. */
	get size(): number {
		return this.#made.size;
	}

	/** Counts the queries that were made, or may have been. */
	get made(): Tally {
		const uncertain = [...this.#uncertain.values()].map(
			({ operation, expected }) => new Map([[operation, expected.length]]),
		);
		return addTallies(this.#madeTally, ...uncertain);
	}

	/** Adds listed queries. No item has claimed `unclaimed`: those may be queries of uncertain outcome. */
	addListed(records: QueryRecord[], unclaimed: QueryRecord[], clockOffsetMs: number): void {
		for (const { id, operation } of records) this.#addMade([id], operation);
		this.#dropListed(unclaimed, clockOffsetMs);
	}

	/** It may have been accepted or not. */
	addOutcome(submission: Submission, { definition, expected }: QueryRequest): void {
		const { state, sentAt } = submission;
		const { operation } = definition.queryType;
		if (isUncertain(state)) {
			this.#uncertain.set(uncertainName(submission), { operation, expected, sentAt });
		}
		this.#addMade(acceptedIdsOf(state), operation);
	}

	/** Replaces queries of uncertain outcome by those that were accepted. */
	resolve(submission: Submission, operation: string, ids: QueryId[]): void {
		this.#uncertain.delete(uncertainName(submission));
		this.#addMade(ids, operation);
	}

	#addMade(ids: QueryId[], operation = ''): void {
		for (const id of ids) {
			const known = this.#made.get(id);
			if (known) continue;
			if (known !== undefined) this.#count(known, -1); // listed under a name that the mapping lacks
			this.#made.set(id, operation);
			this.#count(operation, 1);
		}
	}

	#count(operation: string, more: number): void {
		this.#madeTally.set(operation, (this.#madeTally.get(operation) ?? 0) + more);
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
		return [...this.#byStart.values()].some(({ reserved }) => countOf(reserved.tally) > 0);
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
	readonly reserved = new Reservations();
	/** By journal: each sub-execution has its own. */
	readonly #sentBy = new Map<string, number>();
	/** Is kept, because each item needs it. */
	#sent = 0;

	/** Takes the number that a journal holds now. */
	note(journalId: string, sent: number): void {
		const before = this.#sentBy.get(journalId) ?? 0;
		if (sent === before) return;
		this.#sent += sent - before;
		this.#sentBy.set(journalId, sent);
	}

	get total(): number {
		return this.#sent + countOf(this.reserved.tally);
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
	readonly #places = new Map<string, { tally: Tally; holders: Set<object> }>();
	/** Is kept, because each item needs it. */
	#sum = none();

	get tally(): Tally {
		return this.#sum;
	}

	/** Nothing more is needed for a reserved request. */
	has(request: string): boolean {
		return this.#places.has(request);
	}

	/** Reserves for a request, on behalf of a run. */
	add(request: string, tally: Tally, holder: object): void {
		const place = this.#places.get(request);
		if (place) {
			place.holders.add(holder);
			return;
		}
		this.#places.set(request, { tally, holders: new Set([holder]) });
		this.#sum = addTallies(this.#sum, tally);
	}

	/** Frees the reservation of a request that is on its way, or will never be. */
	take(request: string): void {
		const { tally = none() } = this.#places.get(request) ?? {};
		const taken = [...tally].map(([operation, count]) => [operation, -count] as const);
		this.#sum = addTallies(this.#sum, new Map(taken));
		this.#places.delete(request);
	}

	/** Frees what an ended run has reserved, unless another run has it, too. */
	leave(holder: object): void {
		for (const [request, { holders }] of [...this.#places]) {
			if (holders.delete(holder) && holders.size === 0) this.take(request);
		}
	}
}
