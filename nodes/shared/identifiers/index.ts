/** Offline checks of Mexican identifiers: pure, never throwing, without dependencies. */
export { contradict, findIdentifierContradictions, type Identifiers } from './consistency';
export { checkCurp, type CurpCheck } from './curp';
export { checkNss } from './nss';
export { finding } from './checkResult';
export type {
	CheckErrorFinding,
	CheckResult,
	CheckWarning,
	IdentifierContradiction,
	MexicanState,
} from './checkResult';
export { checkRfc, type RfcCheck } from './rfc';
export { checkZipCode, type ZipCodeCheck } from './zipCode';
