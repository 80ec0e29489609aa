import type { OperationItem, NodeRun } from '../../shared/operations/operation';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { matchRecord, type ExpectedRecord } from '../request/matchRecord';
import type { QueryRequest } from '../request/queryRequest';
import { queryClientOf, type QueryClient } from '../client/queryClient';
import { completeRow, hasList } from '../client/queryList';
import type { QueryId, QueryListing, Query, QueryRecord, QueryState } from '../client/queryModel';
import { QueryError, type ListPurpose } from '../errors/queryError';
import { newReadLists, type PastList } from './pastLists';
import type { Reuse } from './submissionOptions';
import type { SubmissionRegister } from './submissionRegister';

/** The list may lag this long behind an accepted query. */
export const LIST_LAG_MS = 60_000;
/** A run takes over the list that another run of its execution has read so shortly before. */
const FRESH_MS = 30_000;
/** The time between two readings while the list may lag behind a crash. */
const PAUSE_MS = 5_000;

/** Lists a reusable record for each query that a request expects. */
type ReusableRecords = Array<QueryRecord | undefined>;

/** Reads past queries once for all items of a run with the same account. */
export function newPastQueries(run: NodeRun, register: SubmissionRegister) {
	const readLists = run.execution.shared(newReadLists);
	const lists = new Map<string, PastList>();
	const reusable = new BoundedMap<string, Promise<ReusableRecords>>(10_000);
	const uncompared = new Set<QueryId>();
	/** The last reading that did not reach the end of the list. */
	let cut: QueryListing | undefined;
	/** While the list may lag behind a crash, it is read again once for all items of an account. */
	const catchingUp = new Map<string, Promise<void>>();

	function listOf({ client }: QueryClient): PastList {
		const list = lists.get(client) ?? readLists.of(client, FRESH_MS);
		lists.set(client, list);
		return list;
	}

	/** Forgets what was read, so that the next request reads the list again. */
	function renew({ client }: QueryClient): void {
		lists.set(client, readLists.renew(client));
		reusable.clear();
	}

	/** The queries made since a moment by our clock. Throws a QueryError that says for what the list was needed. */
	async function list(
		item: OperationItem,
		since: number,
		purpose: ListPurpose,
	): Promise<QueryListing> {
		const service = await queryClientOf(item);
		return await listOf(service)
			.list(service, since)
			.catch((error: unknown) => {
				throw QueryError.unlisted(error, purpose);
			});
	}

	async function indexOf(item: OperationItem, since: number, purpose: ListPurpose) {
		const service = await queryClientOf(item);
		const listing = await list(item, since, purpose);
		if (listing.completeness !== 'complete') cut = listing;
		return await listOf(service).index(service, since);
	}

	async function find(
		item: OperationItem,
		expected: ExpectedRecord[],
		{ since, isRetry, isEach }: Listed,
		isFree: (id: QueryId) => boolean,
	): Promise<ReusableRecords> {
		const service = await queryClientOf(item);
		const recordsLike = await indexOf(item, since, isEach ? 'retry' : 'reuse');
		const from = since + service.clockOffsetMs();
		const states: QueryState[] = isRetry
			? ['success', 'pending', 'unknown']
			: ['success', 'pending'];
		const chosen = expected.map((one) => {
			const mayBe = recordsLike(one)
				.filter(({ id, createdAt = from }) => createdAt >= from && isFree(id))
				.filter((row) => row.state !== 'failed' && matchRecord(one, row) !== 'mismatch');
			const same = mayBe
				.filter((row) => row.createdAt !== undefined && matchRecord(one, row) === 'match')
				.sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
			const found = states.map((state) => same.find((row) => row.state === state)).find(Boolean);
			if (!found) for (const { id } of mayBe) uncompared.add(id);
			else if (isEach) register.claim(service.account, [found.id]);
			return found;
		});
		return await Promise.all(
			chosen.map(async (row, index) => {
				const whole = row && (await completeRow(service, row));
				const isOwn = whole && matchRecord(expected[index], whole) !== 'mismatch';
				return isOwn && states.includes(whole.state) ? whole : undefined;
			}),
		);
	}

	/**
	 * After a crash the list may not show yet what was accepted before it. It is trusted once it shows a query that was
	 * made since this process started, or once it had a minute to catch up.
	 */
	async function catchUp(item: OperationItem, since: number): Promise<void> {
		const service = await queryClientOf(item);
		const waiting = catchingUp.get(service.client) ?? waitForList(item, service, since);
		catchingUp.set(service.client, waiting);
		await waiting;
	}

	async function waitForList(
		item: OperationItem,
		service: QueryClient,
		since: number,
	): Promise<void> {
		const start = Date.now() - performance.now() + service.clockOffsetMs(); // of this process
		const isNew = ({ createdAt = 0 }: QueryRecord) => createdAt > start;
		for (;;) {
			const { records } = await list(item, since, 'retry');
			const left = LIST_LAG_MS - performance.now();
			if (records.some(isNew) || left <= 0) return;
			await item.wait(Math.min(PAUSE_MS, left));
			renew(service);
		}
	}

	async function findOnce(
		item: OperationItem,
		{ share, expected }: QueryRequest,
		reuse: Listed,
	): Promise<ReusableRecords> {
		const { mapping, account } = await queryClientOf(item);
		if (reuse.isEach) {
			if (!hasList(mapping)) return [];
			return await find(item, expected, reuse, (one) => !register.isClaimed(account, one));
		}
		const finding = async () => await find(item, expected, reuse, () => true);
		return await reusable.getOrMake(`${reuse.since} ${share}`, finding);
	}

	return {
		list,
		renew,

		/** Returns when the list of an account was read, by a clock that nobody sets. */
		readAt: async (item: OperationItem): Promise<number> =>
			listOf(await queryClientOf(item)).readAt,

		/** Returns what could not be compared, or was not listed: for the receipt. */
		gaps: () => ({ uncompared: uncompared.size, cut }),

		/** Returns whether a query stood in a list that was read before this moment by our clock. */
		async wasListed(item: OperationItem, id: QueryId, before: number): Promise<boolean> {
			const past = listOf(await queryClientOf(item));
			if (Date.now() - (performance.now() - past.readAt) > before) return false;
			const listings = await past.all();
			return listings.some(({ records }) => records.some((record) => record.id === id));
		},

		/** Returns whether the list shows one of these queries. */
		async shows(item: OperationItem, since: number, queries: Query[]): Promise<boolean> {
			const { records } = await list(item, since, 'reuse');
			return records.some(({ id }) => queries.some((query) => query.id === id));
		},

		/**
		 * Returns, for each expected query, the newest one with a result, or else the newest pending one. In a
		 * retried execution each row is for one item, unless the operator wants items to share.
		 */
		async findReusable(
			item: OperationItem,
			request: QueryRequest,
			reuse: Reuse,
		): Promise<ReusableRecords> {
			const { since } = reuse;
			if (since === undefined) return [];
			const listed = { ...reuse, since };
			const found = await findOnce(item, request, listed);
			const isAll = found.length > 0 && found.every(Boolean);
			if (isAll || !reuse.mayLag || !hasList((await queryClientOf(item)).mapping)) return found;
			await catchUp(item, since);
			return await findOnce(item, request, listed);
		},
	};
}

type Listed = Reuse & { since: number };

export type PastQueries = ReturnType<typeof newPastQueries>;
