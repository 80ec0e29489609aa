import type { Item } from '../../shared/operations/operation';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { compare, recordIndex, type Expected } from '../question/compare';
import type { Question } from '../question/question';
import { serviceOfItem } from '../service/client';
import { completeRow, hasList, isVague, listSince, readRow, readRows } from '../service/list';
import type { Id, Listing, Query, QueryRecord, State } from '../service/types';
import { QueryError, type ListPurpose } from '../telling/messages';
import type { Reuse } from './options';

/** A date may lie so far before what it means: whole minutes, and clocks that differ. */
const LATE_MS = 5 * 60_000;

const KEPT = 10_000;

/** For each query that a question expects. */
type Found = Array<QueryRecord | undefined>;

/** The queries made before, read and gone through once for all items of a run. */
export function pastQueries() {
	const lists = new BoundedMap<number, Promise<Listing>>(KEPT);
	const indexes = new BoundedMap<number, Promise<ReturnType<typeof recordIndex>>>(KEPT);
	const reusable = new BoundedMap<string, Promise<Found>>(KEPT);
	const uncompared = new Set<Id>();
	/** Those that items of a retried execution have taken, each for one of them. */
	const taken = new Set<Id>();
	/** When the first list was asked for, by our clock. */
	const readAt = Date.now();
	/** How much of the list was not read. */
	let cut: Listing | undefined;

	/** The queries made since a moment by our clock. Throws a QueryError that says for what the list was needed. */
	async function list(item: Item, since: number, purpose: ListPurpose): Promise<Listing> {
		const reading = lists.getOrMake(since, async () => {
			const service = await serviceOfItem(item);
			return await listSince(service, since + service.clockOffsetMs() - LATE_MS);
		});
		return await reading.catch((error: unknown) => {
			throw QueryError.unlisted(error, purpose);
		});
	}

	/** Rows that do not say what was asked, or when, are read by their ID. */
	async function indexOf(item: Item, since: number, purpose: ListPurpose) {
		return await indexes.getOrMake(since, async () => {
			const service = await serviceOfItem(item);
			const listing = await list(item, since, purpose);
			if (listing.extent !== 'whole') cut = listing;
			const from = since + service.clockOffsetMs();
			const recent = listing.records.filter(({ createdAt = from }) => createdAt >= from);
			const read = async (row: QueryRecord) => await readRow(service, row);
			return recordIndex(await readRows(recent, isVague, read));
		});
	}

	async function find(
		item: Item,
		expected: Expected[],
		{ since, isRetry, isEach }: Reuse,
		isFree: (id: Id) => boolean,
	): Promise<Found> {
		const service = await serviceOfItem(item);
		const recordsLike = await indexOf(item, since, isEach ? 'retry' : 'reuse');
		const from = since + service.clockOffsetMs();
		const states: State[] = isRetry ? ['success', 'pending', 'unknown'] : ['success', 'pending'];
		const chosen = expected.map((one) => {
			const mayBe = recordsLike(one)
				.filter(({ id, createdAt = from }) => createdAt >= from && isFree(id))
				.filter((row) => row.state !== 'failed' && compare(one, row) !== 'other');
			const same = mayBe
				.filter((row) => row.createdAt !== undefined && compare(one, row) === 'same')
				.sort((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0));
			const found = states.map((state) => same.find((row) => row.state === state)).find(Boolean);
			if (!found) for (const { id } of mayBe) uncompared.add(id);
			else if (isEach) taken.add(found.id);
			return found;
		});
		return await Promise.all(
			chosen.map(async (row) => {
				const whole = row && (await completeRow(service, row));
				return whole && states.includes(whole.state) ? whole : undefined;
			}),
		);
	}

	return {
		readAt,
		list,

		/** What could not be compared, or was not listed: for the receipt. */
		gaps: () => ({ uncompared: uncompared.size, cut }),

		/** Whether a query stood in a list that was read before this moment. */
		async wasListed(id: Id, before: number): Promise<boolean> {
			if (before < readAt) return false;
			const all = await Promise.all(
				[...lists.values()].map(async (one) => await one.catch(() => undefined)),
			);
			return all.some((one) => one?.records.some((record) => record.id === id));
		},

		/** Takes queries for an item of a retried execution; false if another one has taken one of them. */
		take(queries: Query[]): boolean {
			if (queries.some(({ id }) => taken.has(id))) return false;
			for (const { id } of queries) taken.add(id);
			return true;
		},

		/** Whether the list shows one of these queries. */
		async shows(item: Item, since: number, queries: Query[]): Promise<boolean> {
			const { records } = await list(item, since, 'reuse');
			return records.some(({ id }) => queries.some((query) => query.id === id));
		},

		/**
		 * For each query that a question expects the newest with a result, or else the newest still pending. In a retried
		 * execution each row is for one item, unless the operator wants items to share.
		 */
		async findReusable(
			item: Item,
			{ id, expected }: Question,
			reuse: Reuse,
			isKnown: (id: Id) => boolean,
		): Promise<Found> {
			if (!reuse.isEach) {
				const key = `${reuse.since} ${id}`;
				const finding = async () => await find(item, expected, reuse, () => true);
				return await reusable.getOrMake(key, finding);
			}
			const { mapping } = await serviceOfItem(item);
			if (!hasList(mapping)) return [];
			return await find(item, expected, reuse, (one) => !isKnown(one) && !taken.has(one));
		},
	};
}

export type PastQueries = ReturnType<typeof pastQueries>;
