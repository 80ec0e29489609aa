import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
	readCreditProfileApiMapping,
	readTaxQueryApiMapping,
} from '../../../../nodes/shared/credentials/apiMapping';
import { pathOf } from '../../../../nodes/TaxQuery/client/names';
import { queryTypesByOperation } from '../../../../nodes/shared/queryTypes/catalog';

const read = { creditProfile: readCreditProfileApiMapping, taxQuery: readTaxQueryApiMapping };
type Service = keyof typeof read;

describe('API Mapping', () => {
	it('knows the queries of the catalogue, each with its own fields, and nothing else', () => {
		for (const { operation, fields } of Object.values(queryTypesByOperation)) {
			const names = Object.fromEntries(fields.map((name, index) => [name, `own${index}`]));
			const given = { fields: { [operation]: names }, services: { [operation]: 'OWN' } };
			expect(readTaxQueryApiMapping({ apiMapping: given } as never)).toMatchObject(given);
		}
	});

	it.each<[Service, unknown, string]>([
		[
			'creditProfile',
			{ pathz: {} },
			'"pathz" is not known; known are paths, fields, filterEncoding',
		],
		['creditProfile', { paths: { bureaux: 'x' } }, '"paths.bureaux" is not known'],
		['creditProfile', { paths: { bureau: 1 } }, '"paths.bureau" must be a path'],
		['creditProfile', { paths: 'x' }, '"paths" must be an object'],
		['creditProfile', { fields: { key: 'x' } }, '"fields.key" is not known'],
		[
			'creditProfile',
			{ filterEncoding: 'php' },
			'"filterEncoding" must be one of brackets, dots, json',
		],
		[
			'creditProfile',
			{ listEncoding: null },
			'"listEncoding" must be one of brackets, indices, repeat',
		],
		[
			'creditProfile',
			{ paths: { prospector: 'bureau' } },
			'"paths.bureau/pf" and "paths.prospector/pf" are both "/credential/bureau/pf"',
		],
		[
			'creditProfile',
			{ paths: { 'legal-records': '/Screening/', 'sanctions-screening': 'screening' } },
			'"paths.legal-records" and "paths.sanctions-screening" are both "/credential/screening"',
		],
		['creditProfile', '[1]', 'it must be a JSON object'],
		['creditProfile', '{', 'it must be a JSON object'],
		[
			'taxQuery',
			{ filterEncoding: 'dots' },
			'"filterEncoding" is not known; known are paths, fields',
		],
		['taxQuery', { paths: { getCfs: 'x' } }, '"paths.getCfs" is not known'],
		['taxQuery', { fields: { getCsf: { rfc: 1 } } }, '"fields.getCsf.rfc" must be a text'],
		['taxQuery', { fields: { rfc: 'x' } }, '"fields.rfc" is not known'],
		[
			'taxQuery',
			{ fields: { getCsf: { rcf: 'x' } } },
			'"fields.getCsf.rcf" is not known; known are rfc',
		],
		['taxQuery', { fields: { get: {} } }, '"fields.get" is not known; known are getShareholders'],
		[
			'taxQuery',
			{ fields: { getInvoices: { from: 'to' } } },
			'"fields.getInvoices.from" and "fields.getInvoices.to" are both "to"',
		],
		['taxQuery', { services: { getAll: 'x' } }, '"services.getAll" is not known'],
		['taxQuery', { services: { getCsf: '' } }, '"services.getCsf" must be a text with a letter'],
		[
			'taxQuery',
			{ services: { getCrf: 'rfc' } },
			'"services.getCrf" and "services.getRfcData" are both "RFC"',
		],
		[
			'taxQuery',
			{ paths: { getCsf: 'https://a.example/x' } },
			'"paths.getCsf" must be a whole path',
		],
		['taxQuery', { paths: { getCsf: '' } }, '"paths.getCsf" must be a whole path'],
		['taxQuery', { paths: { get: 'queries' } }, '"paths.get" must be a path that holds {queryId}'],
		['taxQuery', { paths: { tax: 'a b' } }, '"paths.tax" must be a path'],
		[
			'taxQuery',
			{ periodFormat: { months: 'YYYY-MM' } },
			'"periodFormat.months" must be a format of year and month',
		],
		['taxQuery', { periodFormat: { months: 'yyyy' } }, '"periodFormat.months" must be a format'],
		[
			'taxQuery',
			{ periodFormat: { days: 'yyyy-MM' } },
			'"periodFormat.days" must be a format of year, month and day',
		],
		['taxQuery', { statuses: { success: [''] } }, '"statuses.success" must be a list of texts'],
		['taxQuery', { list: { limit: '' } }, '"list.limit" must be a text with a letter'],
		['creditProfile', { paths: { bureau: 'http://a.example' } }, '"paths.bureau" must be a path'],
		[
			'creditProfile',
			{ fields: { bureauPublicKey: '' } },
			'"fields.bureauPublicKey" must be a text',
		],
		['creditProfile', { suggestedMapping: {} }, '"suggestedMapping" is not known; known are paths'],
		['taxQuery', { periodFormat: { weeks: 'x' } }, '"periodFormat.weeks" is not known'],
		['taxQuery', { services: { getCsf: ['x'] } }, '"services.getCsf" must be a text'],
		['taxQuery', { statuses: { success: 'LISTO' } }, '"statuses.success" must be a list of texts'],
		['taxQuery', { statuses: { success: [1] } }, '"statuses.success" must be a list of texts'],
		['taxQuery', { statuses: { done: [] } }, '"statuses.done" is not known'],
		['taxQuery', { list: { pageSize: 0 } }, '"list.pageSize" must be a whole number, 1 or more'],
		...[-1, 2, '0', true, null].map((firstPage): [Service, unknown, string] => [
			'taxQuery',
			{ list: { firstPage } },
			'"list.firstPage" must be 0 or 1',
		]),
		['taxQuery', { list: { parameters: [] } }, '"list.parameters" must be an object'],
		['taxQuery', { token: { body: 'xml' } }, '"token.body" must be one of json, form'],
		[
			'taxQuery',
			{ token: { clientAuthentication: 'x' } },
			'"token.clientAuthentication" must be one of body, basic',
		],
		['taxQuery', { token: { fields: { secret: 'x' } } }, '"token.fields.secret" is not known'],
		['taxQuery', { token: { scheme: true } }, '"token.scheme" must be a text'],
		['taxQuery', JSON.parse('{"__proto__": {}}'), '"__proto__" is not known'],
	])('of %s refuses %j by name', (service, apiMapping, message) => {
		expect(() => read[service]({ apiMapping } as never)).toThrow(`API Mapping: ${message}`);
	});

	it.each<[unknown]>([[undefined], [null], [''], ['{}'], [{}]])('is empty as %j', (apiMapping) => {
		expect(readTaxQueryApiMapping({ apiMapping } as never)).toEqual(readTaxQueryApiMapping({}));
	});

	it('has an example for each key in its document, and takes each of them', () => {
		const doc = readFileSync(join(__dirname, '../../../../docs/api-mapping.md'), 'utf8');
		const sections = doc.split('\n## ').slice(1);
		const keys = sections.map((section, index) => {
			const reader = index === 0 ? read.creditProfile : read.taxQuery;
			const rows = [...section.matchAll(/^\| `(\w+)` .*\| `(\{.*\})` +\|$/gm)];
			return rows.map(([, key, example]) => {
				expect(reader({ apiMapping: example })).toMatchObject(JSON.parse(example) as object);
				return key;
			});
		});
		expect(keys).toEqual([
			Object.keys(readCreditProfileApiMapping({})),
			Object.keys(readTaxQueryApiMapping({})),
		]);
	});

	it.each([
		['getCsf', '/query/tax/csf', {}, '/query/tax/csf'],
		['getCsf', '/query/tax/csf', { tax: 'mx/fisco/' }, '/query/mx/fisco/csf'],
		['getCsf', '/query/tax/csf', { tax: 'x', getCsf: 'situacion' }, '/situacion'],
		['getCrf', '/query/crf', { tax: 'x' }, '/query/crf'],
		['get', '/query/{queryId}', { get: '/q/{queryId}/' }, '/q/{queryId}/'],
		['getCsf', '/query/tax/csf', { tax: '' }, '/query/csf'],
		['getCsf', '/query/tax/csf', { getCsf: '/query/situacion/' }, '/query/situacion/'],
	])('sends %s from %s under %j to %s', (name, path, paths, expected) => {
		expect(pathOf(name, path, { ...readTaxQueryApiMapping({}), paths })).toBe(expected);
	});
});

describe('API Mapping of the period that a record of invoices repeats', () => {
	it.each([
		[{ from: 'from', period: 'from' }, 'from', 'from'],
		[{ from: 'to', to: 'from', period: 'to' }, 'from', 'to'],
		[{ rfc: 'rfc', period: 'rfc' }, 'rfc', 'rfc'],
	])('refuses the name of another field: %j', (getInvoices, other, name) => {
		const apiMapping = JSON.stringify({ fields: { getInvoices } });
		expect(() => readTaxQueryApiMapping({ apiMapping })).toThrow(
			`"fields.getInvoices.${other}" and "fields.getInvoices.period" are both "${name}"`,
		);
	});
});
