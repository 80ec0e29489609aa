import { sleep } from 'n8n-workflow';
import type { OperationItem } from '../../shared/operations/operation';
import { stateOfClient } from '../../shared/processState';
import type { PaidQuery } from '../request/queryRequest';
import {
	getQuery,
	uncancelledClient,
	type ReadOptions,
	type QueryClient,
} from '../client/queryClient';
import { hasList, readList, holdsResult, readRowById } from '../client/queryList';
import { lacksResponse, isUnfinishedState } from '../client/queryRecord';
import type { Query, QueryRecord } from '../client/queryModel';
import { QueryError, reasonFor } from '../errors/queryError';
import type { QueryOutcome } from '../output/rows';

const BACKOFF = 1.5;
const LONGEST_PAUSE_MS = 15_000;
/** The last check begins this long before the time is over, or as soon after as its turn comes. */
const LAST_CHECK_MS = 1000;
/** The last check gives up when neither the rate limit nor the faults of the service let it through. */
const LAST_CHECK_BUDGET_MS = 60_000;
const SLICE_MS = 200;
/** Limits how long a finished wait still awaits the response to its last check. */
const LAST_RESPONSE_MS = 10_000;
/** A result that is ready at once is not waited for. */
const FIRST_PAUSE_MS = 500;
/** Up to this many are read one by one; more of them by the list. */
const MAX_BY_ID = 3;
/** The last check of more queries than these is made in the list. */
const MAX_LAST = 100;
/** Defines what lies deeper in the list is read by its ID. */
const MAX_PAGES = 20;

/** A pending query comes out this long before the workflow's timeout, which would drop it. */
const BEFORE_TIMEOUT_MS = 3000;

/** A query that somebody waits for. */
interface Waiter {
	/** Holds the query as it was seen last. */
	query: Query;
	/** Says why it could not be seen last. */
	problem?: string;
	/** Says when the wait is over, by a clock that nobody sets. */
	deadline: number;
	pauseMs: number;
	nextCheckAt: number;
	isBeingRead: boolean;
	lastCheck: LastCheck;
	/** Says how much longer the response to the last check is awaited once the time is over. */
	responseMs: number;
	service: QueryClient;
	cancelled?: AbortSignal;
	/** Aborted when the wait is over. */
	ended: AbortSignal;
	resolve(seen: WaitResult): void;
	reject(error: Error): void;
}

/** A query that is to be read by its ID, with its row of the list if there is one. */
interface Unread {
	waiter: Waiter;
	row?: QueryRecord;
}

/** Every wait ends with a check. It is `queued` until the rate limit and the login let its request go. */
type LastCheck = 'due' | 'queued' | 'sent' | 'ended';

const isLastCheckDue = ({ deadline, lastCheck }: Waiter, now: number) =>
	lastCheck === 'due' && deadline - LAST_CHECK_MS <= now;

/** Describes what a wait ends with. */
type WaitResult = Pick<QueryOutcome, 'query' | 'overdue'>;

/** Returns whether a query may be waited for: it was only acknowledged, or nothing is known of its end. */
export const isWaitedFor = ({ query }: QueryOutcome): boolean =>
	query.kind === 'acknowledged' || (query.kind === 'record' && isUnfinishedState(query.state));

/**
 * Polls the queries of one client that items of this process wait for, once in each round for all. Returns a function
 * that adds a waiter.
 */
