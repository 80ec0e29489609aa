import { sleep } from 'n8n-workflow';
import type { Item } from '../../shared/operations/operation';
import { BoundedMap } from '../../shared/utils/boundedMap';
import type { PaidQuery } from '../question/question';
import { getQuery, lastingServiceOf, type QueryService } from '../service/client';
import { hasList, readList, isWhole, readRow } from '../service/list';
import { isLean, isOpen } from '../service/record';
import type { Query, QueryRecord } from '../service/types';
import { QueryError, wordsOf } from '../telling/messages';
import type { Outcome } from '../telling/rows';

const BACKOFF = 1.5;
const LONGEST_PAUSE_MS = 15_000;
/** So long before its time is over a query is looked at for the last time. */
const LAST_LOOK_MS = 1000;
const SLICE_MS = 200;
/** A result that is ready at once is not waited for. */
const FIRST_PAUSE_MS = 500;
/** So few are read one by one; more of them by the list. */
const MAX_BY_ID = 3;
/** So many are read one by one at last. */
const MAX_LAST = 100;
/** What lies deeper in the list is read by its ID. */
const MAX_PAGES = 20;

/** A query that somebody waits for. */
interface Waiter {
	/** As it was seen last. */
	query: Query;
	/** Why it could not be seen last. */
	problem?: string;
	/** When the wait is over, by a clock that nobody sets. */
	deadline: number;
	pauseMs: number;
	nextLook: number;
	isBeingRead: boolean;
	service: QueryService;
	cancelled?: AbortSignal;
	resolve(seen: Seen): void;
	reject(error: Error): void;
}

const isLastLook = ({ deadline }: Waiter, now: number) => deadline - LAST_LOOK_MS <= now;

/** What a wait ends with. */
type Seen = Pick<Outcome, 'query' | 'overdue'>;

/** Whether a query may be waited for: it was only acknowledged, or nothing is known of its end. */
export const isWaitedFor = ({ query }: Outcome): boolean =>
	query.kind === 'acknowledged' || (query.kind === 'record' && isOpen(query.state));

/**
 * The queries of one client that items of this process wait for: one look in each round serves them all. Returns what
 * adds another one.
 */
function pendingQueries(): (waiter: Waiter) => void {
	const waiters = new Set<Waiter>();
	let [isDriving, isListing] = [false, false];

	/** The only timer: runs while somebody waits, and ends waits in time even if the service does not answer. */
	async function drive(): Promise<void> {
		isDriving = true;
		while (waiters.size > 0) {
			const now = performance.now();
			for (const waiter of [...waiters]) endIfOver(waiter, now);
			const due = [...waiters].filter(({ nextLook }) => nextLook <= now);
			const mayLook = !isListing || due.some((waiter) => isLastLook(waiter, now));
			if (due.length > 0 && mayLook) void look(now);
			const next = Math.min(...[...waiters].flatMap((one) => [one.nextLook, one.deadline]));
			await sleep(Math.max(1, Math.min(SLICE_MS, next - performance.now())));
		}
		isDriving = false;
	}

	function endIfOver(waiter: Waiter, now: number): void {
		const isCancelled = waiter.cancelled?.aborted === true;
		if (!isCancelled && waiter.deadline > now) return;
		waiters.delete(waiter);
		if (isCancelled) waiter.reject(new QueryError({ kind: 'cancelled' }));
		else waiter.resolve({ query: waiter.query, overdue: { problem: waiter.problem } });
	}

	/**
	 * Whoever's turn has come, everybody is looked for; and then a while later. At last by the ID, for a list may show
	 * what has become of a query late, or never.
	 */
	async function look(now: number): Promise<void> {
		const waiting = [...waiters];
		const last = waiting.filter((waiter) => isLastLook(waiter, now)).slice(0, MAX_LAST);
		const others = waiting.filter((waiter) => !last.includes(waiter));
		for (const waiter of waiting) {
			const next = now + waiter.pauseMs;
			const isLate = next >= waiter.deadline && !isLastLook(waiter, now);
			waiter.nextLook = isLate ? waiter.deadline - LAST_LOOK_MS : next;
			waiter.pauseMs = Math.min(waiter.pauseMs * BACKOFF, LONGEST_PAUSE_MS);
		}
		for (const waiter of last) void lookById(waiter);
		if (others.length === 0 || isListing) return;
		const isFew = others.length <= MAX_BY_ID || !hasList(others[0].service.mapping);
		for (const waiter of isFew ? others : await lookInList(others)) void lookById(waiter);
	}

	/** Returns those that the list does not show: all where it cannot be read. */
	async function lookInList(waiting: Waiter[]): Promise<Waiter[]> {
		const missing = new Set(waiting);
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
					if (isOpen(row.state) || (await isWhole(service, row))) see(waiter, row);
					else void lookById(waiter, row);
				}
				if (missing.size === 0 || ++pages >= MAX_PAGES) break;
			}
		} catch (error) {
			for (const waiter of missing) waiter.problem = wordsOf(error).message;
		} finally {
			isListing = false;
		}
		return [...missing];
	}

	async function lookById(waiter: Waiter, row?: QueryRecord): Promise<void> {
		if (waiter.isBeingRead || !waiters.has(waiter)) return;
		waiter.isBeingRead = true;
		const how = { patienceMs: Math.max(waiter.deadline - performance.now(), 1000) };
		const { service, query } = waiter;
		try {
			const reading = row ? readRow(service, row, how) : getQuery(service, query.id, how);
			see(waiter, await reading);
		} catch (error) {
			waiter.problem = wordsOf(error).message;
		} finally {
			waiter.isBeingRead = false;
		}
	}

	function see(waiter: Waiter, query: QueryRecord): void {
		waiter.query = query;
		waiter.problem = undefined;
		if (!isOpen(query.state) && waiters.delete(waiter)) waiter.resolve({ query });
	}

	return (waiter) => {
		waiters.add(waiter);
		if (!isDriving) void drive();
	};
}

