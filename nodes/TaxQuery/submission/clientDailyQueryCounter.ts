import { DateTime } from 'luxon';
import type { OperationItemContext } from '../../shared/operations/operation';
import { getClientState } from '../../shared/processStateByScope';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { indexRecords, matchRecord, type ExpectedRecord } from '../request/matchRecord';
import { queryClientOfItem } from '../client/queryClient';
import type { QueryId, QueryRecord } from '../client/queryModel';
import { CLOCK_MS } from './findLostQueries';
import { QueryCountReservations } from './queryCountReservations';
import type { Submission } from './submissionRegister';
import { acceptedIdsOf, isAcceptanceUnknown } from './submissionState';

/** A request of uncertain outcome, with the records that it makes if it was accepted. */
interface UncertainQueries {
	expected: ExpectedRecord[];
	sentAt: number;
}

/** This process's knowledge of a client's queries of one day. Every query that was not refused counts. */
export class ClientDailyQueryCounter {
	/** Queries that all executions have planned or are sending. */
	readonly reserved = new QueryCountReservations();
	/** IDs of the queries that were listed, or accepted since. */
	readonly #made = new Set<string>();
	/** Sent requests of which nobody knows whether they were accepted. */
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

	/** Adds what a request has made, or may have made. */
	addOutcome(submission: Submission, expected: ExpectedRecord[]): void {
		const { state, sentAt } = submission;
		if (isAcceptanceUnknown(state))
			this.#uncertain.set(uncertainName(submission), { expected, sentAt });
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

/** Returns a name that is stable over tries and processes. */
const uncertainName = ({ sharingKey, sentAt }: Submission) => `${sharingKey} ${sentAt}`;

/** The days of one client, by when they began: they differ by the time zones of workflows. */
class SpendingDays {
	readonly #byStart = new BoundedMap<number, ClientDailyQueryCounter>(30);

	of(start: number): ClientDailyQueryCounter {
		return this.#byStart.getOrMake(start, () => new ClientDailyQueryCounter());
	}

	get size(): number {
		return [...this.#byStart.values()].reduce((sum, { size }) => sum + size, 0);
	}

	get isInUse(): boolean {
		return [...this.#byStart.values()].some(({ reserved }) => reserved.total > 0);
	}
}

const newSpendingDays = () => new SpendingDays();

/** Returns the present day of an item's client. */
export async function todaysQueryCounterOfClient(
	item: OperationItemContext,
): Promise<ClientDailyQueryCounter> {
	const { clientKey } = await queryClientOfItem(item);
	return getClientState(clientKey).shared(newSpendingDays).of(startOfWorkflowDay(item));
}

/** Returns when the present day began in the workflow's time zone. */
export const startOfWorkflowDay = ({ run }: OperationItemContext): number =>
	DateTime.now().setZone(run.timeZone).startOf('day').toMillis();
