import { isObject } from './json';
import { redact } from './redact';
import { textOf } from './text';

const MAX_SAID = 300;
/** So far down is looked for it. */
const DEEPEST = 5;
/** What services call their words for an error, or for what went well. */
export const MESSAGE_NAMES = [
	'message',
	'msg',
	'errorMessage',
	'error_message',
	'error_description',
	'description',
	'detail',
	'reason',
	'title',
	'error',
	'errors',
];

/**
 * The service's own words for an error, as a sentence, or ''. The error body is not shown in either document (CP §7,
 * TQ §7): the usual names are tried. `secrets` are blotted out.
 */
export function messageOfService(body: unknown, secrets: string[]): string {
	const said = findMessage(body);
	if (said === undefined) return '';
	const text = redact(said, secrets).replace(/\s+/g, ' ').trim();
	const short = text.length > MAX_SAID ? `${text.slice(0, MAX_SAID)}…` : text;
	return `The service says: "${short.replaceAll('"', "'")}"`;
}

/** What messageOfService has added to a description; '' if nothing. */
export const saidIn = (description: string | null | undefined): string =>
	/The service says: "[^"]*"/.exec(description ?? '')?.[0] ?? '';

/** Whether an answer, or the only one in a list, holds words. */
export const speaks = (body: unknown): boolean =>
	findMessage(Array.isArray(body) && body.length === 1 ? body[0] : body) !== undefined;

/** The first text under one of the usual names, on top or a few objects down. */
export function findMessage(body: unknown, depth = 0): string | undefined {
	if (!isObject(body) || depth > DEEPEST) return undefined;
	for (const name of MESSAGE_NAMES) {
		const value = body[name];
		const said = Array.isArray(value) ? value.map((one) => entry(one, depth)) : [textIn(value)];
		if (said.some(Boolean)) return said.filter(Boolean).join('; ');
	}
	const inside = [body.error, body.errors, body.detail, body.data];
	return inside.map((value) => findMessage(value, depth + 1)).find(Boolean);
}

const textIn = (value: unknown) =>
	typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** What one of several entries says: a text, or the message of an object after the field that it is about. */
function entry(one: unknown, depth: number): string | undefined {
	const said = textIn(one) ?? findMessage(one, depth + 1);
	if (said === undefined || !isObject(one)) return said;
	const field = textOf(Array.isArray(one.loc) ? one.loc.at(-1) : one.field);
	return field ? `${field}: ${said}` : said;
}
