import { hasEntries, isObject } from '../utils/json';
import { holdsSecret } from '../utils/secretDetector';
import type { ServiceMessage } from './requestProblem';

const LONGEST = 300;
const MOST = 10;

/**
 * Neither API reference shows an error's body (CP §7, TQ §7). The message is read from `message`, or as RFC 6749
 * and RFC 9457 write it, with the details beside it. Nothing else is quoted: the body of a 2xx may hold people's data.
 * A web page, or a text as long as one, has no message. A message that repeats a secret is withheld whole.
 */
export const extractServiceMessage = (body: unknown, secrets: string[]): ServiceMessage =>
	toServiceMessage(typeof body === 'string' ? plainMessage(body) : failureMessageIn(body), secrets);

/** Of a response that refuses the request, any other body is quoted as JSON. */
export const extractRefusalMessage = (body: unknown, secrets: string[]): ServiceMessage =>
	toServiceMessage(
		typeof body === 'string' ? plainMessage(body) : (messageIn(body) ?? quoted(body)),
		secrets,
	);

function toServiceMessage(found: string | undefined, secrets: string[]): ServiceMessage {
	if (found === undefined) return {};
	if (holdsSecret(found, secrets)) return { isWithheld: true };
	const text = found.replace(/\s+/g, ' ').trim().replaceAll('"', "'");
	return { serviceMessage: text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text };
}

/** Whether a body repeats one of these, wherever. */
export const repeatsSecret = (body: unknown, secrets: string[]): boolean =>
	holdsSecret(quoted(body) ?? '', secrets);

export const failureMessageIn = (value: unknown): string | undefined =>
	isObject(value) ? messageIn(value) : undefined;

const plainMessage = (text: string) =>
	text.trim() === '' || text.length > LONGEST || isMarkup(text) ? undefined : text;

/** Any document of tags counts, not only a web page. */
export const isMarkup = (text: unknown): boolean => typeof text === 'string' && /^\s*</.test(text);

/** A hostile body may be nested without end. */
const MAX_MESSAGE_DEPTH = 5;

function quoted(value: unknown): string | undefined {
	if (!hasEntries(value)) return undefined;
	try {
		return JSON.stringify(value);
	} catch {
		return undefined; // nested too deep to be written
	}
}

function messageIn(value: unknown, depth = 0): string | undefined {
	if (typeof value === 'string') return value.trim() === '' ? undefined : value;
	if (depth > MAX_MESSAGE_DEPTH) return undefined;
	const inside = (one: unknown) => messageIn(one, depth + 1);
	if (Array.isArray(value)) {
		const entries = value.slice(0, MOST).map((one) => (isObject(one) ? quoted(one) : inside(one)));
		return entries.filter(Boolean).join('; ') || undefined;
	}
	if (!isObject(value)) return undefined;
	const { message, error_description, error, title, detail, errors } = value;
	const [main = quoted(error)] = [message, error_description, error, title]
		.map(inside)
		.filter(Boolean);
	const details = [detail, errors].map((one) => inside(one) ?? quoted(one));
	const all = [main, ...details].filter((one) => one !== undefined);
	return [...new Set(all)].join(': ') || undefined;
}
