import { codeOf } from '../../support/errorCode';
import { freshSandboxForEachTest } from '../../support/sandboxForTestGroup';
import {
	buildCrfFaultRule,
	buildNextCrfFaultRule,
	getCrfParameters,
	itemsForRfcs,
	rfcs,
	taxQuerySandbox,
} from './support';

describe('two concurrent executions of equal queries', () => {
	const sandbox = freshSandboxForEachTest(taxQuerySandbox);
	const runTwice = async (parameters: object, items: ReturnType<typeof itemsForRfcs>) =>
		await Promise.all(
			[1, 2].map(async () => await sandbox.run(getCrfParameters({ ...parameters }), { items })),
		);

	it('share no query while responses are lost', async () => {
		await sandbox.faults(buildCrfFaultRule('resetAfter', { probability: 0.5 }));
		const runs = await runTwice({}, itemsForRfcs(rfcs(10)));
		const given = runs.flatMap(({ items }) => items.map(({ json }) => json.queryId));
		const billed = (await sandbox.ledger()).map(({ queryId }) => queryId);
		expect(given.sort()).toEqual(billed.sort());
	});

	it('never take the query of the other whose response is still on its way', async () => {
		await sandbox.faults(
			buildNextCrfFaultRule('resetBefore'),
			buildCrfFaultRule({ trickle: 20 }, { times: 1 }),
		);
		const runs = await runTwice({}, itemsForRfcs(rfcs(1)));
		const [{ queryId }] = await sandbox.ledger();
		const outcomes = runs.map(({ items, error }) => items[0]?.json.queryId ?? codeOf(error));
		expect(outcomes.sort()).toEqual([queryId, 'unsure'].sort());
	});

	it('are billed once with Reuse Results', async () => {
		await runTwice({ reuse: 'hours', reuseHours: 24 }, itemsForRfcs(rfcs(5)));
		expect(await sandbox.ledger()).toHaveLength(5);
	});
});
