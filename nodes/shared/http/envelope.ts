import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../utils/json';
import { textOf } from '../utils/text';

/** Where services usually put a list, or what it is a list of; any other key is found, too, if it is the only one. */
const LIST_KEYS = ['data', 'queries', 'results', 'items', 'records', 'rows', 'list', 'docs'];
const TOTAL_KEYS = [
	...['total', 'totalCount', 'total_count', 'totalItems', 'totalRecords', 'totalElements'],
	'count',
];
const MORE_KEYS = ['hasMore', 'has_more', 'hasNext', 'hasNextPage', 'has_next'];
const NEXT_KEYS = [
	...['next', 'nextPage', 'next_page', 'nextUrl', 'next_url'],
	...['nextCursor', 'next_cursor', 'nextPageToken', 'next_page_token'],
];
const PAGES_KEYS = [
	'totalPages',
	'total_pages',
	'lastPage',
	'last_page',
	'pageCount',
	'page_count',
];
const PAGE_KEYS = ['page', 'currentPage', 'current_page'];
/** What services call the size of a page. */
export const SIZE_KEYS = ['limit', 'pageSize', 'page_size', 'perPage', 'per_page', 'size', 'take'];
/** A list of so many rows may be one that was cut to a page, though its answer says nothing of it. */
export const USUAL_SIZES = [10, 20, 25, 50, 100, 200, 250, 500, 1000];
/** How many objects an answer may wrap around what is meant. */
const MAX_DEPTH = 3;

/** Whether an object is one of what the answer is about. */
export type IsRow = (row: IDataObject) => boolean;

/**
 * The objects of a list in an answer: the array itself, or one under a usual key, or under any key that holds the only
 * array of objects, but that of its errors; of several, the one that holds rows. Undefined if there is none or it cannot
 * be told.
 */
export function findList(
	body: unknown,
	isRow: IsRow,
	usual: string[] = [],
	depth = MAX_DEPTH,
): IDataObject[] | undefined {
	if (Array.isArray(body)) return rowsOf(body);
	if (!isObject(body) || depth === 0) return undefined;
	const inUse = [...usual, ...LIST_KEYS].map((key) => rowsOf(body[key])).find(isFound);
	if (inUse) return inUse;
	if (isNone(body, isRow, usual)) return [];
	if (isRow(body)) return undefined; // its arrays belong to it
	const values = Object.keys(body)
		.filter((key) => !/^errors?$/i.test(key))
		.map((key) => body[key]);
	const lists = values.map(rowsOf).filter(isFound);
	if (lists.length > 0) return onlyList(lists, isRow);
	const within = values
		.filter(isObject)
		.map((inner) => findList(inner, isRow, usual, depth - 1))
		.filter(isFound);
	return within.length === 1 ? within[0] : undefined;
}

/** Whether an answer writes its empty list as null, beside its total or count of 0. */
export const isNone = (body: IDataObject, isRow: IsRow, usual: string[] = []): boolean =>
	[...usual, ...LIST_KEYS].some((key) => body[key] === null) &&
	findMarks(body, isRow, -1).total === 0;

const isFound = <T>(one: T | undefined): one is T => one !== undefined;

/** The objects of an array, which may be empty; undefined if it holds other things only, or is none. */
function rowsOf(value: unknown): IDataObject[] | undefined {
	if (!Array.isArray(value)) return undefined;
	const rows = value.filter(isObject);
	return rows.length > 0 || value.length === 0 ? rows : undefined;
}

/** Of several lists the one with objects in it, or with rows in it; none if that leaves a doubt. */
function onlyList(lists: IDataObject[][], isRow: IsRow): IDataObject[] | undefined {
	const filled = lists.filter(({ length }) => length > 0);
	if (filled.length === 0) return [];
	const ofRows = filled.filter((rows) => rows.every(isRow));
	const [only, another] = filled.length === 1 ? filled : ofRows;
	return another === undefined ? only : undefined;
}

