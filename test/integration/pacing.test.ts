import { runNode } from './support/runNode';
import { sandboxForTest, type TestSandbox } from './support/sandbox';

const ITEMS = 100;

// Service, executions and jest share this machine: on a busy one, requests arrive bunched up.
jest.retryTimes(2);

describe('executions that share a token', () => {
	let sandbox: TestSandbox;
	beforeAll(async () => {
		sandbox = await sandboxForTest({ rateLimit: 10, latency: 100, seed: 300 });
	});
	afterAll(async () => await sandbox.close());

	it('stay together under the limit: of three with 100 items each none fails', async () => {
		const runs = await Promise.all(
			['a', 'b', 'c'].map(
				async (executionId) =>
					await runNode({
						type: 'creditProfile',
						parameters: { resource: 'credential', operation: 'getAll', returnAll: true },
						credentials: { creditProfileApi: sandbox.credentials().creditProfileApi },
						items: new Array(ITEMS).fill({}),
						executionId,
					}),
			),
		);
		const requests = await sandbox.requests();
		expect(runs.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
		expect(requests.filter(({ status }) => status === 200)).toHaveLength(3 * ITEMS);
		expect(requests.filter(({ status }) => status === 429).length).toBeLessThanOrEqual(3);
	});
});
