import type { OperationItemContext } from '../../shared/operations/operation';
import { matchRecord, type ExpectedRecord } from '../request/matchRecord';
import { clientSurvivingOtherItemFailures, type QueryClient } from '../client/queryClient';
import {
	fetchRecordIfIncomplete,
	lacksRequestOrDate,
	completeSelectedRows,
} from '../client/queryList';
import type { ListCompleteness, QueryId, QueryRecord } from '../client/queryModel';
import { billedQueryRegistryOfClient } from './billedQueryRegistry';
import { sharedQueryListOf, type SharedQueryList } from './sharedQueryList';

/** A date may be local time that is labelled as UTC. */
const TIME_ZONE_TOLERANCE_MS = 24 * 3_600_000;

/** A `Date` header counts in whole seconds, and clocks drift. */
export const CLOCK_MS = 2000;

/** A request that was sent, and whose queries are searched. */
interface LostQuery {
	expected: ExpectedRecord[];
	/** The time of sending, in milliseconds by this machine's clock. */
	sentAt: number;
	/** Returns whether a query may be taken: no other item has it, and it was not listed before the request. */
	isFree(id: QueryId): Promise<boolean>;
}

/** The queries of a lost request in the list. */
interface RecoveryResult {
	/** Records that surely match: one for each query, with its result if it has one. */
	found: QueryRecord[];
	/** Queries that may match, though nothing proves it. */
	possible: QueryId[];
	completeness: ListCompleteness;
	listed: number;
	total?: number;
	/** The list shows a query that was sent later. */
	isLater: boolean;
}

/** Finds lost queries in a reading of the list that begins now. Throws what reading the list throws. */
export async function findLostQueries(
	item: OperationItemContext,
	lost: LostQuery,
): Promise<RecoveryResult> {
	const client = await clientSurvivingOtherItemFailures(item);
	const { expected, sentAt: since } = lost;
	const list = sharedQueryListOf(client);
	const reading = await list.read(client, {
		owner: item.run,
		since: since + client.clockOffsetMs() - TIME_ZONE_TOLERANCE_MS,
		notBefore: performance.now(),
	});
	const { records, unreadable, completeness, total } = await reading.listing;
	const sent = billedQueryRegistryOfClient(client.clientKey);
	const offset = client.clockOffsetMs();
	const sentAt = since + offset;
	const rows = await readPossible(list, client, records, lost, sentAt);
	const { found, possible } = chooseOwn(expected, rows, sentAt, reading.endedAt + offset);
	return {
		found: await Promise.all(
			found.map(async (row) => await readWithResponse(client, row, expected)),
		),
		possible,
		completeness: unreadable > 0 && completeness === 'complete' ? 'truncated' : completeness,
		listed: records.length,
		total,
		isLater: records.some(({ id }) => (sent.sentAt(id) ?? 0) > since),
	};
}

/** Returns the rows that may match and that no other item has; those without request or date were read by ID. */
async function readPossible(
	list: SharedQueryList,
	client: QueryClient,
	records: QueryRecord[],
	{ expected, isFree }: LostQuery,
	sentAt: number,
): Promise<QueryRecord[]> {
	const isTooOld = ({ createdAt = Infinity }: QueryRecord) =>
		createdAt < sentAt - TIME_ZONE_TOLERANCE_MS;
	const free: QueryRecord[] = [];
	for (const row of records) {
		const mayBe = !isTooOld(row) && expected.some((one) => matchRecord(one, row) !== 'mismatch');
		if (mayBe && (await isFree(row.id))) free.push(row);
	}
	// a row that cannot be read may be ours
	const read = async (row: QueryRecord) => await list.completeRow(client, row).catch(() => row);
	return (await completeSelectedRows(free, lacksRequestOrDate, read)).filter(
		(row) => !isTooOld(row),
	);
}

/** Chooses for each query the matching record nearest to its sending; `readAt` and `sentAt` are by the service's clock. */
function chooseOwn(
	expected: ExpectedRecord[],
	rows: QueryRecord[],
	sentAt: number,
	readAt: number,
): Pick<RecoveryResult, 'found' | 'possible'> {
	const isInTime = ({ createdAt = NaN }: QueryRecord) =>
		createdAt >= sentAt - CLOCK_MS && createdAt <= readAt + CLOCK_MS;
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
	return { found, possible: [...possible] };
}

/** Returns a row with its result; the row itself where its ID gives another query. */
async function readWithResponse(
	client: QueryClient,
	row: QueryRecord,
	expected: ExpectedRecord[],
): Promise<QueryRecord> {
	const record = await fetchRecordIfIncomplete(client, row);
	return expected.every((one) => matchRecord(one, record) === 'mismatch') ? row : record;
}
