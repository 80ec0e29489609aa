import { readIdentifierDate } from './date';
import {
	finding,
	checkResult,
	type CheckErrorFinding,
	type CheckResult,
	type CheckWarning,
} from './checkResult';
import {
	findCharacterErrors,
	COPY_AGAIN,
	DATE_PART_CHARACTER_RULE,
	countCharacters,
	lengthError,
	readTextWithErrors,
	type IdentifierPartRule,
} from './text';
import { RFC_INCONVENIENT_WORDS } from './inconvenientWords';

export interface RfcCheck extends CheckResult {
	/** Natural person, legal entity, or a generic RFC; absent if the length fits none. */
	type?: 'PF' | 'PM' | 'generic';
	/** One of `GENERIC_RFCS`: an RFC of nobody, never worth a paid query. */
	generic: boolean;
	hasHomoclave: boolean;
	/** Birth or constitution, ISO; absent if the century is open. */
	date?: string;
	/** Every date that the six digits can mean, earliest first; an RFC does not show its century. */
	dateCandidates: string[];
}

const HOMOCLAVE: IdentifierPartRule[] = [
	{ length: 2, allowed: /^[A-Z0-9]$/, needs: 'a letter A–Z or a digit (part of the homoclave)' },
	{ length: 1, allowed: /^[0-9A]$/, needs: 'a digit 0–9 or the letter A (the check digit)' },
];

/** The shape of an RFC, by its length. */
const SHAPES: Readonly<Record<number, { type: 'PF' | 'PM'; hasHomoclave: boolean }>> = {
	13: { type: 'PF', hasHomoclave: true },
	12: { type: 'PM', hasHomoclave: true },
	10: { type: 'PF', hasHomoclave: false },
	9: { type: 'PM', hasHomoclave: false },
};

/** A slash is a separator between date and homoclave (MHTR930411/79A); anywhere else it is a wrong character. */
const SLASH = /^([^0-9]{3,4}[0-9]{6})\/+/;

/** RFCs of nobody, and where the tax authority gives them (RMF: Resolución Miscelánea Fiscal). */
const GENERIC_RFCS: ReadonlyMap<string, string> = new Map([
	['XAXX010101000', 'RMF 2.7.1.23: sales to the public'],
	['XEXX010101000', 'RMF 2.7.1.23: residents abroad'],
	['EXT990101NI4', 'RMF 3.17.8: receipts of persons abroad'],
	['EXT990101NI9', 'RMF 3.17.8: receipts of companies abroad'],
	['EXTF900101NI1', 'Ficha 295/CFF: partners abroad, persons'],
	['EXT990101NI1', 'Ficha 295/CFF: partners abroad, companies'],
]);
/** Without homoclave these two are generic, too; EXT990101 may be a company's. */
const isGeneric = (text: string): boolean =>
	GENERIC_RFCS.has(text) || ['XAXX010101', 'XEXX010101'].includes(text);

/** The place of a character is its value; a company has a blank before its three letters. */
const RFC_DIGIT_VALUES = '0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ';

/**
 * Checks an RFC of a person (13 characters) or company (12), or without homoclave (10 and 9), offline. Takes any value,
 * never throws. Errors: FORMAT, DATE, WORD. A wrong check digit and an unusual homoclave are warnings, because real
 * RFCs have them; so is a generic RFC. A date after `today` is not among the candidates: the other century is meant.
 */
export function checkRfc(value: unknown, today = new Date()): RfcCheck {
	const read = readTextWithErrors(value, 'RFC');
	const text = read.text.replace(SLASH, '$1');
	const length = countCharacters(text);
	const shape = SHAPES[length];
	const bare = { ...(shape ?? { hasHomoclave: false }), generic: false, dateCandidates: [] };
	if (!shape) {
		const problem = `The RFC has ${length} characters; a person's has 13, a company's 12, and without homoclave they have 10 and 9`;
		const errors = read.errors.length > 0 ? read.errors : [lengthError(text, 'RFC', problem)];
		return { ...checkResult(text, errors), ...bare };
	}
	const { type, hasHomoclave } = shape;
	const letters = type === 'PF' ? 4 : 3;
	const format = findCharacterErrors(text, 'RFC', rfcParts(letters, length, hasHomoclave));
	if (format.length > 0) return { ...checkResult(text, format), ...bare };
	if (isGeneric(text)) {
		return { ...checkResult(text, [], [GENERIC_WARNING]), ...bare, type: 'generic', generic: true };
	}
	const found = readIdentifierDate(
		text.slice(letters, letters + 6),
		'RFC',
		letters + 1,
		[1900, 2000],
	);
	const dateCandidates = found.dates.filter((date) => date <= today.toISOString().slice(0, 10));
	// only the four letters of a person are replaced
	const isInconvenient = type === 'PF' && RFC_INCONVENIENT_WORDS.includes(text.slice(0, 4));
	const errors = isInconvenient ? [...found.errors, WORD_ERROR] : found.errors;
	return {
		...checkResult(text, errors, hasHomoclave ? homoclaveWarnings(text) : []),
		...bare,
		...(dateCandidates.length === 1 && { date: dateCandidates[0] }),
		dateCandidates,
	};
}

const GENERIC_WARNING: CheckWarning = finding(
	'GENERIC',
	'This generic RFC, for the general public or foreign residents, names nobody: a query about it finds nothing',
	'Ask the customer for their own.',
);

const WORD_ERROR: CheckErrorFinding = finding(
	'WORD',
	'Positions 1–4 of the RFC form a word that the tax authority never issues; it writes X at position 4',
	COPY_AGAIN,
);

function rfcParts(letters: number, length: number, hasHomoclave: boolean): IdentifierPartRule[] {
	const owner = `an RFC of ${length} characters is a ${letters === 4 ? 'person' : 'company'}'s and begins with ${letters} letters`;
	return [
		{
			length: letters,
			allowed: /^[A-ZÑ&]$/,
			needs: `a letter A–Z without accent, Ñ or & (${owner})`,
		},
		{ ...DATE_PART_CHARACTER_RULE, needs: `${DATE_PART_CHARACTER_RULE.needs}; ${owner}` },
		...(hasHomoclave ? HOMOCLAVE : []),
	];
}

const COMPARE_RFC = 'Compare it with an official document; a few real RFCs are like this.';

function homoclaveWarnings(text: string): CheckWarning[] {
	const warnings: CheckWarning[] = [];
	const start = text.length - 3;
	const odd = text.slice(start, -1).search(/[0O]/);
	if (odd >= 0) {
		const problem = `Position ${start + odd + 1} of the RFC holds "${text[start + odd]}", but a homoclave has no 0 and no O`;
		warnings.push(finding('HOMOCLAVE', problem, COMPARE_RFC));
	}
	if (rfcCheckDigit(text) !== text.at(-1)) {
		const problem = `The check digit of the RFC at position ${text.length} does not fit, so a character is probably mistyped`;
		warnings.push(finding('DIGIT', problem, COMPARE_RFC));
	}
	return warnings;
}

/** The check digit ('0'–'9' or 'A') that belongs to a full RFC of 12 or 13 characters; its last character is not read. */
export function rfcCheckDigit(rfc: string): string {
	const sum = Array.from(rfc.slice(0, -1).padStart(12)).reduce(
		(total, character, index) => total + RFC_DIGIT_VALUES.indexOf(character) * (13 - index),
		0,
	);
	const remainder = sum % 11;
	if (remainder === 0) return '0';
	return remainder === 1 ? 'A' : String(11 - remainder);
}
