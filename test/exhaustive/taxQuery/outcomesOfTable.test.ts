import { CRF_PATH, getCrfParameters, rfcs, taxQuerySandbox } from '../../nodes/taxQuery/support';
import { freshSandboxForEachTest } from '../../support/sharedSandbox';

const ROWS = 2_000;
const SHARE = ROWS / 10;
const NO_RECORD = 'NO_RECORD';

/** How a row ends at the service, and what its row says then. */
const KINDS = ['SUCCESS', 'PENDING', 'FAILED', 'NOT_FOUND', 'same', 'notSent'] as const;
const kindOf = (row: number) => KINDS[row % 10] ?? 'SUCCESS';

describe('a table of 2,000 rows with a tenth of every outcome', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox, {
		statusWords: { notFound: NO_RECORD },
	});

	it('has rows whose outcomes and costs add up to what the service has billed', async () => {
		const all = rfcs(ROWS);
		const rfcOf = (row: number): string => {
			if (kindOf(row) === 'notSent') return 'GODE561331GR8';
			return all[kindOf(row) === 'same' ? row - 4 : row];
		};
		const items = all.map((_, row) => ({ row, rfc: rfcOf(row) }));
		const scripted = items.filter(
			({ row }) => !['same', 'notSent', 'SUCCESS'].includes(kindOf(row)),
		);
		await sandbox.control.put(
			'/outcomes',
			Object.fromEntries(scripted.map(({ row, rfc }) => [rfc, [kindOf(row)]])),
		);
		// a tenth is refused, and of another tenth nobody knows whether it was accepted
		const fault = { path: CRF_PATH, method: 'POST', times: SHARE };
		await sandbox.faults(
			{ ...fault, fault: 'resetBefore' },
			{ ...fault, fault: { status: 422, body: { message: 'No' } } },
		);
		const { items: rows } = await sandbox.run(
			getCrfParameters({ waitForResult: true, maxWait: 5 }),
			{
				items,
				onError: 'continueRegularOutput',
				apiMapping: { statuses: { notFound: [NO_RECORD] } },
			},
		);
		const ledger = await sandbox.ledger();
		const idsIn = (outcome: string) =>
			new Set(rows.filter(({ json }) => json.outcome === outcome).map(({ json }) => json.queryId));
		const countOf = (outcome: string) => rows.filter(({ json }) => json.outcome === outcome).length;

		expect(rows.map(({ json }) => json.row)).toEqual(items.map(({ row }) => row));
		expect(
			rows.filter(({ json }) => json.outcome === undefined || json.billed === undefined),
		).toEqual([]);
		expect(
			rows.filter(({ json }) => json.outcome !== 'result' && typeof json.reason !== 'string'),
		).toEqual([]);
		expect(rows.reduce((sum, { json }) => sum + (Number(json.billed) || 0), 0)).toBe(ledger.length);
		expect(countOf('notSent')).toBe(SHARE);

		const { data: records } = await (
			await sandbox.elsewhere()
		).get<Array<{ _id: string; status: string }>>('/query', { params: { limit: ROWS } });
		const idsOf = (status: string) =>
			new Set(records.filter((one) => one.status === status).map(({ _id }) => _id));
		const billed = new Set(ledger.map(({ queryId }) => queryId));
		expect(idsIn('result')).toEqual(idsOf('SUCCESS'));
		expect(idsIn('pending')).toEqual(idsOf('PENDING'));
		expect(idsIn('notFound')).toEqual(idsOf(NO_RECORD));
		const failed = idsIn('failed');
		failed.delete(null); // refused
		expect(failed).toEqual(idsOf('FAILED'));
		expect([...billed].every((id) => records.some(({ _id }) => _id === id))).toBe(true);
	});
});
