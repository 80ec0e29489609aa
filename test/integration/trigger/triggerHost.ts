import 'reflect-metadata';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HookContext, PollContext, WebhookContext } from 'n8n-core';
import {
	Workflow,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type IWebhookData,
	type IWebhookFunctions,
	type IWorkflowExecuteAdditionalData,
	type WorkflowActivateMode,
} from 'n8n-workflow';
import { CredentialsInMemory, type Credentials } from '../support/runNode';

const WORKFLOW_ID_LENGTH = 12;
const MAX_BODY = 16 * 1024 * 1024; // n8n's own limit

export interface TriggerHostOptions {
	credentials: Credentials;
	/** Parameters of the webhook trigger, and of the polling trigger in the same workflow. */
	webhook?: INodeParameters;
	polling?: INodeParameters;
	/** A test event: nothing is remembered. */
	isManual?: boolean;
}

/** The classes of both triggers, with their module's memory. */
export interface TriggerClasses {
	TaxQueryTrigger: new () => INodeType;
	TaxQueryPollingTrigger: new () => INodeType;
}

/** Loads both triggers with an empty memory, as a new process has it. */
export async function freshTriggers(): Promise<TriggerClasses> {
	const n8nWorkflow = jest.requireActual<object>('n8n-workflow');
	let classes: TriggerClasses | undefined;
	await jest.isolateModulesAsync(async () => {
		jest.doMock('n8n-workflow', () => n8nWorkflow); // the one that n8n-core uses
		classes = {
			...(await import('../../../nodes/TaxQueryTrigger/TaxQueryTrigger.node')),
			...(await import('../../../nodes/TaxQueryPollingTrigger/TaxQueryPollingTrigger.node')),
		};
	});
	return classes as TriggerClasses;
}

type Delivered = { status: number; body: string };

/**
 * What n8n does around the two triggers of one published workflow: it receives webhooks by HTTP into n8n-core's
 * WebhookContext, with static data loaded for each request, saved whole and without a lock after it; it polls with one
 * long-lived workflow; and it keeps the executions that were started.
 */
export class TriggerHost {
	/** JSON of the items of each execution, in the order in which they were started. */
	readonly executions: IDataObject[][] = [];
	/** Lines that the nodes wrote to n8n's log. */
	readonly log: string[] = [];
	/** Set to make n8n fail to start executions. */
	isBroken = false;
	/** The static data column of the workflow in n8n's database. */
	staticData = '{}';
	readonly workflowId = Math.random()
		.toString(36)
		.slice(2, 2 + WORKFLOW_ID_LENGTH);
	url = '';
	/** Names of the nodes; n8n keeps a node's own static data by its name. */
	readonly names = { webhook: 'Webhook', polling: 'Polling' };
	private poller: { context: PollContext; workflow: Workflow } | undefined;
	private readonly server = createServer((request, response) => {
		this.receive(request, response).catch((error: unknown) => {
			this.log.push(`failed execution: ${String(error)}`);
			response.statusCode = 500;
			response.end();
		});
	});

	private constructor(
		private classes: TriggerClasses,
		private readonly options: TriggerHostOptions,
	) {}

	static async start(options: TriggerHostOptions): Promise<TriggerHost> {
		const host = new TriggerHost(await freshTriggers(), options);
		host.server.listen(0, '127.0.0.1');
		await once(host.server, 'listening');
		host.url = `http://127.0.0.1:${(host.server.address() as AddressInfo).port}/webhook`;
		return host;
	}

	/** A new process over the same database. */
	async restart(): Promise<void> {
		this.classes = await freshTriggers();
		this.poller = undefined;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((done) => this.server.close(done));
	}

	get items(): IDataObject[] {
		return this.executions.flat();
	}

