import type { IDataObject } from 'n8n-workflow';

/** Arrays and null are none. */
export const isObject = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

export const hasEntries = (value: unknown): boolean =>
	Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;

/**
 * The JSON value of a text; any other value as it is; undefined if the text holds none. A number that JavaScript would
 * round is a text of its digits: a CLABE has 18.
 */
export function parseJson(value: unknown): unknown {
	if (typeof value !== 'string') return value;
	try {
		const parsed: unknown = JSON.parse(value);
		return MAY_BE_ROUNDED.test(value) ? JSON.parse(quoteLargeNumbers(value)) : parsed;
	} catch {
		return undefined;
	}
}

/** 2^53 has 16 digits; an exponent makes a number as large with fewer. */
const MAY_BE_ROUNDED = /(?:^|[:,[\s])-?(?:\d{16}|\d[\d.]*[eE])/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Quotes the numbers of valid JSON that are beyond 2^53. Strings are passed over by hand, in linear time. */
function quoteLargeNumbers(json: string): string {
	const parts: string[] = [];
	for (let at = 0; at < json.length;) {
		const found = json.indexOf('"', at);
		const begin = found < 0 ? json.length : found;
		let end = begin + 1;
		while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
		parts.push(json.slice(at, begin).replace(NUMBER, quoteIfLarge), json.slice(begin, end + 1));
		at = end + 1;
	}
	return parts.join('');
}

const quoteIfLarge = (number: string): string =>
	Math.abs(Number(number)) > Number.MAX_SAFE_INTEGER ? `"${number}"` : number;

/**
 * A JSON object as a parameter or credential field holds it: an object, its text, or nothing for {}. Undefined if it
 * is anything else.
 */
export function parseObjectBlankAsEmpty(value: unknown): IDataObject | undefined {
	if (value === undefined || value === null || value === '') return {};
	const parsed = parseJson(value);
	return isObject(parsed) ? parsed : undefined;
}
