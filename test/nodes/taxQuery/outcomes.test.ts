import type { IDataObject, INodeExecutionData, OnError } from 'n8n-workflow';
import { buildNextCrfFaultRule } from './support';
import {
	getCrfParameters,
	itemsForRfcs,
	operationParameters,
	rfcs,
	taxQuerySandbox,
	type TaxQuerySandbox,
} from './support';
import { freshSandboxForEachTest } from '../../support/sharedSandbox';

const jsonOf = (items: INodeExecutionData[]) => items.map(({ json }) => json);
const pick = (rows: IDataObject[], ...names: string[]) =>
	rows.map((row) => names.map((name) => row[name]));
const sumOf = (rows: IDataObject[]) =>
	rows.reduce((sum, { billed }) => sum + Number(billed ?? 0), 0);

describe('the account of a row: outcome, reason, billed', () => {
	const sandbox = freshSandboxForEachTest(
		async () => await taxQuerySandbox({ statusWords: { notFound: 'NO_RECORD' } }),
	);
	const waited = { waitForResult: true, maxWait: 1 };
	const apiMapping = { statuses: { notFound: ['NO_RECORD'] } };
	const billed = async () => (await sandbox.ledger()).length;

	/** A table with an item of each kind, and columns of the operator's own that are common words. */
	const table = ({ reserved }: TaxQuerySandbox) => {
		const [rfc] = rfcs(1);
		const wanted = [
			...[rfc, rfc],
			...(['pending', 'failed', 'notFound'] as const).map((one) => reserved(one).rfc),
			...['GODE561331GR8', ''],
		];
		return wanted.map((one, row) => ({
			...{ rfc: one, row, status: 'mine', valid: 'mine', reason: 'mine' },
		}));
	};
	const run = async (onError: OnError, options = {}) =>
		await sandbox.run(getCrfParameters(waited, options), {
			items: table(sandbox),
			onError,
			apiMapping,
		});
	const outcomes = ['result', 'result', 'pending', 'failed', 'notFound', 'notSent', 'notSent'];
	const costs = [1, 0, 1, 1, 1, 0, 0];

	it('says in every row what became of it, why, and what it cost', async () => {
		const rows = jsonOf((await run('continueRegularOutput')).items);
		expect(pick(rows, 'outcome', 'billed')).toEqual(
			outcomes.map((outcome, index) => [outcome, costs[index]]),
		);
		expect(rows.map(({ reason }) => reason)).toEqual([
			null,
			null,
			expect.stringContaining('Max Wait'),
			expect.stringContaining('its status is FAILED'),
			expect.stringContaining('No taxpayer was found for this RFC'),
			expect.stringContaining('cannot be right'),
			expect.stringContaining('RFC'),
		]);
		expect(sumOf(rows)).toBe(await billed());
	});

	it("says it in failed rows with Simplify off, where results are the service's own", async () => {
		const rows = jsonOf((await run('continueRegularOutput', { simplify: false })).items);
		expect(pick(rows, 'outcome', 'billed')).toEqual(
			outcomes.map((outcome, index) =>
				['result', 'pending'].includes(outcome) ? [undefined, undefined] : [outcome, costs[index]],
			),
		);
	});

	it("keeps the names of the input's columns in every row of both outputs", async () => {
		const { items, failed } = await run('continueErrorOutput');
		const rows = jsonOf([...items, ...failed]);
		expect(rows.map(({ row }) => row).sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
		expect(pick(rows, 'status', 'valid', 'inputReason')).toEqual(
			rows.map(() => ['mine', 'mine', 'mine']),
		);
		expect([items.length, failed.length]).toEqual([3, 4]);
	});

	it('is uncertain where nobody knows whether the query was accepted', async () => {
		await sandbox.faults(buildNextCrfFaultRule('resetBefore'));
		const { items } = await sandbox.run(getCrfParameters(), {
			items: itemsForRfcs(rfcs(1)),
			onError: 'continueRegularOutput',
		});
		expect(pick(jsonOf(items), 'outcome', 'billed')).toEqual([['uncertain', 'unknown']]);
	});

	it('is notFound, unbilled, where the service refuses an unknown person at once', async () => {
		const { curp } = sandbox.reserved('notFound');
		const { items } = await sandbox.run(operationParameters('person', 'getCurpData', { curp }), {
			onError: 'continueRegularOutput',
		});
		expect(pick(jsonOf(items), 'outcome', 'billed', 'reason')).toEqual([
			['notFound', 0, expect.stringContaining('No person was found for this CURP')],
		]);
		expect(await billed()).toBe(0);
	});

	it('reuses that nobody was found, which the status tells from a failure', async () => {
		const items = itemsForRfcs([sandbox.reserved('notFound').rfc, sandbox.reserved('failed').rfc]);
		const reusing = getCrfParameters({ ...waited, reuse: 'hours', reuseHours: 24 });
		const onError = 'continueRegularOutput';
		await sandbox.run(reusing, { items, onError, apiMapping });
		const again = jsonOf((await sandbox.run(reusing, { items, onError, apiMapping })).items);
		expect(pick(again, 'outcome', 'billed')).toEqual([
			['notFound', 0],
			['failed', 1],
		]);
		expect(await billed()).toBe(3);
	});

	it('adds up where an item is several queries', async () => {
		const { rfc } = sandbox.reserved('success');
		await sandbox.run(
			operationParameters('taxAuthority', 'createTaxProfile', {
				...{ loginFrom: 'fields', rfc, ciec: 'Ciec_Secret_9' },
			}),
		);
		const before = await billed();
		const months = { period: 'months', firstMonth: '2026-01', lastMonth: '2026-03' };
		const parameters = operationParameters('taxAuthority', 'getInvoices', { rfc, ...months });
		const rows = jsonOf((await sandbox.run(parameters)).items);
		expect(sumOf(rows)).toBe((await billed()) - before);
	});

	describe('in a chain', () => {
		const check = async (items: IDataObject[]) =>
			jsonOf(
				(
					await sandbox.run(
						operationParameters('identifier', 'check', { rfc: '={{ $json.rfc }}' }),
						{ items },
					)
				).items,
			);
		const [rfc] = rfcs(1);
		const oddOne = `${rfc.slice(0, -1)}${rfc.endsWith('1') ? '2' : '1'}`;

		it('has one word for each finding of Check', async () => {
			const rows = await check([{ rfc }, { rfc: oddOne }, { rfc: 'XAXX010101000' }, { rfc: '' }]);
			expect(pick(rows, 'outcome', 'ready')).toEqual([
				['ready', true],
				['warning', false],
				['notReady', false],
				['notReady', false],
			]);
			expect(rows.map(({ reason }) => reason === null)).toEqual([true, false, false, false]);
		});

		it("replaces Check's account by the query's, and keeps an earlier query's as the input's", async () => {
			const checked = await check([{ rfc }]);
			const crf = jsonOf((await sandbox.run(getCrfParameters(waited), { items: checked })).items);
			const data = operationParameters('taxpayer', 'getRfcData', {
				...{ rfc: '={{ $json.rfc }}', ...waited },
			});
			const [row] = jsonOf((await sandbox.run(data, { items: crf })).items);
			expect(crf[0]).not.toHaveProperty('inputOutcome');
			expect(row).toMatchObject({
				...{ outcome: 'result', billed: 1, inputOutcome: 'result', inputBilled: 1 },
				inputQueryId: crf[0].queryId,
			});
		});

		it('keeps what an earlier state of the same query was billed', async () => {
			const items = itemsForRfcs([rfc]);
			const first = jsonOf((await sandbox.run(getCrfParameters(), { items })).items);
			const get = operationParameters('query', 'get', { queryId: '={{ $json.queryId }}' });
			const [row] = jsonOf((await sandbox.run(get, { items: first })).items);
			expect(row).toMatchObject({ outcome: 'result', billed: 1, queryId: first[0].queryId });
		});
	});
});
