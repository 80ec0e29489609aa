import { UserError, type IDataObject } from 'n8n-workflow';

/** Where services usually put a list, or what it is a list of. */
const LIST_KEYS = ['data', 'queries', 'results', 'items', 'records', 'list', 'docs', 'rows'];
const RECORD_KEYS = ['data', 'query', 'record', 'result'];

export const isObject = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The query records in the answer of GET /query (§4.12, whose shape is not shown): the array itself, or one under a
 * usual key. Throws a UserError if there is none.
 */
export function readQueryList(body: unknown): IDataObject[] {
	const list = findList(body);
	if (list) return list.filter(isObject);
	throw new UserError('The answer of the query service holds no list of queries', {
		description: `Expected an array, or one under ${LIST_KEYS.join(', ')}. Check the base URL of the credential.`,
	});
}

function findList(body: unknown): unknown[] | undefined {
	if (Array.isArray(body)) return body;
	if (!isObject(body)) return undefined;
	const within = LIST_KEYS.map((key) => body[key]);
	const list = within.find(Array.isArray);
	if (list) return list;
	return within.filter(isObject).map(findList).find(Array.isArray);
}

/** How many queries there are by the answer of GET /query, if it tells; it may hold fewer. */
export function totalOf(body: unknown): number | undefined {
	if (!isObject(body)) return undefined;
	const total = Number(body.total ?? NaN);
	return Number.isInteger(total) ? total : totalOf(body.data);
}

/**
 * The query record (§2.1) in the answer of GET /query/{queryId} (§4.13, whose shape is not shown): the object itself,
 * or one under a usual key. Throws a UserError if there is none.
 */
export function readQueryRecord(body: unknown): IDataObject {
	const record = findRecord(body);
	if (record) return record;
	throw new UserError('The answer of the query service holds no query record', {
		description: 'Check the base URL of the credential, and the query in the service.',
	});
}

function findRecord(body: unknown): IDataObject | undefined {
	if (Array.isArray(body)) return body.length === 1 ? findRecord(body[0]) : undefined;
	if (!isObject(body)) return undefined;
	if (queryIdOf(body) !== undefined && ('status' in body || 'service' in body)) return body;
	for (const key of RECORD_KEYS) {
		const record = findRecord(body[key]);
		if (record) return record;
	}
	return undefined;
}

/** The id of a record (§2.1) or an acknowledgement (§2.5); undefined if it has none. */
export function queryIdOf(query: IDataObject): string | undefined {
	const id = query._id ?? query.queryId ?? query.id;
	return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

/** The request's fields, which a record echoes. */
export function echoOf({ query, metadata }: IDataObject): IDataObject {
	const inMetadata = isObject(metadata) && isObject(metadata.query) ? metadata.query : {};
	return { ...inMetadata, ...(isObject(query) ? query : {}) };
}

const PENDING =
	/\b(pending|pendiente|processing|process|proceso|progress|inprogress|queued|running|created|accepted|received|waiting|started|new)\b/i;
const FAILED =
	/\b(failed|failure|fallido|error|rejected|cancell?ed|expired|invalid|not ?found|timeout|denied)\b/i;

/**
 * Whether a query still runs. SUCCESS and PENDING are the values seen (§3); of others the word decides, and one that
 * says neither that it runs nor that it failed is taken for the end.
 */
export function stateOf({ status, response }: IDataObject): 'pending' | 'success' | 'failed' {
	if (typeof status !== 'string') return isObject(response) ? 'success' : 'pending';
	const words = status.replace(/[_-]+/g, ' ');
	if (FAILED.test(words)) return 'failed';
	return PENDING.test(words) ? 'pending' : 'success';
}
