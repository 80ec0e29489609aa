import type { IDataObject } from 'n8n-workflow';
import type {
	RecordFieldName,
	TaxQueryMapping,
} from '../../shared/credentials/apiPathAndFieldMapping';
import { idText } from '../../shared/utils/primitiveText';
import { wireName } from '../client/translateRecordNames';
import { pickBy } from '../../shared/utils/objectTransforms';

/** A delivery's data about one query, not yet verified. */
export interface AnnouncedQuery {
	queryId: string;
	/** The fields of the query record, as far as the delivery holds them; at least its ID. */
	record: IDataObject;
	/** The kind of event that the envelope names, if any. */
	event?: string;
	/** The fields around the record, as they came; around a bare record those that TQ §2.1 does not show. */
	envelope?: IDataObject;
}

/** The queries in a body, or why it cannot be one of the service's deliveries, as a text for the sender. */
type Payload = { announced: AnnouncedQuery[] } | { status: 400 | 413; reason: string };

/** The most results that one delivery may hold; each is confirmed with the service. */
const MAX_RESULTS = 100;
const MAX_DEPTH = 100;
const MAX_LAYERS = 4;
const ENVELOPES = [
	...['data', 'query', 'payload', 'result', 'record', 'object', 'queries', 'results', 'items'],
	...['body', 'event'],
];
/** Fields that stand beside the ID of a query, and seldom beside that of an envelope or event. */
const OF_QUERIES = ['status', 'service', 'response'];
const KINDS = ['event', 'eventType', 'event_type', 'type', 'kind'];
const IDS = ['id', 'queryId', 'query_id', 'queryID'];
/** The fields of TQ §2.1, and those that name a query. */
const OF_RECORD = [
	...['_id', 'service', 'status', 'authentication'],
	...['metadata', 'query', 'response', 'state', 'organizationId', 'organizationSlug', 'profileId'],
	...['createdAt', 'updatedAt'],
];
/** Keys that would reach into JavaScript's own objects where items are copied or merged. */
const UNSAFE = ['__proto__', 'constructor', 'prototype'];

/**
 * Reads a delivery of any content type. It is a query record, an envelope around one, a query's ID with or without
 * its status, or an array of these. TQ §6.2 does not show the shape. The body is bytes in UTF-8. Never throws.
 */
export function parsePayload(body: Buffer, mapping: Names): Payload {
	const refuse = (reason: string): Payload => ({ status: 400, reason });
	if (body.length === 0) return refuse('The body is empty');
	const value = parse(body);
	if (value === undefined) return refuse('The body is not JSON in UTF-8');
	const unsafe = findUnsafeContent(value);
	if (unsafe) return refuse(unsafe);
	const announced = read(value, vocabularyOf(mapping))?.announced ?? [];
	if (announced.length === 0) return refuse('The body names no query');
	if (announced.length > MAX_RESULTS) {
		return { status: 413, reason: `The body holds more than ${MAX_RESULTS} results` };
	}
	return { announced };
}

/** The JSON value that the bytes hold; undefined if they hold none. */
function parse(body: Buffer): unknown {
	try {
		return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
	} catch {
		return undefined;
	}
}

/** Checks every value without recursion, which a hostile body could exhaust. */
function findUnsafeContent(value: unknown): string | undefined {
	let layer: unknown[] = [value];
	for (let depth = 0; layer.length > 0; depth++) {
		if (depth > MAX_DEPTH) return `The body is nested deeper than ${MAX_DEPTH} levels`;
		const below: unknown[] = [];
		for (const each of layer) {
			if (typeof each !== 'object' || each === null) continue;
			if (!Array.isArray(each) && Object.keys(each).some((key) => UNSAFE.includes(key))) {
				return 'The body holds a key that is not allowed';
			}
			for (const inner of Object.values(each)) below.push(inner);
		}
		layer = below;
	}
	return undefined;
}

interface RecognizedQueries {
	announced: AnnouncedQuery[];
	/** The number of signs that the IDs are those of queries. */
	sureness: number;
}

type Names = Pick<TaxQueryMapping, 'record'>;

/** The names in a delivery, by the environment's API Mapping. */
interface Vocabulary {
	/** The name of a record's ID. */
	id: string;
	ids: string[];
	envelopes: string[];
	/** The key under which each record comes. */
	wrapper?: string;
	ofQueries: string[];
	ofRecord: string[];
}

