import { firstViolation } from '../../../../contract/check';
import { CrfRecord, type QueryRecord } from '../../../../contract/taxQuery';
import { MISSING } from '../support/constraints';
import { taxQueryBenchForTests } from '../support/taxQuery';
import { COMPANY, PERSON, tables, type Samples } from './tables/resources';

const CURP = 'PEXL990821HSRRXS05';

interface Acknowledged {
	queryId: string;
}

const bench = taxQueryBenchForTests();
let samples: Samples;

beforeAll(async () => {
	samples = await takeSamples();
});

/** Returns what the running sandbox answers, of every resource of TQ §2. */
async function takeSamples(): Promise<Samples> {
	const post = async <T = QueryRecord>(path: string, body: object): Promise<T> =>
		(await bench.service.post<T>(path, body)).data;
	const calculated = await post('/query/rfc-calculator', {
		name: 'Emma',
		firstLastName: 'Gómez',
		day: 31,
		month: 12,
		year: 1956,
	});
	const acknowledged = await post<Acknowledged>('/query/crf', { rfc: PERSON });
	const crf = await bench.finished(acknowledged.queryId);
	const ofCompany = await post<Acknowledged>('/query/rfc-data', { rfc: COMPANY });
	const curp = await post('/query/curp-data', { curp: CURP });
	await post('/query/tax/profile', { rfc: PERSON, ciec: 'abcd1234' });
	const invoices = await post<object>('/query/tax/invoice', {
		rfc: PERSON,
		from: '2026-01',
		to: '2026-02',
	});
	const [listed] = (await bench.service.get<QueryRecord[]>('/query')).data;
	return {
		'Query record': listed,
		'response of RFC_CALCULATOR': calculated.response,
		'record of RFC_CALCULATOR': calculated,
		'response of CRF and RFC': crf.response,
		'record of CRF': crf,
		'record of RFC': await bench.finished(ofCompany.queryId),
		'response of CURP': curp.response,
		'record of CURP': curp,
		Acknowledgement: acknowledged,
		'Acknowledgement of invoices': invoices,
	};
}

function withValue(sample: object, field: string, value: unknown): object {
	const others = Object.entries(sample).filter(([name]) => name !== field);
	return { ...Object.fromEntries(others), ...(value !== MISSING && { [field]: value }) };
}

const shown = (value: unknown) => (value === MISSING ? 'left out' : JSON.stringify(value));

describe.each(tables)('TQ §$section $name', ({ name, schema, rows }) => {
	it('is sent with exactly the fields of its table, and by the contract', () => {
		expect(firstViolation(schema, samples[name])).toBeUndefined();
		expect(Object.keys(samples[name]).sort()).toEqual(Object.keys(rows).sort());
	});

	it.each(Object.entries(rows))('%s is held to its constraints', (field, row) => {
		const { allowed = [], broken } = row;
		const violation = (value: unknown) =>
			firstViolation(schema, withValue(samples[name], field, value));
		expect({
			refused: allowed.filter(violation).map(shown),
			passed: broken.filter((value) => !violation(value)).map(shown),
		}).toEqual({ refused: [], passed: [] });
	});
});

describe('TQ §2.3 RegimenesFiscales', () => {
	it('is not sent for RFC', async () => {
		const record = samples['record of RFC'] as QueryRecord;
		expect(record.response).not.toHaveProperty('RegimenesFiscales');
	});

	it('is demanded of CRF', () => {
		const record = samples['record of CRF'] as QueryRecord;
		const response = withValue(record.response, 'RegimenesFiscales', MISSING);
		expect(firstViolation(CrfRecord, { ...record, response })?.field).toBe(
			'response.RegimenesFiscales',
		);
	});
});
