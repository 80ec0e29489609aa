import { finding, type CheckErrorFinding } from './checkResult';

/** Letters and digits that are taken for each other, by eye and by text recognition. */
const PAIRS = ['O0', 'I1', 'S5', 'B8', 'Z2'];

/** The suggestion ends a sentence; it is '' if no confusable character would fit. */
export function suggestConfusableCharacter(character: string, fitting: RegExp): string {
	const twin = PAIRS.find((pair) => pair.includes(character))?.replace(character, '') ?? '';
	if (!fitting.test(twin)) return '';
	return `; did you mean the ${/\d/.test(twin) ? 'digit' : 'letter'} ${twin}?`;
}

export const COPY_AGAIN = 'Copy it again from an official document.';

/** The characters of an RFC and of a CURP. */
const SHAPES = {
	RFC: /^[A-ZÑ&]{3,4}\d{6}([A-Z0-9]{2}[0-9A])?$/,
	CURP: /^[A-ZÑ]{4}\d{6}[HMX][A-ZÑ]{5}[0-9A-Z]\d$/,
};

/** Returns the error of a text whose length does not fit `name`: it may be the other identifier, of another column. */
export const lengthError = (
	text: string,
	name: keyof typeof SHAPES,
	problem: string,
): CheckErrorFinding => {
	const other = name === 'RFC' ? 'CURP' : 'RFC';
	return SHAPES[other].test(text)
		? finding(
				'FORMAT',
				`This is ${other === 'RFC' ? 'an' : 'a'} ${other}, not ${name === 'RFC' ? 'an' : 'a'} ${name}`,
				`Enter the ${name} instead.`,
			)
		: finding('FORMAT', problem, COPY_AGAIN);
};

/** A part of an identifier: its number of characters, the `allowed` ones, and `needs`, which names them. */
export interface IdentifierPartRule {
	length: number;
	allowed: RegExp;
	needs: string;
}

export const DIGIT = /^[0-9]$/;
export const DATE_PART_CHARACTER_RULE: IdentifierPartRule = {
	length: 6,
	allowed: DIGIT,
	needs: 'a digit 0–9 (part of the date, YYMMDD)',
};

/**
 * Raises letters, drops spaces and hyphens, composes Unicode (NFC) and undoes `&amp;`. Other symbols, accents and
 * confusable characters stay and are refused later. Only a–z and ñ are raised, because toUpperCase would also turn
 * ß into SS and a dotless i into I.
 */
const normalize = (text: string): string =>
	text
		.replace(/[\s\u2010\u2011-]/g, '')
		.replace(/[a-zñ]/g, (letter) => letter.toUpperCase())
		.normalize('NFC')
		.replace(/&(AMP;)+/g, '&');

/** A letter beyond 16 bits counts once. */
export const countCharacters = (text: string): number => Array.from(text).length;

/** Reads a value that must be text: normalised, or an error if it is empty or something else. */
export function readTextWithErrors(
	value: unknown,
	name: string,
): { text: string; errors: CheckErrorFinding[] } {
	const text = typeof value === 'string' ? normalize(value) : '';
	if (text !== '') return { text, errors: [] };
	const isEmpty = typeof value === 'string' || value === null || value === undefined;
	const kind = Array.isArray(value) ? 'a list' : typeof value;
	const problem = isEmpty ? 'is empty' : `must be text, but another kind of value came (${kind})`;
	const todo = 'Enter it, or check the expression that fills it.';
	return { text, errors: [finding('FORMAT', `The ${name} ${problem}`, todo)] };
}

/** A whole number is taken if it lost no leading zero. */
export function readExactDigitsWithErrors(
	value: unknown,
	name: string,
	length: number,
): { text: string; errors: CheckErrorFinding[] } {
	const isWhole = Number.isSafeInteger(value) && Number(value) >= 0;
	const read = readTextWithErrors(isWhole ? String(value) : value, name);
	if (read.errors.length > 0) return read;
	const { text } = read;
	const count = countCharacters(text);
	if (count === length) {
		const parts = [{ length, allowed: DIGIT, needs: 'a digit 0–9' }];
		return { text, errors: findCharacterErrors(text, name, parts) };
	}
	const hint =
		count < length ? 'If a leading zero was lost, keep it as text: format its column so.' : '';
	const problem = `The ${name} must have ${length} digits, but ${count} characters came`;
	return { text, errors: [finding('FORMAT', problem, hint, COPY_AGAIN)] };
}

/** Each part gives one error, for its first wrong character. Positions count from 1, without spaces and hyphens. */
export function findCharacterErrors(
	text: string,
	name: string,
	parts: IdentifierPartRule[],
): CheckErrorFinding[] {
	const characters = Array.from(text);
	let start = 0;
	return parts.flatMap(({ length, allowed, needs }) => {
		const from = start;
		start += length;
		const wrong = characters.slice(from, start).findIndex((character) => !allowed.test(character));
		if (wrong < 0) return [];
		const character = characters[from + wrong];
		const proposal = suggestConfusableCharacter(character, allowed);
		const problem = `Position ${from + wrong + 1} of the ${name} holds ${describe(character)}; it must be ${needs}${proposal}`;
		return [finding('FORMAT', problem, COPY_AGAIN)];
	});
}

/** A character as an operator can recognise it: what has no clear picture is named by its code point. */
function describe(character: string): string {
	if (/^[!-~À-ÖØ-öø-ÿ]$/.test(character)) return `"${character}"`;
	const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
	return `a look-alike, symbol or invisible character (U+${code})`;
}
