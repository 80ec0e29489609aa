import type { NodeRun } from '../../support/runNodeInEngine';
import {
	CRF_PATH,
	createTaxProfileParameters,
	getCrfParameters,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';

const itemsOf = (wanted: string[]) => wanted.map((rfc) => ({ rfc }));
const WRONG = 'GODE561331GR8';
const onError = 'continueRegularOutput' as const;

/** Returns what the error of a run says of its cost, as data. */
const costOf = ({ error }: NodeRun) => [error?.context?.billed, error?.context?.queries];
/** The same of each item that failed. */
const costsOf = ({ items }: NodeRun) => items.map(({ json }) => json.billed);

describe('the cost of a run is reported', () => {
	const sandbox = sandboxForTestGroup(taxQuerySandbox);
	const fault = async (kind: 'resetBefore' | 'resetAfter' | { status: number }) =>
		await sandbox.faults({ path: CRF_PATH, method: 'POST', fault: kind, times: 1 });

	it.each([
		['resetBefore' as const, 'unknown'],
		[{ status: 422 }, 0],
		[{ status: 502 }, 'unknown'],
	])('by the error of a query that met %j', async (kind, billed) => {
		await fault(kind);
		const run = await sandbox.run(getCrfParameters(), { items: itemsOf(rfcs(1)) });
		expect(costOf(run)).toEqual([billed, 1]);
	});

	it('by the error of a query that was accepted and failed', async () => {
		const { rfc } = sandbox.reserved('failed');
		const waiting = getCrfParameters({ waitForResult: true }, {});
		const run = await sandbox.run(waiting, { items: itemsOf([rfc]) });
		expect(costOf(run)).toEqual([1, 1]);
	});

	it.each<[string, object, object]>([
		['a field is wrong', { rfc: WRONG }, {}],
		['a field is empty', { rfc: '={{ $json.none }}' }, {}],
		['an option of every operation is wrong', {}, { timeout: -1 }],
		['a limit is reached', {}, { spendingLimits: { maxQueries: 0 } }],
	])('where nothing was sent, because %s', async (_why, fields, options) => {
		const parameters = getCrfParameters({ rfc: rfcs(1)[0], ...fields }, { ...options });
		const run = await sandbox.run(parameters);
		expect(costOf(run)).toEqual([0, 1]);
		expect(run.error?.context?.sent).toBe(false);
		expect(run.error?.description).toContain('Nothing was sent');
		expect(await sandbox.requests(CRF_PATH)).toEqual([]);
	});

	it('for each month that an item asks', async () => {
		const [rfc] = rfcs(1);
		await sandbox.run(createTaxProfileParameters(rfc));
		const months = { rfc, period: 'months', firstMonth: '2026-01', lastMonth: '2026-03' };
		const invoices = operationParameters('taxAuthority', 'getInvoices', months);
		await sandbox.faults({
			path: '/api/query/tax/invoice',
			method: 'POST',
			fault: { status: 422 },
		});
		const refused = await sandbox.run(invoices);
		expect(costOf(refused)).toEqual([0, 3]);
	});

	it('for the whole run where an item stops it, for each item where the run goes on', async () => {
		const items = itemsOf([...rfcs(2), sandbox.reserved('failed').rfc]);
		const waiting = getCrfParameters({ waitForResult: true }, {});
		const stopped = await sandbox.run(waiting, { items });
		expect(costOf(stopped)).toEqual([3, 3]);
		const goingOn = await sandbox.run(waiting, { items: [...items, { rfc: WRONG }], onError });
		expect(costsOf(goingOn).slice(2)).toEqual([1, 0]);
	});

	it('for item 1 without that of items 10 and 11', async () => {
		const [first, ...others] = rfcs(11);
		const items = itemsOf([first, sandbox.reserved('failed').rfc, ...others]);
		const run = await sandbox.run(getCrfParameters({ waitForResult: true }, {}), {
			items,
			onError,
		});
		expect(costsOf(run)[1]).toBe(1);
	});
});
