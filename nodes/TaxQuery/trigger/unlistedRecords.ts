import type { QueryClient } from '../client/queryClient';
import { mayOmitExistingResponse } from '../client/record';
import type { TriggerListing } from './listing';
import type { QueryNotification } from './notification';
import type { PollingTrigger } from './pollingTrigger';
import { succeededWithoutResult, type TriggerResult } from './result';
import { createNotFoundError, readNotified, type Reading, type RecordReader } from './recordReader';
import type { PollPlan } from './planPoll';

/** A row with its result; undefined if that cannot be had now, 'refused' if it is put aside. */
export type RowRecordOrRefused = TriggerResult | 'refused' | undefined;

export interface RecordsReadById {
	rows: Map<string, RowRecordOrRefused>;
	/** Notified and pending queries that are not listed. */
	others: TriggerResult[];
	/** The reason why a notified query has no record, by its ID. */
	missing: Map<string, 'unknown' | 'later' | 'failed'>;
	/** The service's spelling of each notified ID that was read. */
	ownIds: Map<string, string>;
	/** Pending queries that are put aside. */
	refused: string[];
	requests: number;
}

/** One poll reads so many rows without a result again. */
const MAX_AGAIN = 10;

/** Reads by ID what a poll needs and the list does not show. */
export async function readUnlistedRecords(
	trigger: PollingTrigger,
	client: QueryClient,
	plan: PollPlan<TriggerResult>,
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

/** Throws if the service cannot be reached, unless it has just listed. */
async function readNamed(
	{ ledger, reader }: PollingTrigger,
	client: QueryClient,
	ids: string[],
	listing: TriggerListing,
	notifications: Map<string, QueryNotification>,
): Promise<Pick<RecordsReadById, 'others' | 'missing' | 'ownIds'>> {
	const isSure = (id: string) => ledger.isPending(id) || notifications.get(id)?.isProved === true;
	const asked = ids.filter((id) => isSure(id) || !reader.wasUnknown(id));
	const read = await readNotifiedIds(reader, client, ids, isSure);
	const others: TriggerResult[] = [];
	const missing: RecordsReadById['missing'] = new Map();
	const ownIds: RecordsReadById['ownIds'] = new Map();
	const failures: unknown[] = [];
	for (const id of ids) {
		const reading = read.get(id) as Reading;
		if (typeof reading === 'string') missing.set(id, reading);
		else if ('found' in reading) {
			others.push(reading.found);
			ownIds.set(id, reading.found.queryId);
		} else {
			missing.set(id, 'failed');
			failures.push(reading.failed);
		}
	}
	const hasResponded =
		listing.requests > 0 || asked.some((id) => ownIds.has(id) || missing.get(id) === 'unknown');
	if (failures.length > 0 && !hasResponded) throw failures[0] as Error;
	return { others, missing, ownIds };
}

/** Those that nothing proves have a budget; the others are read one after another. */
async function readNotifiedIds(
	reader: RecordReader,
	client: QueryClient,
	ids: string[],
	isSure: (id: string) => boolean,
): Promise<Map<string, Reading>> {
	const read = new Map<string, Reading>();
	// all take their turns now, or a slow service would make one poll last as long as a flood
	const unproved = ids
		.filter((id) => !isSure(id))
		.map(async (id) => read.set(id, await reader.readUnproved(client, id)));
	for (const id of ids.filter(isSure)) read.set(id, await readNotified(client, id));
	await Promise.all(unproved);
	return read;
}

async function readPending(
	{ reader }: PollingTrigger,
	client: QueryClient,
	ids: string[],
	listing: TriggerListing,
): Promise<Pick<RecordsReadById, 'others' | 'refused'>> {
	const read = await Promise.all(
		ids.map(async (id) => [id, await reader.readListed(client, id)] as const),
	);
	const others: TriggerResult[] = [];
	const refused: string[] = [];
	// a list that was not read to its end may show it
	const isWhole = listing.isWhole || listing.completeness === 'truncated' || listing.requests === 0;
	for (const [id, reading] of read) {
		if (typeof reading === 'object' && 'found' in reading) {
			others.push(reading.found);
			continue;
		}
		const isGone = reading === 'unknown' && isWhole;
		const error = isGone
			? createNotFoundError()
			: typeof reading === 'object'
				? reading.failed
				: undefined;
		if (error !== undefined && reader.noteFailure(id, error)) refused.push(id);
	}
	return { others, refused };
}

async function readMissingResponses(
	{ reader }: PollingTrigger,
	client: QueryClient,
	due: TriggerResult[],
): Promise<RecordsReadById['rows']> {
	const withoutResponse = due.filter(({ record }) => mayOmitExistingResponse(record));
	const isNew = ({ queryId }: TriggerResult) => reader.failedTimes(queryId) === 0;
	const again = withoutResponse.filter((row) => !isNew(row)).slice(0, MAX_AGAIN);
	const readRow = async (row: TriggerResult): Promise<RowRecordOrRefused> => {
		const reading = await reader.readListed(client, row.queryId);
		if (reading === 'later') return undefined;
		if (typeof reading === 'object' && 'found' in reading) return reading.found;
		const error = reading === 'unknown' ? createNotFoundError() : reading.failed;
		if (!reader.noteFailure(row.queryId, error)) return undefined;
		// what does not promise more than it holds is taken as it is listed
		return row.hasStatus && !succeededWithoutResult(row) ? row : 'refused';
	};
	const rows = [...withoutResponse.filter(isNew), ...again];
	return new Map(
		await Promise.all(rows.map(async (row) => [row.queryId, await readRow(row)] as const)),
	);
}
