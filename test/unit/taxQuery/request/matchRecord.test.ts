import type { IDataObject } from 'n8n-workflow';
import { matchRecord, type ExpectedRecord } from '../../../../nodes/TaxQuery/request/matchRecord';
import { readTaxQueryMapping } from '../../../../nodes/shared/credentials/apiMapping';
import { readRecord } from '../../../../nodes/TaxQuery/client/queryRecord';
import type { QueryRecord } from '../../../../nodes/TaxQuery/client/queryModel';

const asDocumented = readTaxQueryMapping({});

const RFC = 'GODE561231GR8';
const OTHER = 'PEXL990821AB1';
const record = (service: string, query: unknown, more: IDataObject = {}) =>
	readRecord(
		{ _id: 'q1', service, status: 'SUCCESS', query, ...more },
		asDocumented,
	) as QueryRecord;
const crf: ExpectedRecord = { code: 'CRF', otherCodes: ['RFC', 'CURP'], fields: { rfc: RFC } };
const person: ExpectedRecord = {
	code: 'RFC_CALCULATOR',
	otherCodes: ['CRF'],
	fields: {
		name: 'José Luis',
		firstLastName: 'Pérez',
		secondLastName: '',
		day: 5,
		month: 7,
		year: 1990,
	},
};
const born = { day: '05', month: 7, year: 1990 };
const named = { name: 'JOSE  LUIS', firstLastName: 'PEREZ' };
const march: ExpectedRecord = {
	code: 'INVOICE',
	otherCodes: ['CRF'],
	isCodeGuessed: true,
	fields: { rfc: RFC, period: '2026-03', from: '2026-03-01', to: '2026-03-31' },
};

describe('compare', () => {
	it.each<[string, ExpectedRecord, QueryRecord, string]>([
		['the same', crf, record('CRF', { rfc: RFC }), 'match'],
		['in lower case', crf, record('crf', { rfc: RFC.toLowerCase() }), 'match'],
		['in its metadata', crf, record('CRF', {}, { metadata: { query: { rfc: RFC } } }), 'match'],
		['another person', crf, record('CRF', { rfc: OTHER }), 'mismatch'],
		['another query type', crf, record('RFC', { rfc: RFC }), 'mismatch'],
		['a query type that nobody knows', crf, record('CONSTANCIA', { rfc: RFC }), 'inconclusive'],
		['no query type', crf, record('', { rfc: RFC }), 'inconclusive'],
		['another person of a type that nobody knows', crf, record('X', { rfc: OTHER }), 'mismatch'],
		['nothing asked', crf, record('CRF', {}), 'inconclusive'],
		['a masked identifier', crf, record('CRF', { rfc: '*********1GR8' }), 'inconclusive'],
		['more fields', crf, record('CRF', { rfc: RFC, force: true }), 'inconclusive'],
		['a field called otherwise', crf, record('CRF', { taxId: RFC }), 'inconclusive'],
		['another person, called otherwise', crf, record('CRF', { taxId: OTHER }), 'mismatch'],
		['a CIEC, masked', crf, record('CRF', { rfc: RFC, ciec: '***' }), 'match'],
		['a birth date with a zero', person, record('RFC_CALCULATOR', { ...named, ...born }), 'match'],
		[
			'another birth date',
			person,
			record('RFC_CALCULATOR', { ...named, ...born, day: 6 }),
			'mismatch',
		],
		[
			'one surname more',
			person,
			record('RFC_CALCULATOR', { ...named, ...born, secondLastName: 'X' }),
			'inconclusive',
		],
		['a month by its name', march, record('INVOICE', { rfc: RFC, period: '2026-03' }), 'match'],
		[
			'a month out of a longer period',
			march,
			record('INVOICE', { rfc: RFC, period: '2026-03', from: '2026-01', to: '2026-04' }),
			'match',
		],
		[
			'some days of the month',
			march,
			record('INVOICE', { rfc: RFC, period: '2026-03', from: '2026-03-02', to: '2026-03-31' }),
			'mismatch',
		],
		['another month', march, record('INVOICE', { rfc: RFC, period: '2026-04' }), 'mismatch'],
		[
			'one month without a name',
			march,
			record('INVOICE', { rfc: RFC, from: '2026-03', to: '2026-03' }),
			'match',
		],
		[
			'several months',
			march,
			record('INVOICE', { rfc: RFC, from: '2026-03', to: '2026-05' }),
			'inconclusive',
		],
		[
			'a month that cannot be read',
			march,
			record('INVOICE', { rfc: RFC, period: 'marzo' }),
			'inconclusive',
		],
		[
			'a guessed code that is another type here',
			march,
			record('CRF', { rfc: RFC }),
			'inconclusive',
		],
	])('%s', (_what, expected, one, result) => {
		expect(matchRecord(expected, one)).toBe(result);
	});

	it('knows a record that was made too early to be whole', () => {
		const completeSince = Date.parse('2026-04-01T06:00:00Z');
		const expected = { ...march, completeSince };
		const made = (createdAt?: string) =>
			matchRecord(expected, record('INVOICE', { rfc: RFC, period: '2026-03' }, { createdAt }));
		expect([
			made('2026-03-31T23:00:00Z'),
			made('2026-04-02T00:00:00Z'),
			made('2026-04-02T00:00:00'),
		]).toEqual(['mismatch', 'match', 'inconclusive']);
	});
});
