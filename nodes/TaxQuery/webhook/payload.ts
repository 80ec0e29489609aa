import type { IDataObject } from 'n8n-workflow';
import type { RecordFieldName } from '../../shared/credentials/apiMapping';
import { isObject, parseJson } from '../../shared/utils/json';
import { pickBy } from '../../shared/utils/objects';
import { idText } from '../../shared/utils/primitiveText';
import { wireName, type RecordMapping } from '../client/recordNames';

/** What a webhook call says of one query, not yet verified. */
export interface AnnouncedQuery {
	queryId: string;
	/** The fields of the query record, as far as the call holds them; at least its ID. */
	record: IDataObject;
	/** The kind of event that the envelope names, if any. */
	event?: string;
	/** The fields around the record, as they came; around a bare record those that TQ §2.1 does not show. */
	envelope?: IDataObject;
}

/** The queries in a body, or why it names none, as a text for the sender. */
export type Payload = { announced: AnnouncedQuery[] } | { status: 400 | 413; reason: string };

/** The most results that one call may hold; each is confirmed with the service. */
const MAX_RESULTS = 100;
const MAX_DEPTH = 100;
/** JavaScript is slow with an object that has more, and no record has. */
const MAX_FIELDS = 10_000;
/** A record lies at most this many keys and lists deep. */
const MAX_LAYERS = 4;
/** Names that say that a value is a query's ID, whatever is beside it. */
const QUERY_ID_KEYS = ['queryId', 'query_id', 'queryID'];
const EVENT_KEYS = ['event', 'eventType', 'event_type', 'type', 'kind'];
/** Objects that belong to a record (TQ §2.1), whatever they hold. */
const RECORD_OBJECTS = ['authentication', 'metadata', 'query', 'response', 'state'];
/** The other fields of TQ §2.1 beside the ID. */
const SCALARS = ['service', 'status', 'organizationId', 'organizationSlug', 'profileId'];
const DATE_FIELDS = ['createdAt', 'updatedAt'];
/** Keys that would reach into JavaScript's own objects where items are copied or merged. */
const UNSAFE = ['__proto__', 'constructor', 'prototype'];

/**
 * Reads a webhook call, whose shape TQ §6.2 does not show. It holds a query record or a query's ID: at the top, under
 * any key, or in a list. The bytes are JSON in UTF-8, whatever the headers say: they are what was signed. Never throws.
 */
export function parsePayload(body: Buffer, mapping: RecordMapping): Payload {
	const refuse = (reason: string): Payload => ({ status: 400, reason });
	if (body.length === 0) return refuse('The body is empty');
	const value = parse(body);
	if (value === undefined) return refuse('The body is not JSON in UTF-8');
	const unsafe = findUnsafeContent(value);
	if (unsafe) return refuse(unsafe);
	const names = namesOf(mapping);
	const announced = find(value, names)?.announced ?? findInText(value, names);
	if (announced.length === 0) return refuse('The body names no query');
	if (announced.length > MAX_RESULTS) {
		return { status: 413, reason: `The body holds more than ${MAX_RESULTS} results` };
	}
	return { announced };
}

function parse(body: Buffer): unknown {
	try {
		return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
	} catch {
		return undefined;
	}
}

/** Checks every value without recursion, which a hostile body could exhaust. */
function findUnsafeContent(value: unknown): string | undefined {
	const isHolder = (one: unknown): one is object => typeof one === 'object' && one !== null;
	let layer = [value].filter(isHolder);
	for (let depth = 0; layer.length > 0; depth++) {
		if (depth > MAX_DEPTH) return `The body is nested deeper than ${MAX_DEPTH} levels`;
		const below: object[] = [];
		for (const each of layer) {
			const keys = Array.isArray(each) ? [] : Object.keys(each);
			if (keys.length > MAX_FIELDS) return `An object has more than ${MAX_FIELDS} fields`;
			if (keys.some((key) => UNSAFE.includes(key))) {
				return 'The body holds a key that is not allowed';
			}
			for (const inner of Object.values(each)) if (isHolder(inner)) below.push(inner);
		}
		layer = below;
	}
	return undefined;
}

/** The names of a record, by the environment's API Mapping. */
interface RecordNames {
	id: string;
	status: string;
	service: string;
	response: string;
	parts: string[];
	/** All fields of TQ §2.1, and those that name a query. */
	all: string[];
	wrapper?: string;
}

function namesOf(mapping: RecordMapping): RecordNames {
	const { wrapper, ...names } = mapping.record;
	const own = (name: string) => wireName(mapping, name as RecordFieldName);
	const fields = ['_id', ...SCALARS, ...RECORD_OBJECTS, ...DATE_FIELDS].map(own);
	return {
		...{ id: own('_id'), status: own('status'), service: own('service') },
		...{ response: own('response'), parts: RECORD_OBJECTS.map(own), wrapper },
		all: ['id', ...QUERY_ID_KEYS, ...fields, ...Object.values(names)],
	};
}

/**
 * Tells how clearly an object is a query: an ID alone, an ID with a status, or a record or an ID that is named a
 * query's. An envelope has an ID, too, and often a status.
 */
type Clarity = 0 | 1 | 2;

interface Found {
	announced: AnnouncedQuery[];
	clarity: Clarity;
	/** The ID is called just "id", as that of an event is. */
	hasPlainId?: boolean;
}

