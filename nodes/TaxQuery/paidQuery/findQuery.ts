import { UserError, type IDataObject } from 'n8n-workflow';
import type { Item } from '../../shared/operations/operation';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { Connection } from '../../shared/transport/request';
import { isOfLogin } from '../../shared/credentials/credentialError';
import { RateLimitCancelledError } from '../../shared/rateLimit/rateLimiter';
import { sentences } from '../../shared/utils/sentences';
import { createdAt, echoOf, isMaybeSince, isSurelyBefore, queryIdOf, stateOf } from '../queries';
import { EchoIndex, isMaybeOf } from '../queries/echoIndex';
import { meantBy, muteNote, notReused } from '../queries/pastQueries';
import { connectionOf, lastingConnectionOf, queryPages, type QueryList } from '../queries/client';
import { completeRecord, withEchoes } from '../queries/rows';

/** What a query's record must say to be the one looked for. */
export interface ExpectedRecord {
	service: string;
	/** Fields that it must echo. */
	echo: IDataObject;
	/** Whether a record with this echo asked for neither more nor less. */
	isExact(echo: IDataObject, madeAt?: number): boolean;
}

/** A `Date` header counts in whole seconds, and clocks drift. */
const CLOCK_MS = 2000;
const IDS_TOLD = 10;

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
	let [last, falls, rises] = [NaN, false, false];
	const pages = queryPages(connection, {}, { isThorough: true });
	for await (const { records, cutOff, isUntold, doubt } of pages) {
		for (const record of records) {
			const at = createdAt(record);
			falls ||= at < last;
			rises ||= at > last;
			last = at;
			list.records.push(record);
		}
		const oldest = records.at(-1);
		const isOlder = oldest && isSurelyBefore(oldest, since + connection.clockOffsetMs());
		if (falls && !rises && isOlder) return { records: list.records };
		list.cutOff = isUntold ? doubt : cutOff;
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
					.filter((row) => createdAt(row) >= from && isExact(echoOf(row), createdAt(row)))
					.sort((a, b) => createdAt(b) - createdAt(a));
				const inState = (state: string) =>
					exact.find((record) => stateOf(record, mapping) === state);
				const found = inState('success') ?? inState('pending');
				if (!found) {
					const note = notReused(index, { service, echo }, mapping, from);
					if (note !== '') this.notes.add(`Reuse Results: ${note}`);
					return undefined;
				}
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
		const { mapping } = connection;
		const indexing =
			this.indexes.get(key) ??
			this.readToReuse(item, since).then(async ({ records, cutOff }) => {
				if (cutOff !== undefined) this.notes.add(cutOff);
				const from = since + connection.clockOffsetMs();
				const isRecent = (row: IDataObject) => !(createdAt(row) < from);
				const isMeant = meantBy(service, records.filter(isRecent), mapping);
				const { rows, unread } = await withEchoes(
					connection,
					records.filter((row) => isRecent(row) || isMaybeSince(row, from)),
					(row) => isRecent(row) && isMeant(row),
				);
				const mute = unread > 0 ? '' : muteNote(service, rows.filter(isRecent), mapping);
				if (mute !== '') this.notes.add(`Reuse Results: ${mute}`);
				if (unread > 0) {
					this.notes.add(
						`The list of queries does not say what was asked; of its ${service} queries the ${unread} oldest were not read, and not reused`,
					);
				}
				return new EchoIndex(rows, mapping);
			});
		this.indexes.set(key, indexing);
		return await indexing;
	}
}

/**
 * What was created since then and may be taken, one for each expected record; each with its result, if it has one. Of
 * several it is the one made closest to then: others may have asked the same later. Goes on when another item fails.
 * `cutOff` says why the list may not be whole, or which of its queries may be one that is not found.
 */
export async function findCreated(
	item: Item,
	expected: ExpectedRecord[],
	since: number,
	mayTake: (id: string) => boolean,
): Promise<{ queries: Array<IDataObject | undefined>; cutOff?: string }> {
	const connection = await lastingConnectionOf(item);
	const [{ service }] = expected;
	const { records, cutOff } = await listSince(connection, since);
	const at = since + connection.clockOffsetMs();
	const isSince = (row: IDataObject) => !(createdAt(row) < at - CLOCK_MS);
	const free = records.filter((row) => !isSurelyBefore(row, at) && mayTake(String(queryIdOf(row))));
	const isMeant = (row: IDataObject) => isMaybeOf(row, service, connection.mapping);
	const { rows } = await withEchoes(connection, free.filter(isSince), isMeant);
	const index = new EchoIndex(rows.filter((row) => createdAt(row) >= at - CLOCK_MS));
	const distance = (record: IDataObject) => Math.abs(createdAt(record) - at);
	const queries = await Promise.all(
		expected.map(async ({ echo, isExact }) => {
			const [found] = index
				.find(service, echo)
				.filter((record) => isExact(echoOf(record)))
				.sort((a, b) => distance(a) - distance(b));
			return found && (await completeRecord(connection, found));
		}),
	);
	const lost = expected.filter((_, which) => !queries[which]);
	if (lost.length === 0) return { queries, cutOff };
	const older = free.filter((row) => !isSince(row));
	const ids = await idsLike(connection, [...rows, ...older], lost, at);
	const told = `These in the list may be it, though their service, fields or date differ: ${ids}`;
	return { queries, cutOff: sentences(cutOff, ids && told) || undefined };
}

/** The IDs of rows that may be these records, although nothing proves it; '' if there are none. */
async function idsLike(
	connection: Connection<TaxQueryMapping>,
	free: IDataObject[],
	expected: ExpectedRecord[],
	at: number,
): Promise<string> {
	const { mapping } = connection;
	const [{ service }] = expected;
	const { rows } = await withEchoes(connection, free, (row) => isMaybeOf(row, service, mapping));
	const possible = rows.filter((row) => !isSurelyBefore(row, at));
	const index = new EchoIndex(possible, mapping);
	const like = expected.flatMap(({ echo }) => index.findLike(service, echo));
	const ids = new Set(
		[...like, ...index.findBare(service)].map((row) => queryIdOf(row) ?? 'one without an ID'),
	);
	return [...ids].slice(0, IDS_TOLD).join(', ') + (ids.size > IDS_TOLD ? ' …' : '');
}
