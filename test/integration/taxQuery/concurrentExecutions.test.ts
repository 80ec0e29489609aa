import { codeOf } from '../support/errorCode';
import { withFreshSandbox } from '../support/withSandbox';
import { faultOnCrf, faultOnNextCrf, getCrf, itemsOf, rfcs, taxQuerySandbox } from './support';

describe('two concurrent executions of equal queries', () => {
	const sandbox = withFreshSandbox(taxQuerySandbox);
	const runTwice = async (parameters: object, items: ReturnType<typeof itemsOf>) =>
		await Promise.all(
			[1, 2].map(async () => await sandbox.run(getCrf({ ...parameters }), { items })),
		);

	it('share no query while responses are lost', async () => {
		await sandbox.faults(faultOnCrf('resetAfter', { probability: 0.5 }));
		const runs = await runTwice({}, itemsOf(rfcs(10)));
		const given = runs.flatMap(({ items }) => items.map(({ json }) => json.queryId));
		const billed = (await sandbox.ledger()).map(({ queryId }) => queryId);
		expect(given.sort()).toEqual(billed.sort());
	});

	it('never take the query of the other whose response is still on its way', async () => {
		await sandbox.faults(faultOnNextCrf('resetBefore'), faultOnCrf({ trickle: 20 }, { times: 1 }));
		const runs = await runTwice({}, itemsOf(rfcs(1)));
		const [{ queryId }] = await sandbox.ledger();
		const outcomes = runs.map(({ items, error }) => items[0]?.json.queryId ?? codeOf(error));
		expect(outcomes.sort()).toEqual([queryId, 'unsure'].sort());
	});

	it('are billed once with Reuse Results', async () => {
		await runTwice({ reuse: 'hours', reuseHours: 24 }, itemsOf(rfcs(5)));
		expect(await sandbox.ledger()).toHaveLength(5);
	});
});
