import { checkCurp, type CurpCheck } from './curp';
import { isoDay } from './dates';
import { checkNss } from './nss';
import type { CheckResult, Mismatch } from './result';
import { checkRfc, type RfcCheck } from './rfc';
import { checkZipCode } from './zipCode';

export interface Identifiers {
	rfc?: unknown;
	curp?: unknown;
	/** ISO text (a time may follow) or a Date. */
	birthDate?: unknown;
	zipCode?: unknown;
	/** A code of §2.11 of the Credit Profile document. */
	state?: unknown;
}

const isFormed = ({ errors }: CheckResult) => errors.every(({ code }) => code !== 'FORMAT');

/** Whether two values are whole identifiers of one kind (RFC, CURP or NSS), well-formed both, and not the same. */
export function areOthers(one: unknown, other: unknown): boolean {
	const kinds = [
		{ check: checkRfc, isWhole: (rfc: RfcCheck) => isFormed(rfc) && rfc.hasHomoclave },
		{ check: checkCurp, isWhole: isFormed },
		{ check: checkNss, isWhole: ({ valid }: CheckResult) => valid }, // any 11 digits may be a phone's
	];
	return kinds.some(({ check, isWhole }) => {
		const [a, b] = [check(one) as RfcCheck, check(other) as RfcCheck];
		return isWhole(a) && isWhole(b) && a.normalized !== b.normalized;
	});
}

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '';

/**
 * Compares the identifiers of one person or company, as far as they are given and can be read (whether each is right by
 * itself is for the other checks). Returns warnings: TYPE, LETTERS, DATE, STATE. Takes any values, never throws.
 */
export function checkConsistency(identifiers: Identifiers, today = new Date()): Mismatch[] {
	const { birthDate, zipCode, state } = identifiers;
	const rfc = checkRfc(identifiers.rfc, today);
	const curp = checkCurp(identifiers.curp, today);
	const warnings = [
		...(rfc.type === 'PM' && (isGiven(identifiers.curp) || isGiven(birthDate)) ? [COMPANY] : []),
		...(rfc.type === 'PF' ? compareRfcWithCurp(rfc, curp) : []),
		...(isGiven(birthDate) ? compareBirthDate(birthDate, rfc, curp) : []),
	];
	if (!isGiven(zipCode) || !isGiven(state)) return warnings;
	const { errors } = checkZipCode(zipCode, state);
	return [
		...warnings,
		...errors.flatMap(({ code, message }) => (code === 'STATE' ? [{ code, message }] : [])),
	];
}

const COMPANY: Mismatch = {
	code: 'TYPE',
	message:
		"The RFC is a company's, but a CURP or a birth date belongs to a person. Check whether the RFC of the person was meant.",
};

function compareRfcWithCurp(rfc: RfcCheck, curp: CurpCheck): Mismatch[] {
	if (rfc.dateCandidates.length === 0 || !curp.birthDate) return [];
	const warnings: Mismatch[] = [];
	// A CURP writes X for Ñ, an RFC keeps it.
	if (rfc.normalized.slice(0, 4).replaceAll('Ñ', 'X') !== curp.normalized.slice(0, 4)) {
		const message =
			'Positions 1–4 of RFC and CURP differ. For some names that is right (particles, a short or single surname, María or José, replaced words). Check that both are of the same person.';
		warnings.push({ code: 'LETTERS', message });
	}
	if (rfc.normalized.slice(4, 10) !== curp.normalized.slice(4, 10)) {
		const message =
			'Positions 5–10, the birth date, differ between RFC and CURP. Check that both are of the same person.';
		warnings.push({ code: 'DATE', message });
	}
	return warnings;
}

function compareBirthDate(birthDate: unknown, rfc: RfcCheck, curp: CurpCheck): Mismatch[] {
	const day = isoDay(birthDate);
	if (!day) {
		const message =
			'The birth date could not be read, so it was not compared. Enter it as YYYY-MM-DD.';
		return [{ code: 'DATE', message }];
	}
	const warn = (name: string): Mismatch => ({
		code: 'DATE',
		message: `The birth date given is not the one in the ${name}. Check that both are of the same person.`,
	});
	const candidates = rfc.type === 'PF' ? rfc.dateCandidates : [];
	return [
		...(candidates.length > 0 && !candidates.includes(day) ? [warn('RFC')] : []),
		...(curp.birthDate && curp.birthDate !== day ? [warn('CURP')] : []),
	];
}
