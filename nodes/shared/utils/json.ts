import type { IDataObject } from 'n8n-workflow';

/** Returns whether a value is an object with keys: no array, not null. */
export const isObject = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns whether a value is an object or array that holds anything. */
export const hasEntries = (value: unknown): boolean =>
	typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** The JSON value of a text; any other value as it is; undefined if the text holds none. */
export function parseJson(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value);
	} catch {
		return undefined;
	}
}

/**
 * A JSON object as a parameter or credential field holds it: an object, its text, or nothing for {}. Undefined if it
 * is anything else.
 */
export function parseObjectBlankAsEmpty(value: unknown): IDataObject | undefined {
	if (value === undefined || value === null || value === '') return {};
	const parsed = parseJson(value);
	return isObject(parsed) ? parsed : undefined;
}
