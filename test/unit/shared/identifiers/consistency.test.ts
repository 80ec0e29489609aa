import { checkConsistency, type Identifiers } from '../../../../nodes/shared/identifiers';

const TODAY = new Date('2026-11-20T12:00:00Z');
const compare = (identifiers: Identifiers) => checkConsistency(identifiers, TODAY);
const EMMA = { rfc: 'GODE561231GR8', curp: 'GODE561231XHGMZM01' };
const COMPANY = 'EKU9003173C9';

describe('the identifiers of one person', () => {
	it.each<[string, Identifiers]>([
		['nothing at all', {}],
		['empty fields', { rfc: '', curp: null, birthDate: '', zipCode: '', state: undefined }],
		['an RFC alone', { rfc: EMMA.rfc }],
		['RFC, CURP and birth date', { ...EMMA, birthDate: '1956-12-31' }],
		['an RFC without homoclave', { rfc: 'GODE561231', curp: EMMA.curp }],
		['a birth date with a time', { ...EMMA, birthDate: '1956-12-31T06:00:00.000Z' }],
		['a Date', { ...EMMA, birthDate: new Date('1956-12-31T06:00:00Z') }],
		['Ñ, which the CURP writes as X', { rfc: 'MUÑA930411', curp: 'MUXA930411HJCRMN03' }],
		['either century of an RFC', { rfc: 'GODE200229', birthDate: '1920-02-29' }],
		['the other century', { rfc: 'GODE200229', birthDate: '2020-02-29' }],
		['a zip code in its state', { zipCode: '01000', state: 'CDMX' }],
		['a zip code without a state', { zipCode: '01000' }],
		['a malformed zip code, which its own check refuses', { zipCode: '1000', state: 'CMX' }],
		['unreadable identifiers, which their own checks refuse', { rfc: 'GODE', curp: 'SABC' }],
		['the generic RFC', { rfc: 'XAXX010101000', curp: EMMA.curp, birthDate: '1956-12-31' }],
		['a company and a zip code', { rfc: COMPANY, zipCode: '44100', state: 'JAL' }],
	])('agree: %s', (_, identifiers) => {
		expect(compare(identifiers)).toEqual([]);
	});

	it.each<[string, Identifiers, string, RegExp]>([
		['letters', { rfc: 'GOME561231', curp: EMMA.curp }, 'LETTERS', /Positions 1–4 of RFC and CURP/],
		['dates', { rfc: 'GODE561230', curp: EMMA.curp }, 'DATE', /differ between RFC and CURP/],
		['birth date and RFC', { rfc: EMMA.rfc, birthDate: '1956-12-30' }, 'DATE', /in the RFC/],
		['century of the CURP', { curp: EMMA.curp, birthDate: '2056-12-31' }, 'DATE', /in the CURP/],
		['an unreadable birth date', { ...EMMA, birthDate: '31/12/1956' }, 'DATE', /YYYY-MM-DD/],
		['31 February', { ...EMMA, birthDate: '1956-02-31' }, 'DATE', /could not be read/],
		['a birth date of a wrong kind', { ...EMMA, birthDate: {} }, 'DATE', /could not be read/],
		['an invalid Date', { ...EMMA, birthDate: new Date('x') }, 'DATE', /could not be read/],
		["a company's RFC and a CURP", { rfc: COMPANY, curp: EMMA.curp }, 'TYPE', /company's/],
		[
			"a company's RFC and a birth date",
			{ rfc: COMPANY, birthDate: '1990-03-17' },
			'TYPE',
			/person/,
		],
		['zip code and state', { zipCode: '72000', state: 'TLA' }, 'STATE', /Puebla/],
		['an unknown state', { zipCode: '72000', state: 'PL' }, 'STATE', /enter PUE/],
	])('do not agree: %s', (_, identifiers, code, message) => {
		expect(compare(identifiers)).toEqual([{ code, message: expect.stringMatching(message) }]);
	});

	it('are compared even where a check digit is wrong', () => {
		expect(compare({ rfc: 'GODE561231GR9', curp: 'GODE561230XHGMZM01' })).toMatchObject([
			{ code: 'DATE' },
		]);
	});
});
