import { UserError, type IDataObject } from 'n8n-workflow';

const USUAL_KEYS = ['data', 'queries', 'results', 'items', 'records', 'list', 'docs'];

const isRecord = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The query records in the answer of GET /query (§4.12, whose shape is not shown): the array itself, or one under a
 * usual key. Throws a UserError if there is none.
 */
export function readQueryList(body: unknown): IDataObject[] {
	if (Array.isArray(body)) return body.filter(isRecord);
	if (isRecord(body)) {
		for (const key of USUAL_KEYS) {
			const value = body[key];
			if (Array.isArray(value)) return value.filter(isRecord);
			if (isRecord(value)) return readQueryList(value);
		}
	}
	throw new UserError('The answer of the query service holds no list of queries', {
		description: `Expected an array, or one under ${USUAL_KEYS.join(', ')}.`,
	});
}
