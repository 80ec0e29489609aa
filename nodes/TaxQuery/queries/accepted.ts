import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { isFilled, isObject } from '../../shared/utils/json';
import { isQueryRecord } from './answer';
import { EchoIndex } from './echoIndex';
import { createdAt, ownIdOf, queryIdOf } from './record';

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
	if (Array.isArray(body)) return queriesOf(body, hasId);
	if (!isObject(body)) return undefined;
	const several = queriesOf(body.results, isAcknowledged); // TQ §4.11, whatever ID stands beside
	if (several) return withMessage(several, body);
	if (isAcknowledged(body) || (isNamed(body) && isCode(body.service))) return [body];
	const fits = isNamed(body) ? isNamed : hasId;
	const list = LIST_KEYS.map((key) => queriesOf(body[key], fits)).find((rows) => rows);
	if (list) return withMessage(list, body);
	const inside = findInside(body, depth);
	// the ID of a call in JSON-RPC is never that of what it brought
	const isItself = 'response' in body || (hasId(body) && !('jsonrpc' in body));
	if (!isItself) return inside ?? (hasId(body) ? [body] : undefined);
	// an ID may be that of the answer, and the query's lie inside
	const isSurer = 'response' in body ? isAcknowledged : isQueryRecord(body) ? isNamed : isQuery;
	return inside?.every(isSurer) ? inside : [body];
}

function findInside(body: IDataObject, depth: number): IDataObject[] | undefined {
	if (depth === 0) return undefined;
	for (const key of ONE_KEYS) {
		const found = findAccepted(body[key], depth - 1);
		if (found) return found;
	}
	// Under a key of its own only what is a query beyond doubt: a result may hold objects with IDs, too.
	const found = Object.entries(body)
		.filter(([key]) => !/^errors?$/i.test(key))
		.map(([, inner]) => queriesOf(inner, isNamed) ?? findAccepted(inner, depth - 1))
		.filter((queries) => queries?.every((row) => isNamed(row) || !hasId(row)))
		.filter((queries) => queries?.some(isNamed));
	return found.length === 1 ? found[0] : undefined;
}

/** TQ §4.11: the message stands once, beside the queries that it is about. */
const withMessage = (rows: IDataObject[], { message }: IDataObject): IDataObject[] =>
	typeof message === 'string' ? rows.map((row) => ({ message, ...row })) : rows;

const hasId = (row: IDataObject) => queryIdOf(row) !== undefined;
const isAcknowledged = (row: IDataObject) => ownIdOf(row) !== '';
const isQuery = (row: IDataObject) => isAcknowledged(row) || isQueryRecord(row);
const isCode = (service: unknown) => typeof service === 'string' && service !== '';

/** An ID under one of the document's two names. */
export const isNamed = (row: IDataObject): boolean =>
	isAcknowledged(row) || (hasId({ _id: row._id }) && isQueryRecord(row));

/** The queries of a list that has any: of several, some may have been refused, and have no ID (TQ §4.11). */
function queriesOf(rows: unknown, fits: (row: IDataObject) => boolean): IDataObject[] | undefined {
	if (!Array.isArray(rows) || !rows.every(isObject) || !rows.some(fits)) return undefined;
	return rows.filter((row) => hasId(row) || isFilled(row.response));
}

/** Of more queries than were asked for the newest that echo what was asked; all of them where none does. */
export function ownOf(
	rows: IDataObject[],
	expected: Array<{ service: string; echo: IDataObject }>,
	mapping: TaxQueryMapping,
): IDataObject[] {
	if (rows.length <= expected.length) return rows;
	const index = new EchoIndex(rows, mapping);
	const own = expected.flatMap(({ service, echo }) => {
		const found = index.find(service, echo);
		const newest = Math.max(...found.map(createdAt));
		return found.filter((row) => !(createdAt(row) < newest));
	});
	return own.length > 0 ? own : rows;
}
