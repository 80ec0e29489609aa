import type { Item, Run } from '../../shared/operations/operation';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { DAY_MS, HOUR_MS } from '../../shared/utils/durations';
import { matchRecord, withoutCompleteness, type ExpectedRecord } from '../request/matchRecord';
import type { QueryRequest } from '../request/queryRequest';
import { itemClient, type QueryClient } from '../client/queryClient';
import { detachedClient } from '../client/queryClient';
import { fetchRecordIfIncomplete, mayHaveMore, offersQueryList } from '../client/queryList';
import { reuseStateOf } from '../client/record';
import { EARLY_DATE_MS, LIST_LAG_MS, sharedQueryListOf, type ListReading } from './sharedList';
import type {
	QueryId,
	CollectedQueryList,
	RecordOrAcknowledgement,
	QueryRecord,
	QueryState,
} from '../client/model';
import { QueryError, type ListPurpose } from '../errors/queryError';
import type { ReuseSearchGaps } from '../output/receiptText';
import type { ReuseScope } from './sharing';
import type { ExecutionQueries } from './executionQueries';

/** A run takes over a list that another run of its execution has read at most this long before. */
const MAX_READING_AGE_MS = 30_000;

type ReusableRecords = Array<QueryRecord | undefined>;

type ListedReuse = ReuseScope & { since: number };

/** A pending query is reused for as long as its type may take. */
const LONGEST_PENDING_MS = DAY_MS;
/** Local time that is called Z is up to this much too early, and in Mexico at least five hours. */
const MOST_ZONE_MS = 14 * HOUR_MS;
const LEAST_ZONE_MS = 4.5 * HOUR_MS;

/** When the first run of an execution needed the list, by a monotonic clock. */
const newFirstNeed = () => ({ at: performance.now() });

/** Reads past queries once for all items of a run with the same account. */
export class PastQueries {
	readonly #register: ExecutionQueries;
	readonly #run: Run;
	/** The readings of this run, the newest last, by account. */
	readonly #readings = new Map<string, Array<{ since: number; reading: Promise<ListReading> }>>();
	/** A reading that began before this moment of the monotonic clock is too old. */
	#notBefore: number | undefined;
	readonly #reusable = new BoundedMap<string, Promise<ReusableRecords>>(10_000);
	readonly #uncompared = new Set<QueryId>();
	readonly #pendingTooLong = new Set<QueryId>();
	/** The last list in which a query was missed, though more may follow. */
	#cut: CollectedQueryList | undefined;
	/** Resolves once the list shows what was accepted before a crash. */
	#caughtUp: Promise<void> | undefined;

	constructor(run: Run, register: ExecutionQueries) {
		this.#register = register;
		this.#run = run;
	}

	/** `since` is by this machine's clock. Throws a QueryError that names the purpose. */
	async list(item: Item, since: number, purpose: ListPurpose): Promise<CollectedQueryList> {
		return await (
			await this.#read(item, since, purpose)
		).listing;
	}

	/** Forgets what was read, so that the next request reads the list again. */
	renew({ clientKey }: QueryClient): void {
		this.#readings.delete(clientKey);
		this.#notBefore = performance.now();
		this.#reusable.clear();
	}

	/** The moment is by a monotonic clock; it is now where the list was not read. */
	async readAt(item: Item): Promise<number> {
		const { clientKey } = await itemClient(item);
		const newest = this.#readings.get(clientKey)?.at(-1);
		return (await newest?.reading)?.startedAt ?? performance.now();
	}

