import { DateTime } from 'luxon';
import type { OperationItem, NodeRun } from '../../shared/operations/operation';
import { stateOfClient } from '../../shared/processState';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { indexRecords, matchRecord, type ExpectedRecord } from '../request/matchRecord';
import type { QueryRequest } from '../request/queryRequest';
import { queryClientOf } from '../client/queryClient';
import { readRowById, readSelectedRows } from '../client/queryList';
import type { QueryId, QueryListing, QueryRecord } from '../client/queryModel';
import { QueryError } from '../errors/queryError';
import type { Journal } from './journal';
import { idsOf, isUnresolved } from './submissionState';
import type { Submission } from './submissionRegister';
import { Reservations } from './reservations';
import type { PastQueries } from './pastQueries';
import { queriesOf } from './clientQueries';
import { CLOCK_MS } from './findLostQueries';

/** Describes what an item may send at most. */
export interface Limits {
	maxQueries: number;
	maxQueriesPerDay: number;
}

/** Describes a request to be sent, and the name of its reservation, which sharers have in common. */
export interface PlannedQuery {
	name: string;
	request: QueryRequest;
}

/**
 * Keeps an execution over all its runs, calls and tries, and a day, below the operator's limits. A question is reserved
 * once, before anything of it is sent. Whatever was not refused counts: what is unsure, too, also where it is sent again.
 */
export function newSpendingLimit(run: NodeRun, { spending }: Journal, past: PastQueries) {
	/** Days of whose queries this run has counted those in the list; one for each account. */
	const counting = new Map<Day, Promise<CountedListing>>();
	const reservedIn = new Set<Day>();

	/** Once for all items of an account. Throws a QueryError if today's queries cannot be counted. */
	async function countListed(item: OperationItem, day: Day): Promise<CountedListing> {
		const service = await queryClientOf(item);
		const start = startOfDay(item);
		const { records, unreadable, ...listing } = await past.list(item, start, 'limit');
		const isUndated = ({ createdAt }: QueryRecord) => createdAt === undefined;
		const read = async (row: QueryRecord) => await readRowById(service, row);
		const dated = await readSelectedRows(records, isUndated, read);
		const undated = unreadable + dated.filter(isUndated).length;
		if (undated > 0) throw new QueryError({ kind: 'uncounted', undated });
		const since = start + service.clockOffsetMs();
		const made = dated.filter(({ createdAt = 0 }) => createdAt >= since);
		for (const { id } of made) day.made.add(id);
		const known = queriesOf(service.client);
		const unclaimed = made.filter(({ id }) => !known.isClaimed(id));
		day.dropListed(unclaimed, service.clockOffsetMs());
		return { ...listing, listed: records.length };
	}

	async function countOnce(item: OperationItem, day: Day): Promise<CountedListing> {
		const known = counting.get(day) ?? countListed(item, day);
		counting.set(day, known);
		return await known;
	}

	/** Reserves for what is not reserved yet: all of it or nothing. Throws a QueryError if it is too much. */
	function reserve(
		planned: PlannedQuery[],
		limits: Limits,
		day?: Day,
		listed?: CountedListing,
	): void {
		const countOf = ({ request }: PlannedQuery) => request.expected.length;
		const isUnreserved = ({ name }: PlannedQuery) => !spending.reserved.has(name);
		const count = planned.filter(isUnreserved).reduce((sum, one) => sum + countOf(one), 0);
		if (count > 0 && spending.total + count > limits.maxQueries) {
			throw new QueryError({ kind: 'limitOfExecution', most: limits.maxQueries });
		}
		const unplanned = day ? planned.filter(({ name }) => !day.reserved.has(dayName(name))) : [];
		if (day && unplanned.length > 0) {
			const more = unplanned.reduce((sum, one) => sum + countOf(one), 0);
			const made = day.made.size + day.uncertainTotal;
			if (made + day.reserved.total + more > limits.maxQueriesPerDay) {
				throw new QueryError({ kind: 'limitOfDay', most: limits.maxQueriesPerDay, made });
			}
			if (listed && listed.completeness !== 'complete') {
				throw new QueryError({ kind: 'uncounted', ...listed });
			}
		}
		for (const one of planned) {
			spending.reserved.add(one.name, countOf(one), run);
			day?.reserved.add(dayName(one.name), countOf(one), run);
			if (day) reservedIn.add(day);
		}
	}

	/** Reservations of a day are those of all executions. */
	const dayName = (name: string) => `${run.root ?? ''} ${run.node} ${name}`;

	return {
		/** Counts queries that an item will send; throws a QueryError if they are too many, before any is sent. */
		async plan(item: OperationItem, limits: Limits, planned: PlannedQuery[]): Promise<void> {
			if (planned.length === 0) return;
			const day = limits.maxQueriesPerDay === Infinity ? undefined : await today(item);
			const listed = day && (await countOnce(item, day));
			reserve(planned, limits, day, listed);
		},

		/** A planned query is on its way. */
		sending: (name: string): void => spending.reserved.take(name),

		/** Records the outcome of a request that was in flight. */
		async ended(
			item: OperationItem,
			name: string,
			{ expected }: QueryRequest,
			submission: Submission,
		): Promise<void> {
			const day = await today(item);
			day.reserved.take(dayName(name));
			const { state, sentAt } = submission;
			if (isUnresolved(state)) day.uncertain.set(uncertainName(submission), { expected, sentAt });
			for (const id of idsOf(state)) day.made.add(id);
		},

		/** Queries that were unsure were accepted under these IDs. */
		async found(item: OperationItem, submission: Submission, ids: QueryId[]): Promise<void> {
			const day = await today(item);
			day.uncertain.delete(uncertainName(submission));
			for (const id of ids) day.made.add(id);
		},

		/** Returns what was planned and never sent is free for others. */
		end(): void {
			spending.reserved.leave(run);
			for (const day of reservedIn) day.reserved.leave(run);
		},
	};
}

