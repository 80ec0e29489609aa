import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startN8n, type N8n } from '../../demo/n8n';
import type { Execution, WorkflowNode } from '../../demo/n8nClient';
import { ensureHost } from '../../demo/n8nHost';
import { installPackage } from '../../demo/package';
import { KillableN8n } from '../bench/killableN8n';
import { sandboxWithQueries, type SandboxWithQueries } from '../integration/support/queries';

const MINUTES = 60_000;
const TRIGGER = 'Tax Query Trigger';
/** After a start n8n's first look comes within 15 seconds; a second one follows. */
const AFTER_START_MS = 25_000;

/** Answers nothing, so that an execution that asks it goes on. */
async function startHanging(): Promise<Server & { url: string }> {
	const server = createServer(() => {}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	return Object.assign(server, {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
	});
}

describe('the trigger in a real n8n', () => {
	const processes = new KillableN8n();
	let userFolder: string;
	let sandbox: SandboxWithQueries;
	let hanging: Awaited<ReturnType<typeof startHanging>>;
	let n8n: N8n;
	let credential: { id: string; name: string };

	beforeAll(async () => {
		userFolder = await mkdtemp(join(tmpdir(), 'credit-profile-life-'));
		sandbox = await sandboxWithQueries();
		hanging = await startHanging();
		await ensureHost(processes, () => {});
		await installPackage(processes, userFolder);
		n8n = await startN8n(processes, userFolder, () => {});
		const { baseUrl, clientId, clientSecret } = sandbox.taxQuery;
		const name = 'Tax Query sandbox';
		const data = {
			baseUrl,
			grant: 'clientCredentials',
			clientId,
			clientSecret,
			pointsPerSecond: 0,
		};
		credential = { name, id: await n8n.client.createCredential('taxQueryApi', name, data) };
	}, 5 * MINUTES);

	afterAll(async () => {
		await processes.stop();
		await sandbox?.close();
		hanging?.closeAllConnections();
		hanging?.close();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	}, MINUTES);

	/** Publishes a workflow of the trigger, and of a node that never ends if it `hangs`. */
	const publish = async (name: string, parameters: object = {}, { hangs = false } = {}) => {
		const trigger = {
			id: 't',
			name: TRIGGER,
			type: 'n8n-nodes-credit-profile.taxQueryTrigger',
			typeVersion: 1,
			position: [0, 0],
			webhookId: name,
			parameters,
			credentials: { taxQueryApi: credential },
		};
		const hang = {
			id: 'h',
			name: 'Hang',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			position: [200, 0],
			parameters: { url: hanging.url, options: {} },
		};
		const nodes = (hangs ? [trigger, hang] : [trigger]) as unknown as WorkflowNode[];
		const id = await n8n.client.createWorkflow({
			name,
			nodes,
			connections: hangs
				? { [TRIGGER]: { main: [[{ node: 'Hang', type: 'main', index: 0 }]] } }
				: {},
			settings: { executionOrder: 'v1' },
		});
		await n8n.client.publish(id);
		return id;
	};
	const deliver = async (name: string, body: object) =>
		(
			await fetch(`${n8n.url}/webhook/${name}/tax-query`, {
				method: 'POST',
				body: JSON.stringify(body),
			})
		).status;
	const ofQuery = (executions: Execution[], id: string) =>
		executions.filter((each) => JSON.stringify(each.data ?? {}).includes(id));
	/** Executions that a query's result has started, once there is one. */
	const startedBy = async (workflow: string, id: string): Promise<Execution[]> => {
		for (;;) {
			const found = ofQuery(await n8n.client.executions(workflow), id);
			if (found.length > 0) return found;
			await sleep(250);
		}
	};
	const restart = async () => {
		await processes.kill();
		await processes.restart(n8n.url);
		await sleep(AFTER_START_MS);
	};

	it(
		'loses nothing and starts nothing twice if it is unpublished and published in the midst of a slow look',
		async () => {
			const id = await publish('slow');
			const record = await sandbox.result();
			const before = (await sandbox.requests('/api/query')).length;
			await sandbox.faults({
				path: '/api/query',
				exact: true,
				times: 1,
				fault: { latency: 3_000 },
			});
			const delivered = deliver('slow', record);
			while ((await sandbox.requests('/api/query')).length === before) await sleep(20);
			await n8n.client.unpublish(id);
			await n8n.client.publish(id);
			await delivered;
			await startedBy(id, record._id);
			await deliver('slow', record);
			const started = await startedBy(id, record._id);
			expect(started.map(({ status }) => status)).toEqual(['success']);
		},
		2 * MINUTES,
	);

	it(
		'takes no exception from hostile values',
		async () => {
			const id = await publish('hostile');
			const bodies = [
				{ _id: 'abc1', status: { toString: 1, valueOf: 1 } },
				{ _id: 'abc2', service: { toString: null }, updatedAt: { valueOf: 1 } },
				{ queryId: 'abc3', event: { toString: 1 } },
			];
			const statuses: number[] = [];
			for (const body of bodies) statuses.push(await deliver('hostile', body));
			expect([statuses, await n8n.client.executions(id)]).toEqual([[404, 404, 404], []]);
		},
		MINUTES,
	);

	it(
		'knows after SIGKILL what had ended, starts once more what had not, and never a third time',
		async () => {
			const workflows = {
				both: await publish('both'),
				webhook: await publish('webhook', { receiveBy: 'webhook' }),
				long: await publish('long', {}, { hangs: true }),
				left: await publish('left', { settings: { afterCrash: 'leave' } }, { hangs: true }),
			};
			const record = await sandbox.result();
			for (const name of Object.keys(workflows)) await deliver(name, record);
			const ended = [workflows.both, workflows.webhook];
			for (const id of ended) await startedBy(id, record._id);
			await sleep(1_000); // n8n writes the end of an execution after it
			await restart();
			await restart();
			for (const name of Object.keys(workflows)) await deliver(name, record);
			const counts: Record<string, number> = {};
			for (const [name, id] of Object.entries(workflows)) {
				counts[name] = (await n8n.client.executions(id)).length;
			}
			expect(counts).toEqual({ both: 1, webhook: 1, long: 2, left: 1 });
		},
		4 * MINUTES,
	);

	it(
		'is an error in the list of executions after a restart with a secret that was revoked, once',
		async () => {
			const id = await publish('revoked', { askEvery: 5 });
			const refused = { status: 401, body: { message: 'revoked' } };
			await sandbox.faults(
				{ path: '/api/oauth/token', fault: refused },
				{ path: '/api/query', fault: refused },
			);
			await restart();
			await sleep(15_000);
			await sandbox.faults();
			const executions = await n8n.client.executions(id);
			expect(executions.map(({ status }) => status)).toEqual(['error']);
		},
		3 * MINUTES,
	);
});
