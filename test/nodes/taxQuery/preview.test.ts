import type { INodeParameters } from 'n8n-workflow';
import { withoutWaiting } from '../../support/clock';
import { respondJson } from '../../support/testServer';
import { acceptThenRespondBadGateway, fakeService, respondToFirstPost } from './fakeService';
import type { NodeRun } from '../../support/runNodeInEngine';
import { freshSandboxForEachTest } from '../../support/sharedSandbox';
import {
	CRF_PATH,
	createTaxProfileParameters,
	getCrfParameters,
	itemsForRfcs,
	operationParameters,
	rfcs,
	taxQuerySandbox,
} from './support';

const WRONG = 'GODE561331GR8';
const PREVIEW = { previewOnly: true };
const onError = 'continueRegularOutput' as const;

const outcomesIn = ({ items }: NodeRun) => items.map(({ json }) => json.outcome);
const hintOf = ({ hints }: NodeRun) => hints.map(({ message }) => message).join(' | ');

describe('Preview Only', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const preview = getCrfParameters({}, PREVIEW);

	it('sends nothing, and says of each row what a run would do', async () => {
		const [first, second, third] = rfcs(3);
		await sandbox.run(getCrfParameters(), { items: itemsForRfcs([first]) });
		const before = (await sandbox.requests(CRF_PATH)).length;
		const previewed = await sandbox.run(preview, {
			items: itemsForRfcs([first, second, WRONG, second, third]),
			mode: 'manual',
		});
		expect(previewed.error).toBeUndefined();
		expect(outcomesIn(previewed)).toEqual([
			...['wouldReuse', 'wouldSend', 'notSent', 'wouldReuse', 'wouldSend'],
		]);
		expect(previewed.items.map(({ json }) => json.billed)).toEqual([0, 0, 0, 0, 0]);
		expect(previewed.items.map(({ json }) => json.rfc)).toEqual([
			...[first, second, WRONG, second, third],
		]);
		expect(previewed.items[0].json).toMatchObject({ queryId: expect.any(String), reason: null });
		expect(previewed.items[2].json.reason).toMatch(/cannot be right/);
		expect(previewed.items[3].json.reason).toMatch(/both share one query/);
		expect(hintOf(previewed)).toMatch(
			/^2 queries would be sent, 2 rows would reuse a query, 1 row is not ready\. Nothing was sent\. With 'On Error' set to Stop Workflow, a run would fail at item 3 and send nothing\. While building, /,
		);
		expect((await sandbox.requests(CRF_PATH)).length).toBe(before);
		expect(await sandbox.ledger()).toHaveLength(1);
	});

	it('has the birth date in the column of the result', async () => {
		const { items } = await sandbox.run(
			operationParameters(
				'taxpayer',
				'calculateRfc',
				{ name: 'Emma', firstLastName: 'Gómez', birthDate: '1956-12-31' },
				PREVIEW,
			),
		);
		expect(items.map(({ json }) => [json.birthDate, json.day, json.year])).toEqual([
			['1956-12-31', undefined, undefined],
		]);
	});

	it('shows what it would cost, and what has no price', async () => {
		const priced = await sandbox.run(preview, {
			items: itemsForRfcs(rfcs(3)),
			prices: { getCrf: '3.50' },
		});
		const unpriced = await sandbox.run(preview, {
			items: itemsForRfcs(rfcs(1)),
			prices: { getCurpData: '2' },
		});
		const none = await sandbox.run(preview, { items: itemsForRfcs(rfcs(1)) });
		expect([priced, unpriced, none].map(hintOf)).toEqual([
			'3 queries would be sent (MXN 10.50). Nothing was sent.',
			'1 query would be sent (1 without a price). Nothing was sent.',
			'1 query would be sent. Nothing was sent.',
		]);
	});

	it('says which rows are over a limit', async () => {
		const limited = getCrfParameters({}, { ...PREVIEW, spendingLimits: { maxQueries: 2 } });
		const previewed = await sandbox.run(limited, { items: itemsForRfcs(rfcs(4)), onError });
		expect(outcomesIn(previewed)).toEqual(['wouldSend', 'wouldSend', 'overLimit', 'overLimit']);
		expect(hintOf(previewed)).toBe(
			'2 queries would be sent, 2 rows are over a limit. Nothing was sent.',
		);
	});

	it('counts the rounds of a loop together, and holds no real run up', async () => {
		const limits = { spendingLimits: { maxQueriesPerDay: 2 } };
		const [first, second, third] = rfcs(3);
		const round = async (rfc: string, executionId: string) =>
			await sandbox.run(getCrfParameters({}, { ...PREVIEW, ...limits }), {
				...{ items: itemsForRfcs([rfc]), executionId, onError },
			});
		const rounds: NodeRun[] = [];
		for (const rfc of [first, second, third]) rounds.push(await round(rfc, 'loop'));
		const real = await sandbox.run(getCrfParameters({}, limits), {
			items: itemsForRfcs([first, second]),
		});
		expect(rounds.flatMap(outcomesIn)).toEqual(['wouldSend', 'wouldSend', 'overLimit']);
		expect(outcomesIn(real)).toEqual(['pending', 'pending']);
	});

	it('previews each month of an invoice query', async () => {
		const [rfc] = rfcs(1);
		await sandbox.run(createTaxProfileParameters(rfc));
		const months = { rfc, period: 'months', firstMonth: '2026-01', lastMonth: '2026-02' };
		const invoices = (fields: object, options = {}) =>
			operationParameters('taxAuthority', 'getInvoices', { ...months, ...fields }, options);
		await sandbox.run(invoices({}));
		const previewed = await sandbox.run(invoices({ lastMonth: '2026-03' }, PREVIEW), {
			mode: 'manual',
		});
		expect(previewed.items.map(({ json }) => [json.period, json.outcome])).toEqual([
			['2026-01', 'wouldReuse'],
			['2026-02', 'wouldReuse'],
			['2026-03', 'wouldSend'],
		]);
	});

	it('is replaced by the account of the query that follows it', async () => {
		const items = itemsForRfcs(rfcs(1));
		const previewed = await sandbox.run(preview, { items });
		const sent = await sandbox.run(getCrfParameters(), {
			items: previewed.items.map(({ json }) => json),
		});
		expect(Object.keys(sent.items[0].json).filter((name) => name.startsWith('input'))).toEqual([]);
		expect(sent.items[0].json).toMatchObject({ outcome: 'pending', billed: 1 });
	});

	it('hides personal data', async () => {
		const [rfc] = rfcs(1);
		const previewed = await sandbox.run(
			getCrfParameters({}, { ...PREVIEW, personalData: 'masked' }),
			{ items: itemsForRfcs([rfc, WRONG]), onError },
		);
		expect(JSON.stringify(previewed.items)).not.toContain(rfc);
		expect(JSON.stringify(previewed.items)).not.toContain(WRONG);
	});

	it('fails where the service cannot be asked, unless the run goes on with errors', async () => {
		await sandbox.faults({ path: '/api/query', method: 'GET', fault: { status: 400 }, times: 9 });
		const input = { items: itemsForRfcs(rfcs(2)), mode: 'manual' as const };
		const stopped = await sandbox.run(preview, input);
		const going = await sandbox.run(preview, { ...input, onError });
		expect(stopped.error?.message).toMatch(/could not be listed/);
		expect([outcomesIn(going), hintOf(going)]).toEqual([
			['notSent', 'notSent'],
			'No queries would be sent, 2 rows are not ready. Nothing was sent.',
		]);
	});

	it('says in a further try what it said in the one before', async () => {
		const [first, second] = rfcs(2);
		await sandbox.faults({ path: CRF_PATH, method: 'POST', fault: { status: 400 }, times: 1 });
		const tried = await sandbox.run(
			getCrfParameters({}, { previewOnly: '={{ $json.isPreview }}' }),
			{
				items: [
					{ rfc: first, isPreview: true },
					{ rfc: second, isPreview: false },
				],
				maxTries: 2,
			},
		);
		expect((await sandbox.requests(CRF_PATH)).length).toBe(2);
		expect(outcomesIn(tried)).toEqual(['wouldSend', 'pending']);
	});

	it('is left out of the receipt where an expression previews some rows only', async () => {
		const [first, second, third] = rfcs(3);
		const mixed = await sandbox.run(
			getCrfParameters({}, { previewOnly: '={{ $json.isPreview }}' }),
			{
				items: [
					{ rfc: first, isPreview: true },
					{ rfc: second, isPreview: false },
					{ rfc: third, isPreview: true },
				],
			},
		);
		expect(outcomesIn(mixed)).toEqual(['wouldSend', 'pending', 'wouldSend']);
		expect(mixed.hints.map(({ message }) => message).sort()).toEqual([
			'2 queries would be sent. Nothing was sent for them.',
			expect.stringMatching(/^Billed: 1 query\. 1 pending/),
		]);
	});
});

