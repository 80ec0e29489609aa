import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchUnpooled } from '../../../demo/fetchUnpooled';
import type { N8n } from '../../../demo/startN8n';
import type { Execution, WorkflowNode } from '../../../demo/n8nClient';
import {
	startSandboxWithQueryHelpers,
	type SandboxWithQueryHelpers,
} from '../../support/sandboxQueryClient';
import { until } from '../../support/until';
import { startHeadlessN8nOncePerFile, restartableHeadlessN8n } from '../support/sharedN8n';
import { redeliverWhile503 } from '../support/redeliver';
import { waitForEndedExecutionOf } from '../support/executions';
import {
	createSandboxCredential,
	TRIGGER_NODE_NAME,
	triggerNode,
} from '../support/triggerWorkflow';
import { buildWorkflow, linkTo } from '../../../demo/workflow';

/** After the first poll another one follows, and starts more interrupted results. */
const SECOND_POLL_MS = 5_000;

/** Responds to nothing, so that an execution that sends it a request goes on; counts these. */
async function startHanging(): Promise<Server & { url: string; requests(): number }> {
	let requests = 0;
	const server = createServer(() => requests++).listen(0, '127.0.0.1');
	await once(server, 'listening');
	return Object.assign(server, {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		requests: () => requests,
	});
}

