import type { Item } from '../../shared/operations/operation';
import { DAY_MS } from '../../shared/utils/durations';
import { detachedClient, type QueryClient } from '../client/queryClient';
import {
	completeSelectedRows,
	fetchRecordIfIncomplete,
	lacksRequestOrDate,
} from '../client/queryList';
import type { ListCompleteness, QueryId, QueryRecord } from '../client/model';
import { extractTextOfAnyError, type RecoverySearchResult } from '../errors/queryError';
import { matchRecord, withoutCompleteness, type ExpectedRecord } from '../request/matchRecord';
import {
	noteAccepted,
	type ItemSubmissionContext,
	type Submitted,
	type RunSubmissionContext,
} from './context';
import { CLOCK_MS, LIST_LAG_MS, sharedQueryListOf, type SharedQueryList } from './sharedList';
import { isUncertain, transition, type Submission, type Uncertain } from './submissionState';

export interface Unrecovered {
	state: Uncertain;
	search: RecoverySearchResult;
	/** The list would surely show the query if it were accepted. */
	isProvedMissing: boolean;
}

/** What was just accepted may not be listed yet. */
const READING_DELAYS_MS = [0, 1000, 3000];
/** Readings go on until the list would surely show the query. */
const LATER_READING_DELAY_MS = 5000;

/**
 * Searches the list for an uncertain submission, while no equal request of this process is in flight. If it may be sent
 * again, the search goes on until the list would surely show it.
 */
export async function recover(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
	submission: Submission,
	mayBeSentAgain: boolean,
): Promise<Submitted | Unrecovered> {
	const { item, request, known } = wanted;
	const state = submission.state as Uncertain;
	// if the search is stopped, the next equal request goes on with it
	known.lost.set(request.sharingKey, { sentAt: state.sentAt, endedMoment: submission.endedMoment });
	// where no response is documented, one reading is enough: the response itself is passed on
	const isBodyEnough =
		request.definition.hasNoResult === true &&
		state.status === 'uncertain' &&
		state.reason === 'noId';
	for (let number = 0; ; number++) {
		await item.wait(READING_DELAYS_MS[number] ?? LATER_READING_DELAY_MS);
		const read = await readListOnce(context, wanted, submission, state);
		if ('queries' in read) return read;
		const { next, search, isProvedMissing } = read;
		const mayWait = mayBeSentAgain && next.status === 'missing' && !isProvedMissing;
		const isEnough = isBodyEnough && !('unlisted' in search);
		if (!isEnough && (number + 1 < READING_DELAYS_MS.length || mayWait)) continue;
		submission.save(next);
		known.lost.delete(request.sharingKey);
		return { state: isUncertain(next) ? next : state, search, isProvedMissing };
	}
}

/** Takes the queries if all of them are there. */
async function readListOnce(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
	submission: Submission,
	state: Uncertain,
): Promise<
	Submitted | { next: Submission['state']; search: RecoverySearchResult; isProvedMissing: boolean }
> {
	const { item, request } = wanted;
	const { sentAt } = state;
	const isFree = async (id: QueryId) => await isUnclaimed(context, wanted, submission, id, sentAt);
	const lost = { expected: request.expected.map(withoutCompleteness), sentAt, isFree };
	const listed = await findLostQueries(item, lost).catch((error: unknown) => ({
		unlisted: extractTextOfAnyError(error),
	}));
	if ('unlisted' in listed) return { next: state, search: listed, isProvedMissing: false };
	const { found: queries, readMoment, ...read } = listed;
	const found = queries.map(({ id }) => id);
	const search = { ...read, found };
	const next = transition(state, { type: 'search', ...search }, request.expected.length);
	if (next.status === 'accepted') {
		submission.save(next);
		await context.limit.found(item, request, submission, found);
		noteAccepted(context, wanted, submission, queries);
		return { queries, how: 'recovered' };
	}
	const hadTime = readMoment - submission.endedMoment >= LIST_LAG_MS;
	return { next, search, isProvedMissing: next.status === 'missing' && hadTime };
}

/** No other item has it, and no list showed it before this query was sent. */
async function isUnclaimed(
	{ journal, past }: RunSubmissionContext,
	{ item, client, known }: ItemSubmissionContext,
	{ owner }: Submission,
	id: QueryId,
	since: number,
): Promise<boolean> {
	const isClaimed = journal.register.isClaimed(client.accountKey, id) || known.isClaimed(id, owner);
	return !isClaimed && !(await past.wasListed(item, id, since));
}

/** A date may be local time that is labelled as UTC. */
const TIME_ZONE_TOLERANCE_MS = DAY_MS;

interface LostQuery {
	expected: ExpectedRecord[];
	/** The time of sending, in milliseconds by this machine's clock. */
	sentAt: number;
	/** No other item has it, and it was not listed before the request. */
	isFree(id: QueryId): Promise<boolean>;
}

interface RecoveryResult {
	/** Records that surely match: one for each query, with its result if it has one. */
	found: QueryRecord[];
	/** Queries that may match, though nothing proves it. */
	possible: QueryId[];
	completeness: ListCompleteness;
	listed: number;
	total?: number;
	/** When the reading began, by a monotonic clock. */
	readMoment: number;
}

/** Finds lost queries in a reading of the list that begins now. Throws what reading the list throws. */
async function findLostQueries(item: Item, lost: LostQuery): Promise<RecoveryResult> {
	const client = await detachedClient(item);
	const { expected, sentAt: since } = lost;
	const list = sharedQueryListOf(client);
	const reading = await list.read(client, {
		owner: item.run,
		since: since + client.clockOffsetMs() - TIME_ZONE_TOLERANCE_MS,
		notBefore: performance.now(),
	});
	const { records, unreadable, completeness, total } = await reading.listing;
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
		readMoment: reading.startedAt,
	};
}

/** Leaves out those that another item has. Rows without request or date are read by ID. */
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

/** A row stays as it is where its ID gives another query. */
async function readWithResponse(
	client: QueryClient,
	row: QueryRecord,
	expected: ExpectedRecord[],
): Promise<QueryRecord> {
	const record = await fetchRecordIfIncomplete(client, row);
	return expected.every((one) => matchRecord(one, record) === 'mismatch') ? row : record;
}
