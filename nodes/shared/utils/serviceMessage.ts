import { isObject } from './json';
import { redact } from './redact';
import { idText, textOf } from './text';

const MAX_SAID = 300;
/** So many of several entries are told. */
const MAX_ENTRIES = 10;
/** So far down is looked for it. */
const DEEPEST = 5;
/** What services call their words for an error, or for what went well; in lower case, for they write them in any. */
export const MESSAGE_NAMES = [
	...['message', 'msg', 'mensaje', 'errormessage', 'error_message', 'error_description'],
	...['description', 'descripcion', 'detail', 'detalle', 'reason', 'motivo', 'title'],
	...['error', 'errors', 'errores', 'details', 'detalles', 'issues', 'issue', 'fielderrors'],
];
/** What may hold further words beside them: a list of entries, or texts by their fields. */
const DETAIL_NAMES = [
	...['errors', 'errores', 'detail', 'detalle', 'details', 'detalles', 'issues', 'fielderrors'],
];
/** What may hold texts by their fields. */
const FIELD_MAPS = ['message', 'mensaje', 'error', ...DETAIL_NAMES];
/** Told only where there are no words. */
const CODE_NAMES = ['code', 'codigo', 'errorcode', 'error_code'];
/** What an entry calls the field that it is about. */
const FIELD_NAMES = ['loc', 'field', 'campo', 'path', 'param', 'property', 'instancepath'];

/**
 * The service's own words for an error, as a sentence, or ''. The error body is not shown in either document (CP §7,
 * TQ §7): the usual names are tried, and a short plain text is taken. `secrets` are blotted out.
 */
export function messageOfService(body: unknown, secrets: string[]): string {
	const plain = textIn(body);
	const isPage = plain !== undefined && (plain.length > MAX_SAID || plain.includes('<'));
	const said = isPage
		? undefined
		: (plain ?? entriesOf(body, 0) ?? findMessage(body) ?? codeOf(body));
	if (said === undefined) return '';
	const text = redact(said, secrets).replace(/\s+/g, ' ').trim();
	const short = text.length > MAX_SAID ? `${text.slice(0, MAX_SAID)}…` : text;
	return `The service says: "${short.replaceAll('"', "'")}"`;
}

/** What messageOfService has added to a description; '' if nothing. */
export const saidIn = (description: string | null | undefined): string =>
	/The service says: "[^"]*"/.exec(description ?? '')?.[0] ?? '';

/** The query that an error names by its ID, as a sentence, or ''. */
export function namedQueryOf(body: unknown, secrets: string[], depth = 0): string {
	if (!isObject(body) || depth > DEEPEST) return '';
	const own = Object.entries(body).find(([name]) => /^query[_-]?id$/i.test(name));
	const id = redact(idText(own?.[1]), secrets);
	if (/^[\w.:~-]{1,200}$/.test(id)) return `It names the query "${id}"`;
	const inside = Object.values(body).map((one) => namedQueryOf(one, secrets, depth + 1));
	return inside.find(Boolean) ?? '';
}

/** The ID at the end of an address: a last part that holds a digit. */
export const queryIdAt = (location: unknown): string | undefined =>
	/\/(?=[^/?#]*\d)([^/?#]+)\/?(?:[?#].*)?$/.exec(textOf(location))?.[1];

/** The ID that namedQueryOf has added to a description. */
export const queryIdSaidIn = (description: string | null | undefined): string | undefined =>
	/It names the query "([^"]*)"/.exec(description ?? '')?.[1];

/** Whether an answer, or the only one in a list, holds words. */
export const speaks = (body: unknown): boolean =>
	findMessage(Array.isArray(body) && body.length === 1 ? body[0] : body) !== undefined;

/** The first text under one of the usual names, on top or a few objects down, and the details that stand beside it. */
export function findMessage(body: unknown, depth = 0): string | undefined {
	if (!isObject(body) || depth > DEEPEST) return undefined;
	const named = lowerCased(body);
	for (const name of MESSAGE_NAMES) {
		const said = textIn(named[name]) ?? entriesOf(named[name], depth);
		if (said === undefined) continue;
		const details = DETAIL_NAMES.filter((other) => other !== name)
			.map((other) => detailsOf(named[other], depth))
			.find((more) => more !== undefined && more !== said);
		return details === undefined ? said : `${said}: ${details}`;
	}
	const inside = [...FIELD_MAPS, 'data'].map((name) => findMessage(named[name], depth + 1));
	return (
		inside.find(Boolean) ?? FIELD_MAPS.map((name) => byField(named[name], depth)).find(Boolean)
	);
}

const textIn = (value: unknown) =>
	typeof value === 'string' && value.trim() !== '' ? value : undefined;

const lowerCased = (body: object): Record<string, unknown> =>
	Object.fromEntries(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]));

const joined = (said: Array<string | undefined>) => said.filter(Boolean).join('; ') || undefined;

const entriesOf = (value: unknown, depth: number): string | undefined =>
	Array.isArray(value)
		? joined(value.slice(0, MAX_ENTRIES).map((one) => entry(one, depth)))
		: undefined;

const detailsOf = (value: unknown, depth: number): string | undefined =>
	textIn(value) ??
	entriesOf(value, depth) ??
	findMessage(value, depth + 1) ??
	byField(value, depth);

/** What one of several entries says: a text, or the message of an object after the field that it is about. */
function entry(one: unknown, depth: number): string | undefined {
	const said = textIn(one) ?? findMessage(one, depth + 1);
	if (said === undefined || !isObject(one)) return said;
	const named = lowerCased(one);
	const field = FIELD_NAMES.map((name) => named[name])
		.map((value) => textOf(Array.isArray(value) ? value.at(-1) : value).replace(/^\//, ''))
		.find(Boolean);
	return field ? `${field}: ${said}` : said;
}

/** An object of fields, each with one text or several; none where it holds a code, and so is about one thing. */
function byField(value: unknown, depth: number): string | undefined {
	if (!isObject(value) || codeOf(value) !== undefined) return undefined;
	const fields = Object.entries(value).slice(0, MAX_ENTRIES);
	return joined(
		fields.map(([field, one]) => {
			const said = textIn(one) ?? entriesOf(one, depth);
			return said && `${field}: ${said}`;
		}),
	);
}

/** A word instead of a message, on top or in the error. */
function codeOf(body: unknown, depth = 0): string | undefined {
	if (!isObject(body) || depth > DEEPEST) return undefined;
	const named = lowerCased(body);
	const found = CODE_NAMES.map((name) => textIn(named[name])).find(Boolean);
	return found ?? codeOf(named.error, depth + 1);
}
