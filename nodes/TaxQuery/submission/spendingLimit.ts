import type { OperationItemContext, SharedNodeRunState } from '../../shared/operations/operation';
import type { QueryRequest } from '../request/queryRequest';
import { queryClientOfItem } from '../client/queryClient';
import { fetchRecordOfRow, completeSelectedRows } from '../client/queryList';
import type { QueryId, CollectedQueryList, QueryRecord } from '../client/queryModel';
import { QueryError } from '../errors/queryError';
import { billedQueryRegistryOfClient } from './billedQueryRegistry';
import type { Journal } from './journal';
import type { PastQueries } from './pastQueryListReader';
import {
	todaysQueryCounterOfClient,
	startOfWorkflowDay,
	type ClientDailyQueryCounter,
} from './clientDailyQueryCounter';
import type { ExecutionQueryCounter, Submission } from './submissionRegister';

/** The most queries that an execution and a day may send. */
export interface Limits {
	maxQueries: number;
	maxQueriesPerDay: number;
}

/** A request to be sent, and the name of its reservation, which sharers have in common. */
export interface PlannedQuery {
	name: string;
	request: QueryRequest;
}

/** The list in which a day's queries were counted. */
type CountedListing = Pick<CollectedQueryList, 'completeness' | 'total'> & { listed: number };

/**
 * Limits what an execution sends over all its runs, calls and tries, and what a day sends. A query is reserved once,
 * before the item sends anything. Every query that was not refused counts, uncertain ones too.
 */
export class SpendingLimit {
	readonly #run: SharedNodeRunState;
	readonly #spending: ExecutionQueryCounter;
	readonly #past: PastQueries;
	/** Days whose listed queries this run has counted, one for each account. */
	readonly #counting = new Map<ClientDailyQueryCounter, Promise<CountedListing>>();
	readonly #reservedIn = new Set<ClientDailyQueryCounter>();

	constructor(run: SharedNodeRunState, { spending }: Journal, past: PastQueries) {
		this.#run = run;
		this.#spending = spending;
		this.#past = past;
	}

	/** Counts queries that an item will send; throws a QueryError if they are too many, before any is sent. */
	async plan(item: OperationItemContext, limits: Limits, planned: PlannedQuery[]): Promise<void> {
		if (planned.length === 0) return;
		const { maxQueries, maxQueriesPerDay } = limits;
		const day = maxQueriesPerDay === Infinity ? undefined : await todaysQueryCounterOfClient(item);
		const listed = day && (await this.#countOnce(item, day));
		// all of it is reserved or nothing, and nothing comes between
		this.#checkExecution(planned, maxQueries);
		if (day && listed) this.#checkDay(planned, maxQueriesPerDay, day, listed);
		this.#reserve(planned, day);
	}

	/** A planned query is on its way. */
	sending(name: string): void {
		this.#spending.reserved.take(name);
	}

	/** Records the outcome of a request that was in flight. */
	async ended(
		item: OperationItemContext,
		name: string,
		{ expected }: QueryRequest,
		submission: Submission,
	): Promise<void> {
		const day = await todaysQueryCounterOfClient(item);
		day.reserved.take(this.#nameInDay(name));
		day.addOutcome(submission, expected);
	}

	/** Records that uncertain queries were accepted under these IDs. */
	async found(item: OperationItemContext, submission: Submission, ids: QueryId[]): Promise<void> {
		(await todaysQueryCounterOfClient(item)).resolve(submission, ids);
	}

	/** Frees what was planned and never sent for others. */
	end(): void {
		this.#spending.reserved.leave(this.#run);
		for (const day of this.#reservedIn) day.reserved.leave(this.#run);
	}

	/** Counts a day's listed queries for all items of an account. Throws a QueryError if they cannot be counted. */
	async #countOnce(
		item: OperationItemContext,
		day: ClientDailyQueryCounter,
	): Promise<CountedListing> {
		const known = this.#counting.get(day) ?? this.#countListed(item, day);
		this.#counting.set(day, known);
		return await known;
	}

	async #countListed(
		item: OperationItemContext,
		day: ClientDailyQueryCounter,
	): Promise<CountedListing> {
		const client = await queryClientOfItem(item);
		const start = startOfWorkflowDay(item);
		const { records, unreadable, ...listing } = await this.#past.list(item, start, 'limit');
		const isUndated = ({ createdAt }: QueryRecord) => createdAt === undefined;
		const read = async (row: QueryRecord) => await fetchRecordOfRow(client, row);
		const dated = await completeSelectedRows(records, isUndated, read);
		const undated = unreadable + dated.filter(isUndated).length;
		if (undated > 0) throw new QueryError({ kind: 'uncounted', undated });
		const since = start + client.clockOffsetMs();
		const made = dated.filter(({ createdAt = 0 }) => createdAt >= since);
		const known = billedQueryRegistryOfClient(client.clientKey);
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
		{ reserved, made }: ClientDailyQueryCounter,
		listed: CountedListing,
	): void {
		const unreserved = planned.filter(({ name }) => !reserved.has(this.#nameInDay(name)));
		if (unreserved.length === 0) return;
		if (made + reserved.total + countQueries(unreserved) > most) {
			throw new QueryError({ kind: 'limitOfDay', most, made });
		}
		if (listed.completeness !== 'complete') throw new QueryError({ kind: 'uncounted', ...listed });
	}

	#reserve(planned: PlannedQuery[], day: ClientDailyQueryCounter | undefined): void {
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