function vocabularyOf(mapping: Names): Vocabulary {
	const { wrapper, ...names } = mapping.record;
	const own = (name: string) => wireName(mapping, name as RecordFieldName);
	const id = own('_id');
	const ids = IDS.filter((name) => name !== id);
	return {
		...{ id, ids, wrapper },
		envelopes: wrapper === undefined ? ENVELOPES : [...new Set([wrapper, ...ENVELOPES])],
		ofQueries: OF_QUERIES.map(own),
		ofRecord: [...ids, ...OF_RECORD.map(own), ...Object.values(names)],
	};
}

/** Undefined if anything in it is not recognised: half a delivery is never taken for the whole. */
function read(
	value: unknown,
	vocabulary: Vocabulary,
	layer = 0,
	isInEnvelope = false,
): RecognizedQueries | undefined {
	if (typeof value !== 'object' || value === null || layer > MAX_LAYERS) return undefined;
	if (Array.isArray(value)) {
		const some = value.slice(0, MAX_RESULTS + 1);
		const all = some.map((each) => read(each, vocabulary, layer + 1, isInEnvelope));
		if (!all.every((each) => each !== undefined)) return undefined;
		const announced = all.flatMap((each) => each.announced);
		return { announced, sureness: Math.min(...all.map(({ sureness }) => sureness)) };
	}
	const fields = value as IDataObject;
	const event = KINDS.map((name) => fields[name]).find((each) => typeof each === 'string');
	const named = [fields.queryId, fields.query_id, fields.queryID].map(idOf).find(Boolean);
	const beside = vocabulary.ofQueries.filter(
		(name) => (fields[name] ?? undefined) !== undefined,
	).length;
	const inside = findInEnvelope(fields, vocabulary, layer, named);
	// an ID with nothing of a query beside it may be the envelope's
	if (
		inside &&
		(inside.name === vocabulary.wrapper ||
			beside === 0 ||
			inside.sureness + Number(!!named) > beside)
	) {
		const { name, announced, sureness } = inside;
		const around = without(fields, [name]);
		const within = ({ envelope, ...each }: AnnouncedQuery): AnnouncedQuery => ({
			...each,
			event: each.event ?? event,
			envelope: filled(envelope ? { ...around, [name]: envelope } : around),
		});
		return { announced: announced.map(within), sureness };
	}

	const ownId = idOf(fields[vocabulary.id]);
	const queryId = named ?? ownId ?? idOf(fields.id);
	if (!queryId) return undefined;
	const isRecord = ownId !== undefined;
	const record = isRecord
		? fields
		: { ...without(fields, vocabulary.ids), [vocabulary.id]: queryId };
	const envelope = isInEnvelope ? undefined : filled(without(fields, vocabulary.ofRecord));
	return {
		announced: [{ queryId, record, event, envelope }],
		sureness: beside + (named ? 2 : 0),
	};
}

/** Returns what is surely about queries in an envelope: about the query that it names, if it names one. */
function findInEnvelope(
	fields: IDataObject,
	vocabulary: Vocabulary,
	layer: number,
	named: string | undefined,
) {
	let surest: (RecognizedQueries & { name: string }) | undefined;
	for (const name of vocabulary.envelopes) {
		const found = read(fields[name], vocabulary, layer + 1, true);
		if (!found || found.announced.length === 0) continue;
		const isOfOthers = named && found.announced.some(({ queryId }) => queryId !== named);
		if (!isOfOthers && found.sureness > (surest?.sureness ?? -1)) surest = { ...found, name };
	}
	return surest;
}

const without = (fields: IDataObject, names: string[]): IDataObject =>
	pickBy(fields, (name) => !names.includes(name));

const filled = (fields: IDataObject) => (Object.keys(fields).length > 0 ? fields : undefined);

/** An id that can stand in a path and names nothing else there; a whole number as text, as lists are read. */
function idOf(value: unknown): string | undefined {
	const text = idText(value);
	const isIdLike = typeof value !== 'number' || value >= 0;
	return isIdLike && /^(?!__)[\w-][\w.:~-]{0,199}$/.test(text) ? text : undefined;
}
