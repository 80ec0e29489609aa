import { NodeApiError, UserError, type IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { Item } from '../../shared/operations/operation';
import { USUAL_SIZES } from '../../shared/http/envelope';
import { sentences } from '../../shared/utils/sentences';
import type { Connection, ServiceRequest } from '../../shared/transport/request';
import { pageMarksOf, readQueryList, readQueryRecord, type PageMarks } from './answer';
import { pathOf } from './catalog';
import { hasQueryId, queryIdOf, withoutCiec } from './record';

export type How = Pick<ServiceRequest, 'timeoutMs' | 'patienceMs' | 'itemIndex'>;
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
	/** Nothing speaks for its being the end, either: the list has as many rows as a page usually has. */
	isUntold?: true;
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
	const answer = await send({ method: 'GET', path, emptyAs: 'not found', ...how });
	const record = readQueryRecord(answer, id);
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
 * (the service ignores what is asked for), and behind 500 pages. `isThorough`: where nothing tells and the first page
 * may be a cut one, it is tried whether one comes behind it; else that is left open, with `doubt`.
 */
export async function* queryPages(
	{ mapping, send }: QueryConnection,
	parameters: IDataObject = {},
	{ isThorough = false, ...how }: How & { isThorough?: boolean } = {},
): AsyncGenerator<QueryList> {
	let { list } = mapping;
	if (!hasList(mapping)) throw noList();
	const path = pathOf('getAll', '/query', mapping);
	const limit = list.limit === undefined ? {} : { [list.limit]: list.pageSize };
	let isPaged = (list.limit ?? list.offset ?? list.page) !== undefined;
	const seen = new Set<unknown>();
	let rowsRead = 0;
	let fullPage = 1; // of which a shorter one is the last
	let place: IDataObject = list.page === undefined ? {} : { [list.page]: list.firstPage };
	const ask = async (at: IDataObject) => {
		const query = { ...list.parameters, ...limit, ...at, ...parameters };
		const answer = await send({ method: 'GET', path, query, emptyAs: [], ...how }).catch(withKeys);
		const rows = readQueryList(answer).map((row) => withoutCiec(row, mapping));
		return { rows, ...pageMarksOf(answer) };
	};
	for (let page = 1; page <= MAX_PAGES; page++) {
		const { rows, total, hasMore, next, ...marks } = await ask(place);
		const records = rows.filter((row) => {
			const id = queryIdOf(row) ?? row;
			return !seen.has(id) && seen.add(id);
		});
		rowsRead += rows.length;

		const isTold = (hasMore ?? next ?? total) !== undefined;
		const isMore =
			hasMore ??
			(next !== undefined ||
				(total === undefined ? isPaged && rows.length >= fullPage : seen.size < total));
		fullPage = Math.max(fullPage, rows.length);
		// A query that was made meanwhile moves the others by one, so that the last page may be empty.
		const isEnd = rows.length === 0 && rowsRead >= (total ?? rowsRead);
		const isOpen = page === 1 && !isTold && !isPaged && mayBeCut(rows, marks);
		if (isThorough && isOpen) {
			yield { records };
			const further = await tryNext(ask, rows, marks);
			if (!further || further === 'none')
				return yield { records: [], ...(further ? {} : untold(rows)) };
			[list, isPaged] = [{ ...list, ...further }, true];
			place = list.page === undefined ? { offset: rowsRead } : { page: list.firstPage + 1 };
			continue;
		}
		if (!isMore || isEnd) return yield { records, isLast: true, ...(isOpen && untold(rows)) };
		if (records.length === 0 && !isTold)
			return yield {
				records,
				...(list === mapping.list ? sameAgain(rows, mapping) : untold(rows)),
			};
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

/** Whether a list, of which nothing is told, is as long as a page. */
const mayBeCut = ({ length }: IDataObject[], { size = 0 }: PageMarks): boolean =>
	size < length ? USUAL_SIZES.includes(length) : size === length && size > 0;

/**
 * How the queries behind a first page can be asked for, by the page's number where the answer tells it, else from the
 * last row on; 'none' where there are none, and undefined where what comes does not tell.
 */
async function tryNext(
	ask: (at: IDataObject) => Promise<PageMarks & { rows: IDataObject[] }>,
	rows: IDataObject[],
	marks: PageMarks,
): Promise<Partial<TaxQueryMapping['list']> | 'none' | undefined> {
	const page = marks.page === 0 || marks.page === 1 ? marks.page : undefined;
	const place = page === undefined ? { offset: rows.length - 1 } : { page: page + 1 };
	const found = await ask(place).catch(() => undefined);
	if (!found) return undefined;
	const known = rows.map(queryIdOf);
	const places = found.rows.map((row) => known.indexOf(queryIdOf(row)));
	const isNone = page === undefined ? places.every((at) => at >= 0) : places.length === 0;
	const isAnswered =
		page === undefined ? places[0] > 0 : isNone ? found.page === page + 1 : places.includes(-1);
	if (!isAnswered) return undefined;
	if (isNone) return 'none';
	return page === undefined ? { offset: 'offset' } : { page: 'page', firstPage: page };
}

const untold = ({ length }: IDataObject[]): Partial<QueryList> => ({
	doubt: `The service lists ${length} queries and does not tell whether there are more: if there are, name list.limit, and list.offset or list.page, in the credential's API Mapping (Connection → Diagnose tries them).`,
	isUntold: true,
});

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
