import { UserError, type IDataObject } from 'n8n-workflow';
import type { Item } from '../../shared/operations/operation';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { Connection } from '../../shared/transport/request';
import { sentences } from '../../shared/utils/sentences';
import { isNotFound } from '../../shared/transport/errors';
import { createdAt, echoOf, queryIdOf, stateOf } from '../queries';
import {
	completeRecord,
	connectionOf,
	getQuery,
	queryPages,
	type QueryList,
} from '../queries/client';

/** What a query's record must say to be the one looked for. */
export interface ExpectedRecord {
	service: string;
	/** Fields that it must echo. */
	echo: IDataObject;
	/** Whether a record with this echo asked for neither more nor less. */
	isExact(echo: IDataObject): boolean;
}

/** So many records of a list that does not echo queries are read by their ID. */
const MAX_CANDIDATES = 100;
/** A `Date` header counts in whole seconds, and clocks drift. */
export const CLOCK_MS = 2000;

/** The queries made since then, by our clock. Throws a UserError without anything of the request in it. */
export async function listSince(item: Item, since: number): Promise<QueryList> {
	const outcome = await readSince(await connectionOf(item), since).then(
		(list) => ({ list }),
		({ message, description }: UserError) => ({ message, description }),
	);
	if ('list' in outcome) return outcome.list;
	throw new UserError(`The queries made could not be listed: ${outcome.message}`, {
		description: sentences(
			outcome.description,
			'Without the list no result can be reused: set Reuse Results to Never to pay without looking',
		),
	});
}

/**
 * TQ §4.12: the list is read to its end, or, where it is seen to run from the newest to the oldest, to the first that
 * is older.
 */
async function readSince(
	connection: Connection<TaxQueryMapping>,
	since: number,
): Promise<QueryList> {
	const list: QueryList = { records: [] };
	for await (const { records, cutOff } of queryPages(connection)) {
		list.records = list.records.concat(records);
		list.cutOff = cutOff;
		if (reaches(list.records, since + connection.clockOffsetMs() - CLOCK_MS)) {
			return { records: list.records };
		}
	}
	return list;
}

/** Whether a list runs from the newest to the oldest and its last row is older. */
function reaches(records: IDataObject[], since: number): boolean {
	const times = records.map(createdAt);
	const last = times.at(-1) ?? NaN;
	return times.length > 1 && last < since && times.every((at, index) => !(at > times[index - 1]));
}

/** The queries made, read once for all items of a run. */
export class QueryHistory {
	private readonly lists = new Map<number, Promise<QueryList>>();
	private readonly echoing = new Map<string, Promise<IDataObject[]>>();
	/** When the first list was asked for, by our clock. */
	readonly readAt = Date.now();

	async read(item: Item, since: number): Promise<QueryList> {
		const reading = this.lists.get(since) ?? listSince(item, since);
		this.lists.set(since, reading);
		return await reading;
	}

	/** For each expected record the newest exact one with a result, or else the newest still pending. */
	async findReusable(
		item: Item,
		expected: ExpectedRecord[],
		since: number,
	): Promise<Array<IDataObject | undefined>> {
		const connection = await connectionOf(item);
		const [{ service }] = expected;
		const key = `${since} ${service}`;
		const reading =
			this.echoing.get(key) ??
			this.read(item, since).then(async ({ records }) => {
				const from = since + connection.clockOffsetMs();
				return await withEchoes(connection, records, service, (row) => !(createdAt(row) < from));
			});
		this.echoing.set(key, reading);
		const records = await reading;
		const from = since + connection.clockOffsetMs();
		return await Promise.all(
			expected.map(async (one) => {
				const inState = (state: string) =>
					newest(
						records,
						one,
						(record) =>
							createdAt(record) >= from &&
							stateOf(record, connection.mapping) === state &&
							one.isExact(echoOf(record)),
					);
				const found = inState('success') ?? inState('pending');
				if (!found) return undefined;
				const whole = await completeRecord(connection, found);
				const state = stateOf(whole, connection.mapping);
				return state === 'success' || state === 'pending' ? whole : undefined;
			}),
		);
	}
}

/** What was created since then and may be taken, one for each expected record; each with its result, if it has one. */
export async function findCreated(
	item: Item,
	expected: ExpectedRecord[],
	since: number,
	mayTake: (id: string) => boolean,
): Promise<Array<IDataObject | undefined>> {
	const connection = await connectionOf(item);
	const { records } = await listSince(item, since);
	const from = since + connection.clockOffsetMs() - CLOCK_MS;
	const isFree = (record: IDataObject) =>
		!(createdAt(record) < from) && mayTake(String(queryIdOf(record)));
	const rows = await withEchoes(connection, records, expected[0].service, isFree);
	const isNew = (record: IDataObject) => createdAt(record) >= from && isFree(record);
	return await Promise.all(
		expected.map(async (one) => {
			const found = newest(rows, one, isNew);
			return found && (await completeRecord(connection, found));
		}),
	);
}

/** The rows; those of this service that do not say what was asked are read by their ID, the newest of them. */
async function withEchoes(
	connection: Connection<TaxQueryMapping>,
	rows: IDataObject[],
	service: string,
	isWanted: (row: IDataObject) => boolean,
): Promise<IDataObject[]> {
	const isBare = (row: IDataObject) =>
		Object.keys(echoOf(row)).length === 0 || Number.isNaN(createdAt(row));
	const bare = rows
		.filter((row) => row.service === undefined || isSame(row.service, service))
		.filter((row) => queryIdOf(row) !== undefined && isBare(row) && isWanted(row))
		.sort((a, b) => createdAt(b) - createdAt(a))
		.slice(0, MAX_CANDIDATES);
	const read = await Promise.all(
		bare.map(async (row) => {
			return await getQuery(connection, String(queryIdOf(row))).catch((error: unknown) => {
				if (isNotFound(error)) return row;
				throw error;
			});
		}),
	);
	const byRow = new Map(bare.map((row, index) => [row, read[index]]));
	return rows.map((row) => byRow.get(row) ?? row);
}

/** The newest of the records that is a query with this service and these fields, and may be taken. */
function newest(
	records: IDataObject[],
	{ service, echo }: ExpectedRecord,
	mayTake: (record: IDataObject) => boolean,
): IDataObject | undefined {
	return records
		.filter((record) => isSame(record.service, service) && queryIdOf(record) !== undefined)
		.filter((record) => {
			const echoed = echoOf(record);
			return Object.entries(echo).every(([name, value]) => isSame(echoed[name], value));
		})
		.filter(mayTake)
		.sort((a, b) => createdAt(b) - createdAt(a))[0];
}

/** Texts without regard to case and blanks around them; a field that is missing is an empty one. */
function isSame(a: unknown, b: unknown): boolean {
	const textOf = (value: unknown) =>
		typeof value === 'object' && value !== null
			? JSON.stringify(value)
			: String(value ?? '')
					.trim()
					.toUpperCase();
	return textOf(a) === textOf(b);
}
