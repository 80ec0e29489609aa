import { BoundedMap } from '../../shared/utils/boundedMap';
import type { QueryClient } from '../client/queryClient';
import { listAtLeastSince, fetchRecordOfRow } from '../client/queryList';
import type { QueryId, CollectedQueryList, QueryRecord } from '../client/queryModel';

/** A date may be local time that is labelled as UTC. */
export const TIME_ZONE_TOLERANCE_MS = 24 * 3_600_000;

export interface ListReading {
	listing: CollectedQueryList;
	/** The time when the reading ended, by this machine's clock. */
	at: number;
}

/** Reads the list for concurrent callers, who share a reading. It continues when another item fails. */
export class SharedListReadings {
	#running: Promise<ListReading> | undefined;
	#queued: Promise<ListReading> | undefined;
	#oldest = Infinity;
	/** Caches the records of rows without a request, so that each is read once. */
	readonly #records = new BoundedMap<QueryId, Promise<QueryRecord>>(10_000);

	/** Returns a reading of the queries since `sentAt` that begins after this call. Throws what reading throws. */
	async read(client: QueryClient, sentAt: number): Promise<ListReading> {
		this.#oldest = Math.min(this.#oldest, sentAt);
		if (!this.#running) return await this.#start(client);
		this.#queued ??= this.#running
			.catch(() => undefined)
			.then(async () => {
				this.#queued = undefined;
				return await this.#start(client);
			});
		return await this.#queued;
	}

	/** Reads a row without request or date by its ID, if possible. */
	async completeRow(client: QueryClient, row: QueryRecord): Promise<QueryRecord> {
		return await this.#records
			.getOrMake(row.id, async () => await fetchRecordOfRow(client, row))
			.catch(() => {
				this.#records.delete(row.id);
				return row; // it may be ours
			});
	}

	async #start(client: QueryClient): Promise<ListReading> {
		const since = this.#oldest + client.clockOffsetMs() - TIME_ZONE_TOLERANCE_MS;
		const reading = listAtLeastSince(client, since)
			.then((listing) => ({ listing, at: Date.now() }))
			.finally(() => {
				if (this.#running === reading) this.#running = undefined;
			});
		this.#running = reading;
		return await reading;
	}
}
