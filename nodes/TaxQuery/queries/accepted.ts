import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../../shared/utils/json';
import { isQueryRecord } from './answer';
import { queryIdOf } from './record';

/** Where services usually put what they accepted. */
const LIST_KEYS = ['results', 'queries', 'data', 'items', 'records'];
const ONE_KEYS = ['data', 'query', 'record', 'result'];
/** How many objects an answer may wrap around what is meant. */
const MAX_DEPTH = 3;

/**
 * The queries that an answer says were accepted: a record (TQ §2.1), an acknowledgement (TQ §2.5), or several (TQ
 * §4.11), by themselves or under a key. Undefined if there is no such thing in it; it may hold a bare result still.
 */
export const readAccepted = (answer: unknown): IDataObject[] | undefined =>
	findAccepted(answer, MAX_DEPTH);

function findAccepted(body: unknown, depth: number): IDataObject[] | undefined {
	if (Array.isArray(body)) return isListOf(body, hasId) ? body : undefined;
	if (!isObject(body)) return undefined;
	if (isNamed(body)) return [body];
	const list = LIST_KEYS.map((key) => body[key]).find((rows) => isListOf(rows, hasId));
	if (list) return list as IDataObject[];
	if (hasId(body) || 'response' in body) return [body];
	if (depth === 0) return undefined;
	for (const key of ONE_KEYS) {
		const found = findAccepted(body[key], depth - 1);
		if (found) return found;
	}
	// Under a key of its own only what is a query beyond doubt: a result may hold objects with IDs, too.
	const found = Object.values(body)
		.map((inner) => (isListOf(inner, isNamed) ? inner : findAccepted(inner, depth - 1)))
		.filter((queries) => queries?.every(isNamed));
	return found.length === 1 ? found[0] : undefined;
}

const hasId = (row: IDataObject) => queryIdOf(row) !== undefined;

/** An ID under one of the document's two names. */
const isNamed = (row: IDataObject) =>
	queryIdOf({ queryId: row.queryId }) !== undefined ||
	(queryIdOf({ _id: row._id }) !== undefined && isQueryRecord(row));

const isListOf = (rows: unknown, fits: (row: IDataObject) => boolean): rows is IDataObject[] =>
	Array.isArray(rows) && rows.length > 0 && rows.every((row) => isObject(row) && fits(row));
