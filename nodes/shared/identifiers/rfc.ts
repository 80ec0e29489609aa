import { readDate } from './dates';
import { result, type CheckError, type CheckResult, type CheckWarning } from './result';
import { checkParts, DATE_PART, readText, type Part } from './text';
import { RFC_WORDS } from './words';

export interface RfcCheck extends CheckResult {
	/** Natural person, legal entity, or one of the two generic RFCs; absent if the length fits none. */
	type?: 'PF' | 'PM' | 'generic';
	/** General public or foreign residents: an RFC of nobody, never worth a paid query. */
	generic: boolean;
	hasHomoclave: boolean;
	/** Birth or constitution, ISO; absent if the century is open. */
	date?: string;
	/** Every date that the six digits can mean, earliest first; an RFC does not show its century. */
	dateCandidates: string[];
}

type Kind = 'PF' | 'PM';

const KINDS: Readonly<Record<number, { kind: Kind; hasHomoclave: boolean }>> = {
	13: { kind: 'PF', hasHomoclave: true },
	12: { kind: 'PM', hasHomoclave: true },
	10: { kind: 'PF', hasHomoclave: false },
	9: { kind: 'PM', hasHomoclave: false },
};

/** A slash is a separator between date and homoclave (MHTR930411/79A); anywhere else it is a wrong character. */
const SLASH = /^([^0-9]{3,4}[0-9]{6})\/+/;

const GENERIC = /^X[AE]XX010101(000)?$/;

/** The place of a character is its value; a company has a blank before its three letters. */
const DIGIT_VALUES = '0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ';

/**
 * Checks an RFC of a person (13 characters) or company (12), or without homoclave (10 and 9), offline. Takes any value,
 * never throws. Errors: FORMAT, DATE, WORD. A wrong check digit and an unusual homoclave are warnings, because real
 * RFCs have them; so is a generic RFC. A date after `today` is not among the candidates: the other century is meant.
 */
export function checkRfc(value: unknown, today = new Date()): RfcCheck {
	const read = readText(value, 'RFC');
	const text = read.text.replace(SLASH, '$1');
	const bare = { generic: false, hasHomoclave: false, dateCandidates: [] };
	if (read.errors.length > 0) return { ...result(text, read.errors), ...bare };

	const length = Array.from(text).length;
	const shape = KINDS[length];
	if (!shape) return { ...result(text, [wrongLength(length)]), ...bare };

	const { kind, hasHomoclave } = shape;
	const format = checkParts(text, partsOf(kind, hasHomoclave));
	if (format.length > 0) return { ...result(text, format), ...bare, type: kind, hasHomoclave };
	if (GENERIC.test(text)) {
		return {
			...result(text, [], [GENERIC_WARNING]),
			...bare,
			type: 'generic',
			generic: true,
			hasHomoclave,
		};
	}

	const letters = kind === 'PF' ? 4 : 3;
	const found = readDate(text.slice(letters, letters + 6), letters + 1, [1900, 2000]);
	const dateCandidates = found.dates.filter((date) => date <= today.toISOString().slice(0, 10));
	return {
		...result(
			text,
			[...found.errors, ...wordErrors(text, kind)],
			hasHomoclave ? homoclaveWarnings(text) : [],
		),
		type: kind,
		generic: false,
		hasHomoclave,
		...(dateCandidates.length === 1 && { date: dateCandidates[0] }),
		dateCandidates,
	};
}

const GENERIC_WARNING: CheckWarning = {
	code: 'GENERIC',
	message:
		'This is the generic RFC for the general public or for foreign residents; it names nobody. Ask the customer for an RFC of their own: a query about this one finds nothing.',
};

function partsOf(kind: Kind, hasHomoclave: boolean): Part[] {
	const [count, owner] = kind === 'PF' ? [4, 'person'] : [3, 'company'];
	const length = (count === 4 ? 10 : 9) + (hasHomoclave ? 3 : 0);
	const letters = {
		length: count,
		allowed: /^[A-ZÑ&]$/,
		needs: `a letter A–Z without accent, Ñ or & (an RFC of ${length} characters is a ${owner}'s and begins with ${count} letters)`,
	};
	const date = {
		...DATE_PART,
		needs: `${DATE_PART.needs}; an RFC of ${length} characters is a ${owner}'s, with ${count} letters before the date`,
	};
	if (!hasHomoclave) return [letters, date];
	return [
		letters,
		date,
		{ length: 2, allowed: /^[A-Z0-9]$/, needs: 'a letter A–Z or a digit (part of the homoclave)' },
		{ length: 1, allowed: /^[0-9A]$/, needs: 'a digit 0–9 or the letter A (the check digit)' },
	];
}

function wrongLength(length: number): CheckError {
	return {
		code: 'FORMAT',
		message: `The RFC has ${length} characters; a person's has 13, a company's 12, and without homoclave they have 10 and 9. Copy it again in full.`,
	};
}

/** Only the four letters of a person are replaced. */
function wordErrors(text: string, kind: Kind): CheckError[] {
	if (kind === 'PM' || !RFC_WORDS.has(text.slice(0, 4))) return [];
	return [
		{
			code: 'WORD',
			message:
				'Positions 1–4 form a word that the tax authority never issues; it writes X at position 4 instead. Copy the RFC again from an official document.',
		},
	];
}

function homoclaveWarnings(text: string): CheckWarning[] {
	const warnings: CheckWarning[] = [];
	const start = text.length - 3;
	const odd = text.slice(start, start + 2).search(/[0O]/);
	if (odd >= 0) {
		warnings.push({
			code: 'HOMOCLAVE',
			message: `Position ${start + odd + 1} holds "${text[start + odd]}"; the homoclave normally has neither the digit 0 nor the letter O. Compare it with an official document; a few real RFCs are like this.`,
		});
	}
	if (rfcCheckDigit(text) !== text.at(-1)) {
		warnings.push({
			code: 'DIGIT',
			message: `The check digit at position ${text.length} does not fit the other characters, so one of them is probably mistyped. Compare all of them with an official document; a few real RFCs are like this.`,
		});
	}
	return warnings;
}

/** The check digit ('0'–'9' or 'A') that belongs to a full RFC of 12 or 13 characters; its last character is not read. */
export function rfcCheckDigit(rfc: string): string {
	const sum = Array.from(rfc.slice(0, -1).padStart(12)).reduce(
		(total, character, index) => total + DIGIT_VALUES.indexOf(character) * (13 - index),
		0,
	);
	const remainder = sum % 11;
	if (remainder === 0) return '0';
	return remainder === 1 ? 'A' : String(11 - remainder);
}