const pendingByClient = new BoundedMap<string, (waiter: Waiter) => void>(1000);

/**
 * Waits until a query has ended or the time is over; then what is known of it comes back, never an error, because a new
 * query is billed. Throws only if the execution is cancelled.
 */
export async function waitForResult(item: Item, outcome: Outcome, maxMs: number): Promise<Outcome> {
	const { query } = outcome;
	if (query.kind === 'word' || !isWaitedFor(outcome)) return outcome;
	const service = await lastingServiceOf(item); // one that failed must not blind the others
	const add = pendingByClient.getOrMake(service.client, pendingQueries);
	const now = performance.now();
	const pauseMs = Math.min(FIRST_PAUSE_MS, maxMs / 2);
	const seen = await new Promise<Seen>((resolve, reject) => {
		add({
			query,
			deadline: now + maxMs,
			pauseMs: pauseMs * BACKOFF,
			nextLook: now + pauseMs,
			isBeingRead: false,
			service,
			cancelled: item.run.cancelled,
			resolve,
			reject,
		});
	});
	return { ...outcome, ...seen };
}

/** What was accepted, as its ID gives it: items that ask the same with Reuse share one read. */
const reads = new WeakMap<Query, Promise<QueryRecord>>();

/**
 * What was just accepted, with its result: a record that says success without one, and an acknowledgement where the
 * document has the record at once, are read by their ID, once. As it is where that fails, with the reason.
 */
export async function readResult(
	item: Item,
	outcome: Outcome,
	{ service: { isImmediate }, hasNoResult }: PaidQuery,
): Promise<Outcome> {
	const { query, how } = outcome;
	const isNew = how === 'sent' || how === 'reused'; // the others were read
	if (!isNew || query.kind === 'word' || hasNoResult) return outcome;
	const lacks = query.kind === 'record' && query.state === 'success' && isLean(query);
	if (!lacks && (query.kind === 'record' || !isImmediate)) return outcome;
	const reading = reads.get(query) ?? getQuery(await lastingServiceOf(item), query.id);
	reads.set(query, reading);
	return await reading.then(
		(record) => ({ ...outcome, query: record }),
		(error: unknown) => {
			reads.delete(query);
			return lacks ? { ...outcome, unread: wordsOf(error).message } : outcome;
		},
	);
}
