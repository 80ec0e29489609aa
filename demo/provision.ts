import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { N8n } from './startN8n';
import type { Workflow, WorkflowNode } from './n8nClient';
import { PUBLISHED_DOCS_URL, repositoryRoot } from './installPackage';
import { registerWebhook, type SandboxAccess } from './sandbox';

const START = 'start-here.json';
const TRIGGER = 'n8n-nodes-credit-profile.taxQueryTrigger';

export interface CreatedWorkflow {
	id: string;
	name: string;
	nodes: WorkflowNode[];
}

/** They are the operator's own, or a stand-in's on this machine. */
export interface AgentServices {
	modelUrl?: string;
	mailPort?: number;
}
/** An MCP client reaches the example's server with this token. */
export const MCP_TOKEN = 'sandbox-mcp-token';
/** Whoever calls the webhooks of the examples sends it. */
export const EXAMPLE_WEBHOOKS_HEADER_AUTH = { name: 'X-Webhook-Key', value: 'sandbox-webhook-key' };
/** An operator opens the pages of Review applicants with this login. */
export const REVIEW_PAGES_BASIC_AUTH = { user: 'operador', password: 'solo-demostracion' };

/** Forget applicant does this by n8n's public API. */
const ERASING_SCOPES = ['execution:list', 'execution:read', 'execution:delete'];

/** Applicants open the form of Onboard applicant there. */
export const applicationFormUrl = ({ url }: N8n): string => `${url}/webhook/solicitud`;

/** Creates the credentials under the names that the workflows in `examples/` use. */
async function createCredentials(
	{ client, url }: N8n,
	{ creditProfile, taxQuery }: SandboxAccess,
	{ modelUrl = 'https://api.openai.com/v1', mailPort = 25 }: AgentServices,
): Promise<Map<string, string>> {
	const credentials = [
		{
			type: 'creditProfileApi',
			name: 'Credit Profile sandbox',
			data: {
				baseUrl: creditProfile.baseUrl,
				apiToken: creditProfile.token,
				providerLogins: ['bureau/pf'],
				bureauPfUser: 'lender_1',
				bureauPfPassword: 'Encrypted_by_the_bureau_1',
			},
		},
		{
			type: 'taxQueryApi',
			name: 'Tax Query sandbox',
			data: {
				baseUrl: taxQuery.baseUrl,
				grant: 'clientCredentials',
				clientId: taxQuery.clientId,
				clientSecret: taxQuery.clientSecret,
				// the sandbox lists all queries at once; limits per day count only in a list that is known to be whole
				apiMapping: '{"list": {"paging": "none"}}',
				storesCiec: true,
				taxAuthorityRfc: 'GODE561231GR8',
				taxAuthorityCiec: 'Signs_in_1',
			},
		},
		{
			type: 'taxQueryApi',
			name: 'Tax Query sandbox of a company',
			data: {
				baseUrl: taxQuery.baseUrl,
				grant: 'clientCredentials',
				clientId: taxQuery.clientId,
				clientSecret: taxQuery.clientSecret,
				apiMapping: '{"list": {"paging": "none"}}',
				storesCiec: true,
				taxAuthorityRfc: 'EXI0503141A4',
				taxAuthorityCiec: 'Signs_in_2',
			},
		},
		{
			type: 'openAiApi',
			name: 'Your language model',
			data: { apiKey: 'enter yours', url: modelUrl },
		},
		{
			type: 'smtp',
			name: 'Your mail server',
			data: { host: '127.0.0.1', port: mailPort, secure: false, disableStartTls: true },
		},
		{ type: 'httpHeaderAuth', name: 'Webhook header', data: EXAMPLE_WEBHOOKS_HEADER_AUTH },
		{ type: 'httpBearerAuth', name: 'MCP access token', data: { token: MCP_TOKEN } },
		{ type: 'httpBasicAuth', name: 'Operators of the lender', data: REVIEW_PAGES_BASIC_AUTH },
		{
			type: 'n8nApi',
			name: 'n8n of the lender',
			data: {
				apiKey: await client.createApiKey('Forget applicant', ERASING_SCOPES),
				baseUrl: `${url}/api/v1`,
			},
		},
	];
	const ids = new Map<string, string>();
	for (const { type, name, data } of credentials) {
		ids.set(`${type} ${name}`, await client.createCredential(type, name, data));
	}
	return ids;
}

/** A workflow's nodes with the ids that the credentials have in this n8n. */
function withCredentials(file: string, nodes: WorkflowNode[], ids: Map<string, string>) {
	return nodes.map((node) => {
		if (!node.credentials) return node;
		const named = Object.entries(node.credentials).map(([type, { name }]) => {
			const id = ids.get(`${type} ${name}`);
			if (!id) throw new Error(`${file}: ${node.name} names a credential unknown here: ${name}`);
			return [type, { id, name }];
		});
		return { ...node, credentials: Object.fromEntries(named) };
	});
}

