import { STATE_CODES, STATE_TABLE } from '../../../../contract/creditProfile/regionCodes';
import { checkCurp, checkNss, checkRfc, checkZipCode } from '../../../../nodes/shared/identifiers';
import { MEXICAN_STATES } from '../../../../nodes/shared/identifiers/states';

const TODAY = new Date('2026-11-20T12:00:00Z');
const rfc = (value: unknown) => checkRfc(value, TODAY);
const curp = (value: unknown) => checkCurp(value, TODAY);
const CHECKS = { RFC: checkRfc, CURP: checkCurp, NSS: checkNss, 'zip code': checkZipCode };
const fullWidth = (text: string) =>
	text.replace(/[!-~]/g, (character) => String.fromCodePoint(character.charCodeAt(0) + 0xfee0));

describe('reading what was entered', () => {
	it.each([
		[' gode 561231-gr8 ', 'GODE561231GR8'],
		['gode561231gr8\n', 'GODE561231GR8'],
		['GODE\u00a0561231\u2011GR8', 'GODE561231GR8'],
		['RAQN\u03037701212M3', 'RAQÑ7701212M3'],
		['raqn\u03037701212m3', 'RAQÑ7701212M3'],
		['raqñ7701212m3', 'RAQÑ7701212M3'],
		['L&amp;O950913MSA', 'L&O950913MSA'],
	])('takes %j as %s', (entered, normalized) => {
		expect(rfc(entered)).toMatchObject({ valid: true, normalized });
	});

	it('refuses Ñ in a CURP, however it is written', () => {
		expect(curp('MUn\u0303A560626MDFLRN01').errors).toMatchObject([
			{ code: 'FORMAT', message: expect.stringContaining('Position 3 of the CURP holds "Ñ"') },
		]);
	});

	it.each([
		['RFC', 'GODE561231GR8'],
		['CURP', 'SABC560626MDFLRN01'],
		['NSS', '92919084431'],
		['zip code', '01460'],
	] as const)('refuses full-width characters in a %s', (name, valid) => {
		expect(CHECKS[name](fullWidth(valid)).errors[0]).toMatchObject({
			code: 'FORMAT',
			message: expect.stringMatching(/^Position 1 of the \w+( \w+)? holds a look-alike.*\(U\+FF/),
		});
	});

	it.each([
		['a CURP', 'SABC560626MDFLRN01', checkRfc, 'This is a CURP, not an RFC. '],
		['a CURP with a wrong digit', 'sabc-560626-MDFLRN09', checkRfc, 'This is a CURP, not an RFC. '],
		["a person's RFC", 'GODE561231GR8', checkCurp, 'This is an RFC, not a CURP. '],
		["a company's RFC", 'L&amp;O950913MSA', checkCurp, 'This is an RFC, not a CURP. '],
		['an RFC with a slash', 'GODE561231/GR8', checkCurp, 'This is an RFC, not a CURP. '],
		['an RFC without homoclave', 'GODE561231', checkCurp, 'This is an RFC, not a CURP. '],
		['a CURP cut short', 'SABC560626MDFLRN0', checkRfc, 'The RFC has 17 characters'],
		['an RFC with a wrong sign', 'GODE56123-1GR#', checkCurp, 'The CURP has 13 characters'],
	] as const)('says so of %s in the column of the other', (_what, entered, check, message) => {
		expect(check(entered, TODAY).errors).toMatchObject([
			{ code: 'FORMAT', message: expect.stringContaining(message) },
		]);
	});

	it.each([
		[
			'an accent',
			'GÓDE561231GR8',
			'Position 2 of the RFC holds "Ó"; it must be a letter A–Z without accent',
		],
		['a sharp s', 'GßDE561231GR8', 'Position 2 of the RFC holds "ß"'],
		['a dotless i', 'G\u0131DE561231GR8', 'Position 2 of the RFC holds a look-alike'],
		['a zero-width space', 'GODE561231G\u200b8', 'Position 12 of the RFC holds a look-alike'],
		['a letter O for zero', 'GODE561O31GR8', 'Position 8 of the RFC holds "O"; it must be a digit'],
		['an RFC cut short', 'GODE561231GR', "12 characters is a company's"],
		['a slash among the letters', 'GOD/561231GR8', 'Position 4 of the RFC holds "/"'],
		['a check digit B', 'GODE561231GRB', 'Position 13 of the RFC holds "B"'],
		['eleven characters', 'GODE561231G', 'The RFC has 11 characters'],
	])('names the place of %s', (_, entered, message) => {
		expect(rfc(entered).errors[0]).toMatchObject({
			code: 'FORMAT',
			message: expect.stringContaining(message),
		});
	});

	it.each(Object.entries(CHECKS))('says that a %s is empty or no text', (_, check) => {
		const messages = ['', ' - ', null, undefined, {}, [], true, Number.NaN, -1, 1.5].map(
			(value) => check(value).errors[0].message,
		);
		const empty = expect.stringContaining('is empty');
		const kinds = ['object', 'a list', 'boolean', 'number', 'number', 'number'];
		expect(messages).toEqual([
			...[empty, empty, empty, empty],
			...kinds.map((kind) => expect.stringContaining(`(${kind})`)),
		]);
	});
});

describe('an RFC', () => {
	it.each([
		['GODE561331GR8', 'positions 7–8 give month 13'],
		['GODE560031GR8', 'positions 7–8 give month 00'],
		['GODE560231GR8', 'positions 9–10 give day 31, which month 02 of 1956 or 2056 does not have'],
		['GODE560431GR8', 'positions 9–10 give day 31, which month 04 of 1956 or 2056 does not have'],
		['GODE560400GR8', 'positions 9–10 give day 00'],
		['GODE010229', 'positions 9–10 give day 29, which month 02 of 1901 or 2001 does not have'],
		['EKU9002303C9', 'positions 8–9 give day 30, which month 02 of 1990 or 2090'],
	])('%s is refused for its date alone', (value, message) => {
		expect(rfc(value)).toMatchObject({
			valid: false,
			dateCandidates: [],
			errors: [{ code: 'DATE', message: expect.stringContaining(message) }],
		});
	});

	it.each([
		['GODE561231GR8', ['1956-12-31']],
		['GODE000229', ['2000-02-29']],
		['GODE261120', ['1926-11-20', '2026-11-20']],
		['GODE261121', ['1926-11-21']],
	])('%s can be of %j', (value, dates) => {
		const { date, dateCandidates } = rfc(value);
		expect({ date, dateCandidates }).toEqual({
			date: dates.length === 1 ? dates[0] : undefined,
			dateCandidates: dates,
		});
	});

	it.each(['PUTO561231', 'CAKO561231GR8'])('%s is refused for its word', (value) => {
		expect(rfc(value).errors).toMatchObject([
			{ code: 'WORD', message: expect.stringContaining('Positions 1–4') },
		]);
	});

	it.each(['VACA561231', 'PUT561231'])('%s has no word of the RFC list', (value) => {
		expect(rfc(value).valid).toBe(true);
	});

	it.each([
		...['XAXX010101000', 'XEXX010101000', 'xaxx-010101-000', 'XAXX010101'],
		...['EXT990101NI4', 'EXT990101NI9', 'EXT990101NI1', 'EXTF900101NI1'],
	])('%s is generic: valid, of nobody, without a date', (value) => {
		expect(rfc(value)).toMatchObject({
			valid: true,
			normalized: value.toUpperCase().replaceAll('-', ''),
			type: 'generic',
			generic: true,
			hasHomoclave: value.length > 10,
			dateCandidates: [],
			errors: [],
			warnings: [{ code: 'GENERIC', message: expect.stringContaining('names nobody') }],
		});
	});

	it('names the position of a wrong character of a homoclave', () => {
		expect(rfc('CCM650122I06').warnings).toMatchObject([
			{ code: 'HOMOCLAVE', message: expect.stringContaining('Position 11 of the RFC holds "0"') },
		]);
	});

	it('with a wrong check digit is only warned about', () => {
		expect(rfc('GODE561231GR9')).toMatchObject({
			valid: true,
			errors: [],
			warnings: [{ code: 'DIGIT', message: expect.stringContaining('position 13') }],
		});
	});
});

describe('a CURP', () => {
	it.each([
		['GODE561231XHGMZM01', '1956-12-31', 'non-binary', { code: 'HID', name: 'Hidalgo' }],
		['IXRA011009HQRCDNA0', '2001-10-09', 'male', { code: 'ROO', name: 'Quintana Roo' }],
		['SABC560626MDFLRN01', '1956-06-26', 'female', { code: 'CMX', name: 'Ciudad de México' }],
		['BEML920313HCMLNS09', '1992-03-13', 'male', { code: 'COL', name: 'Colima' }],
		['MOTR930411HNERMN03', '1993-04-11', 'male', { code: null, name: 'Born abroad' }],
	])('%s gives birth date, sex and state', (value, birthDate, sex, state) => {
		expect(curp(value)).toEqual({
			valid: true,
			normalized: value,
			type: 'PF',
			birthDate,
			sex,
			state,
			errors: [],
			warnings: [],
		});
	});

	it('takes its century from position 17, so that 29 February 1901 is refused', () => {
		expect(curp('SABC010229MDFLRN03').errors).toMatchObject([
			{
				code: 'DATE',
				message: expect.stringContaining('day 29, which month 02 of 1901 does not have'),
			},
		]);
	});

	it('with a wrong digit is refused', () => {
		expect(curp('SABC560626MDFLRN02').errors).toMatchObject([
			{ code: 'DIGIT', message: expect.stringContaining('position 18') },
		]);
	});

	it.each(['XX', 'CX', 'GU'])('with the unknown state %s is refused', (code) => {
		expect(curp(`SABC560626M${code}LRN01`).errors).toContainEqual(
			expect.objectContaining({
				code: 'STATE',
				message: expect.stringContaining('Positions 12–13'),
			}),
		);
	});

	it('reports all that is wrong at once', () => {
		expect(curp('FETO931311HJCRMN06').errors.map(({ code }) => code)).toEqual(['DATE', 'DIGIT']);
	});
});

describe('an NSS', () => {
	it('is taken as a number that lost no zero', () => {
		expect(checkNss(92919084431)).toMatchObject({ valid: true, normalized: '92919084431' });
	});

	it('that lost its leading zero as a number is refused with that reason', () => {
		expect(checkNss(1806500011).errors).toMatchObject([
			{ code: 'FORMAT', message: expect.stringMatching(/leading zero was lost, keep it as text/) },
		]);
	});

	it('of a special series is not judged by its structure', () => {
		expect(checkNss('97000000006').valid).toBe(true);
	});
});

describe('a zip code', () => {
	it('given as the number 1000 lost its leading zero', () => {
		expect(checkZipCode(1000, 'CMX').errors).toMatchObject([
			{ code: 'FORMAT', message: expect.stringMatching(/leading zero was lost, keep it as text/) },
		]);
	});

	it('explains a zip code of four digits as text', () => {
		expect(checkZipCode('1000').errors[0].message).toMatch(/leading zero was lost/);
	});

	it('is taken as a number of five digits', () => {
		expect(checkZipCode(44100)).toMatchObject({ normalized: '44100', state: { code: 'JAL' } });
	});

	it.each([undefined, null, ''])('needs no state: %j', (state) => {
		expect(checkZipCode('01000', state)).toMatchObject({ valid: true, state: { code: 'CMX' } });
	});

	it.each(STATE_TABLE)(
		'of $iso fits ISO and bureau code, at both ends',
		({ iso, bureau, zipPrefixes }) => {
			const zips = zipPrefixes.map((prefix) => `${String(prefix).padStart(2, '0')}000`);
			const found = zips.flatMap((zip) => [checkZipCode(zip, iso), checkZipCode(zip, bureau)]);
			expect(found.map(({ valid, state }) => valid && state?.code)).toEqual(Array(4).fill(iso));
		},
	);

	it('fits exactly one of the 32 states, for each code of §2.11', () => {
		const fitting = STATE_CODES.filter((code) => checkZipCode('31000', code.toLowerCase()).valid);
		expect(fitting).toEqual(['CHH', 'CHI']);
	});

	it('that belongs elsewhere is refused with both states', () => {
		expect(checkZipCode('72000', 'TLA')).toMatchObject({
			valid: false,
			state: { code: 'PUE', name: 'Puebla' },
			errors: [
				{ code: 'STATE', message: expect.stringMatching(/Puebla \(PUE\), not to Tlaxcala/) },
			],
		});
	});

	it.each([
		['GR', 'it would be Guerrero; if that is meant, enter GRO'],
		['DF', 'it would be Ciudad de México; if that is meant, enter CMX'],
		['MX-JAL', 'without MX-'],
		['__proto__', 'Enter a code such as'],
		[20, 'Enter a code such as'],
	])('with the state %j, of no known system, is refused', (state, message) => {
		expect(checkZipCode('39000', state).errors).toMatchObject([
			{ code: 'STATE', message: expect.stringContaining(message) },
		]);
	});

	it.each(['00', '17', '18', '19'])('that begins with %s is in no state', (prefix) => {
		expect(checkZipCode(`${prefix}000`).errors).toMatchObject([{ code: 'STATE' }]);
	});
});

it('knows one CURP code for each of the 32 states', () => {
	const codes = MEXICAN_STATES.map(({ curp: code }) => code);
	expect(new Set(codes).size).toBe(32);
	expect(codes.join('')).toMatch(/^[A-Z]{64}$/);
});
