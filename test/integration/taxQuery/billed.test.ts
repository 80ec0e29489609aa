import type { NodeRun } from '../support/runNode';
import { give, oddService } from './oddService';
import {
	createTaxProfile,
	getCrf,
	operation,
	rfcs,
	taxQuerySandbox,
	type TaxQuerySandbox,
} from './support';

const itemsOf = (wanted: string[]) => wanted.map((rfc) => ({ rfc }));
const CRF = '/api/query/crf';
const WRONG = 'GODE561331GR8';
const onError = 'continueRegularOutput' as const;

/** What the error of a run says of its cost, as data. */
const costOf = ({ error }: NodeRun) => [error?.context?.billed, error?.context?.queries];
/** The same of each item that failed. */
const costsOf = ({ items }: NodeRun) =>
	items.map(({ error }) => [error?.context.billed, error?.context.queries]);
/** With what a text ends. */
const endOf = (text: unknown) => /Billed: (\d+ of \d+|unknown)\.$/.exec(String(text))?.[1];

describe('what a run has cost is told', () => {
	let sandbox: TaxQuerySandbox;
	beforeAll(async () => (sandbox = await taxQuerySandbox()));
	beforeEach(async () => await sandbox.reset());
	afterAll(async () => await sandbox.close());
	const fault = async (kind: 'resetBefore' | 'resetAfter' | { status: number }) =>
		await sandbox.faults({ path: CRF, method: 'POST', fault: kind, times: 1 });

	it.each([
		['resetBefore' as const, 'unknown'],
		[{ status: 422 }, 0],
		[{ status: 502 }, 'unknown'],
	])('by the error of a query that met %j', async (kind, billed) => {
		await fault(kind);
		const run = await sandbox.run(getCrf(), { items: itemsOf(rfcs(1)) });
		expect(costOf(run)).toEqual([billed, 1]);
		expect(endOf(run.error?.description)).toBe(billed === 0 ? '0 of 1' : 'unknown');
	});

	it('by the error of a query that was accepted and failed', async () => {
		const { rfc } = sandbox.reserved('failed');
		const waiting = getCrf({ waitForResult: true }, {});
		const run = await sandbox.run(waiting, { items: itemsOf([rfc]) });
		expect([costOf(run), endOf(run.error?.description)]).toEqual([[1, 1], '1 of 1']);
	});

	it.each<[string, object, object]>([
		['a field is wrong', { rfc: WRONG }, {}],
		['a field is empty', { rfc: '={{ $json.none }}' }, {}],
		['an option of every operation is wrong', {}, { timeout: -1 }],
		['a limit is reached', {}, { spendingLimits: { maxQueries: 0 } }],
	])('where nothing was sent, because %s', async (_why, fields, options) => {
		const parameters = getCrf({ rfc: rfcs(1)[0], ...fields }, { ...options });
		const run = await sandbox.run(parameters);
		expect([costOf(run), endOf(run.error?.description)]).toEqual([[0, 1], '0 of 1']);
		expect(run.error?.context?.sent).toBe(false);
		expect(run.error?.description).toContain('Nothing was sent');
		expect(await sandbox.requests(CRF)).toEqual([]);
	});

	it('for each month that an item asks', async () => {
		const [rfc] = rfcs(1);
		await sandbox.run(createTaxProfile(rfc));
		const months = { rfc, period: 'months', firstMonth: '2026-01', lastMonth: '2026-03' };
		const invoices = operation('taxAuthority', 'getInvoices', months);
		const { hints } = await sandbox.run(invoices);
		await sandbox.faults({
			path: '/api/query/tax/invoice',
			method: 'POST',
			fault: { status: 422 },
		});
		const refused = await sandbox.run(invoices);
		expect([endOf(hints[0].message), costOf(refused)]).toEqual(['3 of 3', [0, 3]]);
	});

	it('for the whole run where an item stops it, for each item where the run goes on', async () => {
		const items = itemsOf([...rfcs(2), sandbox.reserved('failed').rfc]);
		const waiting = getCrf({ waitForResult: true }, {});
		const stopped = await sandbox.run(waiting, { items });
		expect([costOf(stopped), endOf(stopped.error?.description)]).toEqual([[3, 3], '3 of 3']);
		const goingOn = await sandbox.run(waiting, { items: [...items, { rfc: WRONG }], onError });
		expect(costsOf(goingOn).slice(2)).toEqual([
			[1, 1],
			[0, 1],
		]);
		expect(endOf(goingOn.hints[0].message)).toBe('3 of 4');
		expect(goingOn.items.slice(2).map(({ json }) => endOf(json.error))).toEqual([
			'1 of 1',
			'0 of 1',
		]);
	});

	it.each([
		['of a lost query, as unknown', 'resetBefore' as const, {}, 'unknown'],
		['of a query that was found again', 'resetAfter' as const, {}, '2 of 2'],
		[
			'of a query that was sent again, as unknown',
			'resetBefore' as const,
			{ spendingLimits: { sendAgain: true } },
			'unknown',
		],
	])('by the receipt, %s', async (_what, kind, options, told) => {
		await fault(kind);
		const { hints } = await sandbox.run(getCrf({}, options), { items: itemsOf(rfcs(2)), onError });
		expect(endOf(hints[0].message)).toBe(told);
	});

	it('as nothing for what is reused, and still as billed for what a further try reads', async () => {
		const memory = {};
		const run = async (more: object) =>
			endOf((await sandbox.run(getCrf(), { items: itemsOf(rfcs(1)), ...more })).hints[0].message);
		expect([await run({ memory }), await run({ memory }), await run({ mode: 'manual' })]).toEqual([
			'1 of 1',
			'1 of 1',
			'0 of 1',
		]);
	});

	it('as unknown where success is reported without a record', async () => {
		const service = await oddService({
			post: (_accept, response) => give(response, { done: true }),
		});
		const { hints } = await service.run(createTaxProfile(rfcs(1)[0]));
		await service.close();
		expect(endOf(hints[0].message)).toBe('unknown');
	});
});
