import { DateTime } from 'luxon';
import type { Item } from '../../shared/operations/operation';
import { BoundedMap } from '../../shared/utils/boundedMap';
import type { Question } from '../question/question';
import { serviceOfItem } from '../service/client';
import { readRow, readRows } from '../service/list';
import type { Id, Listing } from '../service/types';
import { QueryError } from '../telling/messages';
import type { Journal } from './journal';
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
export class QueryLimit {
	private planned = 0;
	/** Questions that are planned once for all items that ask them. */
	private readonly shared = new Set<string>();
	private readonly reserved = new Map<Day, number>();
	private counting?: Promise<Counted>;

	constructor(
		private readonly journal: Journal,
		private readonly past: PastQueries,
	) {}

	/**
	 * Counts queries that an item will send; throws a QueryError if they are too many, before any is sent. `isOnce`: what
	 * is counted for another item that asks the same counts no more. All of it or nothing, for nothing comes between.
	 */
	async plan(item: Item, limits: Limits, questions: Question[], isOnce = false): Promise<void> {
		if (questions.length === 0) return;
		const { maxQueries, maxQueriesPerDay } = limits;
		const day = maxQueriesPerDay === Infinity ? undefined : await this.today(item);
		const listed = day && (await (this.counting ??= this.countListed(item, day)));
		const open = questions.filter(({ id }) => !isOnce || !this.shared.has(id));
		const count = open.reduce((sum, { expected }) => sum + expected.length, 0);
		if (count === 0) return;
		if (this.journal.sent + this.planned + count > maxQueries) {
			throw new QueryError({ kind: 'limitOfExecution', most: maxQueries });
		}
		if (day && countOf(day) + count > maxQueriesPerDay) {
			throw new QueryError({
				kind: 'limitOfDay',
				most: maxQueriesPerDay,
				made: day.made.size + day.unsure,
			});
		}
		if (listed && listed.extent !== 'whole') throw new QueryError({ kind: 'uncounted', ...listed });
		this.planned += count;
		if (day) this.reserve(day, count);
		if (isOnce) for (const { id } of open) this.shared.add(id);
	}

	/** A planned query is on its way; whoever asks the same from now on is counted anew. */
	sending({ id, expected }: Question, isFirst: boolean): void {
		if (isFirst) this.planned -= Math.min(this.planned, expected.length);
		this.shared.delete(id);
	}

	/** What became of so many queries that were on their way. */
	async ended(item: Item, count: number, how: 'accepted' | 'refused' | 'unsure', ids: Id[] = []) {
		const day = await this.today(item);
		this.free(day, count);
		if (how === 'unsure') day.unsure += count;
		for (const id of ids) day.made.add(id);
	}

	/** Queries that were unsure were accepted under these IDs. */
	async found(item: Item, ids: Id[]): Promise<void> {
		const day = await this.today(item);
		day.unsure -= Math.min(day.unsure, ids.length);
		for (const id of ids) day.made.add(id);
	}

	/** What was planned and never sent is free for others. */
	end(): void {
		for (const [day, count] of this.reserved) day.reserved -= count;
		this.reserved.clear();
	}

	private reserve(day: Day, count: number): void {
		day.reserved += count;
		this.reserved.set(day, (this.reserved.get(day) ?? 0) + count);
	}

	private free(day: Day, count: number): void {
		this.reserve(day, -Math.min(this.reserved.get(day) ?? 0, count));
	}

	private async today(item: Item): Promise<Day> {
		const { client } = await serviceOfItem(item);
		return dayOf(client, startOfDay(item));
	}

	/** Once for all items of a run. Throws a QueryError if today's queries cannot be counted. */
	private async countListed(item: Item, day: Day): Promise<Counted> {
		const service = await serviceOfItem(item);
		const start = startOfDay(item);
		const { records, unreadable, ...listing } = await this.past.list(item, start, 'limit');
		const dated = await readRows(
			records,
			({ createdAt }) => createdAt === undefined,
			async (row) => await readRow(service, row),
		);
		const undated = unreadable + dated.filter(({ createdAt }) => createdAt === undefined).length;
		if (undated > 0) throw new QueryError({ kind: 'uncounted', undated });
		const since = start + service.clockOffsetMs();
		for (const { id, createdAt = 0 } of dated) if (createdAt >= since) day.made.add(id);
		return { ...listing, listed: records.length };
	}
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

const dayOf = (client: string, start: number): Day =>
	days.getOrMake(`${client} ${start}`, () => ({ made: new Set(), reserved: 0, unsure: 0 }));

const countOf = ({ made, reserved, unsure }: Day): number => made.size + reserved + unsure;

type Counted = Pick<Listing, 'extent' | 'total'> & { listed: number };

const startOfDay = ({ run }: Item) =>
	DateTime.now().setZone(run.timeZone).startOf('day').toMillis();
