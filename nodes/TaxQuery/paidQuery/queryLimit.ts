import { DateTime } from 'luxon';
import { UserError, type IDataObject } from 'n8n-workflow';
import type { Item } from '../../shared/operations/operation';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { sentences } from '../../shared/utils/sentences';
import { createdAt, queryIdOf } from '../queries';
import { connectionOf } from '../queries/client';
import { readRows } from '../queries/rows';
import type { PreparedQuery } from './definition';
import { advise, type QueryHistory } from './findQuery';
import type { Journal } from './journal';

/** What this process knows of a client's queries of one day. */
interface Day {
	/** The IDs of those that were listed, or accepted since. */
	made: Set<string>;
	/** Planned or on their way, by all runs. */
	reserved: number;
}

const days = new BoundedMap<string, Day>(100);

/** Keeps the items of a run, an execution over all its runs and tries, and a day below the operator's limits. */
export class QueryLimit {
	private planned = 0;
	/** Questions that are planned once for all items that ask them. */
	private readonly shared = new Set<string>();
	private readonly reserved = new Map<Day, number>();
	private counting?: Promise<void>;

	constructor(
		private readonly journal: Journal,
		private readonly history: QueryHistory,
	) {}

	/**
	 * Counts queries that an item will send; throws a UserError if they are too many, before any is sent. `isOnce`: what
	 * is counted for another item that asks the same counts no more. All of it or nothing, for nothing comes between.
	 */
	async plan(item: Item, queries: PreparedQuery[], isOnce = false): Promise<void> {
		if (queries.length === 0) return;
		const { maxQueries, maxQueriesPerDay } = queries[0].limits;
		const day = maxQueriesPerDay === Infinity ? undefined : await this.countedDay(item);
		const open = queries.filter(({ question }) => !isOnce || !this.shared.has(question));
		const count = open.reduce((sum, { expected }) => sum + expected.length, 0);
		if (count === 0) return;
		if (this.journal.sent + this.planned + count > maxQueries) {
			throw new UserError(
				`This item would go beyond the ${maxQueries} queries allowed per execution`,
				{
					description:
						'It was not sent. Send fewer items, or raise the option Max Queries per Execution.',
				},
			);
		}
		if (day && day.made.size + day.reserved + count > maxQueriesPerDay) {
			throw new UserError(
				`This item would go beyond the ${maxQueriesPerDay} queries allowed per day: ${day.made.size} were made today`,
				{
					description:
						'It was not sent. Go on tomorrow, or raise the option Max Queries per Day. The service counts for all who use this credential.',
				},
			);
		}
		this.planned += count;
		if (day) this.reserve(day, count);
		if (isOnce) open.forEach(({ question }) => this.shared.add(question));
	}

	/** A planned query is on its way; whoever asks the same from now on is counted anew. */
	sending(question: string, count: number): void {
		this.planned -= Math.min(this.planned, count);
		this.shared.delete(question);
	}

	/** A query has ended: accepted under these IDs, or not at all. */
	async sent(item: Item, count: number, ids: string[]): Promise<void> {
		const { client } = await connectionOf(item);
		const day = dayOf(client, startOfDay(item));
		ids.forEach((id) => day.made.add(id));
		const mine = this.reserved.get(day) ?? 0;
		this.reserve(day, -Math.min(mine, count));
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

	private async countedDay(item: Item): Promise<Day> {
		const { client } = await connectionOf(item);
		const start = startOfDay(item);
		const day = dayOf(client, start);
		await (this.counting ??= this.countListed(item, start, day));
		return day;
	}

	/** Once for all items of a run. */
	private async countListed(item: Item, start: number, day: Day): Promise<void> {
		const { records, cutOff } = await this.history
			.read(item, start)
			.catch((error: Error) =>
				advise(error, 'Try again later, or take the option Max Queries per Day away'),
			);
		if (cutOff !== undefined) {
			throw new UserError('The queries of today cannot be counted for Max Queries per Day', {
				description: sentences(
					'Nothing was sent',
					cutOff,
					"Set list in the credential's API Mapping, so that the whole list can be read",
				),
			});
		}
		const connection = await connectionOf(item);
		const since = start + connection.clockOffsetMs();
		const isUndated = (record: IDataObject) => Number.isNaN(createdAt(record));
		const toRead = records.filter((one) => isUndated(one) && queryIdOf(one) !== undefined);
		const dated = await readRows(connection, records, toRead);
		const undated = dated.filter(isUndated).length;
		if (undated > 0) {
			throw new UserError('The queries of today cannot be counted for Max Queries per Day', {
				description: `Nothing was sent. ${undated} of the queries listed do not tell when they were made (createdAt). Take the option away, or ask the provider for the date.`,
			});
		}
		dated.forEach((record, row) => {
			if (createdAt(record) >= since) day.made.add(queryIdOf(record) ?? `row ${row}`);
		});
	}
}

const startOfDay = ({ run }: Item) =>
	DateTime.now().setZone(run.timeZone).startOf('day').toMillis();

const dayOf = (client: string, start: number) =>
	days.getOrMake(`${client} ${start}`, () => ({ made: new Set(), reserved: 0 }));
