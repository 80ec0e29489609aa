import { isObject } from './json';

/** Shorter ones are found in texts that have nothing to do with them. */
const SHORTEST = 4;
const MASK = '***';

/** The forms in which a service may echo a secret: as it is, in JSON, in a URL, a key without its line breaks, base64. */
function formsOf(secret: string): string[] {
	const lines = secret.split(/\s*\n\s*/);
	const base64 = Buffer.from(secret).toString('base64');
	return [
		secret,
		JSON.stringify(secret).slice(1, -1),
		encodeURIComponent(secret),
		lines.join(' '),
		...lines.filter(({ length }) => length >= 16),
		base64,
		base64.replace(/=+$/, ''),
		Buffer.from(secret).toString('base64url'),
	];
}

/** A function that replaces every secret in a text by ***; a short one only where it is the whole text. */
function redactor(secrets: string[]): (text: string) => string {
	const forms = [...new Set(secrets.filter((secret) => secret !== '').flatMap(formsOf))];
	const whole = new Set(forms);
	const parts = forms
		.filter(({ length }) => length >= SHORTEST)
		.sort((a, b) => b.length - a.length);
	return (text) =>
		whole.has(text)
			? MASK
			: parts.reduce((blotted, secret) => blotted.split(secret).join(MASK), text);
}

/** The text with every secret in it replaced by ***. */
export const redact = (text: string, secrets: string[]): string => redactor(secrets)(text);

/**
 * A copy of a JSON value in which every text that is or holds a secret is masked: values only, no keys and no numbers.
 * The value itself comes back where there is no secret.
 */
export function redactValues<T>(json: T, secrets: string[]): T {
	if (!secrets.some((secret) => secret !== '')) return json;
	const mask = redactor(secrets);
	const copy = (value: unknown): unknown => {
		if (typeof value === 'string') return mask(value);
		if (Array.isArray(value)) return value.map(copy);
		if (!isObject(value)) return value;
		return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]));
	};
	return copy(json) as T;
}
