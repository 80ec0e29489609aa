import type { IDataObject } from 'n8n-workflow';
import { maskCiecInRecord } from '../../../nodes/TaxQuery/client/ciec';
import { readTaxQueryApiMapping } from '../../../nodes/shared/credentials/apiMapping';
import { parseJson } from '../../../nodes/shared/utils/json';
import { isLinear } from '../../support/linearWork';

const mapping = readTaxQueryApiMapping({});
const entries = (size: number, make: (at: number) => IDataObject[string]) =>
	Array.from({ length: size }, (_, at) => make(at)) as IDataObject[];

describe('a record is freed of a CIEC in linear time', () => {
	it.each<[string, (size: number) => IDataObject]>([
		[
			'many different ones',
			(size) => ({ query: entries(size, (at) => ({ ciec: `secret ${at}` })) }),
		],
		['many equal ones', (size) => ({ query: entries(size, () => ({ ciec: 'secret' })) })],
		['many texts', (size) => ({ ciec: 'secret', response: entries(size, (at) => `text ${at}`) })],
	])('%s', (_what, make) => {
		const record = (size: number) => ({ service: 'TAX_PROFILE', ...make(size) });
		expect(isLinear(record, (one) => maskCiecInRecord(one, mapping), 50)).toBe(true);
	});
});

describe('JSON of a service is read in linear time', () => {
	it.each<[string, (size: number) => string]>([
		['large numbers', (size) => `[${'9007199254740993,'.repeat(size)}1]`],
		['digits in texts', (size) => JSON.stringify([':9007199254740993'.repeat(size)])],
		['escapes', (size) => `[9007199254740993,${JSON.stringify('\\"'.repeat(size))}]`],
		['nesting', (size) => `${'['.repeat(size)}9007199254740993${']'.repeat(size)}`],
	])('%s', (_what, make) => expect(isLinear(make, parseJson, 50)).toBe(true));
});
