import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { fetchUnpooled } from '../../../demo/fetchUnpooled';
import type { N8n } from '../../../demo/startN8n';
import {
	startSandboxWithQueryHelpers,
	type SandboxWithQueryHelpers,
} from '../../support/sandboxQueryClient';
import { until } from '../../support/until';
import { outOf } from '../support/executions';
import { startDemoOncePerFile } from '../support/sharedDemo';
import {
	createSandboxCredential,
	TRIGGER_NODE_NAME,
	triggerWorkflow,
} from '../support/triggerWorkflow';

const SECRET = 'whsec-calls';
const WAVES = 6;
const CALLS_PER_WAVE = 10;
/** The pause of a sender where the response names none. */
const SEND_AGAIN_SECONDS = 0.5;
/** n8n responds so while it has no webhook for the URL, and n8n or the trigger while they cannot take a call. */
const REFUSALS = [404, 503];
const TAKEN = [200, 202];

describe('webhook calls in a real n8n', () => {
	let sandbox: SandboxWithQueryHelpers;
	let n8n: N8n;
	let credentials: object;

	beforeAll(async () => {
		sandbox = await startSandboxWithQueryHelpers();
		({ n8n } = await startDemoOncePerFile());
		credentials = await createSandboxCredential(n8n.client, sandbox, 'Sandbox of webhook calls', {
			...{ webhookVerification: 'signature', webhookSecret: SECRET },
			signatureHeader: 'X-Signature',
		});
	});
	afterAll(async () => await sandbox?.close());

	/** Publishes a trigger of signed calls alone. */
	const publish = async (name: string): Promise<string> => {
		const parameters = { receiveBy: 'webhook', authenticity: 'credential' };
		const workflow = triggerWorkflow(name, parameters, credentials);
		const id = await n8n.client.createWorkflow(workflow);
		await n8n.client.publish(id);
		return id;
	};
	/** Sends a signed call, again after each refusal as senders do; returns the status that ended it. */
	const send = async (
		name: string,
		body: string | Buffer,
		headers: Record<string, string> = {},
	): Promise<number> => {
		const signature = createHmac('sha256', SECRET).update(body).digest('hex');
		for (;;) {
			const { status, headers: received } = await fetchUnpooled(
				`${n8n.url}/webhook/${name}/tax-query`,
				{
					method: 'POST',
					headers: { 'content-type': 'application/json', 'X-Signature': signature, ...headers },
					body,
				},
			);
			if (!REFUSALS.includes(status)) return status;
			await sleep(1000 * Number(received.get('retry-after') ?? SEND_AGAIN_SECONDS));
		}
	};
	/** Query IDs of the results that have started, once there are so many. */
	const started = async (workflow: string, count: number) => {
		let seen = '';
		return await until(
			() => `${count} results, but ${seen}`,
			async () => {
				const executions = await n8n.client.executions(workflow, {
					withoutData: false,
					limit: 250,
				});
				const all = executions.flatMap((each) =>
					outOf(each, TRIGGER_NODE_NAME).map((item) => item.queryId),
				);
				const others = executions.flatMap(({ id, status }) =>
					status === 'success' ? [] : `${id} ${status}`,
				);
				seen = `${all.length} in ${executions.length} executions; not successful: ${others.join(', ')}`;
				return all.length >= count && all;
			},
			{ pauseMs: 500 },
		);
	};

	it('start each result once while the workflow is unpublished and published', async () => {
		const id = await publish('while-publishing');
		const ids: string[] = [];
		const statuses: Array<Promise<number>> = [];
		for (let wave = 0; wave < WAVES; wave++) {
			const records = await Promise.all(
				Array.from({ length: CALLS_PER_WAVE }, async () => await sandbox.result()),
			);
			const sendSome = (count: number) => {
				for (const record of records.splice(0, count)) {
					ids.push(record._id);
					statuses.push(send('while-publishing', JSON.stringify(record)));
				}
			};
			const unpublishing = n8n.client.unpublish(id);
			sendSome(CALLS_PER_WAVE / 2);
			await unpublishing;
			const publishing = n8n.client.publish(id);
			sendSome(CALLS_PER_WAVE / 2);
			await publishing;
		}
		for (const status of await Promise.all(statuses)) expect(TAKEN).toContain(status);
		expect((await started(id, ids.length)).sort()).toEqual(ids.sort());
		await n8n.client.unpublish(id);
	});

	it.each<[string, (text: string) => string | Buffer, Record<string, string>]>([
		['coded by GZIP in capitals', gzipSync, { 'content-encoding': 'GZIP' }],
	])('start a result whose record comes %s', async (what, encode, headers) => {
		const name = what.replace(/\W/g, '-').toLowerCase();
		const id = await publish(name);
		const record = await sandbox.result();
		const status = await send(name, encode(JSON.stringify(record)), headers);
		expect(TAKEN).toContain(status);
		expect(await started(id, 1)).toEqual([record._id]);
		await n8n.client.unpublish(id);
	});
});
