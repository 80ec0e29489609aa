import {
	startSandboxWithQueryHelpers,
	type SandboxWithQueryHelpers,
} from '../../../support/sandboxQueryClient';
import { TriggerHost, type TriggerHostOptions } from '../../../nodes/taxQuery/trigger/triggerHost';

/** More than a trigger remembers. */
const PAST = 2_000;
const AT_MOST = 3;
const A_KILOBYTE = 1_000;

let sandbox: SandboxWithQueryHelpers;
let host: TriggerHost | undefined;

afterEach(async () => {
	await host?.stop();
	host = undefined;
	await sandbox.close();
});

/** Publishes the trigger over a long history, which it has read once then. */
async function start(
	queryList: 'array' | 'page' | 'summary',
	{ apiMapping = '{}', ...parameters }: Record<string, unknown> = {},
): Promise<TriggerHost> {
	sandbox = await startSandboxWithQueryHelpers({ pastQueries: PAST, queryList });
	host = await TriggerHost.start({
		credentials: sandbox.credentials({ taxQueryApi: { pointsPerSecond: 0, apiMapping } }),
		parameters: parameters as TriggerHostOptions['parameters'],
	});
	return host;
}

async function requestsOf(poll: () => Promise<unknown>) {
	await sandbox.control.delete('/requests');
	await poll();
	return await sandbox.requests();
}

describe(`with ${PAST} past queries`, () => {
	it.each(['array', 'page', 'summary'] as const)(
		'a poll costs at most three requests, and saves at most 100 kB (%s)',
		async (queryList) => {
			const trigger = await start(queryList);
			for (let count = 0; count < 5; count++) await sandbox.pending();
			const costs: number[] = [];
			for (let count = 0; count < 3; count++) {
				costs.push((await requestsOf(async () => await trigger.poll())).length);
			}
			const record = await sandbox.result();
			costs.push((await requestsOf(async () => await trigger.poll())).length);
			expect(trigger.started).toEqual([record._id]);
			expect(Math.max(...costs)).toBeLessThanOrEqual(AT_MOST);
			expect(trigger.staticData.length).toBeLessThan(100 * A_KILOBYTE);
		},
	);

	it('detects a service that ignores paging by its second page, without loss', async () => {
		sandbox = await startSandboxWithQueryHelpers();
		const trigger = (host = await TriggerHost.start({ credentials: sandbox.credentials() }));
		const record = await sandbox.result();
		const body = { data: [record], total: PAST };
		await sandbox.faults({ path: '/api/query', exact: true, fault: { status: 200, body } });
		for (let count = 0; count < 3; count++) await trigger.poll();
		const further = (await sandbox.requests('/api/query'))
			.map(({ query }) => (query as { offset?: string }).offset)
			.filter((offset) => offset !== undefined);
		expect([further, trigger.started, trigger.log]).toEqual([
			['1'],
			[record._id],
			[expect.stringMatching(/^warn: .* 2000 .* 1 .*list\.offset/)],
		]);
	});

	it('finds the result of an old query although newer ones came', async () => {
		const trigger = await start('page');
		const old = await sandbox.pending();
		for (let count = 0; count < 150; count++) await sandbox.ask();
		await trigger.poll();
		await sandbox.control.post(`/queries/${old}/deliver`);
		const requests = await requestsOf(async () => {
			for (let poll = 0; poll < 20 && !trigger.started.includes(old); poll++) await trigger.poll();
		});
		expect(trigger.started).toContain(old);
		expect(requests.length).toBeLessThanOrEqual(10 * AT_MOST);
	});
});
