import type { QueryRecord } from '../../../contract/taxQuery';
import { sharedSandboxWithClients, CURP, PERSON_RFC } from '../support/clients';
import { EMMA_RFC_CALCULATOR_BODY } from './endpointCases';

const bench = sharedSandboxWithClients();
beforeAll(async () => {
	await bench.taxQuery.post('/query/tax/profile', { rfc: PERSON_RFC, ciec: 'abcd1234' });
});

const post = async <T = QueryRecord>(path: string, body: object): Promise<T> =>
	(await bench.taxQuery.post<T>(path, body)).data;

describe('the results of one person', () => {
	const nameOf = async (path: string, rfc: unknown) => {
		const { queryId } = await post<{ queryId: string }>(path, { rfc });
		return (await bench.finished(queryId)).response.RazonSocial;
	};

	it('the RFC of a calculated name leads back to that name', async () => {
		const { response } = await post('/query/rfc-calculator', {
			...EMMA_RFC_CALCULATOR_BODY,
			secondLastName: 'Díaz',
		});
		expect(await nameOf('/query/rfc-data', response.rfc)).toBe('EMMA GÓMEZ DÍAZ');
	});

	it('a query by CURP and one by its RFC name the same person', async () => {
		const { response } = await post('/query/curp-data', { curp: CURP });
		const { rfc, nombre, apellidoPaterno, apellidoMaterno } = response;
		const name = [nombre, apellidoPaterno, apellidoMaterno].join(' ');
		expect(await nameOf('/query/crf', rfc)).toBe(name);
	});
});

describe('reserved identities', () => {
	const reserved = async (behaviour: string) => {
		const { data } = await bench.control.get<{ reserved: Array<Record<string, string>> }>('/state');
		return data.reserved.find((one) => one.behaviour === behaviour) ?? {};
	};
	const statusOf = async (rfc: string) =>
		(await bench.finished(await bench.requestCrf(rfc))).status;

	it.each([
		['success', 'SUCCESS'],
		['slow', 'SUCCESS'],
		['failed', 'FAILED'],
		['notFound', 'FAILED'],
	])('a query about the reserved identity %s ends as %s', async (behaviour, status) => {
		expect(await statusOf((await reserved(behaviour)).rfc)).toBe(status);
	});

	it('a query about the pending identity outlasts a slow one', async () => {
		const queryId = await bench.requestCrf((await reserved('pending')).rfc);
		await statusOf((await reserved('slow')).rfc);
		const { data } = await bench.taxQuery.get<QueryRecord>(`/query/${queryId}`);
		expect(data.status).toBe('PENDING');
	});

	it('a generic RFC is nobody: its query ends as FAILED', async () => {
		expect(await statusOf('XAXX010101000')).toBe('FAILED');
	});

	it('an unknown person is a 404 of a query that answers at once, and is not billed', async () => {
		await bench.control.delete('/ledger');
		const { curp } = await reserved('notFound');
		const { status } = await bench.taxQuery.post('/query/curp-data', { curp });
		expect([status, (await bench.control.get('/ledger')).data]).toEqual([404, []]);
	});
});

it.each(['csf', 'compliance-opinion', 'invoice'])(
	'/query/tax/%s needs a tax profile (TQ §4.8)',
	async (name) => {
		const body = { rfc: 'LOPE800101AB1', from: '2026-01', to: '2026-01' };
		const { status, data } = await bench.taxQuery.post(`/query/tax/${name}`, body);
		expect(status).toBe(409);
		expect(data.message).toContain('POST /query/tax/profile');
	},
);

describe('invoices (TQ §4.11)', () => {
	const request = async (from: string, to: string) => {
		const body = { rfc: PERSON_RFC, from, to };
		const { results } = await post<{ results: Array<{ queryId: string; period: string }> }>(
			'/query/tax/invoice',
			body,
		);
		return results;
	};
	const recordsOf = async (from: string, to: string) => {
		const records = [];
		for (const { queryId } of await request(from, to)) records.push(await bench.finished(queryId));
		return records.map(({ query, response }) => ({
			query,
			invoices: response.invoices as Array<{ issuedAt: string }>,
		}));
	};

	it('invoices have one pending query for each month of the period', async () => {
		const queryId = expect.any(String) as string;
		expect(await request('2025-11', '2026-02')).toEqual(
			['2025-11', '2025-12', '2026-01', '2026-02'].map((period) => ({
				...{ queryId, period, status: 'PENDING' },
			})),
		);
	});

	it.each([
		['2026-01-10', '2026-03-20'],
		['2026-02', '2026-04'],
		['2026-02-14', '2026-02-14'],
	])('invoices lie within the requested days, from %s to %s, and echo them', async (from, to) => {
		for (const { query, invoices } of await recordsOf(from, to)) {
			const period = String(query.period);
			const days = invoices.map(({ issuedAt }) => issuedAt);
			expect(query).toEqual({ rfc: PERSON_RFC, from, to, period });
			expect(days.filter((day) => day < from || day > to.padEnd(10, '-31'))).toEqual([]);
			expect(days.filter((day) => !day.startsWith(period))).toEqual([]);
		}
	});

	it('invoices of a few days are some of those of the whole months', async () => {
		const invoicesOf = async (from: string, to: string) =>
			(await recordsOf(from, to)).flatMap(({ invoices }) => invoices);
		const months = await invoicesOf('2025-01', '2025-12');
		const days = await invoicesOf('2025-03-05', '2025-10-20');
		expect(days.length).toBeGreaterThan(0);
		expect(days.length).toBeLessThan(months.length);
		expect(months).toEqual(expect.arrayContaining(days));
	});
});