function newPendingQueries() {
	const waiters = new Set<Waiter>();
	let [isDriving, isListing] = [false, false];

	/** The only timer: runs while somebody waits, and ends waits even if the service does not respond. */
	async function drive(): Promise<void> {
		isDriving = true;
		let turnAt = performance.now();
		while (waiters.size > 0) {
			const now = performance.now();
			// a process that was busy for longer has not awaited any response meanwhile
			const awaitedMs = Math.min(SLICE_MS, now - turnAt);
			turnAt = now;
			for (const waiter of [...waiters]) endIfOver(waiter, now, awaitedMs);
			checkDue(now);
			const next = Math.min(...[...waiters].map((waiter) => nextTurnOf(waiter, now)));
			await sleep(Math.max(1, Math.min(SLICE_MS, next - performance.now())));
		}
		isDriving = false;
	}

	/** A wait ends at its deadline, and not before its last check has ended, however late that was sent. */
	function endIfOver(waiter: Waiter, now: number, awaitedMs: number): void {
		if (!waiters.has(waiter)) return;
		if (waiter.cancelled?.aborted) {
			waiters.delete(waiter);
			waiter.reject(new QueryError({ kind: 'cancelled' }));
			return;
		}
		if (waiter.deadline > now) return;
		if (waiter.lastCheck === 'sent') waiter.responseMs -= awaitedMs;
		if (waiter.lastCheck !== 'ended' && waiter.responseMs > 0) return;
		waiters.delete(waiter);
		waiter.resolve({ query: waiter.query, overdue: { problem: waiter.problem } });
	}

	function nextTurnOf({ lastCheck, nextCheckAt, deadline }: Waiter, now: number): number {
		const nextSlice = now + SLICE_MS;
		if (lastCheck !== 'due') return deadline > now ? deadline : nextSlice;
		return Math.min(deadline - LAST_CHECK_MS, nextCheckAt > now ? nextCheckAt : nextSlice);
	}

	/** Makes the last checks that are due. When the turn of another query has come, all others are checked with it. */
	function checkDue(now: number): void {
		const last = [...waiters].filter((waiter) => isLastCheckDue(waiter, now));
		for (const waiter of last) waiter.lastCheck = 'queued';
		for (const waiter of last.slice(0, MAX_LAST)) void checkLastById(waiter);
		if (last.length > MAX_LAST) void checkLastInList(last.slice(MAX_LAST));
		const others = [...waiters].filter(({ lastCheck }) => lastCheck === 'due');
		if (isListing || !others.some(({ nextCheckAt }) => nextCheckAt <= now)) return;
		for (const waiter of others) schedule(waiter, now);
		void check(others);
	}

	function schedule(waiter: Waiter, now: number): void {
		waiter.nextCheckAt = Math.min(now + waiter.pauseMs, waiter.deadline - LAST_CHECK_MS);
		waiter.pauseMs = Math.min(waiter.pauseMs * BACKOFF, LONGEST_PAUSE_MS);
	}

	async function check(waiting: Waiter[]): Promise<void> {
		const isFew = waiting.length <= MAX_BY_ID || !hasList(waiting[0].service.mapping);
		const unread = isFew ? waiting.map((waiter) => ({ waiter })) : await checkInList(waiting);
		for (const one of unread) void checkById(one);
	}

	/**
	 * Checks by ID, because a list may show late, or never, that a query has ended. It is sent even while another
	 * read hangs.
	 */
	async function checkLastById(waiter: Waiter): Promise<void> {
		await read(waiter, {
			retryBudgetMs: LAST_CHECK_BUDGET_MS,
			beforeSend: () => (waiter.lastCheck = 'sent'),
		});
		waiter.lastCheck = 'ended';
	}

	async function checkLastInList(waiting: Waiter[]): Promise<void> {
		for (const waiter of waiting) waiter.lastCheck = 'sent';
		await Promise.all((await checkInList(waiting)).map(checkById));
		for (const waiter of waiting) waiter.lastCheck = 'ended';
	}

	/** Returns what is to be read by its ID: what the list does not show, or shows in a short form. */
	async function checkInList(waiting: Waiter[]): Promise<Unread[]> {
		const missing = new Set(waiting);
		const short: Unread[] = [];
		const [{ service }] = waiting.sort((a, b) => b.deadline - a.deadline);
		isListing = true;
		try {
			let pages = 0;
			for await (const { records } of readList(service)) {
				const rows = new Map(records.map((row) => [row.id, row]));
				for (const waiter of [...missing]) {
					const row = rows.get(waiter.query.id);
					if (!row) continue;
					missing.delete(waiter);
					if (isUnfinishedState(row.state) || (await holdsResult(service, row))) see(waiter, row);
					else short.push({ waiter, row });
				}
				if (missing.size === 0 || ++pages >= MAX_PAGES) break;
			}
		} catch (error) {
			for (const waiter of missing) waiter.problem = reasonFor(error);
		} finally {
			isListing = false;
		}
		return [...short, ...[...missing].map((waiter) => ({ waiter }))];
	}

	async function checkById({ waiter, row }: Unread): Promise<void> {
		if (waiter.isBeingRead || !waiters.has(waiter)) return;
		waiter.isBeingRead = true;
		const retryBudgetMs = Math.max(waiter.deadline - performance.now(), 1000);
		await read(waiter, { retryBudgetMs }, row);
		waiter.isBeingRead = false;
	}

	async function read(waiter: Waiter, how: ReadOptions, row?: QueryRecord): Promise<void> {
		const { service, query } = waiter;
		try {
			const reading = row ? readRowById(service, row, how) : getQuery(service, query.id, how);
			see(waiter, await reading);
		} catch (error) {
			waiter.problem = reasonFor(error);
		}
	}

	function see(waiter: Waiter, query: QueryRecord): void {
		waiter.query = query;
		waiter.problem = undefined;
		if (!isUnfinishedState(query.state) && waiters.delete(waiter)) waiter.resolve({ query });
	}

	return {
		get isInUse(): boolean {
			return waiters.size > 0;
		},

		add(waiter: Waiter): void {
			waiters.add(waiter);
			// at once: n8n saves the execution in the moment in which it ends it
			waiter.cancelled?.addEventListener('abort', () => endIfOver(waiter, performance.now(), 0), {
				once: true,
				signal: waiter.ended,
			});
			if (!isDriving) void drive();
		},
	};
}

