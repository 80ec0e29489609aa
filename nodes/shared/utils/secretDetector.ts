import { decodeJsonHtmlUrlEscapes } from './escapes';

/** Shorter ones are found in texts that have nothing to do with them. */
const SHORTEST = 4;
/** A line of a key must be this long to be searched for by itself. */
const SHORTEST_LINE = 16;

/** Finds it as it is, escaped once in JSON, HTML or a URL, or as part of base64. */
export const holdsSecret = (text: string, secrets: string[]): boolean =>
	knownSecretDetector(secrets)(text);

/** The returned function serves many texts. */
export function knownSecretDetector(secrets: string[]): (text: string) => boolean {
	const forms = secrets
		.flatMap((secret) => [secret.trim(), ...secret.split(/\s*\n\s*/).filter(isLine)])
		.filter(({ length }) => length >= SHORTEST)
		.flatMap((secret) => formsOf(secret))
		.map(comparable);
	const shortest = Math.min(...forms.map(({ length }) => length));
	const holds = (text: string) => {
		if (text.length * MOST_GROWTH < shortest) return false; // most values of a large body
		const compared = comparable(text);
		return forms.some((form) => compared.includes(form));
	};
	return (text) =>
		holds(text) || (text.length >= SHORTEST && holds(decodeJsonHtmlUrlEscapes(text)));
}

/** Composed, a text is at most this many times as long. */
const MOST_GROWTH = 3;
const comparable = (text: string): string => text.normalize('NFC').toLowerCase();

const isLine = ({ length }: string) => length >= SHORTEST_LINE;

/** Decoding a text does not find blanks as in a form, and base64 that begins inside a run. */
function formsOf(secret: string): string[] {
	const base64 = [0, 1, 2].map((before) => base64Of(secret, before));
	return [
		secret,
		secret.replaceAll(' ', '+'),
		...base64,
		...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
	];
}

/** Characters that hold nothing but the secret count, by the number of bytes before it in their group. */
function base64Of(secret: string, before: number): string {
	const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
	const whole = Math.floor((bytes.length * 8) / 6);
	return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), whole);
}
