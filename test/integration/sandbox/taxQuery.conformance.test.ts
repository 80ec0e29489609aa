import { departureFrom } from '../../../contract/check';
import { startTaxQueryBench, type TaxQueryBench } from './taxQueryClient';
import { endpoints } from './taxQueryRequests';
import { PERSON } from './taxQueryTables';

const count = { endpoints: 0, valid: 0, violations: 0 };
let bench: TaxQueryBench;

beforeAll(async () => {
	bench = await startTaxQueryBench();
});
afterAll(async () => {
	await bench.sandbox.close();
	process.stdout.write(
		`Tax Query conformance: ${count.endpoints} endpoints, ${count.valid} allowed bodies, ${count.violations} violations\n`,
	);
});

it('has a row for every POST query of the document', () => {
	const sections = Array.from({ length: 10 }, (_, index) => `4.${index + 2}`);
	expect(endpoints.map(({ section }) => section)).toEqual(sections);
});

describe('§4.8 before the tax authority is asked', () => {
	it.each(['csf', 'compliance-opinion', 'invoice'])('%s needs a tax profile', async (name) => {
		const body = { rfc: 'LOPE800101AB1', from: '2026-01', to: '2026-01' };
		const { status, data } = await bench.service.post(`/query/tax/${name}`, body);
		expect({ status, message: data.message }).toEqual({
			status: 409,
			message: expect.stringContaining('POST /query/tax/profile'),
		});
	});
});

describe.each(endpoints)('§$section POST $path', (endpoint) => {
	const { path, answer, valid, violations, result, service } = endpoint;
	beforeAll(async () => {
		count.endpoints++;
		await bench.service.post('/query/tax/profile', { rfc: PERSON, ciec: 'abcd1234' });
	});

	it.each(valid)('takes %j, and bills it', async (body) => {
		count.valid++;
		await bench.control.delete('/ledger');
		const { status, data } = await bench.service.post(path, body);
		const { data: ledger } = await bench.control.get<Array<{ service: string }>>('/ledger');
		expect({ status, departure: departureFrom(answer, data), service: ledger[0]?.service }).toEqual(
			{
				status: 200,
				departure: undefined,
				service,
			},
		);
	});

	it.each(violations)('refuses a wrong %s (%#), and bills nothing', async (field, body) => {
		count.violations++;
		await bench.control.delete('/ledger');
		const { status, data } = await bench.service.post(path, body);
		const { data: ledger } = await bench.control.get<object[]>('/ledger');
		expect({ status, field: data.field, billed: ledger.length }).toEqual({
			status: 400,
			field,
			billed: 0,
		});
	});

	if (result) {
		it('comes to a record as the document shows it (§2.3)', async () => {
			const { data } = await bench.service.post<{ queryId: string }>(path, valid[0]);
			const record = await bench.finished(data.queryId);
			expect(departureFrom(result, record)).toBeUndefined();
		});
	}
});

describe('§4.11 invoices', () => {
	it('have one pending query for each month of the period', async () => {
		const body = { rfc: PERSON, from: '2025-11', to: '2026-02' };
		const { data } = await bench.service.post('/query/tax/invoice', body);
		expect(data.results).toEqual(
			['2025-11', '2025-12', '2026-01', '2026-02'].map((period) => ({
				queryId: expect.any(String),
				period,
				status: 'PENDING',
			})),
		);
	});
});
