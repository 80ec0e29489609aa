import { createSandboxNodeRunner, PEOPLE_COLLECTION_ID } from '../../nodes/creditProfile/support';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { sandboxForTestGroup } from '../../support/sharedSandbox';

const ALL = 12_000;
const PATH = `/api/v1/data/collection/${PEOPLE_COLLECTION_ID}/document`;

describe('Return All of 12,000 documents', () => {
	// A limit of its own would let this test wait for two minutes; test/nodes/http/pacing.test.ts holds the pace.
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0, documents: ALL });

	it('brings each once, in order, while a fifth of the requests meets 503 or 429', async () => {
		await sandbox.faults(
			{ path: PATH, probability: 0.1, fault: { status: 503 } },
			{ path: PATH, probability: 0.1, fault: 'storm' },
		);
		const { items, error } = await createSandboxNodeRunner(sandbox)({
			resource: 'dataDocument',
			operation: 'getAll',
			collection: { __rl: true, mode: 'id', value: PEOPLE_COLLECTION_ID },
			returnAll: true,
			options: { simplify: false },
		});
		const statuses = (await sandbox.requests(PATH)).map(({ status }) => status);
		expect({ error, ids: items.map(({ json }) => json.id) }).toEqual({
			error: undefined,
			ids: Array.from({ length: ALL }, (_, index) => PEOPLE_COLLECTION_ID * 100_000 + index + 1),
		});
		expect(statuses.filter((status) => status === 200)).toHaveLength(ALL / 100);
		expect(new Set(statuses)).toEqual(new Set([200, 503, 429]));
	});
});
