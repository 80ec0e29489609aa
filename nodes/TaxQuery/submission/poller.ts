import { sleep } from 'n8n-workflow';
import { getClientState } from '../../shared/processState';
import { getQuery, type ReadOptions, type QueryClient } from '../client/queryClient';
import {
	offersQueryList,
	readListChunks,
	isRowComplete,
	fetchRecordOfRow,
} from '../client/queryList';
import { mayStillEnd } from '../client/record';
import type { RecordOrAcknowledgement, QueryRecord } from '../client/model';
import { QueryError, describeReadFailure } from '../errors/queryError';
import type { ObtainedQuery } from '../output/rows';

const BACKOFF = 1.5;
const LONGEST_PAUSE_MS = 15_000;
/** The last check begins this long before the time is over, or as soon after as its turn comes. */
const LAST_CHECK_MS = 1000;
/** The last check gives up when neither the rate limit nor the faults of the service let it through. */
const LAST_CHECK_BUDGET_MS = 60_000;
const POLLER_SLICE_MS = 200;
/** A finished wait still awaits the response to its last check for so long. */
const LAST_RESPONSE_MS = 10_000;
/** Up to this many are read one by one; more of them by the list. */
const MAX_BY_ID = 3;
/** The last check of more queries than these is made in the list. */
const MAX_LAST = 100;
/** A query that lies deeper in the list is read by its ID. */
const MAX_POLLED_PAGES = 20;

interface WaitRequest {
	query: RecordOrAcknowledgement;
	client: QueryClient;
	/** The end of the wait, by a monotonic clock. */
	deadline: number;
	/** The time until the next check; it grows with each one. */
	pauseMs: number;
	cancelled?: AbortSignal;
}

interface ResultWaiter extends WaitRequest {
	/** The query as the last successful check showed it. */
	query: RecordOrAcknowledgement;
	problem?: string;
	nextCheckAt: number;
	isBeingRead: boolean;
	lastCheck: LastCheck;
	/** Milliseconds for which the response to the last check is still awaited after the deadline. */
	responseMs: number;
	/** Aborted when the wait is over. */
	ended: AbortSignal;
	resolve(seen: WaitResult): void;
	reject(error: Error): void;
}

/** A query that is to be read by its ID, with its row of the list if there is one. */
interface Unread {
	waiter: ResultWaiter;
	row?: QueryRecord;
}

/** Every wait ends with a check. It is `queued` until the rate limit and the login let its request go. */
type LastCheck = 'due' | 'queued' | 'sent' | 'ended';

type WaitResult = Pick<ObtainedQuery, 'query' | 'overdue'>;

/** Polls the queries of one client that items of this process wait for, once in each round for all. */
export class ResultPoller {
	readonly #waiters = new Set<ResultWaiter>();
	#isDriving = false;
	#isListing = false;

	get isInUse(): boolean {
		return this.#waiters.size > 0;
	}

