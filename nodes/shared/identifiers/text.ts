import type { CheckError } from './result';

/** Letters and digits that are taken for each other, by eye and by text recognition. */
const PAIRS = ['O0', 'I1', 'S5', 'B8', 'Z2'];

const twinOf = (character: string): string | undefined =>
	PAIRS.find((pair) => pair.includes(character))?.replace(character, '');

/** Asks for the character that was probably meant, if its look-alike would fit; '' otherwise. */
export function didYouMean(character: string, fitting: RegExp): string {
	const twin = twinOf(character);
	if (twin === undefined || !fitting.test(twin)) return '';
	return ` Did you mean the ${/\d/.test(twin) ? 'digit' : 'letter'} ${twin}?`;
}

const COPY_AGAIN = 'Correct it, or copy it again from an official document.';

/** A stretch of an identifier: so many characters, each matching `allowed`; `needs` says it in words. */
export interface Part {
	length: number;
	allowed: RegExp;
	needs: string;
}

export const DATE_PART: Part = {
	length: 6,
	allowed: /^[0-9]$/,
	needs: 'a digit 0–9 (part of the date, YYMMDD)',
};

const isText = (value: unknown): value is string => typeof value === 'string';
const isWhole = (value: unknown): value is number =>
	Number.isSafeInteger(value) && Number(value) >= 0;

/**
 * Upper case, without spaces and hyphens, in Unicode NFC (n + combining tilde is Ñ), `&amp;` undone. Other symbols,
 * accents and look-alikes stay, to be refused: of the letters only a–z and ñ are raised, for toUpperCase would also
 * turn ß into SS and a dotless i into I.
 */
function normalize(text: string): string {
	return text
		.replace(/[\s\u2010\u2011-]/g, '')
		.replace(/[a-zñ]/g, (letter) => letter.toUpperCase())
		.normalize('NFC')
		.replace(/&(AMP;)+/g, '&');
}

/** Reads a value that must be text: normalised, or an error if it is empty or something else. */
export function readText(value: unknown, name: string): { text: string; errors: CheckError[] } {
	const text = isText(value) ? normalize(value) : '';
	if (text !== '') return { text, errors: [] };
	const problem =
		isText(value) || value === null || value === undefined
			? `The ${name} is empty. Enter it`
			: `The ${name} must be text, but a value of another kind came in (${Array.isArray(value) ? 'a list' : typeof value}). Pass it on as text`;
	return {
		text,
		errors: [{ code: 'FORMAT', message: `${problem}, or check the expression that fills it.` }],
	};
}

/** Reads an identifier of exactly `length` digits; a whole number is taken if it lost no leading zero. */
export function readDigits(
	value: unknown,
	name: string,
	length: number,
): { text: string; errors: CheckError[] } {
	const read = readText(isWhole(value) ? String(value) : value, name);
	if (read.errors.length > 0) return read;
	const { text } = read;
	const count = Array.from(text).length;
	if (isWhole(value) && count < length) {
		const message = `The ${name} came as a number of ${count} digits, so its leading zero was lost (it has ${length} digits). Keep it as text, e.g. by formatting the column of the spreadsheet as text.`;
		return { text, errors: [{ code: 'FORMAT', message }] };
	}
	if (count !== length) {
		const hint =
			count === length - 1 ? ' If a spreadsheet dropped a leading zero, put it back.' : '';
		const message = `The ${name} must have ${length} digits, but ${count} characters came in.${hint} ${COPY_AGAIN}`;
		return { text, errors: [{ code: 'FORMAT', message }] };
	}
	return {
		text,
		errors: checkParts(text, [{ length, allowed: /^[0-9]$/, needs: 'a digit 0–9' }]),
	};
}

/** One FORMAT error for the first wrong character of each part; positions count from 1, without spaces and hyphens. */
export function checkParts(text: string, parts: Part[]): CheckError[] {
	const characters = Array.from(text);
	let start = 0;
	return parts.flatMap(({ length, allowed, needs }) => {
		const from = start;
		start += length;
		const wrong = characters.slice(from, start).findIndex((character) => !allowed.test(character));
		if (wrong < 0) return [];
		const character = characters[from + wrong];
		const proposal = didYouMean(character, allowed);
		const message = `Position ${from + wrong + 1} holds ${describe(character)}; it must be ${needs}.${proposal} ${COPY_AGAIN}`;
		return [{ code: 'FORMAT', message }];
	});
}

/** A character as an operator can recognise it: what has no clear picture is named by its code point. */
function describe(character: string): string {
	if (/^[!-~À-ÖØ-öø-ÿ]$/.test(character)) return `"${character}"`;
	const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
	return `a look-alike, symbol or invisible character (U+${code})`;
}