/**
 * Waits until a query has ended or the time is over. Then it returns what is known, never an error, because a new
 * query is billed. Throws only if the execution is cancelled.
 */
export async function waitForResult(
	item: OperationItem,
	outcome: QueryOutcome,
	maxMs: number,
): Promise<QueryOutcome> {
	const { query } = outcome;
	if (query.kind === 'withoutId' || !isWaitedFor(outcome)) return outcome;
	const service = await uncancelledClient(item); // one that failed must not blind the others
	const pending = stateOfClient(service.client).shared(newPendingQueries);
	const now = performance.now();
	const waitMs = Math.max(0, Math.min(maxMs, item.run.timeoutAt - now - BEFORE_TIMEOUT_MS));
	const pauseMs = Math.min(FIRST_PAUSE_MS, waitMs / 2);
	const ended = new AbortController();
	const seen = await new Promise<WaitResult>((resolve, reject) => {
		pending.add({
			query,
			deadline: now + waitMs,
			pauseMs: pauseMs * BACKOFF,
			nextCheckAt: now + pauseMs,
			isBeingRead: false,
			lastCheck: 'due',
			responseMs: LAST_RESPONSE_MS,
			service,
			cancelled: item.run.cancelled,
			ended: ended.signal,
			resolve,
			reject,
		});
	}).finally(() => ended.abort());
	return { ...outcome, ...seen };
}

/** Caches accepted queries read by ID, which items with Reuse share. */
const newReads = () => new WeakMap<Query, Promise<QueryRecord>>();

/**
 * Returns an accepted query with its result. A success without a result is read by ID once, and so is an
 * acknowledgement whose record the document has at once. If that fails, the query comes back with the reason.
 */
export async function readResult(
	item: OperationItem,
	outcome: QueryOutcome,
	{ service: { isImmediate }, hasNoResult }: PaidQuery,
): Promise<QueryOutcome> {
	const { query, how } = outcome;
	const isNew = how === 'sent' || how === 'reused'; // the others were read
	if (!isNew || query.kind === 'withoutId' || hasNoResult) return outcome;
	const lacks = query.kind === 'record' && query.state === 'success' && lacksResponse(query);
	if (!lacks && (query.kind === 'record' || !isImmediate)) return outcome;
	const reads = item.run.execution.shared(newReads);
	const reading = reads.get(query) ?? getQuery(await uncancelledClient(item), query.id);
	reads.set(query, reading);
	return await reading.then(
		(record) => ({ ...outcome, query: record }),
		(error: unknown) => {
			reads.delete(query);
			return lacks ? { ...outcome, unread: reasonFor(error) } : outcome;
		},
	);
}
