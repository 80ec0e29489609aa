import { UserError, type IDataObject } from 'n8n-workflow';
import { isObject } from '../../shared/utils/json';
import { textOf } from '../../shared/utils/text';
import { queryIdOf } from './record';

/** Where services usually put a list, or what it is a list of; any other key is found, too, if it is the only one. */
const LIST_KEYS = ['data', 'queries', 'results', 'items', 'records', 'rows', 'list', 'docs'];
const RECORD_KEYS = ['data', 'query', 'record', 'result'];
const TOTAL_KEYS = ['total', 'totalCount', 'total_count', 'totalItems', 'totalRecords', 'count'];
const MORE_KEYS = ['hasMore', 'has_more', 'hasNext', 'hasNextPage', 'has_next'];
const NEXT_KEYS = ['next', 'nextPage', 'next_page', 'nextUrl', 'next_url'];
/** How many objects an answer may wrap around what is meant. */
const MAX_DEPTH = 3;

const elsewhere = 'Check the base URL of the credential, and run Connection → Diagnose.';

/**
 * The query records in the answer of GET /query (TQ §4.12, whose shape is not shown): the array itself, or one under a
 * usual key, or under any key that holds the only array of objects. Throws a UserError if there is none.
 */
export function readQueryList(body: unknown): IDataObject[] {
	const list = findList(body, MAX_DEPTH);
	if (list) return list;
	throw new UserError('The answer of the query service holds no list of queries', {
		description: `Expected an array of objects, by itself or under one key. ${elsewhere}`,
	});
}

function findList(body: unknown, depth: number): IDataObject[] | undefined {
	if (Array.isArray(body)) return rowsOf(body);
	if (!isObject(body) || depth === 0) return undefined;
	const usual = LIST_KEYS.map((key) => rowsOf(body[key])).find((rows) => rows !== undefined);
	if (usual) return usual;
	if (isQueryRecord(body)) return undefined; // its arrays belong to its result
	const values = Object.values(body);
	const lists = values.map(rowsOf).filter((rows) => rows !== undefined);
	if (lists.length > 0) return onlyList(lists);
	const within = values
		.filter(isObject)
		.map((inner) => findList(inner, depth - 1))
		.filter((rows) => rows !== undefined);
	return within.length === 1 ? within[0] : undefined;
}

/** The objects of an array, which may be empty; undefined if it holds other things only, or is none. */
function rowsOf(value: unknown): IDataObject[] | undefined {
	if (!Array.isArray(value)) return undefined;
	const rows = value.filter(isObject);
	return rows.length > 0 || value.length === 0 ? rows : undefined;
}

/** Of several lists the one with objects in it, or with queries in it; none if that leaves a doubt. */
function onlyList(lists: IDataObject[][]): IDataObject[] | undefined {
	const filled = lists.filter(({ length }) => length > 0);
	if (filled.length === 0) return [];
	const ofQueries = filled.filter((rows) => rows.every((row) => queryIdOf(row) !== undefined));
	const [only, another] = filled.length === 1 ? filled : ofQueries;
	return another === undefined ? only : undefined;
}

/** What an answer of GET /query tells of further pages. */
export interface PageMarks {
	/** How many queries there are. */
	total?: number;
	/** Whether more follow this page. */
	hasMore?: boolean;
	/** The parameters of the next page's address, where the answer gives one. */
	next?: IDataObject;
}

/** Reads the usual marks, on top of an answer or one object down; a count of no more than its own rows tells nothing. */
export function pageMarksOf(body: unknown): PageMarks {
	if (!isObject(body)) return {};
	const rows = findList(body, MAX_DEPTH)?.length ?? 0;
	const levels = [body, ...Object.values(body).filter(isObject)].filter(
		(level) => !isQueryRecord(level),
	);
	const firstOf = (keys: string[], isUsed: (value: unknown, key: string) => boolean): unknown => {
		for (const level of levels) {
			const key = keys.find((name) => isUsed(level[name], name));
			if (key !== undefined) return level[key];
		}
		return undefined;
	};
	const total = firstOf(
		TOTAL_KEYS,
		(value, key) => isCount(value) && (key !== 'count' || Number(value) > rows),
	);
	const more = firstOf(MORE_KEYS, (value) => ['true', 'false'].includes(textOf(value)));
	const next = firstOf(NEXT_KEYS, (value) => value !== undefined);
	const address = textOf(isObject(next) ? (next.href ?? next.url) : next);
	return {
		...(total !== undefined && { total: Number(total) }),
		...(more !== undefined ? { hasMore: textOf(more) === 'true' } : nextTells(next, address)),
		...(address.includes('?') && { next: parametersOf(address) }),
	};
}

const isCount = (value: unknown) => /^\d{1,15}$/.test(textOf(value));

/** A next page that is named is there; null, false and '' say that there is none. */
const nextTells = (next: unknown, address: string): PageMarks =>
	next === undefined ? {} : { hasMore: address !== '' && address !== 'false' };

/** Only the parameters are taken: where a request goes to is never for an answer to say. */
const parametersOf = (address: string): IDataObject =>
	Object.fromEntries(new URLSearchParams(address.slice(address.indexOf('?') + 1).split('#')[0]));

/**
 * The query record (TQ §2.1) in the answer of GET /query/{queryId} (TQ §4.13, whose shape is not shown): the object
 * itself, or one under a usual key, or under the only key that holds one. Throws a UserError if there is none.
 */
export function readQueryRecord(body: unknown): IDataObject {
	const record = findRecord(body, MAX_DEPTH);
	if (record) return record;
	throw new UserError('The answer of the query service holds no query record', {
		description: `Expected an object with an ID and a status, by itself or under one key. ${elsewhere}`,
	});
}

function findRecord(body: unknown, depth: number): IDataObject | undefined {
	if (Array.isArray(body)) return body.length === 1 ? findRecord(body[0], depth) : undefined;
	if (!isObject(body)) return undefined;
	if (isQueryRecord(body)) return body;
	if (depth === 0) return undefined;
	for (const key of RECORD_KEYS) {
		const record = findRecord(body[key], depth - 1);
		if (record) return record;
	}
	const found = Object.values(body)
		.map((inner) => findRecord(inner, depth - 1))
		.filter((record) => record !== undefined);
	return found.length === 1 ? found[0] : undefined;
}

/** Whether an object is a query record (TQ §2.1), as far as can be told. */
export const isQueryRecord = (body: IDataObject) =>
	queryIdOf(body) !== undefined && ('status' in body || 'service' in body);
