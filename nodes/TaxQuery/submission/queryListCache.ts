import { indexRecords } from '../request/matchRecord';
import type { QueryClient } from '../client/queryClient';
import {
	lacksRequestOrDate,
	listAtLeastSince,
	fetchRecordOfRow,
	completeSelectedRows,
} from '../client/queryList';
import type { CollectedQueryList, QueryRecord } from '../client/queryModel';

/** Allows for dates that are this much too early: whole minutes, and clocks that differ. */
const LATE_MS = 5 * 60_000;

/** The lists of queries that were read of one account. */
export class QueryListsOfOneAccount {
	/** The time when the reading began, by a monotonic clock. */
	readonly readAt = performance.now();
	readonly #lists = new Map<number, Promise<CollectedQueryList>>();
	readonly #indexes = new Map<number, Promise<ReturnType<typeof indexRecords>>>();
	#rows = 0;
	/** A reading failed; the next run tries again. */
	isFailed = false;

	/** Returns the queries made since a moment by this machine's clock, or a longer list. */
	async list(client: QueryClient, since: number): Promise<CollectedQueryList> {
		const read = async () => {
			const listing = await listAtLeastSince(client, since + client.clockOffsetMs() - LATE_MS);
			this.#rows += listing.records.length;
			return listing;
		};
		const known = this.#lists.get(this.#covering(since)) ?? read();
		this.#lists.set(this.#covering(since), known);
		return await known.catch((error: unknown) => {
			this.isFailed = true;
			throw error as Error;
		});
	}

	/** Indexes the list; rows without request or date are read by ID. */
	async index(client: QueryClient, since: number) {
		const make = async () => {
			const listing = await this.list(client, since);
			const from = since + client.clockOffsetMs();
			const recent = listing.records.filter(({ createdAt = from }) => createdAt >= from);
			const read = async (row: QueryRecord) => await fetchRecordOfRow(client, row);
			return indexRecords(await completeSelectedRows(recent, lacksRequestOrDate, read));
		};
		const known = this.#indexes.get(this.#covering(since)) ?? make();
		this.#indexes.set(this.#covering(since), known);
		return await known;
	}

	get size(): number {
		return this.#rows;
	}

	/** Returns all lists that could be read. */
	async all(): Promise<CollectedQueryList[]> {
		const read = [...this.#lists.values()].map(async (one) => await one.catch(() => undefined));
		return (await Promise.all(read)).filter((one) => one !== undefined);
	}

	#covering(since: number): number {
		return [...this.#lists.keys()].find((from) => from <= since) ?? since;
	}
}

/** The lists that the runs of an execution have read, by account. */
export class ReadLists {
	readonly #byClient = new Map<string, QueryListsOfOneAccount>();

	of(clientKey: string, maxAgeMs: number): QueryListsOfOneAccount {
		const known = this.#byClient.get(clientKey);
		const isFresh = known && !known.isFailed && performance.now() - known.readAt <= maxAgeMs;
		if (isFresh) return known;
		return this.renew(clientKey);
	}

	renew(clientKey: string): QueryListsOfOneAccount {
		const list = new QueryListsOfOneAccount();
		this.#byClient.set(clientKey, list);
		return list;
	}

	get size(): number {
		return [...this.#byClient.values()].reduce((sum, { size }) => sum + size, 0);
	}
}

export const newReadLists = () => new ReadLists();
