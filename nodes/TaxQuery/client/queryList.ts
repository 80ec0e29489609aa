import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { RequestError } from '../../shared/http/requestError';
import { parseCount, listBodyReportsFailure } from '../../shared/http/rows';
import { getClientState } from '../../shared/processState';
import { isObject } from '../../shared/utils/json';
import { taxQuery } from '../../shared/http/services';
import { CodedError } from '../../shared/utils/codedError';
import { findQueryById, shapeError, type ReadOptions, type QueryClient } from './queryClient';
import { pathOf } from './names';
import { mayOmitExistingResponse, soleDefined, parseRecord } from './record';
import type { ListCompleteness, CollectedQueryList, QueryRecord } from './model';

/** An environment without a list of queries has this API Mapping: `{"paths": {"getAll": ""}}`. */
export const offersQueryList = ({ paths }: TaxQueryMapping): boolean => paths.getAll !== '';

/** One response of GET /query (TQ §4.12, whose shape is not shown). */
interface ListPage {
	records: QueryRecord[];
	/** Rows that show no ID. */
	unreadable: number;
	rows: IDataObject[];
	total?: number;
}

interface RowsAtKey {
	rows: IDataObject[];
	key: string;
	beside: IDataObject;
}

/**
 * The rows are the response itself, or what the API Mapping's `list.rows` names; else the only list, on top or in
 * an object. Undefined without one, with several candidates, or beside a reported failure.
 */
export function parseListPage(body: unknown, mapping: TaxQueryMapping): ListPage | undefined {
	if (!isObject(body) && !Array.isArray(body)) return undefined;
	const whole = Array.isArray(body) && { rows: body as IDataObject[], key: '', beside: {} };
	const found: RowsAtKey | undefined = whole || onlyRows(body as IDataObject, mapping);
	if (!found?.rows.every(isObject)) return undefined;
	const levels = [found.beside, body as IDataObject];
	if (levels.some(listBodyReportsFailure)) return undefined;
	const records = found.rows
		.map((row) => parseRecord(row, mapping))
		.filter((record) => record !== undefined);
	const totals = levels
		.flatMap((level) => [level.total, level.totalCount])
		.map(parseCount)
		.filter((total) => total !== undefined);
	const total = totals.length > 0 ? Math.max(...totals) : undefined;
	const { rows } = found;
	return { records, rows, unreadable: rows.length - records.length, total };
}

function onlyRows(body: IDataObject, mapping: TaxQueryMapping): RowsAtKey | undefined {
	const inside = Object.values(body).filter(isObject);
	const lists = [body, ...inside].flatMap((beside) => listsIn(beside));
	const { rows: named } = mapping.list;
	if (named !== undefined) return lists.find(({ key }) => key === named);
	const filled = lists.filter(({ rows }) => rows.some((row) => parseRecord(row, mapping)));
	return soleDefined(filled.length > 0 ? filled : lists);
}

/** Null beside a total of 0 is an empty list. */
function listsIn(beside: IDataObject): RowsAtKey[] {
	const isNone = beside.total === 0 || beside.totalCount === 0;
	return Object.entries(beside).flatMap(([key, value]) => {
		if (Array.isArray(value)) return [{ rows: value as IDataObject[], key, beside }];
		return value === null && isNone ? [{ rows: [], key, beside }] : [];
	});
}

interface ListChunk extends CollectedQueryList {
	/** It is the last chunk; only then `completeness` is that of the whole list. */
	isLast: boolean;
}

const MAX_LIST_PAGES = 500;
/** TQ §4.12 returns all queries; a list that reports nothing may yet be a page, and none is as short as this. */
const SHORTEST_PAGE = 10;

const noList = (): CodedError =>
	new CodedError('noList', 'This environment has no list of queries', {
		description: 'Its API Mapping says so: "paths.getAll" is empty',
		mappingKeys: ['paths.getAll'],
	});

interface ListProgress {
	/** Pages read. */
	pages: number;
	/** Rows of the last page, and of the longest one before it. */
	length: number;
	longest: number;
	/** The number of rows read, repeated ones included, and of different ones. */
	rowsRead: number;
	distinct: number;
	/** The last page held a row that no other page did. */
	isNew: boolean;
	/** The highest total that a page has reported. */
	total?: number;
	/** A total once exceeded the rows read: it counts the list, not the page. */
	isTotalProved: boolean;
}

/**
 * Is undefined while more pages may follow. A total only makes a reading longer: one that was never higher than the
 * rows read may count the page.
 */
