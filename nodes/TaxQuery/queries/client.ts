import { NodeApiError, UserError, type IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { Item } from '../../shared/operations/operation';
import { isNotFound } from '../../shared/transport/errors';
import { sentences } from '../../shared/utils/sentences';
import type { Connection, ServiceRequest } from '../../shared/transport/request';
import { pageMarksOf, readQueryList, readQueryRecord } from './answer';
import { pathOf } from './catalog';
import { comparable } from './echoIndex';
import { createdAt, hasQueryId, isBare, isLean, queryIdOf, withoutCiec } from './record';

type How = Pick<ServiceRequest, 'timeoutMs' | 'patienceMs' | 'itemIndex'>;
export type QueryConnection = Pick<Connection<TaxQueryMapping>, 'mapping' | 'send'>;

/** The connection as an item uses it: with its timeout, and its index in each error. */
export async function connectionOf(item: Item): Promise<Connection<TaxQueryMapping>> {
	const connection = (await item.connection()) as Connection<TaxQueryMapping>;
	return { ...connection, send: item.request };
}

/** The same for reading what is paid for: it goes on when another item fails, until the execution is cancelled. */
export async function lastingConnectionOf(item: Item): Promise<Connection<TaxQueryMapping>> {
	const signal = item.run.cancelled ?? new AbortController().signal;
	const send = async (request: ServiceRequest) => await item.request({ ...request, signal });
	return { ...(await connectionOf(item)), send };
}

/** All that could be listed of the queries made, newest first where the service lists them so. */
export interface QueryList {
	records: IDataObject[];
	/** There is no page behind this one. */
	isLast?: true;
	/** Why the end of the list could not be reached; not set if it was. */
	cutOff?: string;
	/** Why this may not be the end of the list, of which the service tells nothing. */
	doubt?: string;
	/** Of the whole list: how many queries came at once, at most. */
	largestPage?: number;
}

const MAX_PAGES = 500;

/**
 * TQ §4.13. Throws a NodeApiError (404 if the service has nothing under the ID), or a UserError if the answer is no
 * record, or that of another query: it may be about somebody else.
 */
export async function getQuery(
	{ mapping, send }: QueryConnection,
	id: string,
	how: How = {},
): Promise<IDataObject> {
	const template = pathOf('get', '/query/{queryId}', mapping);
	const path = template.replace('{queryId}', () => encodeURIComponent(id));
	const record = readQueryRecord(await send({ method: 'GET', path, emptyAs: 'not found', ...how }));
	if (hasQueryId(record, id)) return withoutCiec(record, mapping);
	throw new UserError('The query service answered with another query than the one asked for', {
		description: `Nothing of it was taken. Compare paths.get in the credential's API Mapping with your contract, or tell the provider.`,
	});
}

/**
 * TQ §4.12, page by page, each query once, to the end of the list. Paging is not shown: a further page is asked for
 * where the answer says that more exist (a total, a mark, the next page's address), or where it says nothing and the API
 * Mapping names how the list is paged (a page may be smaller than asked for); by that address's parameters, else by page
 * number or `offset` as the mapping says. Ends with `cutOff` where a page holds nothing new although more should exist
 * (the service ignores what is asked for), and behind 500 pages.
 */
export async function* queryPages(
	{ mapping, send }: QueryConnection,
	parameters: IDataObject = {},
	how: How = {},
): AsyncGenerator<QueryList> {
	const { list } = mapping;
	if (!hasList(mapping)) throw noList();
	const path = pathOf('getAll', '/query', mapping);
	const limit = list.limit === undefined ? {} : { [list.limit]: list.pageSize };
	const isPaged = (list.limit ?? list.offset ?? list.page) !== undefined;
	const seen = new Set<unknown>();
	let rowsRead = 0;
	let fullPage = 1; // of which a shorter one is the last
	let place: IDataObject = list.page === undefined ? {} : { [list.page]: list.firstPage };
	for (let page = 1; page <= MAX_PAGES; page++) {
		const query = { ...list.parameters, ...limit, ...place, ...parameters };
		const answer = await send({ method: 'GET', path, query, emptyAs: [], ...how }).catch(withKeys);
		const rows = readQueryList(answer).map((row) => withoutCiec(row, mapping));
		const records = rows.filter((row) => {
			const id = queryIdOf(row) ?? row;
			return !seen.has(id) && seen.add(id);
		});
		rowsRead += rows.length;

		const { total, hasMore, next } = pageMarksOf(answer);
		const isTold = (hasMore ?? next ?? total) !== undefined;
		const isMore =
			hasMore ??
			(next !== undefined ||
				(total === undefined ? isPaged && rows.length >= fullPage : seen.size < total));
		fullPage = Math.max(fullPage, rows.length);
		// A query that was made meanwhile moves the others by one, so that the last page may be empty.
		const isEnd = rows.length === 0 && rowsRead >= (total ?? rowsRead);
		if (!isMore || isEnd) return yield { records, isLast: true };
		if (records.length === 0 && !isTold) return yield { records, ...sameAgain(rows, mapping) };
		if (records.length === 0) {
			const cutOff = `The service tells of ${total ?? 'more'} queries but lists only ${seen.size} of them`;
			return yield { records, cutOff };
		}
		yield { records };
		const byPosition =
			list.page === undefined
				? { [list.offset ?? 'offset']: rowsRead }
				: { [list.page]: list.firstPage + page };
		place = next ?? byPosition;
	}
	yield { records: [], cutOff: `The list of queries has more than ${MAX_PAGES} pages` };
}

/** A further page brought the same queries: the service ignores how it is asked for, or gives its last page again. */
function sameAgain({ length }: IDataObject[], { list }: TaxQueryMapping): Partial<QueryList> {
	const what = `The service gives the same ${length} queries again where the next ones are asked for`;
	if (list.limit !== undefined && length >= list.pageSize) return { cutOff: what };
	const key = list.page === undefined ? 'list.offset' : 'list.page';
	return {
		isLast: true,
		doubt: `${what}: if there are more than these, correct ${key} in the credential's API Mapping.`,
	};
}

/** A deployment without a list of queries says so in its API Mapping: `{"paths": {"getAll": ""}}`. */
export const hasList = ({ paths }: TaxQueryMapping): boolean => paths.getAll !== '';

const noList = () =>
	new UserError('This deployment has no list of queries', {
		description: "So it is said by paths.getAll in the credential's API Mapping, which is empty.",
	});

/** Adds to the error of a list which keys of the API Mapping say how it is asked for. */
function withKeys(error: unknown): never {
	if (error instanceof NodeApiError) {
		const keys = { '404': 'paths.getAll', '400': 'list.parameters', '422': 'list.parameters' };
		const key = keys[error.httpCode as keyof typeof keys];
		const hint = `If the deployment asks for the list otherwise, set ${key} in the credential's API Mapping`;
		if (key) error.description = sentences(error.description, hint);
	}
	throw error as Error;
}

/** The whole list of TQ §4.12. */
export async function listQueries(
	connection: QueryConnection,
	parameters: IDataObject = {},
	how: How = {},
): Promise<QueryList> {
	const whole: QueryList = { records: [] };
	for await (const { records, cutOff, doubt } of queryPages(connection, parameters, how)) {
		for (const record of records) whole.records.push(record);
		const largestPage = Math.max(whole.largestPage ?? 0, records.length);
		Object.assign(whole, { cutOff, doubt, largestPage });
	}
	return whole;
}

/**
 * A row of the list with its result: what it holds of a record is not shown (TQ §4.12), so one without a response is
 * read by its ID, and stays as it is where the service has nothing under that.
 */
export async function completeRecord(
	connection: QueryConnection,
	row: IDataObject,
	how: How = {},
): Promise<IDataObject> {
	return isLean(row, connection.mapping) ? await readRow(connection, row, how) : row;
}

/** So many rows of a list that does not echo queries are read by their ID. */
const MAX_READ = 1000;
/** So many of them at a time. */
const READERS = 20;

/** The rows; the first thousand of these as their IDs give them. */
export async function readRows(
	connection: QueryConnection,
	rows: IDataObject[],
	toRead: IDataObject[],
): Promise<IDataObject[]> {
	const byRow = new Map<IDataObject, IDataObject>();
	const left = toRead.slice(0, MAX_READ).values();
	const reader = async () => {
		for (const row of left) byRow.set(row, await readRow(connection, row));
	};
	await Promise.all(Array.from({ length: READERS }, reader));
	return rows.map((row) => byRow.get(row) ?? row);
}

/** The rows; those that are meant and lack service, date or what was asked are read by their ID, the newest of them. */
export async function withEchoes(
	connection: Connection<TaxQueryMapping>,
	rows: IDataObject[],
	isMeant: (row: IDataObject) => boolean,
): Promise<{ rows: IDataObject[]; unread: number }> {
	const isToRead = (row: IDataObject) =>
		isNameless(row) || isBare(row, connection.mapping) || Number.isNaN(createdAt(row));
	const bare = rows
		.filter((row) => isMeant(row) && queryIdOf(row) !== undefined && isToRead(row))
		.sort((a, b) => createdAt(b) - createdAt(a));
	const unread = Math.max(0, bare.length - MAX_READ);
	return { rows: await readRows(connection, rows, bare), unread };
}

/** Whether a row does not tell its service. */
const isNameless = ({ service }: IDataObject) => comparable(service) === '';

/** A row by its ID; as it is listed where the service has nothing under that. */
async function readRow(
	connection: QueryConnection,
	row: IDataObject,
	how: How = {},
): Promise<IDataObject> {
	const id = queryIdOf(row);
	if (id === undefined) return row;
	return await getQuery(connection, id, how).catch((error: unknown) => {
		if (isNotFound(error)) return row;
		throw error as Error;
	});
}
