import { fetchUnpooled } from '../../../demo/fetchUnpooled';
import type { N8n } from '../../../demo/startN8n';
import type { SandboxOptions } from '../../../sandbox';
import {
	startSandboxWithQueryHelpers,
	type Query,
	type SandboxWithQueryHelpers,
} from '../../support/sandboxQueryClient';
import { until } from '../../support/until';
import { redeliverWhile503 } from '../support/redeliver';
import { outOf } from '../support/executions';
import { startDemoOncePerFile } from '../support/sharedDemo';
import {
	createSandboxCredential,
	TRIGGER_NODE_NAME,
	triggerWorkflow,
} from '../support/triggerWorkflow';

const SECRET = 'whsec-results';

describe('the results of the trigger in a real n8n', () => {
	const sandboxes: SandboxWithQueryHelpers[] = [];
	const published: string[] = [];
	let n8n: N8n;

	beforeAll(async () => {
		({ n8n } = await startDemoOncePerFile());
	});

	afterAll(async () => {
		for (const workflow of published) await n8n.client.unpublish(workflow);
		for (const sandbox of sandboxes) await sandbox.close();
	});

	const open = async (options: Partial<SandboxOptions>) => {
		const sandbox = await startSandboxWithQueryHelpers(options);
		sandboxes.push(sandbox);
		return sandbox;
	};
	/** Publishes a workflow of the trigger alone, for the queries of a sandbox. */
	const publish = async (name: string, sandbox: SandboxWithQueryHelpers, parameters: object) => {
		const credentials = await createSandboxCredential(n8n.client, sandbox, name, {
			...{ webhookVerification: 'header', webhookSecret: SECRET, webhookHeaderName: 'X-Secret' },
		});
		const workflow = await n8n.client.createWorkflow(
			triggerWorkflow(name, parameters, credentials),
		);
		await n8n.client.publish(workflow);
		published.push(workflow);
		return workflow;
	};
	const deliver = async (name: string, body: object) => {
		await redeliverWhile503(async () => {
			const { status } = await fetchUnpooled(`${n8n.url}/webhook/${name}/tax-query`, {
				method: 'POST',
				headers: { 'X-Secret': SECRET },
				body: JSON.stringify(body),
			});
			return status;
		});
	};
	const results = async (workflow: string) => {
		const executions = await n8n.client.executions(workflow);
		const done = executions.filter(({ status }) => status === 'success');
		return {
			items: done.flatMap((execution) => outOf(execution, TRIGGER_NODE_NAME)),
			failed: executions.filter(({ status }) => status === 'error').length,
		};
	};

	it('are all there where one webhook call of 25 was lost, in pages of 10', async () => {
		const sandbox = await open({ queryList: 'page', pageSize: 10, pastQueries: 30 });
		const parameters = { authenticity: 'credential', confirm: 'off' };
		const workflow = await publish('gap', sandbox, parameters);
		const records: Query[] = [];
		for (let count = 0; count < 25; count++) records.push(await sandbox.result());
		const lost = records[12];
		for (const record of records.filter((each) => each !== lost)) await deliver('gap', record);
		const started = await until(
			'the lost result',
			async () => {
				const all = (await results(workflow)).items.map(({ queryId }) => queryId);
				return all.includes(lost._id) && all;
			},
			{ pauseMs: 500 },
		);
		// n8n lists the newest executions alone
		const ids = records.map(({ _id }) => _id);
		expect(started.filter((id) => id === lost._id)).toEqual([lost._id]);
		expect(new Set(started).size).toBe(started.length);
		expect(ids).toEqual(expect.arrayContaining(started));
	});

	it.each<[string, object, string | boolean | undefined]>([
		['result', {}, undefined],
		['result', { authenticity: 'credential' }, 'status'],
		['statusOnly', {}, 'status'],
		['off', { authenticity: 'credential' }, false],
	])(
		'are never lost where the record has none: Confirm %s, %j',
		async (confirm, more, confirmed) => {
			const sandbox = await open({ record: 'no-response' });
			const name = `no-response-${confirm}-${Object.keys(more).length}`;
			const workflow = await publish(name, sandbox, { confirm, ...more });
			const record = await sandbox.result();
			const detail = { ...record, response: { RFC: 'GODE561231GR8', RazonSocial: 'Delivered' } };
			await deliver(name, detail);
			await deliver(name, detail);
			const { items, failed } = await until(
				'a result or a failure',
				async () => {
					const there = await results(workflow);
					return there.items.length + there.failed > 0 && there;
				},
				{ pauseMs: 500 },
			);
			expect([items.map((item) => [item.legalName, item.confirmed]), failed]).toEqual(
				confirmed === undefined ? [[], 1] : [[['Delivered', confirmed]], 0],
			);
		},
	);
});