	async deliver(
		body: string | Buffer | object,
		headers: Record<string, string> = {},
	): Promise<Delivered> {
		const raw = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
		const answer = await fetch(this.url, {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...headers },
			body: raw,
		});
		return { status: answer.status, body: await answer.text() };
	}

	/** Activates the polling trigger as n8n does, with its first poll; static data is saved afterwards. */
	async activate(activation: WorkflowActivateMode = 'activate'): Promise<void> {
		const workflow = this.loadWorkflow();
		const node = workflow.getNode(this.names.polling) as INode;
		const mode = this.options.isManual ? 'manual' : 'trigger';
		const context = new PollContext(workflow, node, this.additionalData(), mode, activation);
		Object.defineProperty(context, 'logger', { value: this.logger });
		this.poller = { context, workflow };
		await this.poll();
		this.save(workflow);
	}

	/** One poll. Throws what the node throws; n8n would record it as a failed execution. */
	async poll(): Promise<void> {
		if (!this.poller) throw new Error('The polling trigger is not active');
		const { context, workflow } = this.poller;
		const output = await new this.classes.TaxQueryPollingTrigger().poll?.call(context);
		if (!output) return; // and then n8n saves nothing
		this.save(workflow);
		this.run(output[0]);
	}

	/** Runs checkExists, create or delete of the webhook trigger. */
	async hook(name: 'checkExists' | 'create' | 'delete'): Promise<boolean> {
		const workflow = this.loadWorkflow();
		const node = workflow.getNode(this.names.webhook) as INode;
		const methods = new this.classes.TaxQueryTrigger().webhookMethods?.default;
		const context = new HookContext(
			workflow,
			node,
			this.additionalData(),
			'trigger',
			'activate',
			this.webhookData(),
		);
		const done = (await methods?.[name]?.call(context)) as boolean;
		this.save(workflow);
		return done;
	}

	private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const workflow = this.loadWorkflow();
		const node = workflow.getNode(this.names.webhook) as INode;
		const httpRequest = Object.assign(request, {
			body: {},
			readRawBody: async () => {
				Object.assign(request, { rawBody: await bodyOf(request) });
			},
		});
		const httpResponse = Object.assign(response, {
			status(code: number) {
				response.statusCode = code;
				return httpResponse;
			},
			json(body: unknown) {
				response.setHeader('content-type', 'application/json');
				response.end(JSON.stringify(body));
			},
		});
		const context = new WebhookContext(
			workflow,
			node,
			{ ...this.additionalData(), httpRequest, httpResponse } as never,
			this.options.isManual ? 'manual' : 'webhook',
			this.webhookData(),
			[],
			null,
		);
		Object.defineProperty(context, 'logger', { value: this.logger });
		const trigger = new this.classes.TaxQueryTrigger();
		const output = await trigger.webhook?.call(context as IWebhookFunctions);
		if (output?.noWebhookResponse) return this.save(workflow);
		if (this.isBroken) throw new Error('the database is gone');
		this.run(output?.workflowData?.[0] ?? []);
		this.save(workflow);
		const { responseData = 'firstEntryJson' } = this.webhookData().webhookDescription;
		httpResponse.status(200).json(responseData || output?.webhookResponse); // n8n's rule
	}

	private run(items: INodeExecutionData[]): void {
		this.executions.push(items.map(({ json }) => json));
	}

	private readonly logger = Object.fromEntries(
		['debug', 'info', 'warn', 'error'].map((level) => [
			level,
			(message: string) => this.log.push(`${level}: ${message}`),
		]),
	);

	private loadWorkflow(): Workflow {
		const { webhook, polling } = this.options;
		const node = (name: string, type: string, parameters: INodeParameters = {}): INode => ({
			id: `node-${type}`,
			name,
			type: `n8n-nodes-credit-profile.${type}`,
			typeVersion: 1,
			position: [0, 0],
			parameters,
			credentials: Object.fromEntries(
				Object.keys(this.options.credentials).map((type) => [type, { id: type, name: type }]),
			),
			webhookId: 'webhook-1',
		});
		const types: Record<string, INodeType> = {
			taxQueryTrigger: new this.classes.TaxQueryTrigger(),
			taxQueryPollingTrigger: new this.classes.TaxQueryPollingTrigger(),
		};
		const find = (type: string) => types[type.split('.')[1]];
		return new Workflow({
			id: this.workflowId,
			nodes: [
				node(this.names.webhook, 'taxQueryTrigger', webhook),
				node(this.names.polling, 'taxQueryPollingTrigger', polling),
			],
			connections: {},
			active: true,
			nodeTypes: { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) },
			staticData: JSON.parse(this.staticData) as IDataObject,
		});
	}

	/** n8n writes the whole column of what it has loaded, if anything in it changed. */
	private save(workflow: Workflow): void {
		const { staticData } = workflow as unknown as { staticData: { __dataChanged: boolean } };
		if (!staticData.__dataChanged) return;
		this.staticData = JSON.stringify(staticData);
		staticData.__dataChanged = false;
	}

	private webhookData(): IWebhookData {
		const description = new this.classes.TaxQueryTrigger().description.webhooks?.[0];
		return { webhookDescription: description, node: this.names.webhook } as unknown as IWebhookData;
	}

	private additionalData(): IWorkflowExecuteAdditionalData {
		return {
			credentialsHelper: new CredentialsInMemory(this.options.credentials),
			variables: {},
			webhookBaseUrl: 'https://n8n.example.com/webhook',
			webhookTestBaseUrl: 'https://n8n.example.com/webhook-test',
		} as unknown as IWorkflowExecuteAdditionalData;
	}
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of request as AsyncIterable<Buffer>) {
		size += chunk.length;
		if (size > MAX_BODY) throw Object.assign(new Error('too large'), { statusCode: 413 });
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

/** The message of what a promise is rejected with. */
export async function failure(promise: Promise<unknown>): Promise<string> {
	return await promise.then(
		() => 'nothing was thrown',
		(error: Error) => error.message,
	);
}
