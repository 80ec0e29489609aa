import { forget } from '../../../nodes/shared/processState';
import { seemJustStarted, withoutWaiting } from '../support/clock';
import { getCrf, rfcs } from './support';
import { tenantService } from './tenants';

const items = rfcs(4).map((rfc) => ({ rfc, tenant: 'A' }));

describe('a retry after n8n was killed, while the list lags', () => {
	/** Two items are billed, n8n is killed, and all four are retried; the list shows nothing for so many reads. */
	async function retryBehind(hiddenReads: number, parameters = {}) {
		let reads = Infinity;
		const service = await tenantService({
			list: (stored) => (--reads >= 0 ? [] : stored),
		});
		await service.run(getCrf(), { items: items.slice(0, 2) });
		forget();
		seemJustStarted();
		reads = hiddenReads;
		const before = performance.now();
		const { items: given } = await withoutWaiting(
			async () => await service.run(getCrf(parameters), { items, mode: 'retry' }),
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
});
