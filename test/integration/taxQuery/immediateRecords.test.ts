import type { IDataObject } from 'n8n-workflow';
import { codeOf } from '../support/errorCode';
import { createTaxProfile, operation, rfcs, taxQuerySandbox } from './support';
import { withSandbox } from '../support/withSandbox';

const [RFC] = rfcs(1);
const waited = { waitForResult: true, maxWait: 30 };

/** TQ §4.4 and §4.5 document both: an acknowledgement, and the record itself. */
describe.each([
	['an acknowledgement', false],
	['the record', true],
])('CRF and RFC data of a service that answers with %s', (_what, immediateRecords) => {
	const sandbox = withSandbox(taxQuerySandbox, { immediateRecords });

	it.each([['getCrf'], ['getRfcData']])('come out alike: %s', async (name) => {
		const { items } = await sandbox.run(operation('taxpayer', name, { rfc: RFC, ...waited }));
		expect(items.map(({ json }) => json)).toEqual([
			expect.objectContaining({
				...{ pending: false, rfc: RFC, legalName: expect.any(String) },
			}),
		]);
		const reads = (await sandbox.requests()).filter(({ method }) => method === 'GET');
		expect(reads.length > 0).toBe(!immediateRecords);
	});

	it('without waiting are there at once, or pending', async () => {
		const { items } = await sandbox.run(operation('taxpayer', 'getCrf', { rfc: RFC }));
		expect(items[0].json).toMatchObject({ rfc: RFC });
		expect([items[0].json.pending, items[0].json.legalName !== undefined]).toEqual(
			immediateRecords ? [false, true] : [true, false],
		);
	});

	it('fails for unknown people, without cost if refused at once', async () => {
		const { rfc } = sandbox.reserved('notFound');
		const { error } = await sandbox.run(operation('taxpayer', 'getCrf', { rfc, ...waited }));
		expect(codeOf(error)).toBe(immediateRecords ? 'status.404' : 'failed');
		expect(await sandbox.ledger()).toHaveLength(immediateRecords ? 0 : 1);
	});
});

describe('invoices of some days', () => {
	it('lie within them', async () => {
		const sandbox = await taxQuerySandbox();
		await sandbox.run(createTaxProfile(RFC));
		const days = { period: 'dates', firstDay: '2026-01-10', lastDay: '2026-03-05' };
		const { items } = await sandbox.run(
			operation('taxAuthority', 'getInvoices', { rfc: RFC, ...days, ...waited }),
		);
		await sandbox.close();
		const issued = items.flatMap(({ json }) =>
			(json.invoices as IDataObject[]).map(({ issuedAt }) => String(issuedAt)),
		);
		expect(items).toHaveLength(3);
		expect(issued.length).toBeGreaterThan(0);
		expect(issued.filter((day) => day < '2026-01-10' || day > '2026-03-05')).toEqual([]);
	});
});