/**
 * One object in an answer: the answer itself, or one under a usual key, or under the only key that holds one.
 * Undefined if there is none or it cannot be told.
 */
export function findOne(
	body: unknown,
	isRow: IsRow,
	usual: string[],
	depth = MAX_DEPTH,
): IDataObject | undefined {
	if (Array.isArray(body)) {
		return body.length === 1 ? findOne(body[0], isRow, usual, depth) : undefined;
	}
	if (!isObject(body)) return undefined;
	if (isRow(body)) return body;
	if (depth === 0) return undefined;
	for (const key of usual) {
		const found = findOne(body[key], isRow, usual, depth - 1);
		if (found) return found;
	}
	const found = Object.values(body)
		.map((inner) => findOne(inner, isRow, usual, depth - 1))
		.filter(isFound);
	return found.length === 1 ? found[0] : undefined;
}

/** What a list tells of further pages. */
export interface PageMarks {
	/** How many rows there are. */
	total?: number;
	/** Whether more follow this page. */
	hasMore?: boolean;
	/** The parameters of the next page's address, where the answer gives one. */
	next?: IDataObject;
	/** Which page this is, and how many rows one has at most, where nothing else is told. */
	page?: number;
	size?: number;
}

/** Reads the usual marks, on top of an answer or up to two objects down; `rows` are those of the page. */
export function findMarks(body: unknown, isRow: IsRow, rows: number): PageMarks {
	if (!isObject(body)) return {};
	const inside = Object.values(body).filter(isObject);
	const further = inside.flatMap((level) => Object.values(level).filter(isObject));
	const levels = [body, ...inside, ...further].filter((level) => !isRow(level));
	const firstOf = (keys: string[], isUsed: (value: unknown, key: string) => boolean): unknown => {
		for (const level of levels) {
			const key = keys.find((name) => isUsed(level[name], name));
			if (key !== undefined) return level[key];
		}
		return undefined;
	};
	// a count of no more than the page's own rows tells nothing
	const total = firstOf(
		TOTAL_KEYS,
		(value, key) => isCount(value) && (key !== 'count' || Number(value) > rows),
	);
	const more = firstOf(MORE_KEYS, (value) => ['true', 'false'].includes(textOf(value)));
	const next = firstOf(NEXT_KEYS, (value) => value !== undefined);
	const pages = firstOf(PAGES_KEYS, isCount);
	const [page, size] = [PAGE_KEYS, SIZE_KEYS].map((keys) => firstOf(keys, isCount));
	const isUntold = total === undefined && more === undefined && next === undefined;
	const address = textOf(isObject(next) ? (next.href ?? next.url) : next);
	return {
		...(total !== undefined && { total: Number(total) }),
		...(more !== undefined ? { hasMore: textOf(more) === 'true' } : nextTells(next, address)),
		...(isUntold && pages !== undefined && pagesTell(page, pages)),
		...(isUntold && pages === undefined && { ...numbers({ page, size }) }),
		...(address.includes('?') && { next: parametersOf(address) }),
	};
}

const numbers = (marks: Record<string, unknown>) =>
	Object.fromEntries(
		Object.entries(marks)
			.filter(([, value]) => value !== undefined)
			.map(([name, value]) => [name, Number(value)]),
	);

const isCount = (value: unknown) => /^\d{1,15}$/.test(textOf(value));

/** Pages are counted from 1; where an answer does not say which one it is, it may be the first. */
const pagesTell = (page: unknown = 1, pages: unknown): PageMarks => ({
	hasMore: Number(pages) > 1 && Number(page) < Number(pages),
});

/** A next page that is named is there; null, false and '' say that there is none. */
const nextTells = (next: unknown, address: string): PageMarks =>
	next === undefined ? {} : { hasMore: address !== '' && address !== 'false' };

/** Only the parameters are taken: where a request goes to is never for an answer to say. */
const parametersOf = (address: string): IDataObject =>
	Object.fromEntries(new URLSearchParams(address.slice(address.indexOf('?') + 1).split('#')[0]));
