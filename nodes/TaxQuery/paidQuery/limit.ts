import { DateTime } from 'luxon';
import type { Item } from '../../shared/operations/operation';
import { BoundedMap } from '../../shared/utils/boundedMap';
import type { Question } from '../question/question';
import { serviceOfItem } from '../service/client';
import { readRow, readRows } from '../service/list';
import type { Id, Listing, QueryRecord } from '../service/types';
import { QueryError } from '../telling/messages';
import type { Journal } from './journal';
import { idsOf, isDoubtful, type Life } from './life';
import type { PastQueries } from './reuse';

/** What an item may send at most. */
export interface Limits {
	maxQueries: number;
	maxQueriesPerDay: number;
}

/**
 * Keeps the items of a run, an execution over all its runs and tries, and a day below the operator's limits. Whatever
 * was not refused counts: what is unsure, too, also where it is sent again.
 */
export function queryLimit(journal: Journal, past: PastQueries) {
	let planned = 0;
	/** Questions that are planned once for all items that ask them. */
	const shared = new Set<string>();
	const reservations = new Map<Day, number>();
	let counting: Promise<Counted> | undefined;

	function reserve(day: Day, count: number): void {
		day.reserved += count;
		reservations.set(day, (reservations.get(day) ?? 0) + count);
	}

	/** Once for all items of a run. Throws a QueryError if today's queries cannot be counted. */
	async function countListed(item: Item, day: Day): Promise<Counted> {
		const service = await serviceOfItem(item);
		const start = startOfDay(item);
		const { records, unreadable, ...listing } = await past.list(item, start, 'limit');
		const isUndated = ({ createdAt }: QueryRecord) => createdAt === undefined;
		const read = async (row: QueryRecord) => await readRow(service, row);
		const dated = await readRows(records, isUndated, read);
		const undated = unreadable + dated.filter(isUndated).length;
		if (undated > 0) throw new QueryError({ kind: 'uncounted', undated });
		const since = start + service.clockOffsetMs();
		for (const { id, createdAt = 0 } of dated) if (createdAt >= since) day.made.add(id);
		return { ...listing, listed: records.length };
	}

	return {
		/**
		 * Counts queries that an item will send; throws a QueryError if they are too many, before any is sent. `isOnce`: what
		 * is counted for another item that asks the same counts no more. All of it or nothing, for nothing comes between.
		 */
		async plan(
			item: Item,
			{ maxQueries, maxQueriesPerDay }: Limits,
			questions: Question[],
			isOnce = false,
		): Promise<void> {
			if (questions.length === 0) return;
			const day = maxQueriesPerDay === Infinity ? undefined : await today(item);
			const listed = day && (await (counting ??= countListed(item, day)));
			const open = questions.filter(({ id }) => !isOnce || !shared.has(id));
			const count = open.reduce((sum, { expected }) => sum + expected.length, 0);
			if (count === 0) return;
			if (journal.sent() + planned + count > maxQueries) {
				throw new QueryError({ kind: 'limitOfExecution', most: maxQueries });
			}
			if (day) {
				const made = day.made.size + day.unsure;
				if (made + day.reserved + count > maxQueriesPerDay) {
					throw new QueryError({ kind: 'limitOfDay', most: maxQueriesPerDay, made });
				}
			}
			if (listed && listed.extent !== 'whole') {
				throw new QueryError({ kind: 'uncounted', ...listed });
			}
			planned += count;
			if (day) reserve(day, count);
			if (isOnce) for (const { id } of open) shared.add(id);
		},

		/** A planned query is on its way; whoever asks the same from now on is counted anew. */
		sending({ id, expected }: Question, isFirst: boolean): void {
			if (isFirst) planned -= Math.min(planned, expected.length);
			shared.delete(id);
		},

		/** What became of so many queries that were on their way. */
		async ended(item: Item, count: number, life: Life): Promise<void> {
			const day = await today(item);
			reserve(day, -Math.min(reservations.get(day) ?? 0, count));
			if (isDoubtful(life)) day.unsure += count;
			for (const id of idsOf(life)) day.made.add(id);
		},

		/** Queries that were unsure were accepted under these IDs. */
		async found(item: Item, ids: Id[]): Promise<void> {
			const day = await today(item);
			day.unsure -= Math.min(day.unsure, ids.length);
			for (const id of ids) day.made.add(id);
		},

		/** What was planned and never sent is free for others. */
		end(): void {
			for (const [day, count] of reservations) day.reserved -= count;
			reservations.clear();
		},
	};
}

/** What this process knows of a client's queries of one day. Whatever was not refused counts. */
interface Day {
	/** Those that were listed, or accepted since. */
	made: Set<string>;
	/** Planned or on their way, by all runs. */
	reserved: number;
	/** Sent, and nobody knows whether they were accepted. */
	unsure: number;
}

const days = new BoundedMap<string, Day>(100);

async function today(item: Item): Promise<Day> {
	const { client } = await serviceOfItem(item);
	const key = `${client} ${startOfDay(item)}`;
	return days.getOrMake(key, () => ({ made: new Set(), reserved: 0, unsure: 0 }));
}

type Counted = Pick<Listing, 'extent' | 'total'> & { listed: number };

const startOfDay = ({ run }: Item) =>
	DateTime.now().setZone(run.timeZone).startOf('day').toMillis();
