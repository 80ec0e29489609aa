import { isObject } from './json';

/** Shorter ones are found in texts that have nothing to do with them. */
const SHORTEST = 4;
export const MASK = '***';
/** What lies deeper is masked whole: no answer that means something does. */
const DEEPEST = 500;

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
 * A copy of a JSON value in which every text that is or holds a secret is masked: values only, no keys and no numbers;
 * and what is nested too deep to be gone through. The value itself comes back where there is no secret.
 */
export function redactValues<T>(json: T, secrets: string[]): T {
	if (!secrets.some((secret) => secret !== '')) return json;
	const mask = redactor(secrets);
	const copy = (value: unknown, depth: number): unknown => {
		if (typeof value === 'string') return mask(value);
		if (!Array.isArray(value) && !isObject(value)) return value;
		if (depth > DEEPEST) return MASK;
		if (Array.isArray(value)) return value.map((inner) => copy(inner, depth + 1));
		return Object.fromEntries(
			Object.entries(value).map(([key, inner]) => [key, copy(inner, depth + 1)]),
		);
	};
	return copy(json, 0) as T;
}

/**
 * A JSON value in which the texts and numbers under fields of these names (in lower case) are masked, at any depth; what
 * they were is added to `found`. The value itself comes back where there is none.
 */
export function maskNamed(
	json: unknown,
	names: string[],
	found: string[],
	isNamed = false,
	depth = 0,
): unknown {
	if (typeof json === 'string' || typeof json === 'number') {
		if (!isNamed || json === '' || json === MASK) return json;
		found.push(String(json));
		return MASK;
	}
	if (typeof json !== 'object' || json === null) return json;
	if (depth > DEEPEST) return MASK;
	const before = Object.entries(json);
	const masked = before.map(([key, value]): [string, unknown] => {
		const isSecret = isNamed || names.includes(key.toLowerCase());
		return [key, maskNamed(value, names, found, isSecret, depth + 1)];
	});
	if (masked.every(([, value], index) => value === before[index][1])) return json;
	return Array.isArray(json) ? masked.map(([, value]) => value) : Object.fromEntries(masked);
}
