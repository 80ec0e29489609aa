import type { Item } from '../../shared/operations/operation';
import { RecordIndex, compare, type Expected } from '../question/compare';
import type { Question } from '../question/question';
import { serviceOfItem, type QueryService } from '../service/client';
import { hasList, listSince, completeRow, readRow, readRows } from '../service/list';
import type { Id, Listing, Query, QueryRecord, State } from '../service/types';
import { QueryError, type ListPurpose } from '../telling/messages';
import type { Reuse } from './options';

/** A date may lie so far before what it means: whole minutes, and clocks that differ. */
const LATE_MS = 5 * 60_000;

/** The queries made before, read and gone through once for all items of a run. */
export class PastQueries {
	private readonly lists = new Map<number, Promise<Listing>>();
	private readonly indexes = new Map<number, Promise<RecordIndex>>();
	private readonly found = new Map<string, Promise<Array<QueryRecord | undefined>>>();
	private readonly uncompared = new Set<Id>();
	/** Those that items of a retried execution have taken, each for one of them. */
	private readonly taken = new Set<Id>();
	/** When the first list was asked for, by our clock. */
	readonly readAt = Date.now();
	/** How much of the list was not read. */
	private cut?: Listing;

	/** What could not be compared, or was not listed: for the receipt. */
	get gaps(): { uncompared: number; cut?: Listing } {
		return { uncompared: this.uncompared.size, cut: this.cut };
	}

	/** The queries made since a moment by our clock. Throws a QueryError that says for what the list was needed. */
	async list(item: Item, since: number, purpose: ListPurpose): Promise<Listing> {
		const reading =
			this.lists.get(since) ??
			serviceOfItem(item).then(
				async (service) => await listSince(service, since + service.clockOffsetMs() - LATE_MS),
			);
		this.lists.set(since, reading);
		return await reading.catch((error: unknown) => {
			throw QueryError.unlisted(error, purpose);
		});
	}

	/** Whether a query stood in a list that was read before this moment. */
	async wasListed(id: Id, before: number): Promise<boolean> {
		if (before < this.readAt) return false;
		const lists = await Promise.all(
			[...this.lists.values()].map(async (one) => await one.catch(() => undefined)),
		);
		return lists.some((list) => list?.records.some((record) => record.id === id));
	}

	/** Takes queries for an item of a retried execution; false if another one has taken one of them. */
	take(queries: Query[]): boolean {
		if (queries.some(({ id }) => this.taken.has(id))) return false;
		for (const { id } of queries) this.taken.add(id);
		return true;
	}

	/** Whether the list shows one of these queries. */
	async shows(item: Item, since: number, queries: Query[]): Promise<boolean> {
		const { records } = await this.list(item, since, 'reuse');
		return records.some(({ id }) => queries.some((query) => query.id === id));
	}

	/**
	 * For each query that a question expects the newest with a result, or else the newest still pending. In a retried
	 * execution each row is for one item, unless the operator wants items to share.
	 */
	async findReusable(
		item: Item,
		{ id, expected }: Question,
		reuse: Reuse,
		isKnown: (id: Id) => boolean,
	): Promise<Array<QueryRecord | undefined>> {
		if (reuse.isEach) {
			const service = await serviceOfItem(item);
			if (!hasList(service.mapping)) return expected.map(() => undefined);
			return await this.find(item, service, expected, reuse, (one) => {
				return !isKnown(one) && !this.taken.has(one);
			});
		}
		const key = `${reuse.since} ${id}`;
		const finding =
			this.found.get(key) ??
			serviceOfItem(item).then(
				async (service) => await this.find(item, service, expected, reuse, () => true),
			);
		this.found.set(key, finding);
		return [...(await finding)];
	}

	private async find(
		item: Item,
		service: QueryService,
		expected: Expected[],
		{ since, isRetry, isEach }: Reuse,
		isFree: (id: Id) => boolean,
	): Promise<Array<QueryRecord | undefined>> {
		const index = await this.indexOf(item, service, since, isEach ? 'retry' : 'reuse');
		const from = since + service.clockOffsetMs();
		const states: State[] = isRetry ? ['success', 'pending', 'unknown'] : ['success', 'pending'];
		const chosen = expected.map((one) => {
			const rows = index.like(one).map((row) => [row, compare(one, row)] as const);
			const same = rows
				.filter(
					([row, how]) => how === 'same' && (row.createdAt ?? -Infinity) >= from && isFree(row.id),
				)
				.map(([row]) => row)
				.sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
			const found = states.map((state) => same.find((row) => row.state === state)).find(Boolean);
			if (found && isEach) this.taken.add(found.id);
			if (!found) {
				for (const [row, how] of rows) {
					const isOld = row.createdAt !== undefined && row.createdAt < from;
					const isUnclear = row.createdAt === undefined || row.state === 'unknown';
					const mayBe = how === 'untold' || (how === 'same' && isUnclear);
					if (mayBe && !isOld && row.state !== 'failed') this.uncompared.add(row.id);
				}
			}
			return found;
		});
		return await Promise.all(
			chosen.map(async (row) => {
				const whole = row && (await completeRow(service, row));
				return whole && states.includes(whole.state) ? whole : undefined;
			}),
		);
	}

	/** Rows that do not say what was asked, or when, are read by their ID. */
	private async indexOf(item: Item, service: QueryService, since: number, purpose: ListPurpose) {
		const indexing =
			this.indexes.get(since) ??
			this.list(item, since, purpose).then(async (listing) => {
				if (listing.extent !== 'whole') this.cut = listing;
				const from = since + service.clockOffsetMs();
				const recent = listing.records.filter(({ createdAt = from }) => createdAt >= from);
				return new RecordIndex(
					await readRows(
						recent,
						(row) => !row.asked || row.code === '' || row.createdAt === undefined,
						async (row) => await readRow(service, row),
					),
				);
			});
		this.indexes.set(since, indexing);
		return await indexing;
	}
}
