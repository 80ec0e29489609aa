import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publishTrigger, startTriggerOutputSink } from '../../bench/support/triggerBench';
import { fetchUnpooled } from '../../demo/fetchUnpooled';
import { HEADLESS, startN8n, startUnowned, type N8n } from '../../demo/startN8n';
import { installPackage } from '../../demo/installPackage';
import { Processes } from '../../demo/processes';
import { startStores } from '../../demo/queueModeStores';
import { describeWithStores } from './support/describeWithStores';
import {
	startSandboxWithQueryHelpers,
	type SandboxWithQueryHelpers,
} from '../support/sandboxQueryClient';
import { until } from '../support/until';
import { redeliverWhile503 } from './support/redeliver';
import { waitForEndedExecutionOf } from './support/executions';
import { createSandboxCredential } from './support/triggerWorkflow';

const A_DAY_IN_SECONDS = 86_400;
const RESULTS = 5;

/**
 * Of several mains of n8n one leads, and that needs a licence. Two mains without one would both open what is published
 * when they start. Here each publishes only on demand, as if it led from then on.
 *
 * Two that lead at once may both start a result, because n8n replaces an execution of the same key that has not begun to
 * run. The trigger cannot see that.
 */
const ONLY_ON_DEMAND = {
	N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: String(A_DAY_IN_SECONDS * 1000),
	N8N_WORKFLOW_PUBLICATION_RECONCILE_INTERVAL_SECONDS: String(A_DAY_IN_SECONDS),
};

type Main = Pick<N8n, 'url' | 'client'>;

describeWithStores('two main processes of n8n with one database', () => {
	const processes = new Processes();
	let folder: string;
	let stores: Awaited<ReturnType<typeof startStores>>;
	let first: Main;
	let second: Main;
	let sandbox: SandboxWithQueryHelpers;
	let sink: Awaited<ReturnType<typeof startTriggerOutputSink>>;
	let credential: string;

	beforeAll(async () => {
		folder = mkdtempSync(join(tmpdir(), 'credit-profile-mains-'));
		chmodSync(folder, 0o755); // PostgreSQL runs as another user
		stores = await startStores(processes);
		const env = {
			...{ ...HEADLESS, ...stores.settings, ...ONLY_ON_DEMAND },
			DB_POSTGRESDB_POOL_SIZE: '10',
			N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
		};
		const [one, two] = [join(folder, 'one'), join(folder, 'two')];
		await installPackage(processes, one);
		cpSync(one, two, { recursive: true });
		first = await startN8n(processes, one, () => {}, env);
		const { url } = await startUnowned(processes, two, () => {}, env);
		second = { url, client: first.client.at(url) };
		sandbox = await startSandboxWithQueryHelpers();
		sink = await startTriggerOutputSink();
		const { taxQueryApi } = await createSandboxCredential(
			first.client,
			sandbox,
			'Tax Query sandbox',
		);
		credential = taxQueryApi.id;
	});
	afterAll(async () => {
		await processes.stop();
		await stores?.remove();
		await sandbox?.close();
		await sink?.close();
		rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
	});

	const hasStarted = (id: string) => sink.arrivals.some(({ queryId }) => queryId === id);
	const call = async (url: string, body: object) =>
		await redeliverWhile503(async () => {
			const request = { method: 'POST', body: JSON.stringify(body) };
			return (await fetchUnpooled(url, request)).status;
		});
	const deleteExecutions = async (workflow: string) => {
		const scopes = ['execution:delete'];
		const key = { 'x-n8n-api-key': await first.client.createApiKey('delete', scopes) };
		for (const { id } of await first.client.executions(workflow, { withoutData: true })) {
			const url = `${first.url}/api/v1/executions/${id}`;
			const { status } = await fetchUnpooled(url, { method: 'DELETE', headers: key });
			expect(status).toBe(200);
		}
	};

	it('start each result once while they lead in turn, also if n8n deletes executions', async () => {
		const { url, workflowId } = await publishTrigger(first, credential, 'in-turn', {}, sink.url);
		const path = url.slice(first.url.length);
		const ids: string[] = [];
		/** Makes results, and calls the webhook of the main that leads; resolves when each has started. */
		const startResults = async (leader: Main) => {
			const records = await Promise.all(
				Array.from({ length: RESULTS }, async () => await sandbox.result()),
			);
			ids.push(...records.map(({ _id }) => _id));
			await Promise.all(records.map(async (record) => await call(leader.url + path, record)));
			await until('all results', () => ids.every(hasStarted), { pauseMs: 100 });
		};
		const changeLeader = async (from: Main, to: Main) => {
			await from.client.unpublish(workflowId);
			await to.client.publish(workflowId);
		};
		await startResults(first);
		await changeLeader(first, second);
		await startResults(second);
		await waitForEndedExecutionOf(first.client, workflowId, {
			runs: ids.length,
			status: 'success',
		});
		await deleteExecutions(workflowId);
		await changeLeader(second, first);
		await startResults(first);
		await startResults(first);
		expect(sink.arrivals.map(({ queryId }) => queryId).sort()).toEqual(ids.sort());
	});
});
