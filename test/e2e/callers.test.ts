import axios from 'axios';
import type { N8n } from '../../demo/startN8n';
import { StubModel, type ModelRequest } from '../../demo/stubModel';
import { startExecutionRetry } from '../../bench/support/paidWorkflow';
import { startSandboxWithHelpers, type TestSandbox } from '../support/sandbox';
import { curps, rfcs } from '../nodes/taxQuery/support';
import { tenantService } from '../nodes/taxQuery/fakeTenantService';
import { startHeadlessN8nOncePerFile } from './support/sharedN8n';
import { waitForEndedExecutionOf, outOf } from './support/executions';
import { callTool, connectMcpClient } from './support/mcpClient';
import { buildWorkflow, linkTo, type NodeSketch } from '../../demo/workflow';

const MINUTES = 60_000;
const CRF = '/api/query/crf';
const CURP = '/api/query/curp-data';
const RETRIES = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
const MCP_TOKEN = 'token-of-the-mcp-client';

describe('a billed query in a real n8n is billed once', () => {
	let n8n: N8n;
	let sandbox: TestSandbox;
	let model: StubModel;
	let taxQueryApi: { id: string; name: string };
	let openAiApi: { id: string; name: string };
	let httpBearerAuth: { id: string; name: string };

	beforeAll(async () => {
		n8n = await startHeadlessN8nOncePerFile();
		sandbox = await startSandboxWithHelpers({ rateLimit: 0, resultDelay: 0, documents: 0 });
		model = await StubModel.start();
		const credential = async (type: string, name: string, data: object) => ({
			id: await n8n.client.createCredential(type, name, data),
			name,
		});
		taxQueryApi = await credential('taxQueryApi', 'Tax', sandbox.credentials().taxQueryApi);
		openAiApi = await credential('openAiApi', 'Model', { apiKey: 'none', url: model.url });
		httpBearerAuth = await credential('httpBearerAuth', 'MCP', { token: MCP_TOKEN });
	}, 5 * MINUTES);
	afterAll(async () => {
		await sandbox?.close();
		await model?.stop();
	}, MINUTES);
	beforeEach(async () => {
		await sandbox.reset();
		await sandbox.control.delete('/ledger');
	});

	const billed = async () =>
		(await sandbox.control.get<Array<{ query: { rfc?: string; curp?: string } }>>('/ledger')).data
			.map(({ query }) => query.rfc ?? query.curp)
			.sort();
	const posts = async (path: string) =>
		(await sandbox.requests(path)).filter(({ method }) => method === 'POST').length;

	/** Makes a workflow of these nodes, one after the other; `tools` and `model` hang on the last one. */
	async function workflowOf(
		name: string,
		nodes: NodeSketch[],
		{
			below = [],
			settings = {},
		}: { below?: Array<NodeSketch & { to: string }>; settings?: object } = {},
	): Promise<string> {
		const last = nodes[nodes.length - 1].name;
		const { connections } = buildWorkflow(name, nodes);
		const hanging = below.map(({ name: from, to }) => [from, linkTo(last, to)]);
		return await n8n.client.createWorkflow(
			buildWorkflow(name, [...nodes, ...below.map((node) => ({ ...node, to: undefined }))], {
				connections: { ...connections, ...Object.fromEntries(hanging) },
				settings,
			}),
		);
	}

	const webhook = (path: string, responseMode = 'onReceived'): NodeSketch => ({
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId: path,
		parameters: { httpMethod: 'POST', path, responseMode, options: {} },
	});
	const split: NodeSketch = {
		name: 'Items',
		type: 'n8n-nodes-base.splitOut',
		parameters: { fieldToSplitOut: 'body.items', options: {} },
	};
	const crf = (parameters: object = {}, settings: object = {}): NodeSketch => ({
		name: 'CRF',
		type: 'n8n-nodes-credit-profile.taxQuery',
		credentials: { taxQueryApi },
		parameters: {
			resource: 'taxpayer',
			operation: 'getCrf',
			rfc: '={{ $json.rfc }}',
			...parameters,
		},
		...settings,
	});
	const call = async (path: string, wanted: string[] = []) =>
		(
			await axios.post<unknown>(`${n8n.url}/webhook/${path}`, {
				items: wanted.map((rfc) => ({ rfc })),
			})
		).data;

	/** A parent that hands its items to a sub-workflow with the billed query; returns its ID. */
	async function parentOf(
		name: string,
		mode: 'once' | 'each',
		settings: object = {},
		query: object = {},
	) {
		const sub = await workflowOf(`${name} sub`, [
			{
				name: 'Start',
				type: 'n8n-nodes-base.executeWorkflowTrigger',
				typeVersion: 1.1,
				parameters: { inputSource: 'passthrough' },
			},
			crf(query),
		]);
		await n8n.client.publish(sub);
		const parent = await workflowOf(name, [
			webhook(name),
			split,
			{
				name: 'Sub-workflow',
				type: 'n8n-nodes-base.executeWorkflow',
				typeVersion: 1.2,
				parameters: { workflowId: { __rl: true, mode: 'id', value: sub }, mode, options: {} },
				...settings,
			},
		]);
		await n8n.client.publish(parent);
		return parent;
	}

	it.each(['once', 'each'] as const)(
		'in a sub-workflow that is started three times (mode: %s)',
		async (mode) => {
			const wanted = mode === 'once' ? rfcs(302).slice(300) : rfcs(312).slice(310);
			const parent = await parentOf(`thrice-${mode}`, mode);
			for (let run = 1; run <= 3; run++) {
				await call(`thrice-${mode}`, wanted);
				await waitForEndedExecutionOf(n8n.client, parent, { runs: run, status: 'success' });
			}
			expect(await billed()).toEqual([...wanted].sort());
		},
		3 * MINUTES,
	);

	it.each(['once', 'each'] as const)(
		'bills a sub-workflow with a refused item once if its parent is retried (%s)',
		async (mode) => {
			const wanted = mode === 'once' ? rfcs(330).slice(320) : rfcs(350).slice(340);
			await sandbox.faults({ path: CRF, method: 'POST', times: 1, fault: { status: 400 } });
			const name = `refused-${mode}`;
			const parent = await parentOf(name, mode);
			await call(name, wanted);
			const failed = await waitForEndedExecutionOf(n8n.client, parent, {
				runs: 1,
				status: 'error',
			});
			await startExecutionRetry(n8n.url, n8n.login, failed.id);
			await waitForEndedExecutionOf(n8n.client, parent, { runs: 2 });
			expect(await billed()).toEqual([...wanted].sort());
		},
		3 * MINUTES,
	);

	it(
		'in a sub-workflow whose Execute Sub-workflow node has Retry On Fail',
		async () => {
			const wanted = rfcs(369).slice(360);
			await sandbox.faults({ path: CRF, method: 'POST', times: 2, fault: { status: 400 } });
			const parent = await parentOf('retried-sub', 'once', RETRIES);
			await call('retried-sub', wanted);
			await waitForEndedExecutionOf(n8n.client, parent, { runs: 1, status: 'success' });
			expect(await billed()).toEqual([...wanted].sort());
		},
		3 * MINUTES,
	);

	const curpTool = (parameters: object, settings: object) => ({
		to: 'ai_tool',
		name: 'CURP',
		type: 'n8n-nodes-credit-profile.taxQueryTool',
		credentials: { taxQueryApi },
		parameters: {
			resource: 'person',
			operation: 'getCurpData',
			curp: "={{ $fromAI('curp') }}",
			...parameters,
		},
		...settings,
	});

	/** Runs an agent of a version with one tool that the model calls in these turns; returns what the tool answered. */
	async function agent(
		name: string,
		typeVersion: number,
		tool: object,
		settings: object,
		turns: Array<Array<{ curp: string }>>,
	): Promise<string[]> {
		const answers = ({ messages }: ModelRequest) =>
			messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
		let answered: string[] = [];
		model.speak = (request) => {
			answered = answers(request);
			let before = 0;
			for (const turn of turns) {
				if (answered.length === before)
					return { calls: turn.map((args) => ({ name: 'CURP', args })) };
				before += turn.length;
			}
			return { answer: 'Listo.' };
		};
		const id = await workflowOf(
			name,
			[
				webhook(name, 'lastNode'),
				{
					name: 'Agent',
					type: '@n8n/n8n-nodes-langchain.agent',
					typeVersion,
					parameters: {
						...{ promptType: 'define', text: 'Go on', options: {} },
						...(typeVersion < 2 && { agent: 'toolsAgent' }),
					},
				},
			],
			{
				below: [
					{
						to: 'ai_languageModel',
						name: 'Model',
						type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
						typeVersion: 1.2,
						parameters: { model: { __rl: true, mode: 'list', value: 'm' }, options: {} },
						credentials: { openAiApi },
					},
					curpTool(tool, settings),
				],
			},
		);
		await n8n.client.publish(id);
		await call(name).catch(() => undefined);
		await waitForEndedExecutionOf(n8n.client, id, { runs: 1 });
		return answered;
	}

	/** Accepted and billed, and no response ever comes; nor does the list show it. */
	const loseAll = async () =>
		await sandbox.faults(
			{ path: CURP, method: 'POST', fault: 'resetAfter' },
			{ path: '/api/query', method: 'GET', exact: true, fault: { status: 200, body: [] } },
		);

	it.each([1.9, 2.2, 3.1])(
		'bills an agent tool with Retry On Fail once after a lost response (agent %d)',
		async (version) => {
			const [curp] = curps(Math.round(version * 100) + 1).slice(-1);
			await loseAll();
			await agent(`tool-tries-${version}`, version, { reuse: 'never' }, RETRIES, [[{ curp }]]);
			expect([await posts(CURP), await billed()]).toEqual([1, [curp]]);
		},
		3 * MINUTES,
	);

	it.each([2.2, 3.1])(
		'by the same call that the model repeats after a lost response (agent %d)',
		async (version) => {
			const [curp] = curps(Math.round(version * 100) + 11).slice(-1);
			await loseAll();
			const turns = [[{ curp }], [{ curp }], [{ curp }]];
			await agent(`tool-repeats-${version}`, version, {}, {}, turns);
			expect([await posts(CURP), await billed()]).toEqual([1, [curp]]);
		},
		3 * MINUTES,
	);

	it.each([1.9, 2.2, 3.1])(
		'and 25 calls in one turn stay within the limit of 10 (agent %d)',
		async (version) => {
			const wanted = curps(Math.round(version * 100) + 50).slice(-25);
			const turn = wanted.map((curp) => ({ curp }));
			await agent(`tool-limit-${version}`, version, {}, {}, [turn]);
			expect(await posts(CURP)).toBe(10);
		},
		3 * MINUTES,
	);

	/** An MCP server with one tool, and a client of it. */
	async function mcpServer(name: string, tool: object, settings: object = {}) {
		const id = await workflowOf(
			name,
			[
				{
					name: 'MCP',
					type: '@n8n/n8n-nodes-langchain.mcpTrigger',
					typeVersion: 2,
					webhookId: name,
					parameters: { authentication: 'bearerAuth', path: name },
					credentials: { httpBearerAuth },
				},
			],
			{
				below: [curpTool(tool, settings)],
			},
		);
		await n8n.client.publish(id);
		return await connectMcpClient(`${n8n.url}/mcp/${name}`, MCP_TOKEN);
	}

	it(
		'by the tries of an MCP tool with Retry On Fail whose response is lost',
		async () => {
			const client = await mcpServer('mcp-tries', { reuse: 'never' }, RETRIES);
			const [curp] = curps(401).slice(-1);
			await loseAll();
			await callTool(client, 'CURP', { curp });
			await callTool(client, 'CURP', { curp });
			await client.close();
			expect([await posts(CURP), await billed()]).toEqual([1, [curp]]);
		},
		3 * MINUTES,
	);

	const previewOnly = { options: { previewOnly: true } };

	it(
		'and not at all by a preview in a sub-workflow',
		async () => {
			const wanted = rfcs(420).slice(410);
			const parent = await parentOf('preview-sub', 'each', {}, previewOnly);
			await call('preview-sub', wanted);
			const ended = await waitForEndedExecutionOf(n8n.client, parent, { status: 'success' });
			const rows = outOf(ended, 'Sub-workflow');
			expect(rows.map(({ outcome, billed: paid }) => [outcome, paid])).toEqual(
				wanted.map(() => ['wouldSend', 0]),
			);
			expect([await posts(CRF), await billed()]).toEqual([0, []]);
		},
		3 * MINUTES,
	);

	it(
		'and not at all by a tool that previews: of an agent, and of an MCP server',
		async () => {
			const [curp] = curps(431).slice(-1);
			const turns = [[{ curp }], [{ curp }]];
			const answers = await agent('tool-previews', 3.1, previewOnly, {}, turns);
			const client = await mcpServer('mcp-previews', previewOnly);
			const called = await callTool(client, 'CURP', { curp });
			await client.close();
			const outcomes = [...answers, called].map((text) => /would\w+/.exec(text)?.[0]);
			expect(outcomes).toEqual(['wouldSend', 'wouldReuse', 'wouldSend']); // an equal call shares it
			expect([await posts(CURP), await billed()]).toEqual([0, []]);
		},
		3 * MINUTES,
	);

	it(
		'to the account of its item, where the fields of the credential are expressions',
		async () => {
			const service = await tenantService();
			const api = {
				id: await n8n.client.createCredential('taxQueryApi', 'Tenants', service.byClient),
				name: 'Tenants',
			};
			const id = await workflowOf('tenants', [
				webhook('tenants'),
				split,
				crf({}, { credentials: { taxQueryApi: api } }),
			]);
			await n8n.client.publish(id);
			const [one, other] = rfcs(2);
			const items = [
				{ tenant: 'A', rfc: one },
				{ tenant: 'B', rfc: other },
				{ tenant: 'A', rfc: other },
			];
			await axios.post(`${n8n.url}/webhook/tenants`, { items });
			await waitForEndedExecutionOf(n8n.client, id, { runs: 1, status: 'success' });
			const of = (tenant: string) => service.billedOf(tenant).map(({ query }) => query.rfc);
			const all = [of('A').sort(), of('B')];
			await service.close();
			expect(all).toEqual([[one, other].sort(), [other]]);
		},
		2 * MINUTES,
	);

	it(
		'and a wait for 60 results ends with all their IDs before the workflow timeout',
		async () => {
			type State = { reserved: Array<{ behaviour: string; rfc: string }> };
			const { data } = await sandbox.control.get<State>('/state');
			const pending = data.reserved.find(({ behaviour }) => behaviour === 'pending')?.rfc as string;
			const wanted = [pending, ...rfcs(559).slice(500)];
			const id = await workflowOf(
				'timeout',
				[webhook('timeout'), split, crf({ waitForResult: true, maxWait: 300 })],
				{ settings: { executionTimeout: 40 } },
			);
			await n8n.client.publish(id);
			await call('timeout', wanted);
			const ended = await waitForEndedExecutionOf(n8n.client, id, { runs: 1 });
			const ids = outOf(ended, 'CRF').map(({ queryId }) => queryId);
			expect([ended.status, new Set(ids).size, (await billed()).length]).toEqual([
				'success',
				60,
				60,
			]);
		},
		3 * MINUTES,
	);
});
