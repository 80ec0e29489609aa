import type { IDataObject } from 'n8n-workflow';
import { redact } from './redact';

const MAX_SAID = 300;
/** So far down is looked for it. */
const DEEPEST = 5;
const NAMES = [
	'message',
	'errorMessage',
	'error_message',
	'error_description',
	'description',
	'detail',
	'reason',
	'title',
	'error',
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

/** The first text under one of the usual names, on top or a few objects down. */
export function findMessage(body: unknown, depth = 0): string | undefined {
	if (typeof body !== 'object' || body === null || depth > DEEPEST) return undefined;
	const fields = body as IDataObject;
	for (const name of NAMES) {
		const value = fields[name];
		if (typeof value === 'string' && value !== '') return value;
		if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) {
			return value.join('; ');
		}
	}
	return findMessage(fields.error, depth + 1) ?? findMessage(fields.data, depth + 1);
}
