import { toPlainCapitals } from './rfc';

interface CurpInput {
	name: string;
	firstLastName: string;
	secondLastName?: string;
	/** ISO date. */
	birthDate: string;
	sex: 'H' | 'M' | 'X';
	/** Two-letter state code of the CURP. */
	state: string;
}

const CURP_PARTICLES = new Set(
	'DA DAS DE DEL DER DI DIE DD EL LA LAS LE LES LOS MAC MC VAN VON Y'.split(' '),
);
const COMMON_FIRST = new Set(['MARIA', 'MA', 'JOSE', 'J']);
const CURP_INCONVENIENT = new Set(
	`BACA BAKA BUEI BUEY CACA CACO CAGA CAGO CAKA CAKO COGE COGI COJA COJE COJI COJO COLA CULO FALO FETO GETA GUEI GUEY
	JETA JOTO KACA KACO KAGA KAGO KAKA KAKO KOGE KOGI KOJA KOJE KOJI KOJO KOLA KULO LILO LOCA LOCO LOKA LOKO MAME MAMO
	MEAR MEAS MEON MIAR MION MOCO MOKO MULA MULO NACA NACO PEDA PEDO PENE PIPI PITO POPO PUTA PUTO QULO RATA ROBA ROBE
	ROBO RUIN SENO TETA VACA VAGA VAGO VAKA VUEI VUEY WUEI WUEY`.split(/\s+/),
);
const VALUES = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ';

function firstPart(text: string, skipped: Set<string> = new Set()): string {
	let parts = toPlainCapitals(text).split(' ').filter(Boolean);
	if (parts.length > 1 && skipped.has(parts[0])) parts = parts.slice(1);
	while (parts.length > 1 && CURP_PARTICLES.has(parts[0])) parts = parts.slice(1);
	return (parts[0] ?? '').replace(/Ñ/g, 'X');
}

/** The first vowel after the initial of an upper-case word; X if there is none. */
export const vowelOf = (part: string) => /[AEIOU]/.exec(part.slice(1))?.[0] ?? 'X';
/** The first consonant after the initial, Ñ as X; X if there is none. */
export const consonantOf = (part: string) => /[^AEIOU]/.exec(part.slice(1))?.[0] ?? 'X';

/** The last digit of a CURP, from its first 17 characters. */
function curpCheckDigit(start: string): string {
	const sum = [...start].reduce(
		(total, character, index) => total + VALUES.indexOf(character) * (18 - index),
		0,
	);
	return String((10 - (sum % 10)) % 10);
}

/** The CURP that the civil registry would give (first of its homonyms): 18 characters. */
export function curpOf(person: CurpInput): string {
	const first = firstPart(person.firstLastName);
	const second = firstPart(person.secondLastName ?? '');
	const given = firstPart(person.name, COMMON_FIRST);
	let letters = first[0] + vowelOf(first) + (second[0] ?? 'X') + given[0];
	if (CURP_INCONVENIENT.has(letters)) letters = `${letters[0]}X${letters.slice(2)}`;
	const start = [
		letters,
		person.birthDate.slice(2).replaceAll('-', ''),
		person.sex,
		person.state,
		consonantOf(first),
		second ? consonantOf(second) : 'X',
		consonantOf(given),
		Number(person.birthDate.slice(0, 4)) < 2000 ? '0' : 'A',
	].join('');
	return start + curpCheckDigit(start);
}
