export interface RfcInput {
	name: string;
	firstLastName: string;
	secondLastName?: string;
	day: number;
	month: number;
	year: number;
}

/** Annex V (persons): words that do not count when the letters are chosen. */
const RFC_PARTICLES = new Set([
	'DE',
	'LA',
	'LAS',
	'MC',
	'VON',
	'DEL',
	'LOS',
	'Y',
	'MAC',
	'VAN',
	'MI',
]);

/** Annex IV: inconvenient words; their last letter becomes X. */
const RFC_INCONVENIENT = new Set(
	`BUEI BUEY CACA CACO CAGA CAGO CAKA CAKO COGE COJA COJE COJI COJO CULO FETO GUEY JOTO KACA KACO KAGA KAGO KAKA
	KAKO KOGE KOJO KULO MAME MAMO MEAR MEAS MEON MION MOCO MULA PEDA PEDO PENE PUTA PUTO QULO RATA RUIN`.split(
		/\s+/,
	),
);

/** Annexes I and II: two digits for each character of the name, and the 34 characters of a homoclave. */
const NAME_VALUES = new Map<string, string>([
	...[...'0123456789'].map((digit) => [digit, `0${digit}`] as const),
	[' ', '00'],
	['&', '10'],
	...[...'ABCDEFGHI'].map((letter, index) => [letter, String(11 + index)] as const),
	...[...'JKLMNOPQR'].map((letter, index) => [letter, String(21 + index)] as const),
	...[...'STUVWXYZ'].map((letter, index) => [letter, String(32 + index)] as const),
	['Ñ', '40'],
]);
const HOMOCLAVE = '123456789ABCDEFGHIJKLMNPQRSTUVWXYZ';

/** Annex III: the value of a character is its place here. */
const CHECK_VALUES = '0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ';

/** Upper case, without accents and punctuation; Ñ stays. */
export function toPlainCapitals(text: string): string {
	return text
		.normalize('NFC')
		.toUpperCase()
		.replace(/Ñ/g, '\u0000')
		.normalize('NFD')
		.replace(/\p{M}/gu, '')
		.replace(/\u0000/g, 'Ñ')
		.replace(/[^A-ZÑ& ]/g, '')
		.replace(/\s+/g, ' ')
		.trim();
}

/** The words of a name that count; all of them if none would remain. */
function countingParts(text: string): string[] {
	const parts = toPlainCapitals(text).split(' ').filter(Boolean);
	const counting = parts.filter((part) => !RFC_PARTICLES.has(part));
	return counting.length > 0 ? counting : parts;
}

/** The given name that counts: the second if the first of several is María or José. */
function givenName(text: string): string {
	const parts = countingParts(text);
	const isSkipped = parts.length > 1 && ['MARIA', 'JOSE', 'MA'].includes(parts[0]);
	return parts[isSkipped ? 1 : 0] ?? '';
}

function lettersOf({ name, firstLastName, secondLastName }: RfcInput): string {
	const [first = ''] = countingParts(firstLastName);
	const [second = ''] = countingParts(secondLastName ?? '');
	const given = givenName(name);
	const only = first || second;
	let letters: string;
	if (!first || !second) {
		letters = only.slice(0, 2).padEnd(2, 'X') + given.slice(0, 2).padEnd(2, 'X'); // rule 7
	} else if (first.length <= 2) {
		letters = first[0] + second[0] + given.slice(0, 2).padEnd(2, 'X'); // rule 4
	} else {
		const vowel = /[AEIOU]/.exec(first.slice(1))?.[0] ?? 'X';
		letters = first[0] + vowel + second[0] + (given[0] ?? 'X'); // rule 1
	}
	return RFC_INCONVENIENT.has(letters) ? `${letters.slice(0, 3)}X` : letters; // rule 9
}

function homoclaveOf({ name, firstLastName, secondLastName }: RfcInput): string {
	const whole = [firstLastName, secondLastName ?? '', name].map(toPlainCapitals).join(' ');
	const digits = `0${[...whole].map((character) => NAME_VALUES.get(character) ?? '').join('')}`;
	let sum = 0;
	for (let at = 0; at < digits.length - 1; at++) {
		sum += Number(digits.slice(at, at + 2)) * Number(digits[at + 1]);
	}
	const rest = sum % 1000;
	return HOMOCLAVE[Math.floor(rest / 34)] + HOMOCLAVE[rest % 34];
}

/** Check digit for an RFC without it: 12 characters of a person, 11 of a company. */
export function checkDigitOf(start: string): string {
	const sum = [...start.padStart(12)].reduce(
		(total, character, index) => total + CHECK_VALUES.indexOf(character) * (13 - index),
		0,
	);
	const digit = (11 - (sum % 11)) % 11;
	return digit === 10 ? 'A' : String(digit);
}

/**
 * It follows the tax authority's published algorithm (rules 1 to 10, annexes I to V): four letters, YYMMDD,
 * homoclave and check digit.
 */
export function calculateRfc(input: RfcInput): string {
	const two = (value: number) => String(value % 100).padStart(2, '0');
	const date = two(input.year) + two(input.month) + two(input.day);
	const start = lettersOf(input) + date + homoclaveOf(input);
	return start + checkDigitOf(start);
}
