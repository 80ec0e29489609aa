import type { IDataObject } from 'n8n-workflow';
import { idText } from '../../shared/utils/text';

/** What a delivery says of one query. Whether it is true is not known yet. */
export interface Announced {
	queryId: string;
	/** The fields of the query record, as far as the delivery holds them; at least its ID. */
	record: IDataObject;
	/** The kind of event that the envelope names, if any. */
	event?: string;
}

/** What was read from a body, or why it cannot be one of the service's deliveries, in words for the sender. */
type Payload = { announced: Announced[] } | { status: 400 | 413; reason: string };

/** The most results that one delivery may hold; each is confirmed with the service. */
const MAX_RESULTS = 100;
const MAX_DEPTH = 100;
const MAX_LAYERS = 4;
const ENVELOPES = ['data', 'query', 'payload', 'result'];
const KINDS = ['event', 'eventType', 'event_type', 'type', 'kind'];
/** Keys that would reach into JavaScript's own objects where items are copied or merged. */
const UNSAFE = ['__proto__', 'constructor', 'prototype'];

/**
 * Reads a delivery, whatever its content type: a query record, an envelope around one, a query's id with or without
 * its status, or an array of any of these (§6.2 of the query service's document does not show the shape).
 * In: the body's bytes, UTF-8. Throws nothing.
 */
export function readPayload(body: Buffer): Payload {
	const refuse = (reason: string): Payload => ({ status: 400, reason });
	if (body.length === 0) return refuse('The body is empty');
	const parsed = parse(body);
	if (!parsed) return refuse('The body is not JSON in UTF-8');
	const unsafe = whatIsUnsafe(parsed.value);
	if (unsafe) return refuse(unsafe);
	const announced = read(parsed.value);
	if (!announced || announced.length === 0) return refuse('The body names no query');
	if (announced.length > MAX_RESULTS) {
		return { status: 413, reason: `The body holds more than ${MAX_RESULTS} results` };
	}
	return { announced };
}

/** The JSON value that the bytes hold; undefined if they hold none. */
function parse(body: Buffer): { value: unknown } | undefined {
	try {
		return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
	} catch {
		return undefined;
	}
}

/** Looks at every value without recursion, which a hostile body could exhaust. */
function whatIsUnsafe(value: unknown): string | undefined {
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

/** Undefined if anything in it is not recognised: half a delivery is never taken for the whole. */
function read(value: unknown, layer = 0): Announced[] | undefined {
	if (typeof value !== 'object' || value === null || layer > MAX_LAYERS) return undefined;
	if (Array.isArray(value)) {
		if (value.length > MAX_RESULTS * MAX_LAYERS) return undefined;
		const all = value.map((each) => read(each, layer + 1));
		return all.every((each) => each !== undefined) ? all.flat() : undefined;
	}
	const fields = value as IDataObject;
	const kind = KINDS.map((name) => fields[name]).find((each) => typeof each === 'string');
	const event = kind === undefined ? {} : { event: kind as string };

	const named = idOf(fields.queryId);
	const ownId = idOf(fields._id);
	if (ownId) return [{ queryId: named ?? ownId, record: fields, ...event }];
	for (const name of ENVELOPES) {
		const inside = read(fields[name], layer + 1) ?? [];
		const isOfAnother = named !== undefined && inside.some(({ queryId }) => queryId !== named);
		if (inside.length > 0 && !isOfAnother) return inside.map((each) => ({ ...event, ...each }));
	}
	const queryId = named ?? idOf(fields.id);
	if (!queryId) return undefined;
	const record: IDataObject = { ...fields, _id: queryId };
	delete record.queryId;
	delete record.id;
	return [{ queryId, record, ...event }];
}

/** An id that can stand in a path and names nothing else there; a whole number as text, as lists are read. */
function idOf(value: unknown): string | undefined {
	const text = idText(value);
	return /^[A-Za-z0-9][\w.:~-]{0,199}$/.test(text) ? text : undefined;
}
