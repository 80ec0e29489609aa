import {
	finding,
	checkResult,
	type CheckErrorFinding,
	type CheckResult,
	type MexicanState,
} from './checkResult';
import { stateByIsoOrBureauCode, stateByCurpCode, stateByZipCode } from './states';
import { readExactDigitsWithErrors } from './text';

export interface ZipCodeCheck extends CheckResult {
	/** The state that the first two digits belong to. */
	state?: MexicanState;
}

/**
 * Checks a zip code offline, and that it lies in the given state. The state is a code of CP §2.11 (ISO 3166-2:MX or
 * the bureau's); null and '' are none. Takes any values and never throws. Errors are FORMAT and STATE (the service
 * demands that they match, CP §2.8).
 */
export function checkZipCode(value: unknown, stated?: unknown): ZipCodeCheck {
	const { text, errors } = readExactDigitsWithErrors(value, 'zip code', 5);
	if (errors.length > 0) return checkResult(text, errors);
	const state = stateByZipCode(text);
	const problem = state ? contradiction(state, stated) : NO_STATE;
	return { ...checkResult(text, problem ? [problem] : []), ...(state && { state }) };
}

const NO_STATE: CheckErrorFinding = finding(
	'STATE',
	'No state has zip codes that begin with 00, 17, 18 or 19',
	'Check the first two digits.',
);

function contradiction(actual: MexicanState, stated: unknown): CheckErrorFinding | undefined {
	if (stated === undefined || stated === null || stated === '') return undefined;
	const expected = stateByIsoOrBureauCode(stated);
	if (!expected) return unknownState(stated);
	if (expected.code === actual.code) return undefined;
	return finding(
		'STATE',
		`The first two digits of the zip code belong to ${actual.name} (${actual.code}), not to ${expected.name} (${expected.code})`,
		'Correct the zip code or the state.',
	);
}

/** A CURP's code is the usual mix-up; it is named, never taken, because the systems contradict each other. */
function unknownState(stated: unknown): CheckErrorFinding {
	const meant = stateByCurpCode(stated);
	const advice = meant?.code
		? `In a CURP it would be ${meant.name}; if that is meant, enter ${meant.code}.`
		: 'Enter a code such as CMX or JAL.';
	const problem =
		'The state is neither an ISO 3166-2:MX code (without MX-) nor a code of the credit bureau';
	return finding('STATE', problem, advice);
}
