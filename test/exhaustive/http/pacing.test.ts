import { runNodeInEngine } from '../../support/runNodeInEngine';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { freshSandboxForEachTest } from '../../support/sharedSandbox';

const ITEMS = 100;

describe('executions that share a token', () => {
	const sandbox = freshSandboxForEachTest(startSandboxWithHelpers, {
		rateLimit: 10,
		latency: 100,
		seed: 300,
	});

	const list = async (executionId: string, items: number) =>
		await runNodeInEngine({
			type: 'creditProfile',
			parameters: { resource: 'providerLogin', operation: 'getAll', returnAll: true },
			credentials: { creditProfileApi: sandbox.credentials().creditProfileApi },
			items: new Array(items).fill({}),
			executionId,
		});

	it('stay together under the limit: of three with 100 items each none fails', async () => {
		const runs = await Promise.all(['a', 'b', 'c'].map(async (id) => await list(id, ITEMS)));
		const requests = await sandbox.requests();
		expect(runs.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
		expect(requests.filter(({ status }) => status === 200)).toHaveLength(3 * ITEMS);
		// on a busy machine requests arrive bunched up; without a pace they would be refused by the hundred
		expect(requests.filter(({ status }) => status === 429).length).toBeLessThan(ITEMS);
	});

	it('reports the waiting time by the clock, not summed over items', async () => {
		const startedAt = Date.now();
		const { hints } = await list('d', 35);
		const took = (Date.now() - startedAt) / 1000;
		const [, text] =
			/^Waited (\d+\.\d) s/m.exec(hints.map(({ message }) => message).join('\n')) ?? [];
		expect(Number(text)).toBeLessThanOrEqual(took + 0.05); // it is rounded
	});
});
