import { checkCurp, checkNss, checkRfc, checkZipCode } from '../../../../nodes/shared/identifiers';
import { rfcCheckDigit } from '../../../../nodes/shared/identifiers/rfc';
import vectors from '../../../fixtures/identifier-vectors.json';

const TODAY = new Date('2026-11-20T12:00:00Z');
const rfc = (value: unknown) => checkRfc(value, TODAY);
const curp = (value: unknown) => checkCurp(value, TODAY);
const codes = (findings: Array<{ code: string }>) => findings.map(({ code }) => code);
const iso = ({ year, month, day }: { year: number; month: number; day: number }) =>
	[year, String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
const pick = <Row extends { level: string }>(rows: Row[], level: string) =>
	rows.filter((row) => row.level === level);

it('tests every group of the vectors', () => {
	expect(Object.keys(vectors).sort()).toEqual(
		[
			['meta', 'rfcCalc', 'rfcCalcPm', 'rfcValid', 'rfcNormalize', 'rfcValidBadCheckDigit'],
			['rfcInvalid', 'rfcShort', 'curpCalc', 'curpValid', 'curpInvalid', 'curpAmbiguous'],
			['nssValid', 'nssInvalid', 'nssNormalize', 'zipState'],
		]
			.flat()
			.sort(),
	);
});

describe('the RFC vectors', () => {
	it.each(vectors.rfcValid)('takes $value without a warning, as $type', ({ value, type }) => {
		expect(rfc(value)).toMatchObject({
			valid: true,
			normalized: value,
			type,
			generic: false,
			hasHomoclave: true,
			errors: [],
			warnings: [],
		});
	});

	it.each(vectors.rfcCalc)('finds the birth date of the person $expected', (person) => {
		expect(rfc(person.expected)).toMatchObject({ valid: true, type: 'PF', warnings: [] });
		expect(rfc(person.expected).dateCandidates).toContain(iso(person));
	});

	it.each(vectors.rfcCalcPm)('finds the constitution date of $expected', (company) => {
		expect(rfc(company.expected)).toMatchObject({ valid: true, type: 'PM', warnings: [] });
		expect(rfc(company.expected).dateCandidates).toContain(iso(company));
	});

	it.each(vectors.rfcNormalize)('normalises "$input"', ({ input, normalized }) => {
		expect(rfc(input).normalized).toBe(normalized);
	});

	it.each(vectors.rfcValidBadCheckDigit)(
		'only warns that $value, a real RFC, should end with $expectedDigit',
		({ value, expectedDigit }) => {
			expect(rfc(value).valid).toBe(true);
			expect(codes(rfc(value).warnings)).toContain('DIGIT');
			expect(rfcCheckDigit(value)).toBe(expectedDigit);
		},
	);

	it.each(pick(vectors.rfcInvalid, 'hard'))('refuses $value: $reason', ({ value }) => {
		expect(rfc(value).valid).toBe(false);
	});

	it.each(pick(vectors.rfcInvalid, 'soft'))('only warns about $value: $reason', ({ value }) => {
		const { valid, warnings } = rfc(value);
		expect({ valid, warned: warnings.length > 0 }).toEqual({ valid: true, warned: true });
	});

	it.each(vectors.rfcShort)('without homoclave, $value: $ok', ({ value, ok }) => {
		expect(rfc(value)).toMatchObject({ valid: ok, hasHomoclave: false });
	});
});

describe('the CURP vectors', () => {
	it.each(vectors.curpValid)('takes $value without a warning', ({ value }) => {
		expect(curp(value)).toMatchObject({ valid: true, normalized: value, warnings: [] });
	});

	it.each(vectors.curpCalc)('reads birth date and sex of $expected', (person) => {
		expect(curp(person.expected)).toMatchObject({
			valid: true,
			birthDate: iso(person),
			sex: { H: 'male', M: 'female', X: 'non-binary' }[person.sex],
		});
	});

	it.each(pick(vectors.curpInvalid, 'hard'))('refuses "$value": $reason', ({ value }) => {
		expect(curp(value).valid).toBe(false);
	});

	it.each(pick(vectors.curpInvalid, 'soft'))('only warns about $value: $reason', ({ value }) => {
		expect(curp(value)).toMatchObject({ valid: true, warnings: [{ code: 'WORD' }] });
	});

	it.each(vectors.curpAmbiguous)('warns of the future about $value', ({ value }) => {
		expect(curp(value)).toMatchObject({ valid: true, warnings: [{ code: 'FUTURE' }] });
	});
});

describe('the NSS vectors', () => {
	it.each(vectors.nssValid)('takes $value', ({ value }) => {
		expect(checkNss(value)).toEqual({ valid: true, normalized: value, errors: [], warnings: [] });
	});

	it.each(vectors.nssInvalid)('refuses $value: $reason', ({ value }) => {
		expect(checkNss(value).valid).toBe(false);
	});

	it.each(vectors.nssNormalize)('normalises "$input"', ({ input, normalized }) => {
		expect(checkNss(input)).toMatchObject({ valid: true, normalized });
	});
});

describe('the zip code vectors', () => {
	it.each(vectors.zipState)('$zip in $state: $ok', ({ zip, state, ok }) => {
		expect(checkZipCode(zip, state).valid).toBe(ok);
	});
});
