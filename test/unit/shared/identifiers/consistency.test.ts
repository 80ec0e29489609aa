import {
	findIdentifierContradictions,
	type Identifiers,
} from '../../../../nodes/shared/identifiers';

const TODAY = new Date('2026-11-20T12:00:00Z');
const compare = (identifiers: Identifiers) => findIdentifierContradictions(identifiers, TODAY);
const EMMA = { rfc: 'GODE561231GR8', curp: 'GODE561231XHGMZM01' };
const COMPANY = 'EKU9003173C9';

describe('the identifiers of one person', () => {
	it.each<[string, Identifiers]>([
		['nothing at all', {}],
		['empty fields', { rfc: '', curp: null, birthDate: undefined }],
		['a company alone', { rfc: COMPANY }],
		['an RFC alone', { rfc: EMMA.rfc }],
		['RFC, CURP and birth date', { ...EMMA, birthDate: '1956-12-31' }],
		['an RFC without homoclave', { rfc: 'GODE561231', curp: EMMA.curp }],
		['Ñ, which the CURP writes as X', { rfc: 'MUÑA930411', curp: 'MUXA930411HJCRMN03' }],
		['either century of an RFC', { rfc: 'GODE200229', birthDate: '1920-02-29' }],
		['the other century', { rfc: 'GODE200229', birthDate: '2020-02-29' }],
		['unreadable identifiers, which their own checks refuse', { rfc: 'GODE', curp: 'SABC' }],
		['the generic RFC', { rfc: 'XAXX010101000', curp: EMMA.curp, birthDate: '1956-12-31' }],
	])('agree: %s', (_, identifiers) => {
		expect(compare(identifiers)).toEqual([]);
	});

	it.each<[string, Identifiers, string, RegExp]>([
		['letters', { rfc: 'GOME561231', curp: EMMA.curp }, 'LETTERS', /Positions 1–4 of RFC and CURP/],
		['dates', { rfc: 'GODE561230', curp: EMMA.curp }, 'DATE', /differ between RFC and CURP/],
		['birth date and RFC', { rfc: EMMA.rfc, birthDate: '1956-12-30' }, 'DATE', /in the RFC/],
		['century of the CURP', { curp: EMMA.curp, birthDate: '2056-12-31' }, 'DATE', /in the CURP/],
		["a company's RFC and a CURP", { rfc: COMPANY, curp: EMMA.curp }, 'TYPE', /company's/],
		[
			"a company's RFC and a birth date",
			{ rfc: COMPANY, birthDate: '1990-03-17' },
			'TYPE',
			/person/,
		],
	])('do not agree: %s', (_, identifiers, code, message) => {
		expect(compare(identifiers)).toMatchObject([{ code, message: expect.stringMatching(message) }]);
	});

	it('are compared even where a check digit is wrong', () => {
		expect(compare({ rfc: 'GODE561231GR9', curp: 'GODE561230XHGMZM01' })).toMatchObject([
			{ code: 'DATE' },
		]);
	});
});
