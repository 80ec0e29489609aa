import { joinSentences } from '../utils/joinSentences';

/** Reasons why an identifier cannot exist as written. */
type ErrorCode = 'FORMAT' | 'DATE' | 'WORD' | 'STATE' | 'DIGIT';

/** Oddities of an identifier that may still be right. */
type WarningCode = 'HOMOCLAVE' | 'DIGIT' | 'FUTURE' | 'GENERIC' | 'WORD';

/** Contradictions between two identifiers of one person or company. */
type MismatchCode = 'TYPE' | 'LETTERS' | 'DATE';

/** A finding for the operator. It never repeats the whole identifier. */
interface IdentifierFinding<Code extends string> {
	code: Code;
	/** The problem alone, in one sentence. */
	problem: string;
	/** The problem, and what to do about it. */
	message: string;
}

/** `what` is the problem, `todo` what to do about it. */
export const finding = <Code extends string>(
	code: Code,
	problem: string,
	...todo: string[]
): IdentifierFinding<Code> => ({
	code,
	problem: joinSentences(problem),
	message: joinSentences(problem, ...todo),
});

export type CheckErrorFinding = IdentifierFinding<ErrorCode>;
export type CheckWarning = IdentifierFinding<WarningCode>;
export type IdentifierContradiction = IdentifierFinding<MismatchCode>;

export interface CheckResult {
	/** There may be warnings. */
	valid: boolean;
	/** Upper case, without spaces and hyphens, Unicode NFC; '' if the value was not text. */
	normalized: string;
	errors: CheckErrorFinding[];
	warnings: CheckWarning[];
}

/** A state by its ISO 3166-2:MX code (without MX-); null for a birth outside Mexico. */
export interface MexicanState {
	code: string | null;
	name: string;
}

/** Is valid where there are no errors. */
export function checkResult(
	normalized: string,
	errors: CheckErrorFinding[],
	warnings: CheckWarning[] = [],
): CheckResult {
	return { valid: errors.length === 0, normalized, errors, warnings };
}