	/** The receipt shows what was not reused though it may match, and the truncated list. */
	gaps(): ReuseSearchGaps {
		const pendingTooLong = [...this.#pendingTooLong];
		return { uncompared: this.#uncompared.size, pendingTooLong, cut: this.#cut };
	}

	/** `before` is by this machine's clock. */
	async wasListed(item: Item, id: QueryId, before: number): Promise<boolean> {
		const { clientKey } = await itemClient(item);
		const earlier = (this.#readings.get(clientKey) ?? []).map(async ({ reading }) => {
			const { listing, startedAt } = await reading;
			const isEarlier = Date.now() - (performance.now() - startedAt) <= before;
			return isEarlier && (await listing).records.some((record) => record.id === id);
		});
		const isIn = await Promise.all(earlier.map(async (one) => await one.catch(() => false)));
		return isIn.includes(true);
	}

	async shows(item: Item, since: number, queries: RecordOrAcknowledgement[]): Promise<boolean> {
		const { records } = await this.list(item, since, 'reuse');
		return records.some(({ id }) => queries.some((query) => query.id === id));
	}

	/**
	 * Chooses for each expected query the newest one with a result, or else the newest pending one. In a retried
	 * execution each row is for one item, unless the operator wants items to share.
	 */
	async findReusable(
		item: Item,
		request: QueryRequest,
		reuse: ReuseScope,
		mayLag = false,
	): Promise<ReusableRecords> {
		const { since } = reuse;
		if (since === undefined) return [];
		const listed = { ...reuse, since };
		const found = await this.#findOnce(item, request, listed);
		const isAll = found.length > 0 && found.every(Boolean);
		if (isAll || !mayLag || performance.now() >= LIST_LAG_MS) return found;
		if (!offersQueryList((await itemClient(item)).mapping)) return found;
		await (this.#caughtUp ??= this.#catchUp(item));
		return await this.#findOnce(item, request, listed, found);
	}

	/** After a crash the list may not show yet what was accepted before it, until this process has run for a while. */
	async #catchUp(item: Item): Promise<void> {
		await item.wait(LIST_LAG_MS - performance.now());
		this.#readings.clear();
		this.#reusable.clear();
		this.#notBefore = performance.now();
	}

	/** All items of this run share a reading; a run takes over what another of its execution has just read. */
	async #read(item: Item, since: number, purpose: ListPurpose): Promise<ListReading> {
		const client = await detachedClient(item);
		const known = this.#readings.get(client.clientKey) ?? [];
		this.#readings.set(client.clientKey, known);
		let covering = known.find((one) => one.since <= since);
		if (!covering) {
			this.#notBefore ??= Math.max(
				this.#run.execution.shared(newFirstNeed).at,
				performance.now() - MAX_READING_AGE_MS,
			);
			const need = {
				owner: this.#run,
				since: since + client.clockOffsetMs() - EARLY_DATE_MS,
				notBefore: this.#notBefore,
			};
			covering = { since, reading: sharedQueryListOf(client).read(client, need) };
			known.push(covering);
		}
		return await covering.reading.catch((error: unknown) => {
			throw QueryError.unlisted(error, purpose);
		});
	}

	/** Finds reusable records once for all items with an equal request, unless each is for one item. */
	async #findOnce(
		item: Item,
		{ sharingKey, expected }: QueryRequest,
		reuse: ListedReuse,
		before: ReusableRecords = [],
	): Promise<ReusableRecords> {
		const { mapping, accountKey } = await itemClient(item);
		if (reuse.isUnshared) {
			if (!offersQueryList(mapping)) return [];
			// what this item has found before the list caught up is its own
			const isFree = (id: QueryId) =>
				before.some((row) => row?.id === id) || !this.#register.isClaimed(accountKey, id);
			return await this.#find(item, expected, reuse, isFree);
		}
		const finding = async () => await this.#find(item, expected, reuse, () => true);
		return await this.#reusable.getOrMake(`${reuse.since} ${sharingKey}`, finding);
	}

	async #find(
		item: Item,
		expected: ExpectedRecord[],
		reuse: ListedReuse,
		isFree: (id: QueryId) => boolean,
	): Promise<ReusableRecords> {
		const client = await itemClient(item);
		const { since, isUnshared } = reuse;
		const { listing, recordsLike, newest } = await this.#indexOf(
			item,
			Math.min(since, Date.now() - LONGEST_PENDING_MS),
			isUnshared ? 'retry' : 'reuse',
		);
		// only the reading shows the service's clock
		const now = Date.now() + client.clockOffsetMs();
		const from = since + client.clockOffsetMs();
		// no query of the last hours: then the dates may be local time, or nobody asked anything
		const zoneMs = now - newest >= LEAST_ZONE_MS ? MOST_ZONE_MS : 0;
		const states = reusableStates(reuse);
		// a retry takes what was sent before, however complete its data were then
		const wanted = reuse.isRetry ? expected.map(withoutCompleteness) : expected;
		const chosen = wanted.map((one) => {
			const possible = recordsLike(one)
				.filter(({ id, createdAt = from }) => createdAt >= from - zoneMs && isFree(id))
				.filter((row) => reuseStateOf(row) !== 'failed' && matchRecord(one, row) !== 'mismatch');
			const inTime = possible.filter(({ createdAt = from }) => createdAt >= from);
			const isStale = ({ state, createdAt = now }: QueryRecord) =>
				state === 'pending' && createdAt < now - LONGEST_PENDING_MS;
			const fresh = inTime.filter((row) => !isStale(row));
			const found = chooseRecord(fresh, one, states);
			if (!found) {
				for (const row of possible.filter(({ code }) => !one.otherCodes.includes(code)))
					(isStale(row) ? this.#pendingTooLong : this.#uncompared).add(row.id);
			}
			if (found && isUnshared) this.#register.claim(client.accountKey, [found.id]);
			return found;
		});
		if (chosen.includes(undefined) && mayHaveMore(listing, client.mapping)) this.#cut = listing;
		return await Promise.all(
			chosen.map(async (row, index) => {
				const whole = row && (await fetchRecordIfIncomplete(client, row));
				const isOwn = whole && matchRecord(wanted[index], whole) !== 'mismatch';
				return isOwn && states.includes(reuseStateOf(whole)) ? whole : undefined;
			}),
		);
	}

	async #indexOf(item: Item, since: number, purpose: ListPurpose) {
		const client = await itemClient(item);
		const reading = await this.#read(item, since, purpose);
		const listing = await reading.listing;
		const list = sharedQueryListOf(client);
		const complete = async (row: QueryRecord) => await list.completeRow(client, row);
		const newest = listing.records.reduce((at, { createdAt = 0 }) => Math.max(at, createdAt), 0);
		const recordsLike = await reading.index(since + client.clockOffsetMs(), complete);
		return { listing, recordsLike, newest };
	}
}

/** The best one comes first. */
const reusableStates = ({ isRetry }: ReuseScope): QueryState[] =>
	isRetry ? ['success', 'pending', 'unknown'] : ['success', 'pending'];

function chooseRecord(
	records: QueryRecord[],
	expected: ExpectedRecord,
	states: QueryState[],
): QueryRecord | undefined {
	const same = records
		.filter((row) => row.createdAt !== undefined && matchRecord(expected, row) === 'match')
		.sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
	return states.map((state) => same.find((row) => reuseStateOf(row) === state)).find(Boolean);
}
