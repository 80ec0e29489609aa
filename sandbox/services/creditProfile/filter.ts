import { type CollectionsFilter, type Collection } from '../../../contract/creditProfile';
import { ORGANIZATION_ID } from '../../data/users';
import type { CreditProfileMapping } from '../../apiMapping';
import { HttpError } from '../../plugins/errors';

type Query = Record<string, unknown>;

const NUMBER = /^-?\d+(\.\d+)?$/;
/** `filter[name__eq]`, `filter[name__eq][]`, `filter[name__eq][0]`, `filter.name__eq`, … */
const FIELD = /^filter(?:\[(\w+)\]|\.(\w+))(\[\d*\])?$/;
const ofNumbers = [
	'organizationId__eq',
	'parentCollectionId__eq',
	'activeDataCollectionVersionId__eq',
];

function readJson(text: unknown): Query {
	let parsed: unknown;
	try {
		parsed = JSON.parse(String(text));
	} catch {
		parsed = undefined;
	}
	if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
		return parsed as Query;
	}
	throw new HttpError(400, '"filter" in the query: Expected a JSON object', 'filter');
}

/** Values that came as text, one or several; numbers where the key wants them. */
function readValues(key: string, texts: unknown[]): unknown {
	const values = texts.map((text) =>
		ofNumbers.includes(key) && NUMBER.test(String(text)) ? Number(text) : text,
	);
	return values.length === 1 ? values[0] : values;
}

/** The key of the filter that a parameter names, if it is written as the environment wants filters and lists. */
function keyOf(name: string, value: unknown, mapping: CreditProfileMapping): string | undefined {
	const [, bracketed, dotted, suffix] = FIELD.exec(name) ?? [];
	const { filterEncoding, listEncoding } = mapping;
	const filterStyle = bracketed ? 'brackets' : 'dots';
	const listStyle = suffix === undefined ? 'repeat' : suffix === '[]' ? 'brackets' : 'indices';
	const isList = suffix !== undefined || Array.isArray(value);
	if (filterEncoding && filterEncoding !== filterStyle) return undefined;
	if (isList && listEncoding && listEncoding !== listStyle) return undefined;
	return bracketed ?? dotted;
}

/**
 * Collects a query's filter (CP §4.4) into one object. The document does not show its encoding. Unless the mapping
 * names one, three are accepted: JSON text, `filter[key]=` (repeated, or with `[]`, for several values), and
 * `filter.key=`. Throws an HttpError for invalid JSON text.
 */
export function nestFilterParameters(query: Query, mapping: CreditProfileMapping): Query {
	const gathered: Query = {};
	const texts = new Map<string, unknown[]>();
	const isJsonTaken = [undefined, 'json'].includes(mapping.filterEncoding);
	let filter: Query | undefined;
	for (const [name, value] of Object.entries(query)) {
		const key = keyOf(name, value, mapping);
		if (name === 'filter' && isJsonTaken) filter = readJson(value);
		else if (key) texts.set(key, [...(texts.get(key) ?? []), value].flat());
		else gathered[name] = value;
	}
	if (!filter && texts.size === 0) return gathered;
	const fields = [...texts].map(([key, values]) => [key, readValues(key, values)]);
	return { ...gathered, filter: { ...filter, ...Object.fromEntries(fields) } };
}

const many = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);
const sameTags = (wanted: string[], tags: string[]): boolean =>
	wanted.every((tag) => tags.includes(tag)) && tags.every((tag) => wanted.includes(tag));

/** CP §4.4 */
const tests: {
	[K in keyof Required<CollectionsFilter>]: (
		collection: Collection,
		wanted: NonNullable<CollectionsFilter[K]>,
	) => boolean;
} = {
	name__eq: ({ name }, wanted) => many(wanted).includes(name),
	name__like: ({ name }, wanted) => name.toLowerCase().includes(wanted.toLowerCase()),
	organizationId__eq: (_collection, wanted) => many(wanted).includes(ORGANIZATION_ID),
	parentCollectionId__eq: ({ parentCollectionId }, wanted) =>
		many<number | null | undefined>(wanted).includes(parentCollectionId),
	activeDataCollectionVersionId__eq: ({ activeDataCollectionVersionId }, wanted) =>
		many(wanted).includes(activeDataCollectionVersionId),
	tags__anyOf: ({ tags }, wanted) => many(wanted).some((tag) => tags.includes(tag)),
	tags__eq: ({ tags }, wanted) => sameTags(many(wanted), tags),
	processorKey__eq: ({ processorKey }, wanted) =>
		many<string | null | undefined>(wanted).includes(processorKey),
};

export function passesFilter(collection: Collection, filter: CollectionsFilter): boolean {
	return (Object.keys(filter) as Array<keyof CollectionsFilter>).every((key) => {
		const test = tests[key] as (collection: Collection, wanted: unknown) => boolean;
		return test(collection, filter[key]);
	});
}
