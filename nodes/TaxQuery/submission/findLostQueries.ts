import type { OperationItem } from '../../shared/operations/operation';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { matchRecord, type ExpectedRecord } from '../request/matchRecord';
import { uncancelledClient, type QueryClient } from '../client/queryClient';
import {
	completeRow,
	lacksRequest,
	listSince,
	readRowById,
	readSelectedRows,
} from '../client/queryList';
import type { Completeness, QueryId, QueryListing, QueryRecord } from '../client/queryModel';
import { queriesOf } from './clientQueries';

/** A `Date` header counts in whole seconds, and clocks drift. */
export const CLOCK_MS = 2000;
/** A date may be local time that is labelled as UTC. */
const DAY_MS = 24 * 3_600_000;

/** Describes a request that was sent, and whose queries are searched. */
interface LostQuery {
	expected: ExpectedRecord[];
	/** Says when it was sent, by our clock. */
	sentAt: number;
	/** Returns whether a query may be taken: no other item has it, and it was not there before. */
	isFree(id: QueryId): Promise<boolean>;
}

/** Describes what the list shows of a lost query. */
interface RecoveryResult {
	/** Holds the records that surely match; one for each query, with its result if it has one. */
	found: QueryRecord[];
	/** Lists queries that may match, though nothing proves it. */
	possible: QueryId[];
	completeness: Completeness;
	listed: number;
	total?: number;
	/** It shows a query that was sent later. */
	isLater: boolean;
}

/** Describes one reading of the list. */
interface ListReading {
	listing: QueryListing;
	/** Says when it was there, by our clock. */
	at: number;
}

/** A row with its result; the row itself where its ID gives another query. */
async function withResponse(
	service: QueryClient,
	row: QueryRecord,
	expected: ExpectedRecord[],
): Promise<QueryRecord> {
	const record = await completeRow(service, row);
	return expected.every((one) => matchRecord(one, record) === 'mismatch') ? row : record;
}

/**
 * Returns a function that finds lost queries; one reading of the list serves concurrent callers. It continues when
 * another item fails, and throws what reading the list throws.
 */
export function findLostQueries(): (
	item: OperationItem,
	lost: LostQuery,
) => Promise<RecoveryResult> {
	let running: Promise<ListReading> | undefined;
	let queued: Promise<ListReading> | undefined;
	let oldest = Infinity;
	/** Caches the records of rows without a request, so that each is read once. */
	const read = new BoundedMap<QueryId, Promise<QueryRecord>>(10_000);

	async function start(service: QueryClient): Promise<ListReading> {
		const since = oldest + service.clockOffsetMs() - DAY_MS;
		const reading = listSince(service, since)
			.then((listing) => ({ listing, at: Date.now() }))
			.finally(() => {
				if (running === reading) running = undefined;
			});
		running = reading;
		return await reading;
	}

	/** A reading that begins after this call. */
	async function fresh(service: QueryClient): Promise<ListReading> {
		if (!running) return await start(service);
		queued ??= running
			.catch(() => undefined)
			.then(async () => {
				queued = undefined;
				return await start(service);
			});
		return await queued;
	}

	/** Reads a row without request or date by its ID, if possible. */
	const completeRowOnce = async (service: QueryClient, row: QueryRecord): Promise<QueryRecord> =>
		await read
			.getOrMake(row.id, async () => await readRowById(service, row))
			.catch(() => {
				read.delete(row.id);
				return row; // it may be ours
			});

	return async (item, { expected, sentAt: since, isFree }) => {
		const service = await uncancelledClient(item);
		oldest = Math.min(oldest, since);
		const { listing, at } = await fresh(service);
		const { unreadable, completeness, total } = listing;
		const sent = queriesOf(service.client);
		const offset = service.clockOffsetMs();
		const sentAt = since + offset;
		const isTooOld = ({ createdAt = Infinity }: QueryRecord) => createdAt < sentAt - DAY_MS;
		const free: QueryRecord[] = [];
		for (const row of listing.records) {
			const mayBe = !isTooOld(row) && expected.some((one) => matchRecord(one, row) !== 'mismatch');
			if (mayBe && (await isFree(row.id))) free.push(row);
		}
		const rows = (
			await readSelectedRows(free, lacksRequest, async (row) => await completeRowOnce(service, row))
		).filter((row) => !isTooOld(row));
		const isInTime = ({ createdAt = NaN }: QueryRecord) =>
			createdAt >= sentAt - CLOCK_MS && createdAt <= at + offset + CLOCK_MS;
		const distance = ({ createdAt = 0 }: QueryRecord) => Math.abs(createdAt - sentAt);
		const found: QueryRecord[] = [];
		const possible = new Set<QueryId>();
		for (const one of expected) {
			const mayBe = rows.filter(
				(row) => !found.includes(row) && matchRecord(one, row) !== 'mismatch',
			);
			const [own] = mayBe
				.filter((row) => isInTime(row) && matchRecord(one, row) === 'match')
				.sort((a, b) => distance(a) - distance(b));
			if (own) found.push(own);
			else for (const { id } of mayBe) possible.add(id);
		}
		return {
			found: await Promise.all(
				found.map(async (row) => await withResponse(service, row, expected)),
			),
			possible: [...possible],
			completeness: unreadable > 0 && completeness === 'complete' ? 'truncated' : completeness,
			listed: listing.records.length,
			total,
			isLater: listing.records.some(({ id }) => (sent.sentAt(id) ?? 0) > since),
		};
	};
}
