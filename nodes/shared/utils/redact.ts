import { isObject } from './json';

/** Shorter ones are found in texts that have nothing to do with them. */
const SHORTEST = 4;
export const MASK = '***';
/** What lies deeper is masked whole: no answer that means something does. */
const DEEPEST = 500;

/** The texts by which a service may echo a secret: itself, a line of a key, base64. */
function formsOf(secret: string): string[] {
	const base64 = Buffer.from(secret).toString('base64');
	return [
		secret,
		secret.trim(),
		...secret.split(/\s*\n\s*/).filter(({ length }) => length >= 16),
		base64,
		base64.replace(/=+$/, ''),
		Buffer.from(secret).toString('base64url'),
	].filter((form) => form !== '');
}

/** A pattern of a text however it was escaped on its way: in URLs, forms, JSON, HTML, and misread as Latin-1. */
const patternOf = (text: string): string =>
	text.replace(/\s*[\t\r\n]\s*|\\+|[^a-zA-Z0-9]/gu, (part) => {
		if (/[\t\r\n]/.test(part)) {
			return '(?:\\s|\\\\{1,4}[trn]|%(?:25)?0[9AaDd]|&(?:amp;)?#\\w{1,4};){0,8}';
		}
		if (part.startsWith('\\')) return `(?:\\\\|%(?:25)?5[Cc]|&#92;){1,${4 * part.length}}`;
		const utf8 = Buffer.from(part);
		const spellings = [
			...[part, utf8.toString('latin1')].flatMap((letters) => [
				eachUnit(letters, (hex) => `\\u${hex}`),
				eachUnit(letters, (hex) => `u${inAnyCase(hex)}`),
			]),
			inUrl([...utf8]),
			...(/[\x80-\xff]/.test(part) ? [inUrl([part.charCodeAt(0)])] : []),
			...(part === ' ' ? ['\\+'] : []),
			'&(?:amp;)?#?\\w{2,8};',
		];
		return `\\\\{0,4}(?:${[...new Set(spellings)].join('|')})`;
	});

const eachUnit = (letters: string, write: (hex: string) => string) =>
	letters
		.split('')
		.map((unit) => write(unit.charCodeAt(0).toString(16).padStart(4, '0')))
		.join('\\\\{0,4}');
const inAnyCase = (hex: string) =>
	hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
const inUrl = (bytes: number[]) =>
	bytes.map((byte) => `%(?:25)?${inAnyCase(byte.toString(16).padStart(2, '0'))}`).join('');

/** A function that masks a text in another: a short one only where it is all of it. */
function maskerOf(form: string): (text: string) => string {
	const words = form.match(/[a-zA-Z0-9]+/g) ?? [''];
	const longest = words.reduce((a, b) => (b.length > a.length ? b : a));
	let pattern: RegExp | undefined;
	return (text) => {
		if (!text.includes(longest)) return text; // no escape changes a word: most texts are done by this
		pattern ??=
			form.length < SHORTEST
				? new RegExp(`^${patternOf(form)}$`)
				: new RegExp(patternOf(form), 'g');
		return text.replace(pattern, MASK);
	};
}

/** A function that replaces every secret in a text by ***; a short one only where it is the whole text. */
function redactor(secrets: string[]): (text: string) => string {
	const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
	const maskers = forms.map(maskerOf);
	return (text) => maskers.reduce((blotted, mask) => mask(blotted), text);
}

/** The text with every secret in it replaced by ***. */
export const redact = (text: string, secrets: string[]): string => redactor(secrets)(text);

/**
 * A copy of a JSON value in which every text that is or holds a secret is masked, and every number and key that is one
 * (a short one is only masked as a text); and what is nested too deep to be gone through. With `names` (in lower case),
 * only what stands under one of them, at any depth, and no keys. The value itself comes back where there is no secret.
 */
export function redactValues<T>(json: T, secrets: string[], names?: string[]): T {
	if (!secrets.some((secret) => secret !== '')) return json;
	const mask = redactor(secrets);
	const long = secrets.map((secret) => secret.trim()).filter(({ length }) => length >= SHORTEST);
	const words = new Set(names ? [] : long);
	const numbers = new Set(long.filter((secret) => /^\d+$/.test(secret)).map(Number));
	const isSecret = (value: unknown) =>
		typeof value === 'number' && String(value).length >= SHORTEST && numbers.has(value);
	const copy = (value: unknown, depth: number, isNamed: boolean): unknown => {
		if (typeof value === 'string') return isNamed ? mask(value) : value;
		if (isNamed && isSecret(value)) return MASK;
		if (!Array.isArray(value) && !isObject(value)) return value;
		if (depth > DEEPEST) return MASK;
		if (Array.isArray(value)) return value.map((inner) => copy(inner, depth + 1, isNamed));
		return Object.fromEntries(
			Object.entries(value).map(([key, inner]) => [
				words.has(key.trim()) ? MASK : key,
				copy(inner, depth + 1, isNamed || names?.includes(key.toLowerCase()) === true),
			]),
		);
	};
	return copy(json, 0, names === undefined) as T;
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
