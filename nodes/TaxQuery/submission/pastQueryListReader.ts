import type { OperationItemContext, SharedNodeRunState } from '../../shared/operations/operation';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { matchRecord, type ExpectedRecord } from '../request/matchRecord';
import type { QueryRequest } from '../request/queryRequest';
import { queryClientOfItem, type QueryClient } from '../client/queryClient';
import { fetchRecordIfIncomplete, offersQueryList } from '../client/queryList';
import type {
	QueryId,
	CollectedQueryList,
	RecordOrAcknowledgement,
	QueryRecord,
	QueryState,
} from '../client/queryModel';
import { QueryError, type ListPurpose } from '../errors/queryError';
import { newReadLists, type QueryListsOfOneAccount, type ReadLists } from './queryListCache';
import type { ReuseScope } from './submissionOptions';
import type { SubmissionRegister } from './submissionRegister';

/** The list may lag this long behind an accepted query. */
export const LIST_LAG_MS = 60_000;
/** A run takes over a list that another run of its execution has read at most this long before. */
const FRESH_MS = 30_000;
/** The time between two readings while the list may lag behind a crash. */
const PAUSE_MS = 5_000;

/** A reusable record for each query that a request expects, if there is one. */
type ReusableRecords = Array<QueryRecord | undefined>;

type ListedReuse = ReuseScope & { since: number };

/** Reads past queries once for all items of a run with the same account. */
export class PastQueries {
	readonly #register: SubmissionRegister;
	readonly #readLists: ReadLists;
	readonly #lists = new Map<string, QueryListsOfOneAccount>();
	readonly #reusable = new BoundedMap<string, Promise<ReusableRecords>>(10_000);
	readonly #uncompared = new Set<QueryId>();
	/** The last reading that did not reach the end of the list. */
	#cut: CollectedQueryList | undefined;
	/** While the list may lag behind a crash, it is read again once for all items of an account. */
	readonly #catchingUp = new Map<string, Promise<void>>();

	constructor(run: SharedNodeRunState, register: SubmissionRegister) {
		this.#register = register;
		this.#readLists = run.execution.shared(newReadLists);
	}

	/** Returns the queries made since a moment by this machine's clock. Throws a QueryError that names the purpose. */
	async list(
		item: OperationItemContext,
		since: number,
		purpose: ListPurpose,
	): Promise<CollectedQueryList> {
		const client = await queryClientOfItem(item);
		return await this.#listOf(client)
			.list(client, since)
			.catch((error: unknown) => {
				throw QueryError.unlisted(error, purpose);
			});
	}

	/** Forgets what was read, so that the next request reads the list again. */
	renew({ clientKey }: QueryClient): void {
		this.#lists.set(clientKey, this.#readLists.renew(clientKey));
		this.#reusable.clear();
	}

	/** Returns when the list of an account was read, by a monotonic clock. */
	async readAt(item: OperationItemContext): Promise<number> {
		return this.#listOf(await queryClientOfItem(item)).readAt;
	}

	/** Returns the number of uncompared queries and the truncated list, for the receipt. */
	gaps(): { uncompared: number; cut?: CollectedQueryList } {
		return { uncompared: this.#uncompared.size, cut: this.#cut };
	}

	/** Returns whether a query stood in a list that was read before this moment by this machine's clock. */
	async wasListed(item: OperationItemContext, id: QueryId, before: number): Promise<boolean> {
		const past = this.#listOf(await queryClientOfItem(item));
		if (Date.now() - (performance.now() - past.readAt) > before) return false;
		const listings = await past.all();
		return listings.some(({ records }) => records.some((record) => record.id === id));
	}

	/** Returns whether the list shows one of these queries. */
	async shows(
		item: OperationItemContext,
		since: number,
		queries: RecordOrAcknowledgement[],
	): Promise<boolean> {
		const { records } = await this.list(item, since, 'reuse');
		return records.some(({ id }) => queries.some((query) => query.id === id));
	}

	/**
	 * Returns, for each expected query, the newest one with a result, or else the newest pending one. In a
	 * retried execution each row is for one item, unless the operator wants items to share.
	 */
	async findReusable(
		item: OperationItemContext,
		request: QueryRequest,
		reuse: ReuseScope,
	): Promise<ReusableRecords> {
		const { since } = reuse;
		if (since === undefined) return [];
		const listed = { ...reuse, since };
		const found = await this.#findOnce(item, request, listed);
		const isAll = found.length > 0 && found.every(Boolean);
		if (isAll || !reuse.mayLag || !offersQueryList((await queryClientOfItem(item)).mapping))
			return found;
		await this.#catchUp(item, since);
		return await this.#findOnce(item, request, listed);
	}

	#listOf({ clientKey }: QueryClient): QueryListsOfOneAccount {
		const list = this.#lists.get(clientKey) ?? this.#readLists.of(clientKey, FRESH_MS);
		this.#lists.set(clientKey, list);
		return list;
	}