/** Sticky notes link to examples and pages of the repository. In the demo, n8n and the sandbox have these. */
function withAddresses(nodes: WorkflowNode[], addressOf: (link: string) => string) {
	return nodes.map((node) => {
		const { content } = (node.parameters ?? {}) as { content?: unknown };
		if (typeof content !== 'string') return node;
		const linked = content.replace(
			/\]\(([^()\s]+)\)/g,
			(whole, link: string) => `](${addressOf(link)})`,
		);
		return { ...node, parameters: { ...node.parameters, content: linked } };
	});
}

interface SubWorkflowParameters {
	workflowId?: { value?: string; cachedResultName?: string };
}

/** The name of the workflow that a node calls; undefined for other nodes, and for one that calls its own workflow. */
const calledBy = ({ parameters }: WorkflowNode): string | undefined =>
	(parameters as SubWorkflowParameters | undefined)?.workflowId?.cachedResultName;

/** A workflow's nodes with the ids that the workflows they call have in this n8n. */
function withSubWorkflows(
	nodes: WorkflowNode[],
	workflows: Iterable<CreatedWorkflow>,
): WorkflowNode[] {
	const byName = new Map([...workflows].map(({ id, name }) => [name, id]));
	return nodes.map((node) => {
		const called = calledBy(node);
		if (called === undefined) return node;
		const { workflowId, ...parameters } = node.parameters as SubWorkflowParameters;
		return {
			...node,
			parameters: { ...parameters, workflowId: { ...workflowId, value: byName.get(called) } },
		};
	});
}

/** n8n's rule for the production address of a community node's webhook. */
export async function productionUrl({ url, client }: N8n, node: WorkflowNode): Promise<string> {
	const [{ webhooks }] = await client.nodeTypes([node]);
	return `${url}/webhook/${node.webhookId}/${webhooks?.[0].path}`;
}

/** n8n makes the tools of AI agents from other nodes, under names of their own. */
const baseType = (type: string) => type.replace(/(Hitl)?Tool$/, '');

/** n8n publishes no workflow that only a click can start. */
const canBePublished = (nodes: WorkflowNode[]) =>
	nodes.some(({ type }) => /(trigger|webhook)$/i.test(type) && !type.endsWith('manualTrigger'));

/**
 * Puts the sandbox's credentials and every workflow of `examples/` into n8n, and publishes those that no click
 * starts. It registers the webhook of the Tax Query Trigger with the sandbox. Returns the workflows by file name.
 */
export async function provision(
	n8n: N8n,
	sandbox: SandboxAccess,
	agentServices: AgentServices = {},
	documentation = PUBLISHED_DOCS_URL,
): Promise<Map<string, CreatedWorkflow>> {
	const ids = await createCredentials(n8n, sandbox, agentServices);
	const folder = join(repositoryRoot, 'examples');
	const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
	const workflows = new Map<string, CreatedWorkflow>();
	const addressOf = (link: string) => {
		if (link.endsWith('/docs/onboarding.md')) return applicationFormUrl(n8n);
		if (link.endsWith('/docs/sandbox.md')) return sandbox.page;
		const linked = workflows.get(basename(link, '.json'));
		if (linked) return `${n8n.url}/workflow/${linked.id}`;
		return link.replace(PUBLISHED_DOCS_URL, documentation);
	};
	const sources = await Promise.all(
		files.map(async (file) => {
			const source = await readFile(join(folder, file), 'utf8');
			return { file, workflow: JSON.parse(source) as Workflow };
		}),
	);
	// A workflow comes after those that it calls, and the one that links to all others comes last.
	const byName = new Map(sources.map(({ workflow }) => [workflow.name, workflow]));
	const depth = (workflow?: Workflow): number =>
		Math.max(
			0,
			...(workflow?.nodes ?? [])
				.map(calledBy)
				.filter((called) => called !== undefined)
				.map((called) => 1 + depth(byName.get(called))),
		);
	const rank = (file: string, workflow: Workflow) => (file === START ? Infinity : depth(workflow));
	sources.sort((a, b) => rank(a.file, a.workflow) - rank(b.file, b.workflow));
	for (const { file, workflow } of sources) {
		const called = withSubWorkflows(workflow.nodes, workflows.values());
		const nodes = withAddresses(withCredentials(file, called, ids), addressOf);
		await n8n.client.nodeTypes(nodes.map((node) => ({ ...node, type: baseType(node.type) })));
		const id = await n8n.client.createWorkflow({ ...workflow, nodes });
		if (canBePublished(nodes)) await n8n.client.publish(id);
		workflows.set(basename(file, '.json'), { id, name: workflow.name, nodes });
	}
	for (const { nodes } of workflows.values()) {
		const trigger = nodes.find(({ type }) => type === TRIGGER);
		if (trigger) await registerWebhook(sandbox, await productionUrl(n8n, trigger));
	}
	return workflows;
}