describe('the trigger in a real n8n', () => {
	let sandbox: SandboxWithQueryHelpers;
	let hanging: Awaited<ReturnType<typeof startHanging>>;
	let n8n: N8n;
	let credential: { id: string; name: string };

	beforeAll(async () => {
		sandbox = await startSandboxWithQueryHelpers();
		hanging = await startHanging();
		n8n = await startHeadlessN8nOncePerFile();
		const created = await createSandboxCredential(n8n.client, sandbox, 'Tax Query sandbox');
		credential = created.taxQueryApi;
	});

	afterAll(async () => {
		await sandbox?.close();
		hanging?.closeAllConnections();
		hanging?.close();
	});

	/** A workflow that runs when another one fails. */
	const createErrorWorkflow = async () => {
		const type = 'n8n-nodes-base.errorTrigger';
		const node = { id: 'e', name: 'Error', type, typeVersion: 1, position: [0, 0], parameters: {} };
		const nodes = [node] as unknown as WorkflowNode[];
		const settings = { executionOrder: 'v1' };
		const name = 'On error';
		const id = await n8n.client.createWorkflow({ name, nodes, connections: {}, settings });
		await n8n.client.publish(id);
		return id;
	};

	let listing = 0;
	/** Publishes a workflow of the trigger, and of a node that never ends if it `hangs`. */
	const publish = async (
		name: string,
		parameters: object = {},
		{ hangs = false, twice = false, settings = {} } = {},
	) => {
		const trigger = triggerNode(name, parameters, { taxQueryApi: credential });
		const hang = {
			id: 'h',
			name: 'Hang',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			position: [200, 0],
			parameters: { url: hanging.url, options: {} },
		};
		const second = { ...trigger, id: 't2', name: 'Second trigger', webhookId: `${name}-2` };
		const nodes = [trigger, ...(twice ? [second] : []), ...(hangs ? [hang] : [])];
		const id = await n8n.client.createWorkflow(
			buildWorkflow(name, nodes, {
				connections: hangs ? { [TRIGGER_NODE_NAME]: linkTo('Hang') } : {},
				settings,
			}),
		);
		listing += 'receiveBy' in parameters ? 0 : twice ? 2 : 1;
		await n8n.client.publish(id);
		return id;
	};
	const deliver = async (name: string, body: object) =>
		await redeliverWhile503(async () => {
			const url = `${n8n.url}/webhook/${name}/tax-query`;
			return (await fetchUnpooled(url, { method: 'POST', body: JSON.stringify(body) })).status;
		});
	const ofQuery = (executions: Execution[], id: string) =>
		executions.filter((each) => JSON.stringify(each.data ?? {}).includes(id));
	/** Executions that a query's result has started, once there is one. */
	const startedBy = async (workflow: string, id: string, count = 1): Promise<Execution[]> =>
		await until(
			`${count} executions started by query ${id}`,
			async () => {
				const found = ofQuery(await n8n.client.executions(workflow), id);
				return found.length >= count && found;
			},
			{ pauseMs: 250 },
		);
	const restart = async () => {
		await restartableHeadlessN8n.kill();
		await restartableHeadlessN8n.restart(n8n.url);
	};
	/** Restarts n8n; resolves when each trigger has read the list. */
	const restartAndPoll = async () => {
		const polls = async () => (await sandbox.requests('/api/query')).length;
		const before = await polls();
		await restart();
		await until('the first poll of each trigger', async () => (await polls()) - before >= listing);
		await sleep(SECOND_POLL_MS);
	};

	it.each([
		['published again', 'slow-again', async (id: string) => await n8n.client.publish(id)],
		[
			'unpublished and published',
			'slow',
			async (id: string) => {
				await n8n.client.unpublish(id);
				await n8n.client.publish(id);
			},
		],
	])(
		'loses nothing and starts nothing twice if it is %s during a slow poll',
		async (_, name, publishAgain) => {
			const id = await publish(name);
			const record = await sandbox.result();
			const before = (await sandbox.requests('/api/query')).length;
			await sandbox.faults({
				path: '/api/query',
				exact: true,
				times: 1,
				fault: { latency: 3_000 },
			});
			const delivered = deliver(name, record);
			await until('a poll', async () => (await sandbox.requests('/api/query')).length > before);
			await publishAgain(id);
			await delivered;
			await startedBy(id, record._id);
			await deliver(name, record);
			const started = await startedBy(id, record._id);
			expect(started.map(({ status }) => status)).toEqual(['success']);
		},
	);

	it('starts a result once for each trigger and each workflow of an account', async () => {
		const [two, one] = [await publish('two', {}, { twice: true }), await publish('one')];
		const record = await sandbox.result();
		const copies = ['two', 'two-2', 'one', 'two', 'two-2', 'one'];
		await Promise.all(copies.map(async (name) => await deliver(name, record)));
		const last = await sandbox.result();
		for (const name of copies.slice(0, 3)) await deliver(name, last);
		await startedBy(one, last._id);
		await startedBy(two, last._id, 2);
		const started = async (id: string) =>
			ofQuery(await n8n.client.executions(id), record._id).length;
		expect([await started(two), await started(one)]).toEqual([2, 1]);
	});

	it.each([
		['a DateTime', '={{ $now.minus({ days: 7 }) }}'],
		['a Date', '={{ new Date(Date.now() - 86400000) }}'],
		['day/month/year', '7/11/2020'],
		['a date and a time', '2020-11-07 10:00'],
	])('checks from a moment that is given as %s', async (_, date) => {
		const record = await sandbox.result();
		const id = await publish(`from-${date.length}`, { startFrom: 'date', date });
		expect(await startedBy(id, record._id)).toHaveLength(1);
		await n8n.client.unpublish(id);
		listing--;
	});

	it('is a failed execution if it cannot check, though n8n publishes it', async () => {
		const id = await publish('no-date', { startFrom: 'date', date: 'soon' });
		const [failed] = await until('a failed execution', async () => {
			const executions = await n8n.client.executions(id);
			return executions.length > 0 && executions;
		});
		expect(failed.status).toBe('error');
		expect(JSON.stringify(failed.data?.resultData.error)).toContain('field.date');
		await n8n.client.unpublish(id);
		listing--;
	});

	it('takes no exception from hostile values', async () => {
		const id = await publish('hostile');
		const bodies = [
			{ _id: 'abc1', status: { toString: 1, valueOf: 1 } },
			{ _id: 'abc2', service: { toString: null }, updatedAt: { valueOf: 1 } },
			{ queryId: 'abc3', event: { toString: 1 } },
		];
		const statuses: number[] = [];
		for (const body of bodies) statuses.push(await deliver('hostile', body));
		// 202 where the trigger has just read another unknown ID: the list would bring a true one
		const others = statuses.filter((status) => ![202, 404].includes(status));
		expect([others, await n8n.client.executions(id)]).toEqual([[], []]);
	});

	it('starts nothing again after SIGKILL', async () => {
		const workflows = {
			both: await publish('both'),
			webhook: await publish('webhook', { receiveBy: 'webhook' }),
			long: await publish('long', {}, { hangs: true }),
			saved: await publish('saved', { settings: { afterCrash: 'once' } }, { hangs: true }),
		};
		const records = [await sandbox.result(), await sandbox.result(), await sandbox.result()];
		const deliverAll = async () => {
			for (const record of records) {
				for (const name of Object.keys(workflows)) await deliver(name, record);
			}
		};
		/** n8n does not list an execution that runs: it is known by the request that hangs. */
		const hangs = async (count: number) =>
			await until(`${count} hanging executions`, () => hanging.requests() >= count);
		await deliverAll();
		await hangs(2 * records.length);
		for (const id of [workflows.both, workflows.webhook]) {
			for (const { _id } of records) await startedBy(id, _id);
		}
		for (const id of [workflows.both, workflows.webhook]) {
			await waitForEndedExecutionOf(n8n.client, id, { runs: records.length });
		}
		await restartAndPoll();
		await restartAndPoll();
		await deliverAll();
		const counts: Record<string, number> = {};
		for (const [name, id] of Object.entries(workflows)) {
			counts[name] = (await n8n.client.executions(id)).length;
		}
		expect(counts).toEqual({ both: 3, webhook: 3, long: 3, saved: 3 });
	});

	it('reports a revoked secret after a restart once, and runs the error workflow', async () => {
		const errorWorkflow = await createErrorWorkflow();
		const id = await publish(
			'revoked',
			{ settings: { checkEvery: 5 } },
			{ settings: { errorWorkflow } },
		);
		const refused = { status: 401, body: { message: 'revoked' } };
		await sandbox.faults(
			{ path: '/api/oauth/token', fault: refused },
			{ path: '/api/query', fault: refused },
		);
		await restart();
		await waitForEndedExecutionOf(n8n.client, errorWorkflow);
		await sleep(7_000); // checks continue without further reports
		await sandbox.faults();
		const statusesOf = async (workflow: string) =>
			(await n8n.client.executions(workflow)).map(({ status }) => status);
		expect([await statusesOf(id), await statusesOf(errorWorkflow)]).toEqual([
			['error'],
			['success'],
		]);
	});
});
