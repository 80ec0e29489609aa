import { firstViolation } from '../../../../contract/check';
import { taxQueryBenchForTests } from '../support/taxQuery';
import { endpoints } from './tables/endpoints';
import { PERSON } from './tables/resources';

const bench = taxQueryBenchForTests();

it('has a row for every POST query of the document', () => {
	const sections = Array.from({ length: 10 }, (_, index) => `4.${index + 2}`);
	expect(endpoints.map(({ section }) => section)).toEqual(sections);
});

describe('TQ §4.8 before the request to the tax authority', () => {
	it.each(['csf', 'compliance-opinion', 'invoice'])('%s needs a tax profile', async (name) => {
		const body = { rfc: 'LOPE800101AB1', from: '2026-01', to: '2026-01' };
		const { status, data } = await bench.service.post(`/query/tax/${name}`, body);
		expect({ status, message: data.message }).toEqual({
			status: 409,
			message: expect.stringContaining('POST /query/tax/profile'),
		});
	});
});

describe.each(endpoints)('TQ §$section POST $path', (endpoint) => {
	const { path, answer, valid, violations, result, service } = endpoint;
	beforeAll(async () => {
		await bench.service.post('/query/tax/profile', { rfc: PERSON, ciec: 'abcd1234' });
	});

	it.each(valid)('takes %j, and bills it', async (body) => {
		await bench.control.delete('/ledger');
		const { status, data } = await bench.service.post(path, body);
		const { data: ledger } = await bench.control.get<Array<{ service: string }>>('/ledger');
		expect({
			status,
			violation: firstViolation(answer, data),
			service: ledger[0]?.service,
		}).toEqual({
			status: 200,
			violation: undefined,
			service,
		});
	});

	it.each(violations)('refuses a wrong %s (%#), and bills nothing', async (field, body) => {
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
		it('comes to a record as the document shows it (TQ §2.3)', async () => {
			const { data } = await bench.service.post<{ queryId: string }>(path, valid[0]);
			const record = await bench.finished(data.queryId);
			expect(firstViolation(result, record)).toBeUndefined();
		});
	}
});

describe('TQ §4.11 invoices', () => {
	beforeAll(async () => {
		await bench.service.post('/query/tax/profile', { rfc: PERSON, ciec: 'abcd1234' });
	});

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

	it.each([
		['2026-01-10', '2026-03-20'],
		['2026-02', '2026-04'],
		['2026-02-14', '2026-02-14'],
	])('invoices lie within the requested days, from %s to %s, and echo them', async (from, to) => {
		const body = { rfc: PERSON, from, to };
		const { data } = await bench.service.post('/query/tax/invoice', body);
		for (const { queryId, period } of data.results) {
			const { query, response } = await bench.finished(queryId);
			const days = (response.invoices as Array<{ issuedAt: string }>).map(
				({ issuedAt }) => issuedAt,
			);
			expect(query).toEqual({ ...body, period });
			expect(days.filter((day) => day < from || day > to.padEnd(10, '-31'))).toEqual([]);
			expect(days.filter((day) => !day.startsWith(period))).toEqual([]);
		}
	});

	it('of a few days are some of those of the whole month', async () => {
		const invoicesOf = async (from: string, to: string) => {
			const { data } = await bench.service.post('/query/tax/invoice', { rfc: PERSON, from, to });
			const found = [];
			for (const { queryId } of data.results) {
				found.push(...((await bench.finished(queryId)).response.invoices as object[]));
			}
			return found;
		};
		const months = await invoicesOf('2025-01', '2025-12');
		const days = await invoicesOf('2025-03-05', '2025-10-20');
		expect(days.length).toBeGreaterThan(0);
		expect(days.length).toBeLessThan(months.length);
		expect(months).toEqual(expect.arrayContaining(days));
	});
});
