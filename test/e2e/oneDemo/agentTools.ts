import type { INodeProperties } from 'n8n-workflow';
import { fetchUnpooled } from '../../../demo/fetchUnpooled';
import type { Demo } from '../../../demo/startDemo';
import { MCP_TOKEN } from '../../../demo/provision';
import { isFinished, type WorkflowNode } from '../../../demo/n8nClient';
import { CreditProfile } from '../../../nodes/CreditProfile/CreditProfile.node';
import { TaxQuery } from '../../../nodes/TaxQuery/TaxQuery.node';
import { until } from '../../support/until';
import { describeIfChromium } from '../support/describeIfChromium';
import type { Editor } from '../support/editor';
import {
	startDemoOncePerFile,
	openEditorOncePerFile,
	startMailServerOncePerFile,
	startStubModelOncePerFile,
} from '../support/sharedDemo';
import { waitForEndedExecutionOf, outOf } from '../support/executions';
import type { TestMailServer } from '../support/testMailServer';
import { callTool, connectMcpClient } from '../support/mcpClient';
import type { ModelRequest, StubModel, ToolDefinition } from '../../../demo/stubModel';
import { buildWorkflow, linkTo, type NodeSketch } from '../../../demo/workflow';

const CURP = 'GOEL901231MDFDSR07';
const families = [
	{ type: 'taxQuery', description: new TaxQuery().description },
	{ type: 'creditProfile', description: new CreditProfile().description },
];

/** Every operation of a node, with the parameters that the editor shows for it. */
function operationsOf({ properties }: TaxQuery['description']) {
	const shownAt = (resource: string, operation: string) => (property: INodeProperties) => {
		const show = property.displayOptions?.show ?? {};
		const fits = (name: string, value: string) => show[name]?.includes(value) ?? false;
		return (
			fits('resource', resource) &&
			fits('operation', operation) &&
			Object.keys(show).every((name) => ['resource', 'operation'].includes(name))
		);
	};
	return properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options }) =>
			(options as Array<{ value: string }>).map(({ value: operation }) => {
				const resource = displayOptions?.show?.resource?.[0] as string;
				return { resource, operation, fields: properties.filter(shownAt(resource, operation)) };
			}),
		);
}

/** The editor writes this where the operator lets the model fill a field in: its label, and no description. */
const fromModel = ({ displayName, type }: INodeProperties) =>
	`={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${displayName.replace(/[^a-zA-Z0-9_-]/g, '_')}', \`\`, '${type === 'number' ? 'number' : 'string'}') }}`;

const fillable = ({ type, name, typeOptions }: INodeProperties) =>
	['string', 'dateTime'].includes(type) && name !== 'toolDescription' && !typeOptions?.password;

/** They are filtered by a text or a time. */
const filtersOf = (fields: INodeProperties[]) =>
	fields
		.filter(({ name }) => name === 'filters')
		.flatMap(({ options = [] }) => options as INodeProperties[])
		.filter(fillable)
		.filter(({ typeOptions }) => !typeOptions?.multipleValues);

/** The messages of tools since the last answer. */
const toolAnswers = ({ messages }: ModelRequest) =>
	messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';
/** Fields that n8n publishes no tool without; the rest is left to the model. */
const REQUIRED = {
	birthDate: '1956-12-31',
	collection: { __rl: true, mode: 'id', value: '1' },
	provider: 'bureau/pm',
};

