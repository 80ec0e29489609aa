import { RequestError } from '../../shared/http/requestError';
import { getClientState } from '../../shared/processState';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { indexRecords } from '../request/matchRecord';
import { findQueryById, type QueryClient } from '../client/queryClient';
import { completeSelectedRows, lacksRequestOrDate, listAtLeastSince } from '../client/queryList';
import type { CollectedQueryList, QueryRecord } from '../client/model';
import { mayStillEnd } from '../client/record';

/** The list may lag this long behind an accepted query. */
export const LIST_LAG_MS = 60_000;
/** A `Date` header counts in whole seconds, and clocks drift. */
export const CLOCK_MS = 2000;

/** Allows for dates that are this much too early: whole minutes, and clocks that differ. */
export const EARLY_DATE_MS = 5 * 60_000;

/** Who reads the list, and what the reading must have. */
export interface ReadingNeed {
	/** The run that reads: if that is cancelled, or waits too long for its turn, nobody else's reading fails. */
	owner: object;
	/** Queries made since then, in milliseconds by the service's clock. */
	since: number;
	/** The reading begins at this moment of the monotonic clock, or after it. */
	notBefore: number;
}

export class ListReading {
	/** The time when the reading ended, by this machine's clock. */
	endedAt = Infinity;
	readonly #indexes = new Map<number, Promise<ReturnType<typeof indexRecords>>>();

	constructor(
		readonly owner: object,
		readonly since: number,
		/** The moment when the reading began, by a monotonic clock. */
		readonly startedAt: number,
		readonly listing: Promise<CollectedQueryList>,
	) {}

	serves({ since, notBefore }: ReadingNeed): boolean {
		return this.startedAt >= notBefore && this.since <= since;
	}

	/** Indexes the queries made since a moment of the service's clock; `complete` reads rows without request or date. */
	async index(since: number, complete: (row: QueryRecord) => Promise<QueryRecord>) {
		const make = async () => {
			const { records } = await this.listing;
			const recent = records.filter(({ createdAt = since }) => createdAt >= since);
			return indexRecords(await completeSelectedRows(recent, lacksRequestOrDate, complete));
		};
		const covering = [...this.#indexes.keys()].find((from) => from <= since) ?? since;
		const known = this.#indexes.get(covering) ?? make();
		this.#indexes.set(covering, known);
		return await known;
	}
}

const isOfItsOwner = (error: unknown): boolean =>
	error instanceof RequestError && ['cancelled', 'rateLimit'].includes(error.problem.kind);

/**
 * The list of queries of one account (TQ §4.12), read for all executions of this process: one reading at a time, which
 * all share who need one meanwhile.
 */
export class SharedQueryList {
	#running?: ListReading;
	#last?: ListReading;
	/** The next reading, which begins once the running one has ended. */
	#next?: { since: number; reading: Promise<ListReading> };
	/** The number of rows of the last reading. */
	size = 0;
	/** Caches the records of rows without request or date, so that each is read once while its status stays. */
	readonly #records = new BoundedMap<string, Promise<QueryRecord | undefined>>(10_000);

	get isInUse(): boolean {
		return this.#running !== undefined;
	}

	/** Throws what reading the list throws. */
	async read(client: QueryClient, need: ReadingNeed): Promise<ListReading> {
		for (;;) {
			const reading = await this.#join(client, need);
			const error = await reading.listing.then(
				() => undefined,
				(cause: unknown) => ({ cause }),
			);
			if (!error) return reading;
			if (reading.owner === need.owner || !isOfItsOwner(error.cause)) throw error.cause as Error;
		}
	}

	/** Reads a row without request or date by its ID. */
	async completeRow(client: QueryClient, row: QueryRecord): Promise<QueryRecord> {
		const key = `${row.id} ${row.status}`;
		const forget = () => this.#records.delete(key);
		const record = await this.#records
			.getOrMake(key, async () => await findQueryById(client, row.id))
			.catch((error: unknown) => {
				forget();
				throw error as Error;
			});
		// where the list shows no status, nothing else says that a query has ended
		if (!record || (row.status === undefined && mayStillEnd(record.state))) forget();
		return record ?? row;
	}

	async #join(client: QueryClient, need: ReadingNeed): Promise<ListReading> {
		const known = [this.#last, this.#running].find((one) => one?.serves(need));
		if (known) return known;
		if (!this.#running && !this.#next) return this.#start(client, need.owner, need.since);
		if (this.#next) {
			this.#next.since = Math.min(this.#next.since, need.since);
			return await this.#next.reading;
		}
		const next = { since: need.since, reading: this.#afterRunning(client, need.owner) };
		this.#next = next;
		return await next.reading;
	}

	async #afterRunning(client: QueryClient, owner: object): Promise<ListReading> {
		await this.#running?.listing.catch(() => undefined);
		const since = this.#next?.since ?? Infinity;
		this.#next = undefined;
		return this.#start(client, owner, since);
	}

	#start(client: QueryClient, owner: object, since: number): ListReading {
		const listing = listAtLeastSince(client, since);
		const reading = new ListReading(owner, since, performance.now(), listing);
		this.#running = reading;
		const end = (rows?: number) => {
			reading.endedAt = Date.now();
			this.#running = undefined;
			if (rows === undefined) return;
			[this.#last, this.size] = [reading, rows];
		};
		listing.then(
			({ records }) => end(records.length),
			() => end(),
		);
		return reading;
	}
}

/** The lists of one client, by API Mapping: credentials of one account may name the fields differently. */
const newLists = () => new ListsByMapping();

class ListsByMapping {
	readonly #lists = new BoundedMap<string, SharedQueryList>(5);

	of(mapping: QueryClient['mapping']): SharedQueryList {
		return this.#lists.getOrMake(JSON.stringify(mapping), () => new SharedQueryList());
	}

	get size(): number {
		return [...this.#lists.values()].reduce((sum, { size }) => sum + size, 0);
	}

	get isInUse(): boolean {
		return [...this.#lists.values()].some(({ isInUse }) => isInUse);
	}
}

/** All readers of this process share it. */
export const sharedQueryListOf = ({ clientKey, mapping }: QueryClient): SharedQueryList =>
	getClientState(clientKey).shared(newLists).of(mapping);
