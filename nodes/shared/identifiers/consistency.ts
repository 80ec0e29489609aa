import { checkCurp } from './curp';
import { checkNss } from './nss';
import { finding, type CheckResult, type IdentifierContradiction } from './checkResult';
import { checkRfc, type RfcCheck } from './rfc';

export interface Identifiers {
	rfc?: unknown;
	curp?: unknown;
	/** YYYY-MM-DD. */
	birthDate?: string;
}

const isFormed = ({ errors }: CheckResult) => errors.every(({ code }) => code !== 'FORMAT');

/** Both are complete and well-formed identifiers of one kind (RFC, CURP or NSS). */
export function contradict(one: unknown, other: unknown): boolean {
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

const SAME_PERSON = 'Check that both are of the same person.';

/**
 * Compares the given, readable identifiers of one person or company. Other checks decide whether each is right by
 * itself. Never throws.
 */
export function findIdentifierContradictions(
	{ birthDate, ...given }: Identifiers,
	today = new Date(),
): IdentifierContradiction[] {
	const rfc = checkRfc(given.rfc, today);
	const curp = checkCurp(given.curp, today);
	const dates = rfc.type === 'PF' ? rfc.dateCandidates : [];
	const areBoth = dates.length > 0 && curp.birthDate !== undefined;
	const differ = (from: number, to: number) =>
		rfc.normalized.slice(from, to).replaceAll('Ñ', 'X') !== curp.normalized.slice(from, to); // a CURP writes X for Ñ
	const isAnother = (days: string[]) =>
		birthDate !== undefined && days.length > 0 && !days.includes(birthDate);
	const notIn = (name: string) => `The birth date is not the one in the ${name}`;
	const checks: Array<
		[isSo: boolean, code: IdentifierContradiction['code'], problem: string, todo?: string]
	> = [
		[
			rfc.type === 'PM' && [given.curp, birthDate].some(Boolean),
			'TYPE',
			"The RFC is a company's, but a CURP or a birth date belongs to a person",
			'Check the RFC.',
		],
		[
			areBoth && differ(0, 4),
			'LETTERS',
			'Positions 1–4 of RFC and CURP differ, as they may for some names',
		],
		[
			areBoth && differ(4, 10),
			'DATE',
			'Positions 5–10, the birth date, differ between RFC and CURP',
		],
		[isAnother(dates), 'DATE', notIn('RFC')],
		[isAnother(curp.birthDate ? [curp.birthDate] : []), 'DATE', notIn('CURP')],
	];
	return checks.flatMap(([isSo, code, problem, todo = SAME_PERSON]) =>
		isSo ? [finding(code, problem, todo)] : [],
	);
}