export type QueryLimit = ReturnType<typeof newSpendingLimit>;

/** Returns a name that is stable over tries and processes. */
const uncertainName = ({ share, sentAt }: Submission) => `${share} ${sentAt}`;

/** Describes a request of uncertain outcome: the records that it makes if it was accepted. */
interface UncertainQueries {
	expected: ExpectedRecord[];
	sentAt: number;
}

/** Describes what this process knows of a client's queries of one day. Whatever was not refused counts. */
class Day {
	/** Holds the queries that were listed, or accepted since. */
	readonly made = new Set<string>();
	/** Planned or on their way, by all executions. */
	readonly reserved = new Reservations();
	/** Sent, and nobody knows whether they were accepted. */
	readonly uncertain = new Map<string, UncertainQueries>();

	get uncertainTotal(): number {
		return [...this.uncertain.values()].reduce((sum, { expected }) => sum + expected.length, 0);
	}

	/** Drops the uncertain queries that the list shows, so that each counts once. No item has claimed `records`. */
	dropListed(records: QueryRecord[], clockOffsetMs: number): void {
		if (this.uncertain.size === 0) return;
		const recordsLike = indexRecords(records);
		const taken = new Set<QueryRecord>();
		for (const lost of this.uncertain.values()) {
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

/** The days of one client, by when they began: they differ by the time zones of workflows. */
class Days {
	readonly #byStart = new BoundedMap<number, Day>(30);

	of(start: number): Day {
		return this.#byStart.getOrMake(start, () => new Day());
	}

	get size(): number {
		return [...this.#byStart.values()].reduce((sum, { made }) => sum + made.size, 0);
	}

	get isInUse(): boolean {
		return [...this.#byStart.values()].some(({ reserved }) => reserved.total > 0);
	}
}

const newDays = () => new Days();

async function today(item: OperationItem): Promise<Day> {
	const { client } = await queryClientOf(item);
	return stateOfClient(client).shared(newDays).of(startOfDay(item));
}

type CountedListing = Pick<QueryListing, 'completeness' | 'total'> & { listed: number };

const startOfDay = ({ run }: OperationItem) =>
	DateTime.now().setZone(run.timeZone).startOf('day').toMillis();
