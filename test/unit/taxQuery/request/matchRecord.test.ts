import type { IDataObject } from 'n8n-workflow';
import { compare, type Expected } from '../../../../nodes/TaxQuery/request/matchRecord';
import { readTaxQueryMapping } from '../../../../nodes/shared/credentials/apiMapping';
import { readRecord } from '../../../../nodes/TaxQuery/client/queryRecord';
import type { QueryRecord } from '../../../../nodes/TaxQuery/client/types';

const asDocumented = readTaxQueryMapping({});

const RFC = 'GODE561231GR8';
const OTHER = 'PEXL990821AB1';
const record = (service: string, query: unknown, more: IDataObject = {}) =>
	readRecord(
		{ _id: 'q1', service, status: 'SUCCESS', query, ...more },
		asDocumented,
	) as QueryRecord;
const crf: Expected = { code: 'CRF', otherCodes: ['RFC', 'CURP'], asked: { rfc: RFC } };
const person: Expected = {
	code: 'RFC_CALCULATOR',
	otherCodes: ['CRF'],
	asked: {
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
const march: Expected = {
	code: 'INVOICE',
	otherCodes: ['CRF'],
	isCodeGuessed: true,
	asked: { rfc: RFC, period: '2026-03', from: '2026-03-01', to: '2026-03-31' },
};

describe('compare', () => {
	it.each<[string, Expected, QueryRecord, string]>([
		['the same', crf, record('CRF', { rfc: RFC }), 'same'],
		['in lower case', crf, record('crf', { rfc: RFC.toLowerCase() }), 'same'],
		['in its metadata', crf, record('CRF', {}, { metadata: { query: { rfc: RFC } } }), 'same'],
		['another person', crf, record('CRF', { rfc: OTHER }), 'other'],
		['another query type', crf, record('RFC', { rfc: RFC }), 'other'],
		['a query type that nobody knows', crf, record('CONSTANCIA', { rfc: RFC }), 'untold'],
		['no query type', crf, record('', { rfc: RFC }), 'untold'],
		['another person of a type that nobody knows', crf, record('X', { rfc: OTHER }), 'other'],
		['nothing asked', crf, record('CRF', {}), 'untold'],
		['a masked identifier', crf, record('CRF', { rfc: '*********1GR8' }), 'untold'],
		['more fields', crf, record('CRF', { rfc: RFC, force: true }), 'untold'],
		['a field called otherwise', crf, record('CRF', { taxId: RFC }), 'untold'],
		['another person, called otherwise', crf, record('CRF', { taxId: OTHER }), 'other'],
		['a CIEC, masked', crf, record('CRF', { rfc: RFC, ciec: '***' }), 'same'],
		['a birth date with a zero', person, record('RFC_CALCULATOR', { ...named, ...born }), 'same'],
		[
			'another birth date',
			person,
			record('RFC_CALCULATOR', { ...named, ...born, day: 6 }),
			'other',
		],
		[
			'one surname more',
			person,
			record('RFC_CALCULATOR', { ...named, ...born, secondLastName: 'X' }),
			'untold',
		],
		['a month by its name', march, record('INVOICE', { rfc: RFC, period: '2026-03' }), 'same'],
		[
			'a month out of a longer period',
			march,
			record('INVOICE', { rfc: RFC, period: '2026-03', from: '2026-01', to: '2026-04' }),
			'same',
		],
		[
			'some days of the month',
			march,
			record('INVOICE', { rfc: RFC, period: '2026-03', from: '2026-03-02', to: '2026-03-31' }),
			'other',
		],
		['another month', march, record('INVOICE', { rfc: RFC, period: '2026-04' }), 'other'],
		[
			'one month without a name',
			march,
			record('INVOICE', { rfc: RFC, from: '2026-03', to: '2026-03' }),
			'same',
		],
		[
			'several months',
			march,
			record('INVOICE', { rfc: RFC, from: '2026-03', to: '2026-05' }),
			'untold',
		],
		[
			'a month that cannot be read',
			march,
			record('INVOICE', { rfc: RFC, period: 'marzo' }),
			'untold',
		],
		['a guessed code that is another type here', march, record('CRF', { rfc: RFC }), 'untold'],
	])('%s', (_what, expected, one, result) => {
		expect(compare(expected, one)).toBe(result);
	});

	it('knows a record that was made too early to be whole', () => {
		const wholeSince = Date.parse('2026-04-01T06:00:00Z');
		const expected = { ...march, wholeSince };
		const made = (createdAt?: string) =>
			compare(expected, record('INVOICE', { rfc: RFC, period: '2026-03' }, { createdAt }));
		expect([
			made('2026-03-31T23:00:00Z'),
			made('2026-04-02T00:00:00Z'),
			made('2026-04-02T00:00:00'),
		]).toEqual(['other', 'same', 'untold']);
	});
});
