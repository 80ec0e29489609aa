import { readIdentifierDate } from './date';
import {
	finding,
	checkResult,
	type CheckErrorFinding,
	type CheckResult,
	type CheckWarning,
	type MexicanState,
} from './checkResult';
import { stateByCurpCode } from './states';
import {
	findCharacterErrors,
	COPY_AGAIN,
	DATE_PART_CHARACTER_RULE,
	suggestConfusableCharacter,
	DIGIT,
	countCharacters,
	lengthError,
	readTextWithErrors,
	type IdentifierPartRule,
} from './text';
import { CURP_INCONVENIENT_WORDS } from './inconvenientWords';

const SEXES = { H: 'male', M: 'female', X: 'non-binary' } as const;

export interface CurpCheck extends CheckResult {
	type?: 'PF';
	/** ISO; position 17 shows the century. */
	birthDate?: string;
	sex?: (typeof SEXES)[keyof typeof SEXES];
	/** State of birth. */
	state?: MexicanState;
}

const LETTER = { length: 1, allowed: /^[A-Z]$/, needs: 'a letter A–Z (the CURP writes X for Ñ)' };

const CURP_PARTS: IdentifierPartRule[] = [
	LETTER,
	{ length: 1, allowed: /^[AEIOUX]$/, needs: 'a vowel or X (of the first surname)' },
	{ ...LETTER, length: 2 },
	DATE_PART_CHARACTER_RULE,
	{ length: 1, allowed: /^[HMX]$/, needs: 'H (man), M (woman) or X (non-binary)' },
	{ length: 2, allowed: /^[A-Z]$/, needs: 'a letter A–Z (part of the state of birth)' },
	{
		length: 3,
		allowed: /^[B-DF-HJ-NP-TV-Z]$/,
		needs: 'a consonant (of the surnames and given name; X for Ñ or none)',
	},
	{ length: 1, allowed: /^[0-9A-Z]$/, needs: 'a digit (born until 1999) or a letter (born since)' },
	{ length: 1, allowed: DIGIT, needs: 'a digit 0–9 (the check digit)' },
];
const LENGTH = 18;

/** The place of a character is its value. Ñ keeps its place (24) although no CURP shows it any more. */
const CURP_DIGIT_VALUES = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ';

/**
 * Checks a CURP offline. Takes any value, never throws. Errors: FORMAT, DATE, STATE, DIGIT (unlike an RFC's, a CURP's
 * check digit is always right). Warnings: WORD, FUTURE (born after `today`).
 */
export function checkCurp(value: unknown, today = new Date()): CurpCheck {
	const { text, errors } = readTextWithErrors(value, 'CURP');
	if (errors.length > 0) return checkResult(text, errors);
	const length = countCharacters(text);
	if (length !== LENGTH) {
		const problem = `The CURP has ${length} characters, but ${LENGTH} are needed`;
		return checkResult(text, [lengthError(text.replace(/\//, ''), 'CURP', problem)]);
	}
	const format = findCharacterErrors(text, 'CURP', CURP_PARTS);
	if (format.length > 0) return checkResult(text, format);

	const century = DIGIT.test(text[16]) ? 1900 : 2000;
	const read = readIdentifierDate(text.slice(4, 10), 'CURP', 5, [century]);
	const [birthDate] = read.dates;
	const state = stateByCurpCode(text.slice(11, 13));
	const flaws: CheckErrorFinding[] = [
		...read.errors,
		...(state ? [] : [STATE_ERROR]),
		...(curpCheckDigit(text) === text[17] ? [] : [DIGIT_ERROR]),
	];
	return {
		...checkResult(text, flaws, warningsOf(text, birthDate, today)),
		type: 'PF',
		...(birthDate && { birthDate }),
		sex: SEXES[text[10] as keyof typeof SEXES],
		...(state && { state }),
	};
}

const STATE_ERROR: CheckErrorFinding = finding(
	'STATE',
	'Positions 12–13 of the CURP are no state of birth, such as DF, JC, or NE for born abroad',
	COPY_AGAIN,
);

const DIGIT_ERROR: CheckErrorFinding = finding(
	'DIGIT',
	'The check digit of the CURP at position 18 does not fit, so a character is mistyped',
	COPY_AGAIN,
);

const COMPARE_CURP = 'Compare it with an official document.';

function warningsOf(text: string, birthDate: string | undefined, today: Date): CheckWarning[] {
	const warnings: CheckWarning[] = [];
	if (CURP_INCONVENIENT_WORDS.includes(text.slice(0, 4))) {
		const problem =
			'Positions 1–4 of the CURP form a word that the civil registry avoids by an X at position 2';
		warnings.push(finding('WORD', problem, COMPARE_CURP));
	}
	if (birthDate && birthDate > today.toISOString().slice(0, 10)) {
		const proposal = suggestConfusableCharacter(text[16], DIGIT);
		const problem = `Position 17 of the CURP is the letter ${text[16]}, so the birth year would be ${birthDate.slice(0, 4)}, in the future${proposal}`;
		warnings.push(finding('FUTURE', problem, 'A digit means a birth until 1999.', COMPARE_CURP));
	}
	return warnings;
}

/** The check digit that belongs to a CURP of 18 characters; its last character is not read. */
function curpCheckDigit(curp: string): string {
	const sum = Array.from(curp.slice(0, 17)).reduce(
		(total, character, index) => total + CURP_DIGIT_VALUES.indexOf(character) * (18 - index),
		0,
	);
	return String((10 - (sum % 10)) % 10);
}