function completenessOf(
	progress: ListProgress,
	{ list }: TaxQueryMapping,
): ListCompleteness | undefined {
	const { pages, length, longest, rowsRead, distinct, isNew, total, isTotalProved } = progress;
	const more = pages < MAX_LIST_PAGES ? undefined : 'truncated';
	if (total !== undefined) {
		// a query that was made meanwhile moves the others by one, so that the last page may be empty
		const isReached = distinct >= total || (length === 0 && rowsRead >= total);
		if (!isReached) return isNew ? more : 'truncated';
		const isShort = length < longest || (pages === 1 && length < SHORTEST_PAGE);
		if (isTotalProved || isShort || !isNew || list.paging === 'none') return 'complete';
		return more;
	}
	if ((list.offset ?? list.page) === undefined) {
		return list.paging === 'none' || length < SHORTEST_PAGE ? 'complete' : 'unknown';
	}
	if (length === 0 || length < longest) return 'complete';
	return isNew ? more : 'unknown'; // the service ignores the parameters, or the last page came again
}

/**
 * Returns whether more queries may follow those that were read. Where the service does not say, a response of a page's
 * length hints at more: a round number, or as many as were asked for. So does one that repeats its rows for the next page.
 */
export function mayHaveMore(
	{ completeness, longest }: Pick<CollectedQueryList, 'completeness' | 'longest'>,
	{ list }: TaxQueryMapping,
): boolean {
	if (completeness !== 'unknown') return completeness === 'truncated';
	if ((list.offset ?? list.page) !== undefined) return true;
	const isAsManyAsAsked = list.limit !== undefined && longest >= list.pageSize;
	return isAsManyAsAsked || longest % 5 === 0 || Number.isInteger(Math.log2(longest));
}

/**
 * Reads TQ §4.12 page by page, each query once, to the end of the list. Paging is not shown. The node requests another
 * page where the API Mapping says how, or the service reports a total. The end is an empty page, a shorter one, or the
 * highest total reported, once that has exceeded a page. A reported failure is neither an end nor an empty list.
 */
export async function* readListChunks({
	mapping,
	request,
	serviceMessage,
}: QueryClient): AsyncGenerator<ListChunk> {
	const { list } = mapping;
	if (!offersQueryList(mapping)) throw noList();
	const path = pathOf('getAll', '/query', mapping);
	const limit = list.limit === undefined ? {} : { [list.limit]: list.pageSize };
	const seen = new Set<string>();
	let [rowsRead, unreadable, longest] = [0, 0, 0];
	let total: number | undefined;
	let isTotalProved = false;
	let place: IDataObject = list.page === undefined ? {} : { [list.page]: list.firstPage };
	const readPage = async (): Promise<ListPage> => {
		const query = { ...list.parameters, ...limit, ...place };
		const listRequest = {
			method: 'GET' as const,
			path,
			pathKeys: [LIST_PATH_MAPPING_KEY],
			query,
			emptyAs: [] as [],
		};
		const body = await request(listRequest).catch(rethrowListErrorWithAdvice);
		const page = parseListPage(body, mapping);
		if (page) return page;
		if ([body, ...Object.values(body)].some(listBodyReportsFailure)) {
			throw new RequestError(taxQuery, { kind: 'failure', status: 200, ...serviceMessage(body) });
		}
		throw shapeError('a list of queries with their IDs', SHAPE_KEYS, serviceMessage(body));
	};
	for (let pages = 1; ; pages++) {
		// where nothing is left by the total, a service that does not take the parameter has no other page
		const mayBeRefused = pages > 1 && list.page === undefined && list.offset === undefined;
		const isAllByTotal = total !== undefined && seen.size + unreadable >= total;
		const page = await readPage().catch((error: unknown) => {
			if (mayBeRefused && isAllByTotal && isParameterRefused(error)) return NO_PAGE;
			throw error as Error;
		});
		total = page.total === undefined ? total : Math.max(page.total, total ?? 0);
		const records = page.records.filter(({ id }) => !seen.has(id) && seen.add(id));
		const length = page.records.length + page.unreadable;
		// of a page without IDs nobody knows whether it came before
		const isNew = records.length > 0 || (page.records.length === 0 && page.unreadable > 0);
		rowsRead += length;
		const unread = isNew ? page.unreadable : 0;
		unreadable += unread;
		isTotalProved ||= total !== undefined && total > rowsRead;
		const distinct = seen.size + unreadable;
		const progress = { pages, length, longest, rowsRead, distinct, isNew, total, isTotalProved };
		const extent = completenessOf(progress, mapping);
		longest = Math.max(longest, length);
		const isLast = extent !== undefined;
		const read = { records, unreadable: unread, total, longest: length };
		yield { ...read, completeness: extent ?? 'unknown', isLast };
		if (isLast) return;
		place =
			list.page === undefined
				? { [list.offset ?? 'offset']: rowsRead }
				: { [list.page]: list.firstPage + pages };
	}
}

export const LIST_PATH_MAPPING_KEY = 'paths.getAll';
const SHAPE_KEYS = ['list.rows', LIST_PATH_MAPPING_KEY];

