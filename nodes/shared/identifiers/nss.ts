import { finding, checkResult, type CheckResult } from './checkResult';
import { COPY_AGAIN, readExactDigitsWithErrors } from './text';

/**
 * Checks a social security number (11 digits) offline: FORMAT, DIGIT (Luhn). Takes any value, never throws. The series
 * and years in it are not judged: the published lists are incomplete.
 */
export function checkNss(value: unknown): CheckResult {
	const { text, errors } = readExactDigitsWithErrors(value, 'NSS', 11);
	if (errors.length > 0 || luhnSum(text) % 10 === 0) return checkResult(text, errors);
	const problem = 'The check digit of the NSS at position 11 does not fit, so a digit is mistyped';
	return checkResult(text, [finding('DIGIT', problem, COPY_AGAIN)]);
}

/** Every second digit is doubled (the check digit is not), and the digits of each product are added. */
function luhnSum(digits: string): number {
	return Array.from(digits, Number).reduce((sum, digit, index) => {
		const product = index % 2 === 0 ? digit : digit * 2;
		return sum + (product > 9 ? product - 9 : product);
	}, 0);
}