	/**
	 * Waits until a query has ended or the deadline has passed; then it returns the query as it was seen last. Throws a
	 * QueryError if the execution is cancelled.
	 */
	async wait(request: WaitRequest): Promise<WaitResult> {
		const ended = new AbortController();
		const { pauseMs } = request;
		return await new Promise<WaitResult>((resolve, reject) => {
			this.#add({
				...request,
				pauseMs: pauseMs * BACKOFF,
				nextCheckAt: performance.now() + pauseMs,
				isBeingRead: false,
				lastCheck: 'due',
				responseMs: LAST_RESPONSE_MS,
				ended: ended.signal,
				resolve,
				reject,
			});
		}).finally(() => ended.abort());
	}

	#add(waiter: ResultWaiter): void {
		this.#waiters.add(waiter);
		// at once: n8n saves the execution in the moment in which it ends it
		waiter.cancelled?.addEventListener(
			'abort',
			() => this.#endIfOver(waiter, performance.now(), 0),
			{ once: true, signal: waiter.ended },
		);
		if (!this.#isDriving) void this.#drive();
	}

	/** The only timer: runs while somebody waits, and ends waits even if the service does not respond. */
	async #drive(): Promise<void> {
		this.#isDriving = true;
		let turnAt = performance.now();
		while (this.#waiters.size > 0) {
			const now = performance.now();
			// a process that was busy for longer has not awaited any response meanwhile
			const awaitedMs = Math.min(POLLER_SLICE_MS, now - turnAt);
			turnAt = now;
			for (const waiter of [...this.#waiters]) this.#endIfOver(waiter, now, awaitedMs);
			this.#checkDue(now);
			const next = Math.min(...[...this.#waiters].map((waiter) => nextTurnOf(waiter, now)));
			await sleep(Math.max(1, Math.min(POLLER_SLICE_MS, next - performance.now())));
		}
		this.#isDriving = false;
	}

	/** A wait ends at its deadline, and not before its last check has ended, however late that was sent. */
	#endIfOver(waiter: ResultWaiter, now: number, awaitedMs: number): void {
		if (!this.#waiters.has(waiter)) return;
		if (waiter.cancelled?.aborted) {
			this.#waiters.delete(waiter);
			waiter.reject(new QueryError({ kind: 'cancelled' }));
			return;
		}
		if (waiter.deadline > now) return;
		if (waiter.lastCheck === 'sent') waiter.responseMs -= awaitedMs;
		if (waiter.lastCheck !== 'ended' && waiter.responseMs > 0) return;
		this.#waiters.delete(waiter);
		waiter.resolve({ query: waiter.query, overdue: { problem: waiter.problem } });
	}

	/** When the turn of another query has come, all others are checked with it. */
	#checkDue(now: number): void {
		const last = [...this.#waiters].filter((waiter) => isLastCheckDue(waiter, now));
		for (const waiter of last) waiter.lastCheck = 'queued';
		for (const waiter of last.slice(0, MAX_LAST)) void this.#checkLastById(waiter);
		if (last.length > MAX_LAST) void this.#checkLastInList(last.slice(MAX_LAST));
		const others = [...this.#waiters].filter(({ lastCheck }) => lastCheck === 'due');
		if (this.#isListing || !others.some(({ nextCheckAt }) => nextCheckAt <= now)) return;
		for (const waiter of others) scheduleCheck(waiter, now);
		void this.#check(others);
	}

	async #check(waiting: ResultWaiter[]): Promise<void> {
		const isFew = waiting.length <= MAX_BY_ID || !offersQueryList(waiting[0].client.mapping);
		const unread = isFew ? waiting.map((waiter) => ({ waiter })) : await this.#checkInList(waiting);
		for (const one of unread) void this.#checkById(one);
	}

	/**
	 * Checks by ID, because a list may show late, or never, that a query has ended. It is sent even while another
	 * read hangs.
	 */
	async #checkLastById(waiter: ResultWaiter): Promise<void> {
		await this.#read(waiter, {
			retryBudgetMs: LAST_CHECK_BUDGET_MS,
			beforeSend: () => (waiter.lastCheck = 'sent'),
		});
		waiter.lastCheck = 'ended';
	}

	async #checkLastInList(waiting: ResultWaiter[]): Promise<void> {
		for (const waiter of waiting) waiter.lastCheck = 'sent';
		const unread = await this.#checkInList(waiting);
		await Promise.all(unread.map(async (one) => await this.#checkById(one)));
		for (const waiter of waiting) waiter.lastCheck = 'ended';
	}

	/** Those are left that the list does not show, or shows in a short form. */
	async #checkInList(waiting: ResultWaiter[]): Promise<Unread[]> {
		const missing = new Set(waiting);
		const short: Unread[] = [];
		const [{ client }] = waiting.sort((a, b) => b.deadline - a.deadline);
		this.#isListing = true;
		try {
			let pages = 0;
			for await (const { records } of readListChunks(client)) {
				const rows = new Map(records.map((row) => [row.id, row]));
				for (const waiter of [...missing]) {
					const row = rows.get(waiter.query.id);
					if (!row) continue;
					missing.delete(waiter);
					const isKnown = mayStillEnd(row.state) || (await isRowComplete(client, row));
					if (isKnown) this.#see(waiter, row);
					else short.push({ waiter, row });
				}
				if (missing.size === 0 || ++pages >= MAX_POLLED_PAGES) break;
			}
		} catch (error) {
			for (const waiter of missing) waiter.problem = describeReadFailure(error);
		} finally {
			this.#isListing = false;
		}
		return [...short, ...[...missing].map((waiter) => ({ waiter }))];
	}

	async #checkById({ waiter, row }: Unread): Promise<void> {
		if (waiter.isBeingRead || !this.#waiters.has(waiter)) return;
		waiter.isBeingRead = true;
		const retryBudgetMs = Math.max(waiter.deadline - performance.now(), 1000);
		await this.#read(waiter, { retryBudgetMs }, row);
		waiter.isBeingRead = false;
	}

	async #read(waiter: ResultWaiter, how: ReadOptions, row?: QueryRecord): Promise<void> {
		const { client, query } = waiter;
		try {
			const reading = row ? fetchRecordOfRow(client, row, how) : getQuery(client, query.id, how);
			this.#see(waiter, await reading);
		} catch (error) {
			waiter.problem = describeReadFailure(error);
		}
	}

	#see(waiter: ResultWaiter, query: QueryRecord): void {
		waiter.query = query;
		waiter.problem = undefined;
		const hasEnded = !mayStillEnd(query.state);
		if (hasEnded && this.#waiters.delete(waiter)) waiter.resolve({ query });
	}
}

const newResultPoller = () => new ResultPoller();

/** All items of this process share it. */
export const resultPollerOf = ({ clientKey }: QueryClient): ResultPoller =>
	getClientState(clientKey).shared(newResultPoller);

const isLastCheckDue = ({ deadline, lastCheck }: ResultWaiter, now: number): boolean =>
	lastCheck === 'due' && deadline - LAST_CHECK_MS <= now;

/** The timer is needed for the next check, or for the end. */
function nextTurnOf({ lastCheck, nextCheckAt, deadline }: ResultWaiter, now: number): number {
	const nextSlice = now + POLLER_SLICE_MS;
	if (lastCheck !== 'due') return deadline > now ? deadline : nextSlice;
	return Math.min(deadline - LAST_CHECK_MS, nextCheckAt > now ? nextCheckAt : nextSlice);
}

function scheduleCheck(waiter: ResultWaiter, now: number): void {
	waiter.nextCheckAt = Math.min(now + waiter.pauseMs, waiter.deadline - LAST_CHECK_MS);
	waiter.pauseMs = Math.min(waiter.pauseMs * BACKOFF, LONGEST_PAUSE_MS);
}
