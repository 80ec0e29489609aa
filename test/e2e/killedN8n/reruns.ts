import axios from 'axios';
import type { N8n } from '../../../demo/startN8n';
import type { Execution } from '../../../demo/n8nClient';
import {
	paidWorkflow,
	startExecutionRetry,
	stopExecutions,
} from '../../../bench/support/paidWorkflow';
import { startSandboxWithHelpers, type TestSandbox } from '../../support/sandbox';
import { rfcs } from '../../nodes/taxQuery/support';
import { until } from '../../support/until';
import { startHeadlessN8nOncePerFile, restartableHeadlessN8n } from '../support/sharedN8n';
import { waitForEndedExecutionOf, outOf } from '../support/executions';

const CRF = { path: '/api/query/crf', method: 'POST' };
const LIST = { path: '/api/query', method: 'GET', exact: true };

describe('what a real n8n runs again is paid for once', () => {
	let n8n: N8n;
	let sandbox: TestSandbox;
	let credential: { id: string; name: string };
	/** With a slow pace: n8n can be killed while queries are left to send. */
	let slowCredential: { id: string; name: string };

	beforeAll(async () => {
		n8n = await startHeadlessN8nOncePerFile();
		sandbox = await startSandboxWithHelpers({ rateLimit: 0, resultDelay: 0, documents: 0 });
		const create = async (name: string, pointsPerSecond: number) => {
			const { taxQueryApi } = sandbox.credentials({ taxQueryApi: { pointsPerSecond } });
			return { id: await n8n.client.createCredential('taxQueryApi', name, taxQueryApi), name };
		};
		credential = await create('Tax Query', 10);
		slowCredential = await create('Slow Tax Query', 2);
	});
	afterAll(async () => await sandbox?.close());
	beforeEach(async () => {
		await sandbox.reset();
		await sandbox.control.delete('/ledger');
	});

	const billed = async () =>
		(await sandbox.control.get<Array<{ query: { rfc: string } }>>('/ledger')).data
			.map(({ query }) => query.rfc)
			.sort();

	/** Publishes a workflow that asks for the CRF of each item and sends it these RFCs; returns its id. */
	async function start(
		path: string,
		wanted: string[],
		parameters: object = {},
		settings: object = {},
		account = credential,
	): Promise<string> {
		const workflow = paidWorkflow(path, account, { parameters, settings });
		const id = await n8n.client.createWorkflow(workflow);
		await n8n.client.publish(id);
		await ask(path, wanted);
		return id;
	}

	const ask = async (path: string, wanted: string[]) =>
		await axios.post(`${n8n.url}/webhook/${path}`, { items: wanted.map((rfc) => ({ rfc })) });

	/** The newest execution once so many of the workflow have ended. */
	const ended = async (workflowId: string, runs: number): Promise<Execution> =>
		await waitForEndedExecutionOf(n8n.client, workflowId, { runs });

	const retry = async ({ id }: Execution) => await startExecutionRetry(n8n.url, n8n.login, id);

	it('by Retry On Fail, three times with an item that fails', async () => {
		type State = { reserved: Array<{ behaviour: string; rfc: string }> };
		const { data } = await sandbox.control.get<State>('/state');
		const failing = data.reserved.find(({ behaviour }) => behaviour === 'failed')?.rfc as string;
		const wanted = [...rfcs(10), failing];
		const id = await start(
			'retry-on-fail',
			wanted,
			{ waitForResult: true, options: {} },
			{ retryOnFail: true, maxTries: 3, waitBetweenTries: 100 },
		);
		const { status, data: saved } = await ended(id, 1);
		const { paidQueries, queryIds = '' } = saved?.resultData.metadata ?? {};
		const { data: ledger } = await sandbox.control.get<Array<{ queryId: string }>>('/ledger');
		const paid = ledger.map(({ queryId }) => queryId);
		expect([status, await billed()]).toEqual(['error', wanted.sort()]);
		// as many as fit in
		const unknown = queryIds.split(' ').filter((queryId) => !paid.includes(queryId));
		expect([paidQueries, unknown]).toEqual(['11', []]);
	});

	it('by Retry On Fail with Continue On Fail, where the first item fails each time', async () => {
		const wanted = ['no RFC', ...rfcs(120).slice(100)];
		const id = await start(
			'retry-and-continue',
			wanted,
			{ reuse: 'never' },
			{
				retryOnFail: true,
				maxTries: 3,
				waitBetweenTries: 100,
				onError: 'continueRegularOutput',
			},
		);
		const execution = await ended(id, 1);
		const reads = (await sandbox.requests()).filter(({ method }) => method === 'GET').length;
		expect([outOf(execution, 'CRF').length, await billed(), reads]).toEqual([
			21,
			wanted.slice(1).sort(),
			40, // the second and third try
		]);
	});

	it("by the editor's Retry of a failed execution", async () => {
		await sandbox.faults({ ...CRF, times: 1, fault: { status: 400 } });
		const wanted = rfcs(240).slice(220); // a retry takes what the list shows of the tests above
		const id = await start('retry', wanted, { reuse: 'never' });
		const failed = await ended(id, 1);
		await retry(failed);
		const retried = await ended(id, 2);
		expect([failed.status, retried.status, outOf(retried, 'CRF').length, await billed()]).toEqual([
			'error',
			'success',
			20,
			wanted.sort(),
		]);
	});

	it('Reuse in another execution bills a query of a stopped one once', async () => {
		const wanted = rfcs(241).slice(240);
		await sandbox.faults(
			{ ...CRF, times: 1, fault: { trickle: 60_000 } },
			{ ...LIST, fault: { status: 200, body: [] } },
		);
		const id = await start('stopped', wanted, { reuse: 'hours', reuseHours: 24 });
		await until('1 query billed', async () => (await billed()).length === 1);
		await stopExecutions(n8n.url, n8n.login, id);
		const stopped = await ended(id, 1);
		await ask('stopped', wanted);
		const unsure = await ended(id, 2);
		await sandbox.faults(); // now it is listed
		await ask('stopped', wanted);
		const reused = await ended(id, 3);
		const statuses = [stopped, unsure, reused].map(({ status }) => status);
		expect([statuses, outOf(reused, 'CRF').length, await billed()]).toEqual([
			['canceled', 'error', 'success'],
			1,
			wanted,
		]);
	});

	it('Retry of a killed execution bills accepted queries once while the list lags', async () => {
		const wanted = rfcs(150).slice(130);
		await sandbox.faults({ ...CRF, fault: { trickle: 60_000 } });
		const id = await start('killed-before-answers', wanted);
		await until('20 queries billed', async () => (await billed()).length >= 20);
		await restartableHeadlessN8n.kill();
		await sandbox.faults({ ...LIST, times: 1, fault: { status: 200, body: [] } });
		await restartableHeadlessN8n.restart(n8n.url);
		await retry(await ended(id, 1));
		const retried = await ended(id, 2);
		expect([retried.status, outOf(retried, 'CRF').length, await billed()]).toEqual([
			'success',
			20,
			wanted.sort(),
		]);
	});

	it('Retries after a kill of n8n bill once, also two with equal requests and Reuse', async () => {
		const [alone, together] = [rfcs(100).slice(60), rfcs(200).slice(160)]; // a retry reuses the queries of the tests above
		const reuse = { reuse: 'hours', reuseHours: 24 };
		const ids = await Promise.all([
			start('killed', alone, {}, {}, slowCredential),
			...['together-1', 'together-2'].map(
				async (path) => await start(path, together, reuse, {}, slowCredential),
			),
		]);
		const billedOf = async (wanted: string[]) =>
			(await billed()).filter((rfc) => wanted.includes(rfc)).length;
		await until('12 queries billed of each', async () => {
			return (await billedOf(alone)) >= 12 && (await billedOf(together)) >= 12;
		});
		await restartableHeadlessN8n.kill();
		await restartableHeadlessN8n.restart(n8n.url);
		const crashed = await Promise.all(ids.map(async (id) => await ended(id, 1)));
		await Promise.all(crashed.map(retry));
		const retried = await Promise.all(ids.map(async (id) => await ended(id, 2)));
		expect([
			crashed.map(({ status }) => status),
			retried.map((execution) => [execution.status, outOf(execution, 'CRF').length]),
			await billed(),
		]).toEqual([
			['crashed', 'crashed', 'crashed'],
			[
				['success', 40],
				['success', 40],
				['success', 40],
			],
			[...alone, ...together].sort(),
		]);
	});
});