it('Preview Only leaves a lost query to the run that looks for it', async () => {
	let isHidden = true;
	const service = await fakeService({
		post: respondToFirstPost(acceptThenRespondBadGateway),
		list: (stored, response) => respondJson(response, isHidden ? [] : stored),
	});
	const run = async (options: INodeParameters) =>
		await withoutWaiting(
			async () =>
				await service.run(getCrfParameters({ reuse: 'hours', reuseHours: 0 }, options), {
					...{ items: itemsForRfcs(rfcs(1)), mode: 'integrated', onError },
				}),
		);
	const lost = await run({});
	isHidden = false;
	const previewed = await run(PREVIEW);
	const found = await run({});
	await service.close();
	expect([lost, previewed, found].flatMap(outcomesIn).slice(0, 2)).toEqual([
		...['uncertain', 'uncertain'],
	]);
	expect(found.items[0].json.recovered).toBe(true);
	expect(service.billed).toHaveLength(1);
});

describe('Max Amount per Day', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const limited = (maxAmountPerDay: number) =>
		getCrfParameters({}, { spendingLimits: { maxAmountPerDay } });
	const codesIn = ({ items }: NodeRun) => items.map(({ json }) => json.errorCode ?? json.outcome);

	it('stops what would go beyond it, counting what others have spent today', async () => {
		const service = await sandbox.elsewhere();
		for (const rfc of rfcs(2)) await service.post('/query/crf', { rfc });
		const run = await sandbox.run(limited(10.5), {
			items: itemsForRfcs(rfcs(3)),
			prices: { getCrf: '3.5' },
			onError,
		});
		expect(codesIn(run)).toEqual(['pending', 'budgetOfDay', 'budgetOfDay']);
		expect(run.items[1].json.error).toBe(
			'This item would go beyond the MXN 10.50 allowed per day: MXN 10.50 are spent today, or planned',
		);
		expect(hintOf(run)).toMatch(/^Billed: 1 query, MXN 3\.50\. /);
		expect(await sandbox.ledger()).toHaveLength(3);
	});

	it.each([
		['the query', { getCurpData: '1' }],
		['any query', undefined],
	])('sends nothing where the price of %s is not known', async (_, prices) => {
		const run = await sandbox.run(limited(1000), { items: itemsForRfcs(rfcs(1)), prices, onError });
		expect(codesIn(run)).toEqual(['unpriced']);
		expect(await sandbox.ledger()).toEqual([]);
	});

	it("sends nothing where one of today's queries has no price", async () => {
		const service = await sandbox.elsewhere();
		await service.post('/query/rfc-data', { rfc: rfcs(1)[0] });
		const run = await sandbox.run(limited(1000), {
			items: itemsForRfcs(rfcs(1)),
			prices: { getCrf: '1' },
			onError,
		});
		expect(codesIn(run)).toEqual(['unpriced']);
		expect(run.items[0].json.error).toMatch(/has none for: RFC Data$/);
		expect(await sandbox.ledger()).toHaveLength(1);
	});

	it('stops before sending where a price is no amount', async () => {
		const run = await sandbox.run(getCrfParameters(), {
			items: itemsForRfcs(rfcs(1)),
			prices: { getCrf: 'three' },
		});
		expect(run.error?.message).toBe(
			"'Price: Fiscal Regime Certificate (CRF)' in the credential is no amount: write 3.50, with a point and without a currency",
		);
		expect(await sandbox.ledger()).toEqual([]);
	});
});