describe('AI agents in a real n8n, with a stand-in for the model', () => {
	let model: StubModel;
	let mailbox: TestMailServer;
	let demo: Demo;
	beforeAll(async () => {
		[demo, model, mailbox] = await Promise.all([
			startDemoOncePerFile(),
			startStubModelOncePerFile(),
			startMailServerOncePerFile(),
		]);
	});

	const exampleNodes = () => demo.workflows.get('onboarding-agent')?.nodes as WorkflowNode[];
	const credentialsOf = (example: string, type: string) =>
		demo.workflows
			.get(example)
			?.nodes.map(({ credentials }) => credentials?.[type])
			.find((one) => one !== undefined);

	/** Publishes a workflow of an agent with these tools, started by a webhook; returns how to call it. */
	const agentWith = async (path: string, tools: NodeSketch[]) => {
		const agent = exampleNodes().find(({ name }) => name === 'Onboarding agent') as WorkflowNode;
		const languageModel = exampleNodes().find(
			({ name }) => name === 'Language model',
		) as WorkflowNode;
		const webhook = {
			name: 'Webhook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: path,
			parameters: { path, responseMode: 'lastNode' },
		};
		const to = (type: string) => linkTo(agent.name, type);
		const id = await demo.n8n.client.createWorkflow(
			buildWorkflow(
				path,
				[
					webhook,
					{ ...agent, parameters: { promptType: 'define', text: 'Go on', options: {} } },
					{ ...languageModel },
					...tools,
				],
				{
					connections: {
						Webhook: to('main'),
						[languageModel.name]: to('ai_languageModel'),
						...Object.fromEntries(tools.map(({ name }) => [name, to('ai_tool')])),
					},
				},
			),
		);
		await demo.n8n.client.publish(id);
		const answer = await fetchUnpooled(`${demo.n8n.url}/webhook/${path}`);
		return (await answer.json()) as unknown;
	};
	const serviceCredentials = () => ({
		taxQueryApi: credentialsOf('start-here', 'taxQueryApi'),
		creditProfileApi: credentialsOf('list-documents', 'creditProfileApi'),
	});

	it("an agent's tools describe each operation's effect, cost and fields", async () => {
		const tools = families.flatMap(({ type, description }) =>
			operationsOf(description).map(({ resource, operation, fields }) => ({
				name: `${type} ${resource} ${operation}`,
				type: `n8n-nodes-credit-profile.${type}Tool`,
				credentials: serviceCredentials() as WorkflowNode['credentials'],
				parameters: {
					resource,
					operation,
					filters: Object.fromEntries(
						filtersOf(fields).map((field) => [field.name, fromModel(field)]),
					),
					...REQUIRED,
					...Object.fromEntries(
						fields.filter(fillable).map((field) => [field.name, fromModel(field)]),
					),
				},
			})),
		);
		model.speak = () => ({ answer: 'Listo.' });
		await agentWith('all-tools', tools);
		const { tools: text } = model.requests.at(-1) as ModelRequest;

		expect(new Set(text.map(({ name }) => name))).toEqual(
			new Set(tools.map(({ name }) => name.replaceAll(' ', '_'))),
		);
		const words = text.map(({ description }) => description.split(/\s+/).length);
		expect(Math.max(...words)).toBeLessThanOrEqual(60);
		const missing = text.flatMap(({ name, description, parameters }: ToolDefinition) =>
			Object.keys(parameters.properties ?? {})
				.filter(
					(key) =>
						!description
							.replace(/[^a-zA-Z0-9_\-: ]/g, '_')
							.includes(`${key.replaceAll('_', ' ')}: `),
				)
				.map((key) => `${name}: ${key}`),
		);
		expect(missing).toEqual([]);
		const paid = text.filter(({ description }) => /Billed:|may be billed/.test(description));
		expect(paid.length).toBe(10);
	});

	it('read in an error what to do', async () => {
		model.speak = (request) =>
			toolAnswers(request).length === 0
				? { calls: [{ name: 'Get_CURP_data', args: { CURP: 'GOEL901331MDFDSR07' } }] }
				: { answer: toolAnswers(request).join() };
		const answer = await agentWith('agent-error', [
			{
				name: 'Get CURP data',
				type: 'n8n-nodes-credit-profile.taxQueryTool',
				credentials: serviceCredentials() as WorkflowNode['credentials'],
				parameters: {
					resource: 'person',
					operation: 'getCurpData',
					curp: "={{ $fromAI('CURP') }}",
				},
			},
		]);
		expect(JSON.stringify(answer)).toMatch(/CURP.*Check Identifiers First/);
	});

	it('filter by nothing where the model fills nothing in', async () => {
		model.speak = (request) =>
			toolAnswers(request).length === 0
				? { calls: [{ name: 'Collections', args: { name: '', processor: '' } }] }
				: { answer: toolAnswers(request).join() };
		const answer = await agentWith('agent-filter', [
			{
				name: 'Collections',
				type: 'n8n-nodes-credit-profile.creditProfileTool',
				credentials: serviceCredentials() as WorkflowNode['credentials'],
				parameters: {
					resource: 'dataCollection',
					operation: 'getAll',
					filters: {
						name__like: "={{ $fromAI('name') }}",
						processorKey__eq: "={{ $fromAI('processor') }}",
					},
				},
			},
		]);
		expect(JSON.stringify(answer)).toContain('Solicitudes de crédito');
	});

	describeIfChromium('in the example of an onboarding', () => {
		let editor: Editor;
		beforeAll(async () => {
			editor = await openEditorOncePerFile();
		});

		const billed = async () =>
			(
				(await (
					await fetchUnpooled(new URL('sandbox/ledger', demo.sandbox.page))
				).json()) as unknown[]
			).length;
		const speak = (request: ModelRequest) => {
			const answers = toolAnswers(request);
			if (answers.length === 0)
				return {
					calls: [{ name: 'Check_identifiers', args: { curp: CURP, rfc: '', birthDate: '' } }],
				};
			if (answers.length === 1)
				return { calls: [{ name: 'Get_CURP_data', args: { toolParameters: { curp: CURP } } }] };
			return { answer: answers.at(-1) as string };
		};
		/** The link of a button of the mail. */
		const linkOf = (mail: string, approved: boolean) =>
			[...mail.matchAll(/href="([^"]+)"/g)]
				.map(([, link]) => link)
				.find((link) => link.includes(`approved=${approved}`)) as string;

		it.each([
			['is sent once a person has approved it', true, 1, /godoy/i],
			['is not sent where a person declines', false, 0, /./],
		])('a paid query %s', async (_story, approved, cost, text) => {
			model.speak = speak;
			const before = await billed();
			const id = demo.workflows.get('onboarding-agent')?.id as string;
			const ran = (await demo.n8n.client.executions(id)).filter(isFinished).length;
			await editor.open(id);
			await editor.click();
			const mail = await mailbox.next();
			expect(mail).toContain(`${CURP.slice(0, 4)}…${CURP.slice(-2)}`);
			expect(mail).not.toContain(CURP);
			expect(mail).toContain('se la cobra según su contrato');
			expect(await billed()).toBe(before); // nothing before the review
			await editor.screenshot(`agent-review-${approved}`);
			// n8n sends the mail first
			await until('the execution waits for the review', async () => {
				const [{ status }] = await demo.n8n.client.executions(id);
				return status === 'waiting';
			});
			// n8n does nothing for programs that only preview links
			await fetchUnpooled(linkOf(mail, approved), { headers: { 'user-agent': BROWSER } });
			const execution = await waitForEndedExecutionOf(demo.n8n.client, id, {
				runs: ran + 1,
				status: 'success',
			});
			await editor.screenshot(`agent-done-${approved}`);
			expect(JSON.stringify(outOf(execution, 'Onboarding agent'))).toMatch(text);
			expect((await billed()) - before).toBe(cost);
		});
	});

	it('reach the free and the paid tools of the MCP server', async () => {
		const client = await connectMcpClient(`${demo.n8n.url}/mcp/tax-and-identity`, MCP_TOKEN);
		const { tools } = await client.listTools();
		expect(tools.map(({ name }) => name).sort()).toEqual([
			'Calculate_RFC',
			'Check_identifiers',
			'Get_CRF',
			'Get_CURP_data',
			'Get_spending',
			'Read_a_query',
		]);
		expect(
			Math.min(...tools.map(({ description = '' }) => description.length)),
		).toBeGreaterThanOrEqual(60);

		const checked = await callTool(client, 'Check_identifiers', {
			curp: CURP,
			rfc: '',
			birthDate: '',
		});
		expect(checked).toContain('"outcome":"ready"');
		const data = await callTool(client, 'Get_CURP_data', { curp: CURP });
		expect(data).toContain('GOEL9012******');
		expect(data).not.toContain(CURP);
		for (let call = 0; call < 6; call++) {
			// The limit of five counts for each call, not for ever.
			expect(await callTool(client, 'Get_CURP_data', { curp: CURP })).toContain('GOEL9012******');
		}
		const spent = await callTool(client, 'Get_spending', { period: 'thisMonth' });
		expect(spent).toContain('"queryType":"CURP Data"');
		expect(spent).toContain('"period":"total"');
		await client.close();
	});

	it('are not let into the MCP server without its token', async () => {
		const url = `${demo.n8n.url}/mcp/tax-and-identity`;
		await expect(connectMcpClient(url, 'another')).rejects.toMatchObject({ code: 403 });
	});
});
