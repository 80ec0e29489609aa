import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { N8n } from '../../../demo/startN8n';
import {
	startSandboxWithQueryHelpers,
	type SandboxWithQueryHelpers,
} from '../../support/sandboxQueryClient';
import { rfcs } from '../../nodes/taxQuery/support';
import { until } from '../../support/until';
import { startHeadlessN8nOncePerFile, restartableHeadlessN8n } from '../support/sharedN8n';
import { createSandboxCredential, triggerNode } from '../support/triggerWorkflow';
import { buildWorkflow } from '../../../demo/workflow';

/** Behind the first check after a start others follow, and start more of what was interrupted. */
const MORE_CHECKS_MS = 6_000;
const AN_HOUR = 3_600_000;
/** n8n saves the ends of executions with an emit that follows. */
const IDLE_MS = 5_000;
/** Numbers for every day; CONTRIBUTING.md has those for a release. */
const RUNNING = Number(process.env.RUNNING ?? 60);
const ENDED = Number(process.env.ENDED ?? 60);
const ROUNDS = Number(process.env.RESTARTS ?? 2);
/** With "none" n8n forgets an execution that ended well, and what it would have refused for it. */
const SAVED = process.env.SAVED ?? 'all';
const BUSY_LOOPS = 2;
/** Ends a test that hangs. */
const timeoutMs = (results: number) => 600_000 + 2_500 * results;

/** Each call of an execution waits until it is let go; the calls of each result are counted. */
class Sink {
	readonly calls = new Map<string, number>();
	private readonly held: ServerResponse[] = [];
	isOpen = false;
	url = '';
	private readonly server: Server = createServer((request, response) => {
		const id = new URL(request.url ?? '', 'http://sink').searchParams.get('id') ?? '';
		this.calls.set(id, (this.calls.get(id) ?? 0) + 1);
		if (this.isOpen) response.end('{}');
		else this.held.push(response);
	});

	async listen(): Promise<this> {
		this.server.listen(0, '127.0.0.1');
		await once(this.server, 'listening');
		this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
		return this;
	}

	/** Answers all that wait at the same moment, and from then on at once. */
	open(): void {
		this.isOpen = true;
		for (const response of this.held.splice(0)) response.end('{}');
	}

	reset(): void {
		this.isOpen = false;
		this.held.length = 0;
		this.calls.clear();
	}

	close(): void {
		this.server.closeAllConnections();
		this.server.close();
	}
}

describe('a restart of n8n with many results', () => {
	let sandbox: SandboxWithQueryHelpers;
	let sink: Sink;
	let n8n: N8n;
	const busy: ChildProcess[] = [];
	let credential: { id: string; name: string };

	beforeAll(async () => {
		sandbox = await startSandboxWithQueryHelpers();
		sink = await new Sink().listen();
		n8n = await startHeadlessN8nOncePerFile();
		const created = await createSandboxCredential(n8n.client, sandbox, 'Sandbox of many results');
		credential = created.taxQueryApi;
	});

	afterEach(() => {
		for (const loop of busy.splice(0)) loop.kill('SIGKILL');
	});
	afterAll(async () => {
		sink?.close();
		await sandbox?.close();
	});

	/** Publishes a trigger of CRF whose executions make a paid query and then call the sink. */
	const publish = async (name: string, settings: object = {}): Promise<string> => {
		const parameters = {
			...{ receiveBy: 'asking', services: ['getCrf'] },
			settings: { checkEvery: 5, maxResults: 500 },
		};
		const paid = {
			name: 'Pay',
			type: 'n8n-nodes-credit-profile.taxQuery',
			parameters: { resource: 'taxpayer', operation: 'getRfcData', rfc: '={{ $json.rfc }}' },
			credentials: { taxQueryApi: credential },
		};
		const call = {
			id: 'call',
			name: 'Call',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			position: [200, 0],
			parameters: {
				url: `=${sink.url}/?id={{ $('Tax Query Trigger').item.json.deliveryId }}`,
				options: { timeout: AN_HOUR }, // an execution that waits does not end by itself
			},
		};
		const trigger = triggerNode(name, parameters, { taxQueryApi: credential });
		const id = await n8n.client.createWorkflow(
			buildWorkflow(name, [trigger, paid, call], { settings }),
		);
		await n8n.client.publish(id);
		return id;
	};
	/** Each RFC once, over all tests. */
	const unused = rfcs(RUNNING + 1 + ENDED * ROUNDS);
	const deliverResult = async (count: number) => {
		for (const rfc of unused.splice(0, count)) await sandbox.result('/query/crf', { rfc });
	};
	/** RFCs of the queries that the executions have paid. */
	const paidFor = async () =>
		(await sandbox.control.get<Array<{ service: string; query: { rfc: string } }>>('/ledger')).data
			.filter(({ service }) => service === 'RFC')
			.map(({ query }) => query.rfc);
	const called = () => [...sink.calls.values()].reduce((sum, count) => sum + count, 0);
	const startAgain = async () => {
		const checks = async () => (await sandbox.requests('/api/query')).length;
		const before = await checks();
		await restartableHeadlessN8n.restart(n8n.url);
		await until('the first check', async () => (await checks()) > before);
		await sleep(MORE_CHECKS_MS);
	};
	it(
		`starts none of ${RUNNING} again that ran at a kill: Retry ends each, and pays nothing twice`,
		async () => {
			sink.reset();
			const id = await publish('many-running');
			await deliverResult(RUNNING);
			await until('all executions', () => called() >= RUNNING, { pauseMs: 250 });
			await deliverResult(1);
			await until('one more', () => called() > RUNNING, { pauseMs: 250 });
			await restartableHeadlessN8n.kill();
			sink.open();
			await startAgain();
			expect([...sink.calls.values()].filter((count) => count !== 1)).toEqual([]);
			const executionsIn = async (status: string) => await n8n.client.executionsIn(status, id);
			const crashed = await executionsIn('crashed');
			expect([crashed.length, await executionsIn('success')]).toEqual([RUNNING + 1, []]);
			for (const execution of crashed) await n8n.client.retry(execution.id);
			const retried = async () => (await executionsIn('success')).length > RUNNING;
			await until('the ends of all retries', retried, { pauseMs: 250 });
			expect([...sink.calls.values()].filter((count) => count !== 2)).toEqual([]);
			const paid = await paidFor();
			expect([paid.length, new Set(paid).size]).toEqual([RUNNING + 1, RUNNING + 1]);
			await n8n.client.unpublish(id);
		},
		timeoutMs(RUNNING),
	);

	it(
		`starts none of ${ENDED} again that ended together, on a machine under load`,
		async () => {
			sink.reset();
			const id = await publish('many-ended', { saveDataSuccessExecution: SAVED });
			for (let each = 0; each < BUSY_LOOPS; each++)
				busy.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
			const again: number[] = [];
			for (let round = 1; round <= ROUNDS; round++) {
				sink.reset();
				await deliverResult(ENDED);
				await until('all executions', () => called() >= ENDED, { pauseMs: 250 });
				sink.open();
				const haveEnded = async () => (await n8n.client.executionsIn('running', id)).length === 0;
				await until('their ends', haveEnded, { pauseMs: 250 });
				await sleep(IDLE_MS);
				if (round % 2 === 0) await restartableHeadlessN8n.terminate();
				else await restartableHeadlessN8n.kill();
				await startAgain();
				again.push(called() - ENDED);
			}
			expect(again).toEqual(again.map(() => 0));
		},
		timeoutMs(ENDED * ROUNDS),
	);
});
