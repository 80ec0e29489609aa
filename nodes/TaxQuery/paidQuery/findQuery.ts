import { UserError, type IDataObject } from 'n8n-workflow';
import type { Item } from '../../shared/operations/operation';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { Connection } from '../../shared/transport/request';
import { isOfLogin } from '../../shared/credentials/credentialError';
import { RateLimitCancelledError } from '../../shared/rateLimit/rateLimiter';
import { sentences } from '../../shared/utils/sentences';
import { createdAt, echoOf, isBare, queryIdOf, stateOf } from '../queries';
import { comparable, EchoIndex } from '../queries/echoIndex';
import {
	completeRecord,
	connectionOf,
	lastingConnectionOf,
	MAX_READ,
	queryPages,
	readRows,
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

/** A `Date` header counts in whole seconds, and clocks drift. */
const CLOCK_MS = 2000;

const UNLISTED = 'The queries made could not be listed';

/** Adds to the error of a list that could not be read what that means, and what to do. */
export function advise(error: Error, advice: string): never {
	if (!(error instanceof UserError) || !error.message.startsWith(UNLISTED)) throw error;
	throw new UserError(error.message, {
		description: sentences(error.description, 'Nothing was sent for this item', advice),
	});
}

/** The queries made since then, by our clock. Throws a UserError without anything of the request in it. */
async function listSince(
	connection: Connection<TaxQueryMapping>,
	since: number,
): Promise<QueryList> {
	const outcome = await readSince(connection, since).then(
		(list) => ({ list }),
		(error: UserError) => {
			if (error instanceof RateLimitCancelledError) throw error; // another item has failed
			return { message: error.message, description: error.description };
		},
	);
	if ('list' in outcome) return outcome.list;
	if (isOfLogin(outcome.message)) {
		const { message, description } = outcome;
		throw new UserError(message, { description }); // nothing can be paid for either
	}
	throw new UserError(`${UNLISTED}: ${outcome.message}`, { description: outcome.description });
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
	let [last, isNewestFirst] = [Infinity, true];
	for await (const { records, cutOff } of queryPages(connection)) {
		for (const record of records) {
			const at = createdAt(record);
			if (at > last) isNewestFirst = false;
			last = at;
			list.records.push(record);
		}
		const isOlder = last < since + connection.clockOffsetMs() - CLOCK_MS;
		if (isNewestFirst && isOlder && list.records.length > 1) return { records: list.records };
		list.cutOff = cutOff;
	}
	return list;
}

/** The queries made, read and gone through once for all items of a run. */
export class QueryHistory {
	private readonly lists = new Map<number, Promise<QueryList>>();
	private readonly indexes = new Map<string, Promise<EchoIndex>>();
	private readonly found = new Map<string, Promise<Array<IDataObject | undefined>>>();
	/** When the first list was asked for, by our clock. */
	readonly readAt = Date.now();
	/** What the operator should know of it. */
	readonly notes = new Set<string>();

	async read(item: Item, since: number): Promise<QueryList> {
		const reading =
			this.lists.get(since) ??
			connectionOf(item).then(async (connection) => await listSince(connection, since));
		this.lists.set(since, reading);
		return await reading;
	}

	private async readToReuse(item: Item, since: number): Promise<QueryList> {
		return await this.read(item, since).catch((error: Error) =>
			advise(
				error,
				'Without the list no result can be reused: set Reuse Results to Never to pay without looking',
			),
		);
	}

	/** Whether the list that was read has one of these queries. */
	async shows(item: Item, since: number, queries: IDataObject[]): Promise<boolean> {
		const { records } = await this.read(item, since);
		const ids = queries.map(queryIdOf);
		return records.some((record) => ids.includes(queryIdOf(record)));
	}

	/**
	 * For each record that a question expects the newest exact one with a result, or else the newest still pending.
	 */
	async findReusable(
		item: Item,
		question: string,
		expected: ExpectedRecord[],
		since: number,
	): Promise<Array<IDataObject | undefined>> {
		const key = `${since} ${question}`;
		const finding = this.found.get(key) ?? this.find(item, expected, since);
		this.found.set(key, finding);
		return [...(await finding)];
	}

	private async find(item: Item, expected: ExpectedRecord[], since: number) {
		const connection = await connectionOf(item);
		const { mapping } = connection;
		const index = await this.indexOf(item, connection, expected[0].service, since);
		const from = since + connection.clockOffsetMs();
		return await Promise.all(
			expected.map(async ({ service, echo, isExact }) => {
				const exact = index
					.find(service, echo)
					.filter((record) => createdAt(record) >= from && isExact(echoOf(record)))
					.sort((a, b) => createdAt(b) - createdAt(a));
				const inState = (state: string) =>
					exact.find((record) => stateOf(record, mapping) === state);
				const found = inState('success') ?? inState('pending');
				if (!found) return undefined;
				const whole = await completeRecord(connection, found);
				return ['success', 'pending'].includes(stateOf(whole, mapping)) ? whole : undefined;
			}),
		);
	}

	private async indexOf(
		item: Item,
		connection: Connection<TaxQueryMapping>,
		service: string,
		since: number,
	): Promise<EchoIndex> {
		const key = `${since} ${service}`;
		const indexing =
			this.indexes.get(key) ??
			this.readToReuse(item, since).then(async ({ records, cutOff }) => {
				if (cutOff !== undefined) this.notes.add(cutOff);
				const from = since + connection.clockOffsetMs();
				const recent = records.filter((row) => !(createdAt(row) < from));
				const { rows, unread } = await withEchoes(connection, recent, service);
				if (unread > 0) {
					this.notes.add(
						`The list of queries does not say what was asked; of its ${service} queries the ${unread} oldest were not read, and not reused`,
					);
				}
				return new EchoIndex(rows);
			});
		this.indexes.set(key, indexing);
		return await indexing;
	}
}

/**
 * What was created since then and may be taken, one for each expected record; each with its result, if it has one. Of
 * several it is the one made closest to then: others may have asked the same later. Goes on when another item fails.
 * `cutOff` says why the list may not be whole.
 */
export async function findCreated(
	item: Item,
	expected: ExpectedRecord[],
	since: number,
	mayTake: (id: string) => boolean,
): Promise<{ queries: Array<IDataObject | undefined>; cutOff?: string }> {
	const connection = await lastingConnectionOf(item);
	const { records, cutOff } = await listSince(connection, since);
	const at = since + connection.clockOffsetMs();
	const isFree = (record: IDataObject) =>
		!(createdAt(record) < at - CLOCK_MS) && mayTake(String(queryIdOf(record)));
	const { rows } = await withEchoes(connection, records.filter(isFree), expected[0].service);
	const index = new EchoIndex(rows.filter((row) => createdAt(row) >= at - CLOCK_MS));
	const distance = (record: IDataObject) => Math.abs(createdAt(record) - at);
	const queries = await Promise.all(
		expected.map(async ({ service, echo, isExact }) => {
			const [found] = index
				.find(service, echo)
				.filter((record) => isExact(echoOf(record)))
				.sort((a, b) => distance(a) - distance(b));
			return found && (await completeRecord(connection, found));
		}),
	);
	return { queries, cutOff };
}

/** The rows; those of this service that do not say what was asked are read by their ID, the newest of them. */
async function withEchoes(
	connection: Connection<TaxQueryMapping>,
	rows: IDataObject[],
	service: string,
): Promise<{ rows: IDataObject[]; unread: number }> {
	const isToRead = (row: IDataObject) =>
		isNameless(row) || isBare(row, connection.mapping) || Number.isNaN(createdAt(row));
	const bare = rows
		.filter((row) => isNameless(row) || comparable(row.service) === comparable(service))
		.filter((row) => queryIdOf(row) !== undefined && isToRead(row))
		.sort((a, b) => createdAt(b) - createdAt(a));
	const unread = Math.max(0, bare.length - MAX_READ);
	return { rows: await readRows(connection, rows, bare), unread };
}

/** Whether a row does not tell its service. */
const isNameless = ({ service }: IDataObject) => comparable(service) === '';
