import { result, type CheckError, type CheckResult, type State } from './result';
import { CURP_STATES, ISO_STATES, stateByCode, stateByZipCode } from './states';
import { readDigits } from './text';

export interface ZipCodeCheck extends CheckResult {
	/** The state that the first two digits belong to. */
	state?: State;
}

const LENGTH = 5;

/**
 * Checks a zip code offline, and that it lies in the stated state if one is given: a code of §2.11 of the Credit Profile
 * document (ISO 3166-2:MX or the bureau's); null and '' are none. Takes any values, never throws. Errors: FORMAT,
 * STATE (the service demands that they match, §2.8).
 */
export function checkZipCode(value: unknown, state?: unknown): ZipCodeCheck {
	const { text, errors } = readDigits(value, 'zip code', LENGTH);
	if (errors.length > 0) return result(text, errors);
	const actual = stateByZipCode(text);
	if (!actual) {
		const message =
			'No state has zip codes that begin with 00, 17, 18 or 19. Check the first two digits.';
		return result(text, [{ code: 'STATE', message }]);
	}
	return { ...result(text, stateErrors(actual, state)), state: actual };
}

function stateErrors(actual: State, stated: unknown): CheckError[] {
	if (stated === undefined || stated === null || stated === '') return [];
	const expected = stateByCode(stated);
	if (!expected) return [{ code: 'STATE', message: unknownState(stated) }];
	if (expected.code === actual.code) return [];
	const message = `The first two digits of the zip code belong to ${actual.name} (${actual.code}), not to ${expected.name} (${expected.code}). Correct the zip code or the state.`;
	return [{ code: 'STATE', message }];
}

/** A CURP's code is the usual mix-up; it is named, never taken, because the systems contradict each other. */
function unknownState(stated: unknown): string {
	const iso = typeof stated === 'string' && CURP_STATES.get(stated.trim().toUpperCase());
	const advice = iso
		? `In a CURP it would be ${ISO_STATES[iso].name}; if that is meant, enter ${iso}.`
		: 'Enter a code such as CMX or JAL.';
	return `The state is neither an ISO 3166-2:MX code (without MX-) nor a code of the credit bureau. ${advice}`;
}
