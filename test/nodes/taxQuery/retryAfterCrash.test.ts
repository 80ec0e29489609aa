import { resetProcessState } from '../../../nodes/shared/processStateByScope';
import { pretendProcessJustStarted, withoutWaiting } from '../../support/clock';
import { codeOf } from '../../support/errorCode';
import { freshSandboxForEachTest } from '../../support/sandboxForTestGroup';
import { aRecord } from './fakeService';
import {
	createTaxProfileParameters,
	getCrfParameters,
	itemsForRfcs,
	rfcs,
	taxQuerySandbox,
} from './support';
import { tenantService, type StoredQuery } from './fakeTenantService';

describe('a retry after n8n was killed, while the list lags', () => {
	const items = rfcs(4).map((rfc) => ({ rfc, tenant: 'A' }));
	/** By the clock that tests move. */
	const isoNow = () => new Date(Date.now()).toISOString();

	type LaterQueries = () => StoredQuery[];
	const none: LaterQueries = () => [];

	/** Two items are billed, n8n is killed, and all four are retried; the list shows nothing for so many reads. */
	async function retryBehind(hiddenReads: number, parameters = {}, later: LaterQueries = none) {
		let reads = Infinity;
		const service = await tenantService({
			list: (stored) => (--reads >= 0 ? [] : [...later(), ...stored]),
		});
		await service.run(getCrfParameters(), { items: items.slice(0, 2) });
		resetProcessState();
		pretendProcessJustStarted();
		reads = hiddenReads;
		const before = performance.now();
		const { items: given } = await withoutWaiting(
			async () => await service.run(getCrfParameters(parameters), { items, mode: 'retry' }),
		);
		const billed = service.billedOf('A').map(({ query }) => query.rfc);
		await service.close();
		return { given, billed, waitedMs: performance.now() - before };
	}

	it.each([{}, { reuse: 'never' }])(
		'waits for the list, and sends only what it does not show: %j',
		async (parameters) => {
			const { given, billed } = await retryBehind(4, parameters);
			expect(billed).toEqual(items.map(({ rfc }) => rfc));
			expect(given.map(({ json }) => json.reused)).toEqual([true, true, undefined, undefined]);
		},
	);

	it('waits a minute at most', async () => {
		const { billed, waitedMs } = await retryBehind(1000);
		expect(billed).toHaveLength(6);
		expect(Math.round(waitedMs / 60_000)).toBe(1);
	});

	it('trusts the list as soon as it shows a query that is later than the crash', async () => {
		const ofAnother = () => aRecord({ query: { rfc: rfcs(5)[4] }, createdAt: isoNow() });
		const { billed, given, waitedMs } = await retryBehind(4, {}, () => [ofAnother()]);
		expect(billed).toEqual(items.map(({ rfc }) => rfc));
		expect(given.map(({ json }) => json.reused)).toEqual([true, true, undefined, undefined]);
		expect(waitedMs).toBeGreaterThanOrEqual(20_000);
		expect(waitedMs).toBeLessThan(30_000);
	});
});

describe('a retry of an execution of which n8n stored nothing', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const [RFC] = rfcs(1);
	const never = getCrfParameters({ reuse: 'never' });
	const billed = async () => (await sandbox.ledger()).length;

	it.each(['building', 'never', 'month'])(
		'sends only what the list does not show, with Reuse Results %s',
		async (reuse) => {
			const wanted = rfcs(20);
			await sandbox.run(getCrfParameters({ reuse }), { items: itemsForRfcs(wanted.slice(0, 15)) });
			const { items } = await sandbox.run(getCrfParameters({ reuse }), {
				items: itemsForRfcs(wanted),
				mode: 'retry',
			});
			expect({
				rfcs: items.map(({ json }) => json.rfc),
				reused: items.filter(({ json }) => json.reused).length,
				billed: await billed(),
			}).toEqual({ rfcs: wanted, reused: 15, billed: 20 });
		},
	);

	it('gives each query to one item where each item is billed', async () => {
		await sandbox.run(never, { items: itemsForRfcs([RFC, RFC]) });
		const { items } = await sandbox.run(never, {
			items: itemsForRfcs([RFC, RFC, RFC]),
			mode: 'retry',
		});
		const ids = new Set(items.map(({ json }) => json.queryId)).size;
		expect({ ids, billed: await billed() }).toEqual({ ids: 3, billed: 3 });
	});

	it('gives no item the query that n8n stored for another one', async () => {
		await sandbox.faults({ path: '/api/query/crf', times: 1, fault: { status: 422 } });
		const requests = { items: itemsForRfcs([RFC, RFC]), executionId: 'half-refused', memory: {} };
		await sandbox.run(never, { ...requests, onError: 'continueRegularOutput' });
		const before = await billed();
		const { items } = await sandbox.run(never, { ...requests, mode: 'retry' });
		const ids = new Set(items.map(({ json }) => json.queryId)).size;
		expect({ before, ids, after: await billed() }).toEqual({ before: 1, ids: 2, after: 2 });
	});

	it('creates a tax profile again, because the list does not show its CIEC', async () => {
		await sandbox.run(createTaxProfileParameters(RFC));
		const { items } = await sandbox.run(createTaxProfileParameters(RFC), { mode: 'retry' });
		expect([items[0].json.reused, await billed()]).toEqual([undefined, 2]);
	});

	it('sends nothing while the list cannot be read', async () => {
		await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 403 } });
		const { error } = await sandbox.run(never, { items: itemsForRfcs([RFC]), mode: 'retry' });
		expect({ code: codeOf(error), billed: await billed() }).toEqual({
			...{ code: 'unlisted', billed: 0 },
		});
	});
});
