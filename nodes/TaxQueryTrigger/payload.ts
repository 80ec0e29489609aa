import type { IDataObject } from 'n8n-workflow';

const ENVELOPES = ['data', 'query', 'payload', 'result'];

/**
 * The id of the query that a webhook body speaks of. The payload's shape is not shown (§6.2): a bare record, an
 * envelope around one, and an id alone are understood. Undefined if there is none.
 */
export function queryIdOf(body: unknown, depth = 0): string | undefined {
	if (typeof body !== 'object' || body === null || Array.isArray(body) || depth > 3)
		return undefined;
	const fields = body as IDataObject;
	for (const name of ['_id', 'queryId', 'id']) {
		const value = fields[name];
		if (typeof value === 'string' && value !== '') return value;
	}
	for (const name of ENVELOPES) {
		const found = queryIdOf(fields[name], depth + 1);
		if (found) return found;
	}
	return undefined;
}
