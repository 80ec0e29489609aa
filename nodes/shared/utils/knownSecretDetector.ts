import { extractDecodedBase64, decodeJsonHtmlUrlEscapes } from './decodeJsonHtmlUrlEscapes';

/** Shorter ones are found in texts that have nothing to do with them. */
const SHORTEST = 4;
/** A line of a key must be this long to be searched for by itself. */
const LINE = 16;
/** A longer text is a file, in which only the plain forms are searched. */
const LONGEST_DECODED = 1_000_000;
/** A secret may be quoted inside a quotation; nothing meaningful is escaped more often. */
const MAX_DECODINGS = 5;

/** Returns whether a text repeats a secret: as it is, escaped in any usual way, or as part of base64 or hex. */
export const holdsSecret = (text: string, secrets: string[]): boolean =>
	knownSecretDetector(secrets)(text);

/** Returns a function that finds a secret in many texts. */
export function knownSecretDetector(secrets: string[]): (text: string) => boolean {
	const forms = secrets
		.flatMap((secret) => [secret.trim(), ...secret.split(/\s*\n\s*/).filter(isLine)])
		.filter(({ length }) => length >= SHORTEST)
		.flatMap((secret) => formsOf(secret))
		.map(comparable);
	const shortest = Math.min(...forms.map(({ length }) => length));
	const holds = (plain: string) => forms.some((form) => plain.includes(form));
	const isIn = (text: string) => holds(comparable(text));
	return (text) => {
		if (text.length < shortest) return false;
		if (text.length > LONGEST_DECODED) return holds(text.toLowerCase());
		const decodings = decodingsOf(text);
		if (decodings.some(isIn)) return true;
		const inside = extractDecodedBase64(decodings[decodings.length - 1], shortest);
		return inside !== '' && decodingsOf(inside).some(isIn);
	};
}

const comparable = (text: string): string => text.normalize('NFC').toLowerCase();

const isLine = ({ length }: string) => length >= LINE;

/** Returns a text, and what it becomes each time that its escapes are decoded. */
function decodingsOf(text: string): string[] {
	const decodings = [text];
	while (decodings.length <= MAX_DECODINGS) {
		const last = decodings[decodings.length - 1];
		const next = decodeJsonHtmlUrlEscapes(last);
		if (next === last) break;
		decodings.push(next);
	}
	return decodings;
}

/** Returns what no decoding of a text finds: blanks as in a form, hex, and base64 that begins inside a run. */
function formsOf(secret: string): string[] {
	const base64 = [0, 1, 2].map((before) => base64Of(secret, before));
	return [
		secret,
		secret.replaceAll(' ', '+'),
		Buffer.from(secret).toString('hex'),
		...base64,
		...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
	];
}

/**
 * Returns the base64 characters that hold nothing but the secret, by the number of bytes before it in their group.
 */
function base64Of(secret: string, before: number): string {
	const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
	const whole = Math.floor((bytes.length * 8) / 6);
	return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), whole);
}
