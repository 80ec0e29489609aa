import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { isObject, parseObjectBlankAsEmpty } from '../utils/json';
import { CodedError } from '../utils/codedError';
import { holdsDotSegment } from '../utils/dotSegment';
import { isText } from '../utils/primitiveText';

/** The permitted value of a mapping: one of these kinds, one of some names, or a table under known keys. */
export type ValueShape = keyof typeof VALUE_KINDS | string[] | MappingShape;
export interface MappingShape {
	[key: string]: ValueShape;
}

const isSingleName = (value: unknown) => isText(value) && /[\p{L}\p{N}]/u.test(value);
/** Below the base URL: an address, a query of its own, or a way out of it would be sent to nowhere. */
const isPath = (value: unknown) =>
	isText(value) && !/:\/\/|[\s?#]/.test(value) && !holdsDotSegment(value);
/** A day in which year, month and day cannot be taken for each other. */
const SAMPLE = DateTime.utc(2031, 11, 23);
const isFormat = (unit: 'month' | 'day') => (value: unknown) =>
	isText(value) &&
	DateTime.fromFormat(SAMPLE.toFormat(value), value, { zone: 'utc' }).hasSame(SAMPLE, unit);

/** A check of each kind of value, and its name in an error. */
const VALUE_KINDS = {
	text: [isText, 'a text'],
	word: [isSingleName, 'a text with a letter or digit'],
	words: [
		(value: unknown) => Array.isArray(value) && value.every(isSingleName),
		'a list of texts, each with a letter or digit',
	],
	path: [isPath, 'a path below the base URL, like "a/b"'],
	'whole path': [
		(value: unknown) => isPath(value) && isSingleName(value),
		'a whole path, like "queries/csf"',
	],
	'path of one': [
		(value: unknown) => isPath(value) && String(value).includes('{queryId}'),
		'a path that holds {queryId}',
	],
	month: [isFormat('month'), 'a format of year and month, like "yyyy-MM"'],
	day: [isFormat('day'), 'a format of year, month and day, like "yyyy-MM-dd"'],
	count: [
		(value: unknown) => Number.isSafeInteger(value) && (value as number) > 0,
		'a whole number, 1 or more',
	],
	'0 or 1': [(value: unknown) => value === 0 || value === 1, '0 or 1'],
	object: [isObject, 'an object'],
} satisfies Record<string, [(value: unknown) => boolean, string]>;

/** Throws a UserError that names an unknown key or a value of the wrong type. */
export function parseMapping(value: unknown, table: MappingShape): IDataObject {
	const mapping = parseObjectBlankAsEmpty(value);
	if (!mapping) throw mappingError('it must be a JSON object');
	checkTable(mapping, table, '');
	return mapping;
}

function checkTable(values: IDataObject, keys: MappingShape, path: string): void {
	for (const [name, value] of Object.entries(values)) {
		const at = path === '' ? name : `${path}.${name}`;
		if (!Object.hasOwn(keys, name)) {
			throw mappingError(`"${at}" is not known; known are ${Object.keys(keys).join(', ')}`);
		}
		checkValue(value, keys[name], at);
	}
}

function checkValue(value: unknown, shape: ValueShape, at: string): void {
	const [fits, be] = rule(shape);
	if (!fits(value)) throw mappingError(`"${at}" must be ${be}`);
	if (isObject(shape)) checkTable(value as IDataObject, shape, at);
}

function rule(shape: ValueShape): [fits: (value: unknown) => boolean, be: string] {
	if (typeof shape === 'string') return VALUE_KINDS[shape];
	if (!Array.isArray(shape)) return VALUE_KINDS.object;
	return [(name) => shape.includes(name as string), `one of ${shape.join(', ')}`];
}

/** Throws a UserError. Case counts if `isExact`. */
export function requireDistinctValues(
	names: Array<[key: string, name: string]>,
	path: string,
	isExact = false,
): void {
	const keyOf = new Map<string, string>();
	for (const [key, written] of names) {
		const name = isExact ? written : written.toUpperCase();
		const other = keyOf.get(name);
		if (other !== undefined && name !== '') {
			throw mappingError(`"${path}.${other}" and "${path}.${key}" are both "${written}"`);
		}
		keyOf.set(name, key);
	}
}

const mappingError = (what: string) =>
	new CodedError('credential.apiMapping', `API Mapping: ${what}`, {
		description:
			'Correct it in the credential. The page that its documentation links to explains each key.',
	});
