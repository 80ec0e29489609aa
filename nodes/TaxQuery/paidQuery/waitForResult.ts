import { OperationalError, sleep, type IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { Item } from '../../shared/operations/operation';
import type { Connection } from '../../shared/transport/request';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { echoOf, isLean, isSurelyBefore, queryIdOf, stateOf } from '../queries';
import { getQuery, hasList, lastingConnectionOf, queryPages } from '../queries/client';
import { EchoIndex } from '../queries/echoIndex';
import { isWhole, readRow } from '../queries/rows';
import { isAcknowledgement } from './answer';
import type { PaidQuery } from './definition';
import type { ExpectedRecord } from './findQuery';
import type { Outcome } from './output';

const BACKOFF = 1.5;
const LONGEST_PAUSE_MS = 15_000;
/** So long before its time is over a query is looked at for the last time. */
const LAST_LOOK_MS = 1000;
const SLICE_MS = 200;
/** As the field Poll Interval says; it would never grow from 0. */
const SHORTEST_PAUSE_MS = 100;
/** So few are read one by one; more of them by the list. */
const MAX_BY_ID = 3;
/** So many are read one by one at last. */
const MAX_LAST = 100;
/** What lies deeper in the list is read by its ID. */
const MAX_PAGES = 20;

/** A query that somebody waits for. */
interface Waiter {
	id: string;
	/** As it was seen last. */
	query: IDataObject;
	/** Why it could not be seen last. */
	problem?: string;
	/** When the wait is over, by a clock that nobody sets. */
	deadline: number;
	pauseMs: number;
	nextLook: number;
	isBeingRead: boolean;
	connection: Connection<TaxQueryMapping>;
	cancelled?: AbortSignal;
	resolve(outcome: Pick<Outcome, 'query' | 'overdue'>): void;
	reject(error: Error): void;
}

const isLastLook = ({ deadline }: Waiter, now: number) => deadline - LAST_LOOK_MS <= now;

const isPending = (query: IDataObject, mapping: TaxQueryMapping) =>
	['pending', 'unknown'].includes(stateOf(query, mapping));

/** The queries of one client that items of this process wait for: one look in each round serves them all. */
class PendingQueries {
	private readonly waiters = new Set<Waiter>();
	private isDriving = false;
	private isListing = false;

	add(waiter: Waiter): void {
		this.waiters.add(waiter);
		if (!this.isDriving) void this.drive();
	}

	/** The only timer: runs while somebody waits, and ends waits in time even if the service does not answer. */
	private async drive(): Promise<void> {
		this.isDriving = true;
		while (this.waiters.size > 0) {
			const now = performance.now();
			for (const waiter of [...this.waiters]) this.endIfOver(waiter, now);
			const due = [...this.waiters].filter(({ nextLook }) => nextLook <= now);
			const mayLook = !this.isListing || due.some((waiter) => isLastLook(waiter, now));
			if (due.length > 0 && mayLook) void this.look(now);
			const next = Math.min(
				...[...this.waiters].map((one) => Math.min(one.nextLook, one.deadline)),
			);
			await sleep(Math.max(1, Math.min(SLICE_MS, next - performance.now())));
		}
		this.isDriving = false;
	}

	private endIfOver(waiter: Waiter, now: number): void {
		if (waiter.cancelled?.aborted) {
			this.waiters.delete(waiter);
			waiter.reject(new OperationalError('The execution was cancelled'));
		} else if (waiter.deadline <= now) {
			this.waiters.delete(waiter);
			waiter.resolve({ query: waiter.query, overdue: { problem: waiter.problem } });
		}
	}

	/**
	 * Whoever's turn has come, everybody is looked for; and then a while later. At last by the ID, for a list may show
	 * what has become of a query late, or never.
	 */
	private async look(now: number): Promise<void> {
		const waiting = [...this.waiters];
		const last = waiting.filter((waiter) => isLastLook(waiter, now)).slice(0, MAX_LAST);
		const others = waiting.filter((waiter) => !last.includes(waiter));
		for (const waiter of waiting) {
			const next = now + waiter.pauseMs;
			const last = waiter.deadline - LAST_LOOK_MS;
			waiter.nextLook = next < waiter.deadline || last <= now ? next : last;
			waiter.pauseMs = Math.min(waiter.pauseMs * BACKOFF, LONGEST_PAUSE_MS);
		}
		for (const waiter of last) void this.lookById(waiter);
		if (others.length === 0 || this.isListing) return;
		const isFew = others.length <= MAX_BY_ID || !hasList(others[0].connection.mapping);
		for (const waiter of isFew ? others : await this.lookInList(others)) void this.lookById(waiter);
	}

	/** Returns those that the list does not show: all where it cannot be read. */
	private async lookInList(waiting: Waiter[]): Promise<Waiter[]> {
		const missing = new Map<string, Waiter[]>(); // items that ask the same wait for one query
		for (const waiter of waiting) {
			const same = missing.get(waiter.id);
			if (same) same.push(waiter);
			else missing.set(waiter.id, [waiter]);
		}
		const [{ connection }] = waiting.sort((a, b) => b.deadline - a.deadline);
		this.isListing = true;
		try {
			let pages = 0;
			for await (const { records } of queryPages(connection)) {
				for (const row of records) {
					const id = String(queryIdOf(row));
					const waiters = missing.get(id) ?? [];
					missing.delete(id);
					if (waiters.length === 0) continue;
					const isShown = isPending(row, connection.mapping) || (await isWhole(connection, row));
					for (const waiter of waiters) {
						if (isShown) this.see(waiter, row);
						else void this.lookById(waiter, row);
					}
				}
				if (missing.size === 0 || ++pages >= MAX_PAGES) break;
			}
			return [...missing.values()].flat();
		} catch (error) {
			const unseen = [...missing.values()].flat();
			for (const waiter of unseen) waiter.problem = (error as Error).message;
			return unseen;
		} finally {
			this.isListing = false;
		}
	}

	private async lookById(waiter: Waiter, row?: IDataObject): Promise<void> {
		if (waiter.isBeingRead || !this.waiters.has(waiter)) return;
		waiter.isBeingRead = true;
		const patienceMs = Math.max(waiter.deadline - performance.now(), 1000);
		const { connection, id } = waiter;
		try {
			const record = row
				? await readRow(connection, row, { patienceMs })
				: await getQuery(connection, id, { patienceMs });
			this.see(waiter, record);
		} catch (error) {
			waiter.problem = (error as Error).message;
		} finally {
			waiter.isBeingRead = false;
		}
	}

	private see(waiter: Waiter, query: IDataObject): void {
		waiter.query = query;
		waiter.problem = undefined;
		if (isPending(query, waiter.connection.mapping)) return;
		if (this.waiters.delete(waiter)) waiter.resolve({ query });
	}
}

const pendingByClient = new BoundedMap<string, PendingQueries>(1000);

/**
 * Waits until a pending query has ended or the time is over; then what is known of it comes back, never an error,
 * because asking again costs money. Throws only if the execution is cancelled.
 */
export async function waitForResult(
	item: Item,
	outcome: Outcome,
	{ maxMs, intervalMs }: { maxMs: number; intervalMs: number },
): Promise<Outcome> {
	const connection = await lastingConnectionOf(item); // one that failed must not blind the others
	const pending = pendingByClient.getOrMake(connection.client, () => new PendingQueries());
	const now = performance.now();
	const pauseMs = Math.max(intervalMs, SHORTEST_PAUSE_MS);
	const seen = await new Promise<Pick<Outcome, 'query' | 'overdue'>>((resolve, reject) => {
		pending.add({
			id: String(queryIdOf(outcome.query)),
			query: outcome.query,
			deadline: now + maxMs,
			pauseMs: pauseMs * BACKOFF,
			nextLook: now + pauseMs,
			isBeingRead: false,
			connection,
			cancelled: item.run.cancelled,
			resolve,
			reject,
		});
	});
	return { ...outcome, ...seen };
}

/** What was accepted, as its ID gives it: items that ask the same with Reuse share one read. */
const reads = new WeakMap<IDataObject, Promise<IDataObject>>();

/**
 * What was just accepted, with its result: a record that says success without one is read by its ID, once. As it is, and
 * with the reason, where that fails.
 */
export async function readResult(
	item: Item,
	outcome: Outcome,
	{ service, hasNoResult }: PaidQuery,
): Promise<Outcome> {
	const connection = await lastingConnectionOf(item);
	const { query, how } = outcome;
	const id = how === 'sent' || how === 'reused' ? queryIdOf(query) : undefined; // the others were read
	const isDone = stateOf(query, connection.mapping) === 'success';
	if (id === undefined || !isDone || !isLean(query, connection.mapping)) return outcome;
	// the success of an acknowledgement is that it was accepted
	if (hasNoResult || (isAcknowledgement(query, service) && !service.isImmediate)) return outcome;
	const reading = reads.get(query) ?? getQuery(connection, id);
	reads.set(query, reading);
	return await reading.then(
		(record) => ({ ...outcome, query: record }),
		(error: Error) => {
			reads.delete(query);
			return { ...outcome, unread: error.message };
		},
	);
}

/** The query that an unclear answer names by its ID, if it is there, asks just this and was made since then. */
export async function readNamed(
	item: Item,
	id: string,
	[{ service, echo, isExact }, ...others]: ExpectedRecord[],
	since: number,
): Promise<IDataObject | undefined> {
	const connection = await lastingConnectionOf(item);
	const record = await getQuery(connection, id).catch(() => undefined);
	if (!record || isSurelyBefore(record, since + connection.clockOffsetMs())) return undefined;
	const [found] = others.length > 0 ? [] : new EchoIndex([record]).find(service, echo);
	return found && isExact(echoOf(found)) ? found : undefined;
}
