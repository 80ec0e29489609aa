import type { QueryClient } from '../client/queryClient';
import { mayOmitExistingResponse } from '../client/parseQueryRecord';
import {
	createNotFoundError,
	readQueriesByIdThrottled,
	readQuery,
} from './readQueriesByIdThrottled';
import { processStateOfNode } from './emitter';
import type { TriggerListing } from './readListing';
import type { QueryNotification } from './queryNotification';
import type { PollingSessionInterface } from './pollingSessionInterface';
import { succeededWithoutResult, type RecordWithDeliveryId } from './recordWithDeliveryId';
import type { PollPlan } from './planPoll';

/** A row with its result; undefined if that cannot be had now, 'refused' if it is put aside. */
export type RowRecordOrRefused = RecordWithDeliveryId | 'refused' | undefined;

/** The records that a poll has read by ID. */
export interface RecordsReadById {
	/** The results of due rows without a response. */
	rows: Map<string, RowRecordOrRefused>;
	/** Notified and pending queries that are not listed. */
	others: RecordWithDeliveryId[];
	/** The reason why a notified query has no record, by its ID. */
	missing: Map<string, 'unknown' | 'later' | 'failed'>;
	/** The service's spelling of each notified ID that was read. */
	ownIds: Map<string, string>;
	/** Pending queries that are put aside. */
	refused: string[];
	requests: number;
}

/** Limits how many rows without a result one poll reads again. */
const MAX_AGAIN = 10;

/** Reads by ID what a poll needs and the list does not show. */
export async function readRecordsMissingFromList(
	trigger: PollingSessionInterface,
	client: QueryClient,
	plan: PollPlan<RecordWithDeliveryId>,
	listing: TriggerListing,
	notifications: Map<string, QueryNotification>,
): Promise<RecordsReadById> {
	const named = await readNamed(trigger, client, plan.notifiedIds, listing, notifications);
	const pending = await readPending(trigger, client, plan.pendingIds, listing);
	const rows = await readMissingResponses(trigger, client, plan.due);
	return {
		...pending,
		rows,
		missing: named.missing,
		ownIds: named.ownIds,
		others: [...named.others, ...pending.others],
		requests: named.others.length + plan.pendingIds.length + rows.size,
	};
}

/** Reads the queries that webhook calls named. Throws if the service cannot be reached, unless it has just listed. */
async function readNamed(
	{ context, ledger }: PollingSessionInterface,
	client: QueryClient,
	ids: string[],
	listing: TriggerListing,
	notifications: Map<string, QueryNotification>,
): Promise<Pick<RecordsReadById, 'others' | 'missing' | 'ownIds'>> {
	const isSure = (id: string) => ledger.isPending(id) || notifications.get(id)?.isProved === true;
	const missing: RecordsReadById['missing'] = new Map();
	const read = await readQueriesByIdThrottled(
		processStateOfNode(context),
		client,
		ids,
		isSure,
	).catch((error: unknown) => {
		if (listing.requests === 0) throw error as Error;
		return new Map(ids.map((id) => [id, 'failed' as const]));
	});
	const others: RecordWithDeliveryId[] = [];
	const ownIds: RecordsReadById['ownIds'] = new Map();
	for (const [id, found] of read) {
		if (typeof found === 'object') {
			others.push(found);
			ownIds.set(id, found.queryId);
		} else missing.set(id, found);
	}
	return { others, missing, ownIds };
}

/** Reads pending queries that are not listed. */
async function readPending(
	{ attempts }: PollingSessionInterface,
	client: QueryClient,
	ids: string[],
	listing: TriggerListing,
): Promise<Pick<RecordsReadById, 'others' | 'refused'>> {
	const others: RecordWithDeliveryId[] = [];
	const refused: string[] = [];
	for (const id of ids) {
		const found = await readQuery(client, id).catch((error: unknown) => ({ error }));
		if (found && 'queryId' in found) {
			others.push(found);
			continue;
		}
		// a list that was not read to its end may show it
		const isGone = found === undefined && (listing.isWhole || listing.completeness === 'truncated');
		const error = isGone || listing.requests === 0 ? createNotFoundError() : found?.error;
		if (error !== undefined && attempts.noteFailure(id, error)) refused.push(id);
	}
	return { others, refused };
}

/** The results of rows that do not hold them. */
async function readMissingResponses(
	{ attempts }: PollingSessionInterface,
	client: QueryClient,
	due: RecordWithDeliveryId[],
): Promise<RecordsReadById['rows']> {
	const withoutResponse = due.filter(({ record }) => mayOmitExistingResponse(record));
	const isNew = ({ queryId }: RecordWithDeliveryId) => attempts.failedTimes(queryId) === 0;
	const again = withoutResponse.filter((row) => !isNew(row)).slice(0, MAX_AGAIN);
	const read = [...withoutResponse.filter(isNew), ...again].map(async (row) => {
		const found = await attempts.read(client, row.queryId);
		// what does not promise more than it holds is taken as it is listed
		const isEnough = found === 'refused' && row.hasStatus && !succeededWithoutResult(row);
		return [row.queryId, isEnough ? row : found] as const;
	});
	return new Map(await Promise.all(read));
}