/** Undefined if a part of it is not understood: half a call is never taken for the whole. */
function find(value: unknown, names: RecordNames, layer = 0, isInside = false): Found | undefined {
	if (typeof value !== 'object' || value === null || layer > MAX_LAYERS) return undefined;
	if (Array.isArray(value)) return findInList(value, names, layer, isInside);
	const fields = value as IDataObject;
	const wrapped = names.wrapper !== undefined ? fields[names.wrapper] : undefined;
	if (wrapped !== undefined) {
		const found = find(wrapped, names, layer + 1, true);
		if (found) return addEnvelope(found, fields, names.wrapper as string);
	}
	const own = ownQuery(fields, names, isInside);
	const inside = findUnderKey(fields, names, layer, own !== undefined && own.clarity > 0);
	if (!inside) return own;
	return !own || isEnvelopeOf(own, inside) ? addEnvelope(inside.found, fields, inside.key) : own;
}

function findInList(
	list: unknown[],
	names: RecordNames,
	layer: number,
	isInside: boolean,
): Found | undefined {
	const all = list.slice(0, MAX_RESULTS + 1).map((each) => find(each, names, layer + 1, isInside));
	if (all.length === 0 || !all.every((each) => each !== undefined)) return undefined;
	return {
		announced: all.flatMap(({ announced }) => announced),
		clarity: Math.min(...all.map(({ clarity }) => clarity)) as Clarity,
	};
}

/** An event's envelope has an ID, too. */
function isEnvelopeOf(own: Found, { found }: { found: Found }): boolean {
	const [{ queryId }] = own.announced;
	if (found.clarity !== own.clarity) return found.clarity > own.clarity;
	const isSame = found.announced.every((one) => one.queryId === queryId);
	return isSame || own.clarity === 0 || own.hasPlainId === true;
}

/** The query that an object itself is; undefined if it has no ID that may be a query's. */
function ownQuery(fields: IDataObject, names: RecordNames, isInside: boolean): Found | undefined {
	const has = (name: string) => (fields[name] ?? undefined) !== undefined;
	const named = QUERY_ID_KEYS.map((name) => queryIdOf(fields[name])).find(Boolean);
	const recordId = queryIdOf(fields[names.id]);
	const queryId = named ?? recordId ?? queryIdOf(fields.id);
	if (queryId === undefined) return undefined;
	const hasPlainId = (named ?? recordId) === undefined;
	const signs = [names.status, names.service, names.response].filter(has).length;
	const isRecord = recordId !== undefined && (has(names.service) || has(names.response));
	const clarity = named || isRecord || signs > 1 ? 2 : signs > 0 ? 1 : 0;
	const isAlone = Object.keys(fields).length === 1;
	// the ID of an event: nothing beside it is a query's
	if (clarity === 0 && hasPlainId && !isAlone) return undefined;
	const others = pickBy<IDataObject[string]>(
		fields,
		(name) => !['id', ...QUERY_ID_KEYS, names.id].includes(name),
	);
	const record = recordId !== undefined ? fields : { ...others, [names.id]: queryId };
	const envelope = isInside ? undefined : nonEmpty(without(fields, names.all));
	const announced = [{ queryId, record, event: eventOf(fields), envelope }];
	return { announced, clarity, hasPlainId };
}

/**
 * Finds what is clearly about queries under one key. Undefined if several keys hold different queries, equally clear.
 */
function findUnderKey(
	fields: IDataObject,
	names: RecordNames,
	layer: number,
	isRecord: boolean,
): { key: string; found: Found } | undefined {
	const all = Object.entries(fields).flatMap(([key, value]) => {
		if (isRecord && names.parts.includes(key)) return [];
		const found = find(value, names, layer + 1, true);
		return found ? [{ key, found }] : [];
	});
	const clearest = Math.max(...all.map(({ found }) => found.clarity));
	const [first, ...others] = all.filter(({ found }) => found.clarity === clearest);
	const idsIn = ({ found }: { found: Found }) =>
		found.announced.map(({ queryId }) => queryId).join();
	return others.some((other) => idsIn(other) !== idsIn(first)) ? undefined : first;
}

function addEnvelope({ announced, clarity }: Found, fields: IDataObject, key: string): Found {
	const around = without(fields, [key]);
	const event = eventOf(fields);
	return {
		announced: announced.map(({ envelope, ...each }) => ({
			...each,
			event: each.event ?? event,
			envelope: nonEmpty(envelope ? { ...around, [key]: envelope } : around),
		})),
		clarity,
	};
}

/**
 * SNS sends its message so, and a CloudEvent may send its data so. Somebody else may have written a text of a
 * signed call, so nothing but the ID is taken of it, and only where the call names no query itself.
 */
function findInText(value: unknown, names: RecordNames): AnnouncedQuery[] {
	const texts = isObject(value) ? Object.values(value) : [value];
	const found = texts.flatMap((text) => {
		if (typeof text !== 'string' || !/^\s*[[{]/.test(text)) return [];
		const inner = parseJson(text);
		const query = findUnsafeContent(inner) === undefined ? find(inner, names) : undefined;
		return query ? [query] : [];
	});
	const [only, another] = found;
	if (!only || another) return [];
	return only.announced.map(({ queryId }) => ({ queryId, record: { [names.id]: queryId } }));
}

const eventOf = (fields: IDataObject): string | undefined =>
	EVENT_KEYS.map((name) => fields[name]).find((each) => typeof each === 'string');

const without = (fields: IDataObject, names: string[]): IDataObject =>
	pickBy(fields, (name) => !names.includes(name));

const nonEmpty = (fields: IDataObject) => (Object.keys(fields).length > 0 ? fields : undefined);

/** An id that can stand in a path and names nothing else there; a whole number as text, as lists are read. */
function queryIdOf(value: unknown): string | undefined {
	const text = idText(value);
	const isIdLike = typeof value !== 'number' || value >= 0;
	return isIdLike && /^(?!__)[\w-][\w.:~-]{0,199}$/.test(text) ? text : undefined;
}
