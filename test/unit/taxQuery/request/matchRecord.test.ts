import type { IDataObject } from 'n8n-workflow';
import {
	canonicalRequestFields,
	indexRecords,
	matchRecord,
	type ExpectedRecord,
} from '../../../../nodes/TaxQuery/request/matchRecord';
import { readTaxQueryApiMapping } from '../../../../nodes/shared/credentials/apiMapping';
import { parseRecord } from '../../../../nodes/TaxQuery/client/record';
import type { QueryRecord } from '../../../../nodes/TaxQuery/client/model';

const asDocumented = readTaxQueryApiMapping({});

const RFC = 'GODE561231GR8';
const OTHER = 'PEXL990821AB1';
const record = (service: string, query: unknown, more: IDataObject = {}) =>
	parseRecord(
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
		[
			'its own person, called otherwise, beside another one',
			crf,
			record('CRF', { taxpayerId: RFC, requestedBy: OTHER }),
			'inconclusive',
		],
		[
			'no field called as what every object has',
			{ ...crf, fields: { rfc: RFC, constructor: 'ACME' } as IDataObject },
			record('CRF', { rfc: RFC }),
			'inconclusive',
		],
		[
			'another additional field, as a retry has that sends the time',
			{ ...crf, fields: { rfc: RFC, ts: '0.5' } },
			record('CRF', { rfc: RFC, ts: '0.7' }),
			'inconclusive',
		],
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

describe('two questions have the same canonical fields', () => {
	it.each<[how: string, one: IDataObject, other: IDataObject]>([
		['with an RFC in another spelling', { rfc: RFC }, { rfc: 'gode-561231 gr8' }],
		['with a CURP in another spelling', { curp: 'AB-12' }, { curp: 'ab 12' }],
		['with fields in another order', { a: '1', b: '2' }, { b: '2', a: '1' }],
		[
			'with nested keys in another order',
			{ context: { a: 1, b: { c: 1, d: 2 } } },
			{ context: { b: { d: 2, c: 1 }, a: 1 } },
		],
		['with an empty field more', { a: '1' }, { a: '1', b: '' }],
		['with another apostrophe', { name: "D'Angelo" }, { name: 'D’Angelo' }],
		[
			'with a period of months, and of their days',
			{ from: '2026-08', to: '2026-09' },
			{ from: '2026-08-01', to: '2026-09-30' },
		],
	])('%s', (_how, one, other) => {
		expect(canonicalRequestFields(one)).toEqual(canonicalRequestFields(other));
	});
});

describe('two questions have other canonical fields', () => {
	it.each<[how: string, one: IDataObject, other: IDataObject]>([
		['with other nested values', { context: { a: 1, b: 2 } }, { context: { a: 2, b: 1 } }],
		['with lists in another order', { list: [1, 2] }, { list: [2, 1] }],
		['with a name that has a hyphen', { name: 'ANA-LUZ' }, { name: 'ANALUZ' }],
		[
			'with some days of a month',
			{ from: '2026-09', to: '2026-09' },
			{ from: '2026-09-01', to: '2026-09-29' },
		],
	])('%s', (_how, one, other) => {
		expect(canonicalRequestFields(one)).not.toEqual(canonicalRequestFields(other));
	});
});

it.each(['GODE-561231-GR8', 'gode 561231 gr8', RFC])(
	'an index of records finds an RFC that is spelled %s',
	(rfc) => {
		const listed = record('CRF', { rfc });
		expect(indexRecords([record('CRF', { rfc: OTHER }), listed])(crf)).toEqual([listed]);
	},
);
