import { STATE_CODES, isZipCodeOfState } from '../../contract/creditProfile';
import { isRfcWithoutHomoclave, isCurp, isNss, isRfc } from '../../contract/identifierChecks';
import vectors from '../fixtures/identifier-vectors.json';

const valuesOf = (some: Array<{ value: string }>) => some.map(({ value }) => value);
const hard = <T extends { level: string }>(some: T[]) =>
	some.filter(({ level }) => level === 'hard');

describe("the contract's identifiers (CP §2.8)", () => {
	it.each(valuesOf([...vectors.rfcValid, ...vectors.rfcValidBadCheckDigit]))(
		'take the RFC %s',
		(value) => expect(isRfc(value)).toBe(true),
	);

	it.each(valuesOf(hard(vectors.rfcInvalid)))('refuse the RFC %s', (value) =>
		expect(isRfc(value)).toBe(false),
	);

	it.each(vectors.rfcShort)('judge $value as an RFC without homoclave: $ok', ({ value, ok }) =>
		expect(isRfcWithoutHomoclave(value)).toBe(ok),
	);

	it.each(valuesOf(vectors.curpValid))('take the CURP %s', (value) =>
		expect(isCurp(value)).toBe(true),
	);

	it.each(valuesOf(hard(vectors.curpInvalid)))('refuse the CURP %s', (value) =>
		expect(isCurp(value)).toBe(false),
	);

	it.each(valuesOf(vectors.nssValid))('take the NSS %s', (value) =>
		expect(isNss(value)).toBe(true),
	);

	it.each(valuesOf(vectors.nssInvalid))('refuse the NSS %s', (value) =>
		expect(isNss(value)).toBe(false),
	);

	it.each(vectors.zipState)('judge the zip code $zip in $state: $ok', ({ zip, state, ok }) =>
		expect(isZipCodeOfState(zip, state)).toBe(ok),
	);

	it('give each zip prefix but 00, 17, 18 and 19 to one state, by both of its codes', () => {
		const prefixes = Array.from({ length: 100 }, (_, prefix) => String(prefix).padStart(2, '0'));
		const counts = prefixes.map(
			(prefix) => STATE_CODES.filter((code) => isZipCodeOfState(`${prefix}000`, code)).length,
		);
		const without = prefixes.filter((_prefix, index) => counts[index] === 0);
		expect(without).toEqual(['00', '17', '18', '19']);
		expect(Math.max(...counts)).toBe(2);
	});
});