	/** Finds reusable records once for all items with an equal request, unless each is for one item. */
	async #findOnce(
		item: OperationItemContext,
		{ sharingKey, expected }: QueryRequest,
		reuse: ListedReuse,
	): Promise<ReusableRecords> {
		const { mapping, accountKey } = await queryClientOfItem(item);
		if (reuse.isUnshared) {
			if (!offersQueryList(mapping)) return [];
			const isFree = (id: QueryId) => !this.#register.isClaimed(accountKey, id);
			return await this.#find(item, expected, reuse, isFree);
		}
		const finding = async () => await this.#find(item, expected, reuse, () => true);
		return await this.#reusable.getOrMake(`${reuse.since} ${sharingKey}`, finding);
	}

	async #find(
		item: OperationItemContext,
		expected: ExpectedRecord[],
		reuse: ListedReuse,
		isFree: (id: QueryId) => boolean,
	): Promise<ReusableRecords> {
		const client = await queryClientOfItem(item);
		const { since, isUnshared } = reuse;
		const recordsLike = await this.#indexOf(item, since, isUnshared ? 'retry' : 'reuse');
		const from = since + client.clockOffsetMs();
		const states = reusableStates(reuse);
		const chosen = expected.map((one) => {
			const possible = recordsLike(one)
				.filter(({ id, createdAt = from }) => createdAt >= from && isFree(id))
				.filter((row) => row.state !== 'failed' && matchRecord(one, row) !== 'mismatch');
			const found = chooseRecord(possible, one, states);
			if (!found) for (const { id } of possible) this.#uncompared.add(id);
			else if (isUnshared) this.#register.claim(client.accountKey, [found.id]);
			return found;
		});
		return await Promise.all(
			chosen.map(async (row, index) => {
				const whole = row && (await fetchRecordIfIncomplete(client, row));
				const isOwn = whole && matchRecord(expected[index], whole) !== 'mismatch';
				return isOwn && states.includes(whole.state) ? whole : undefined;
			}),
		);
	}

	async #indexOf(item: OperationItemContext, since: number, purpose: ListPurpose) {
		const client = await queryClientOfItem(item);
		const listing = await this.list(item, since, purpose);
		if (listing.completeness !== 'complete') this.#cut = listing;
		return await this.#listOf(client).index(client, since);
	}

	/**
	 * After a crash the list may not show yet what was accepted before it. It is trusted once it shows a query that was
	 * made since this process started, or once it had a minute to catch up.
	 */
	async #catchUp(item: OperationItemContext, since: number): Promise<void> {
		const client = await queryClientOfItem(item);
		const { clientKey } = client;
		const waiting = this.#catchingUp.get(clientKey) ?? this.#waitForList(item, client, since);
		this.#catchingUp.set(clientKey, waiting);
		await waiting;
	}

	async #waitForList(
		item: OperationItemContext,
		client: QueryClient,
		since: number,
	): Promise<void> {
		const start = Date.now() - performance.now() + client.clockOffsetMs(); // of this process
		const isNew = ({ createdAt = 0 }: QueryRecord) => createdAt > start;
		for (;;) {
			const { records } = await this.list(item, since, 'retry');
			const left = LIST_LAG_MS - performance.now();
			if (records.some(isNew) || left <= 0) return;
			await item.wait(Math.min(PAUSE_MS, left));
			this.renew(client);
		}
	}
}

/** Returns the states of a record that replaces a new query, the best one first. */
const reusableStates = ({ isRetry }: ReuseScope): QueryState[] =>
	isRetry ? ['success', 'pending', 'unknown'] : ['success', 'pending'];

/** Returns the newest record that surely matches: one of the first state, or else one of the next. */
function chooseRecord(
	records: QueryRecord[],
	expected: ExpectedRecord,
	states: QueryState[],
): QueryRecord | undefined {
	const same = records
		.filter((row) => row.createdAt !== undefined && matchRecord(expected, row) === 'match')
		.sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
	return states.map((state) => same.find((row) => row.state === state)).find(Boolean);
}