const NO_PAGE: ListPage = { records: [], rows: [], unreadable: 0 };

/** A service may refuse a parameter that it does not know. */
const isParameterRefused = (error: unknown): boolean =>
	error instanceof RequestError && [400, 404, 422].includes(error.status ?? 0);

export function rethrowListErrorWithAdvice(error: unknown): never {
	const key = error instanceof RequestError ? taxQuery.testKeys[error.status ?? ''] : undefined;
	if (!(error instanceof RequestError) || key === undefined) throw error;
	throw error.withAdvice({
		mappingKeys: [key],
		...(error.status === 404 && { todo: 'checkBaseUrl' }), // a list has no ID to check
	});
}

export async function listAllQueries(client: QueryClient): Promise<CollectedQueryList> {
	return await collect(readListChunks(client));
}

/**
 * `since` is by the service's clock. The list is read to its end, or, if it runs from newest to oldest, until its
 * rows are older. It is then complete since that moment.
 */
export async function listAtLeastSince(
	client: QueryClient,
	since: number,
): Promise<CollectedQueryList> {
	let [last, falls, isSorted] = [Infinity, false, true];
	return await collect(readListChunks(client), ({ records }) => {
		for (const { createdAt = NaN } of records) {
			falls ||= createdAt < last && last < Infinity;
			isSorted &&= createdAt <= last;
			last = createdAt;
		}
		return falls && isSorted && last < since;
	});
}

async function collect(
	pieces: AsyncGenerator<ListChunk>,
	isEnough: (piece: ListChunk) => boolean = () => false,
): Promise<CollectedQueryList> {
	const whole: CollectedQueryList = {
		records: [],
		unreadable: 0,
		completeness: 'unknown',
		longest: 0,
	};
	for await (const piece of pieces) {
		for (const record of piece.records) whole.records.push(record);
		whole.unreadable += piece.unreadable;
		whole.total = piece.total;
		whole.longest = Math.max(whole.longest, piece.longest);
		whole.completeness = piece.completeness;
		if (isEnough(piece)) return { ...whole, completeness: 'complete' };
	}
	return whole;
}

/** A row of the list by its ID; as it is listed where the service has nothing under that. */
export const fetchRecordOfRow = async (
	client: QueryClient,
	row: QueryRecord,
	how: ReadOptions = {},
): Promise<QueryRecord> => (await findQueryById(client, row.id, how)) ?? row;

/** A row with its result: what a row holds of a record is not shown (TQ §4.12). */
export async function fetchRecordIfIncomplete(
	client: QueryClient,
	row: QueryRecord,
): Promise<QueryRecord> {
	return (await isRowComplete(client, row)) ? row : await fetchRecordOfRow(client, row);
}

const newComparisons = () => new Map<string, Promise<boolean>>();

/** The first row of each query type with a result is compared with its record; the others follow it. */
export async function isRowComplete(client: QueryClient, row: QueryRecord): Promise<boolean> {
	if (mayOmitExistingResponse(row)) return false;
	if (row.state !== 'success') return true;
	const comparisons = getClientState(client.clientKey).shared(newComparisons);
	const compareRow = async () => {
		const record = await findQueryById(client, row.id);
		if (!record) comparisons.delete(row.code); // nothing was compared
		return record !== undefined && lengthOf(record) <= lengthOf(row);
	};
	const comparison = comparisons.get(row.code) ?? compareRow();
	comparisons.set(row.code, comparison);
	return await comparison.catch(() => {
		comparisons.delete(row.code); // the next row is compared instead
		return true;
	});
}

const lengthOf = ({ raw: { response, state } }: QueryRecord) =>
	JSON.stringify([response, state]).length;

export const lacksRequestOrDate = ({ request, code, createdAt }: QueryRecord): boolean =>
	!request || code === '' || createdAt === undefined;

const MAX_READ = 1000;
const READERS = 20;

/** Keeps the order of `rows`. Of those that `isSelected` picks, the newest thousand are what `read` returns. */
export async function completeSelectedRows(
	rows: QueryRecord[],
	isSelected: (row: QueryRecord) => boolean,
	read: (row: QueryRecord) => Promise<QueryRecord>,
): Promise<QueryRecord[]> {
	const timeOf = ({ createdAt = Infinity }: QueryRecord) => createdAt;
	const wanted = rows.filter(isSelected).sort((a, b) => timeOf(b) - timeOf(a));
	const left = wanted.slice(0, MAX_READ).values();
	const whole = new Map<QueryRecord, QueryRecord>();
	const reader = async () => {
		for (const row of left) whole.set(row, await read(row));
	};
	await Promise.all(Array.from({ length: READERS }, reader));
	return rows.map((row) => whole.get(row) ?? row);
}
