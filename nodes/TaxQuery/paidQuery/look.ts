import type { Item } from '../../shared/operations/operation';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { compare, type Expected } from '../question/compare';
import { lastingServiceOf, type QueryService } from '../service/client';
import { listSince, completeRow, readRow, readRows } from '../service/list';
import type { Extent, Id, Listing, QueryRecord } from '../service/types';
import { sentAtOf } from './journal';

/** A `Date` header counts in whole seconds, and clocks drift. */
const CLOCK_MS = 2000;
/** A date may be local time that is labelled as UTC. */
const DAY_MS = 24 * 3_600_000;

/** A question that was sent and is searched. */
interface Lost {
	expected: Expected[];
	/** When it was sent, by our clock. */
	since: number;
	/** Whether a query may be taken: no other item has it, and it was not there before. */
	isFree(id: Id): Promise<boolean>;
}

/** What the list shows of a lost question. */
interface Look {
	/** Surely of it; one for each query, with its result if it has one. */
	found: QueryRecord[];
	/** What may be of it, though nothing proves it. */
	untold: Id[];
	extent: Extent;
	listed: number;
	total?: number;
	/** It shows a query that was sent later. */
	isLater: boolean;
}

/** One reading of the list. */
interface Reading {
	listing: Listing;
	/** When it was there, by our clock. */
	at: number;
}

/** Looks for lost queries: one reading of the list serves all who look at the same time. */
export class LostQueries {
	private running?: Promise<Reading>;
	private queued?: Promise<Reading>;
	private oldest = Infinity;
	/** Rows that do not say what was asked, as their IDs give them: each is read once for all who look. */
	private readonly read = new BoundedMap<Id, Promise<QueryRecord>>(10_000);

	/** Goes on when another item fails. Throws what reading the list throws. */
	async find(item: Item, { expected, since, isFree }: Lost): Promise<Look> {
		const service = await lastingServiceOf(item);
		this.oldest = Math.min(this.oldest, since);
		const { listing, at } = await this.fresh(service);
		const offset = service.clockOffsetMs();
		const isLate = ({ createdAt = Infinity }: QueryRecord) => createdAt < since + offset - DAY_MS;
		const free: QueryRecord[] = [];
		for (const row of listing.records) {
			const mayBe = !isLate(row) && expected.some((one) => compare(one, row) !== 'other');
			if (mayBe && (await isFree(row.id))) free.push(row);
		}
		const rows = await this.told(service, free);
		const isInTime = ({ createdAt = NaN }: QueryRecord) =>
			createdAt >= since + offset - CLOCK_MS && createdAt <= at + offset + CLOCK_MS;
		const found: QueryRecord[] = [];
		const untold = new Set<Id>();
		for (const one of expected) {
			const mayBe = rows.filter((row) => !isLate(row) && !found.includes(row));
			const compared = mayBe.map((row) => [row, compare(one, row)] as const);
			const distance = (row: QueryRecord) => Math.abs((row.createdAt ?? 0) - since - offset);
			const [own] = compared
				.filter(([row, how]) => how === 'same' && isInTime(row))
				.map(([row]) => row)
				.sort((a, b) => distance(a) - distance(b));
			if (own) found.push(own);
			else for (const [row, how] of compared) if (how !== 'other') untold.add(row.id);
		}
		return {
			found: await Promise.all(found.map(async (row) => await completeRow(service, row))),
			untold: [...untold],
			extent: listing.unreadable > 0 && listing.extent === 'whole' ? 'cut' : listing.extent,
			listed: listing.records.length,
			total: listing.total,
			isLater: listing.records.some(({ id }) => (sentAtOf(service.client, id) ?? 0) > since),
		};
	}

	/** A reading that begins after this call. */
	private async fresh(service: QueryService): Promise<Reading> {
		if (!this.running) return await this.start(service);
		this.queued ??= this.running
			.catch(() => undefined)
			.then(async () => {
				this.queued = undefined;
				return await this.start(service);
			});
		return await this.queued;
	}

	private async start(service: QueryService): Promise<Reading> {
		const since = this.oldest + service.clockOffsetMs() - DAY_MS;
		const running = listSince(service, since)
			.then((listing) => ({ listing, at: Date.now() }))
			.finally(() => {
				if (this.running === running) this.running = undefined;
			});
		this.running = running;
		return await running;
	}

	/** The rows; those that do not say what was asked, or when, as their IDs give them, if they can be read. */
	private async told(service: QueryService, rows: QueryRecord[]): Promise<QueryRecord[]> {
		const isTold = ({ asked, code, createdAt }: QueryRecord) =>
			asked !== undefined && code !== '' && createdAt !== undefined;
		return await readRows(
			rows,
			(row) => !isTold(row),
			async (row) => {
				const reading = this.read.getOrMake(row.id, async () => await readRow(service, row));
				return await reading.catch(() => {
					this.read.delete(row.id);
					return row; // it may be ours
				});
			},
		);
	}
}
