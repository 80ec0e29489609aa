import 'reflect-metadata';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip, createInflate } from 'node:zlib';
import { ExecuteContext, HookContext, TriggerContext, WebhookContext } from 'n8n-core';
import {
	createRunExecutionData,
	ManualExecutionCancelledError,
	Workflow,
	type ICredentialType,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type IRun,
	type ITriggerFunctions,
	type IWebhookData,
	type IWebhookFunctions,
	type IWorkflowExecuteAdditionalData,
	type WorkflowActivateMode,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { TaxQueryApi } from '../../../../credentials/TaxQueryApi.credentials';
import { fetchUnpooled } from '../../../../demo/fetchUnpooled';
import { resetProcessState } from '../../../../nodes/shared/processState';
import { TaxQueryTrigger } from '../../../../nodes/TaxQuery/TaxQueryTrigger.node';
import { until } from '../../../support/until';
import { shiftAllClocks } from '../../../support/clock';
import { codeOf } from '../../../support/errorCode';
import {
	CredentialsInMemory,
	type Credentials,
	type NodeRun,
} from '../../../support/runNodeInEngine';

const WORKFLOW_ID_LENGTH = 12;
/** A trigger polls at most once a second. */
const A_SECOND = 1_000;
/** The trigger hears of an execution's end so long after its static data was written. */
const AFTER_WRITE_MS = 20;
const MAX_BODY = 16 * 1024 * 1024; // n8n's own limit

export interface TriggerHostOptions {
	credentials: Credentials;
	parameters?: INodeParameters;
	/** It is not published at all if this is null. */
	activation?: WorkflowActivateMode | null;
	/** Executions do not end by themselves. */
	areExecutionsLong?: boolean;
	/** Executions run in another process, as in queue mode. */
	hasWorkers?: boolean;
	/** Another main process over the same database. */
	sharedWith?: TriggerHost;
	/** They have the same node ID. */
	copies?: string[];
}

/** The part of n8n's database that belongs to the workflow. */
interface Database {
	/** The static data column. */
	staticData: string;
	/** Deduplication keys of the executions. */
	keys: Set<string>;
	workflowId: string;
}

type NodeError = NonNullable<NodeRun['error']>;
type Done = Parameters<ITriggerFunctions['emit']>[2];
type TriggerClass = new () => INodeType;

/** The trigger and the credential of one process, which share a memory. */
interface Loaded {
	Trigger: TriggerClass;
	taxQueryApi: ICredentialType;
	/** Simulates a restart of n8n. */
	resetProcessState(): void;
}

/** The process of this test file; only one host at a time runs in it. */
const ownProcess: Loaded = {
	Trigger: TaxQueryTrigger,
	taxQueryApi: new TaxQueryApi(),
	resetProcessState,
};

/** Loads a process of its own, for a host that runs beside another one. */
async function loadProcessBeside(): Promise<Loaded> {
	const n8nWorkflow = jest.requireActual<object>('n8n-workflow');
	let loaded: Loaded | undefined;
	await jest.isolateModulesAsync(async () => {
		jest.doMock('n8n-workflow', () => n8nWorkflow); // the one that n8n-core uses
		const trigger = await import('../../../../nodes/TaxQuery/TaxQueryTrigger.node');
		const credential = await import('../../../../credentials/TaxQueryApi.credentials');
		const state = await import('../../../../nodes/shared/processState');
		loaded = {
			Trigger: trigger.TaxQueryTrigger,
			taxQueryApi: new credential.TaxQueryApi(),
			resetProcessState: state.resetProcessState,
		};
	});
	return loaded as Loaded;
}

interface Running {
	key?: string;
	end(): Promise<void>;
}
type Delivered = { status: number; body: string; headers: Headers };

/**
 * Imitates n8n around the trigger of one published workflow. It calls trigger() with a long-lived workflow, and
 * receives webhooks by HTTP into n8n-core's WebhookContext. It starts one execution for each deduplication key.
 * Static data is saved with an emit, and at the end of an execution that has changed its own copy. It is saved whole,
 * and without a lock.
 */
export class TriggerHost {
	/** JSON of the items of each execution, in the order in which they were started. */
	readonly executions: IDataObject[][] = [];
	/** Lines that the node wrote to n8n's log. */
	readonly log: string[] = [];
	/** Errors of the failed executions that the trigger reported. */
	readonly errors: NodeError[] = [];
	/** How often n8n had to read the credential, which costs it an expression engine each time. */
	credentialReads = 0;
	/** Executions do not end by themselves. */
	areExecutionsLong: boolean;
	/** Set to have somebody stop each execution before its first node. */
	isStopped = false;
	/** Set to make n8n fail to start executions. */
	isBroken = false;
	/** Set to make n8n store an execution before it fails to start it. */
	storesWhatFails = false;
	refusals = 0;
	/** Set to make n8n wait before it starts executions, or fails to. */
	database: Promise<void> | undefined;
	url = '';
	/** Name of the node; n8n keeps a node's own static data by it. */
	name = 'Results';
	private static readonly hosts = new Set<TriggerHost>();
	private readonly stored: Database;
	private readonly running = new Set<Running>();
	private process = 0;
	private close: (() => Promise<void>) | undefined;
	/** Webhook calls that the node handles; it may have answered their senders. */
	private readonly calls = new Set<Promise<void>>();
	private readonly server = createServer((request, response) => {
		const call = this.receive(request, response)
			.catch((error: unknown) => {
				this.log.push(`failed execution: ${String(error)}`);
				response.statusCode = 500;
				response.end();
			})
			.finally(() => this.calls.delete(call));
		this.calls.add(call);
	});

	private constructor(
		private readonly loaded: Loaded,
		private readonly options: TriggerHostOptions,
	) {
		this.areExecutionsLong = options.areExecutionsLong ?? false;
		this.stored = options.sharedWith?.stored ?? {
			staticData: '{}',
			keys: new Set(),
			workflowId: Math.random()
				.toString(36)
				.slice(2, 2 + WORKFLOW_ID_LENGTH),
		};
	}

	/** The static data column of the workflow in n8n's database. */
	get staticData(): string {
		return this.stored.staticData;
	}

	set staticData(staticData: string) {
		this.stored.staticData = staticData;
	}

	get workflowId(): string {
		return this.stored.workflowId;
	}

	private get keys(): Set<string> {
		return this.stored.keys;
	}

	/** Starts it, with the workflow published. */
	static async start(options: TriggerHostOptions): Promise<TriggerHost> {
		const isAlone = ![...TriggerHost.hosts].some(({ loaded }) => loaded === ownProcess);
		if (isAlone) ownProcess.resetProcessState();
		const host = new TriggerHost(isAlone ? ownProcess : await loadProcessBeside(), options);
		TriggerHost.hosts.add(host);
		host.server.listen(0, '127.0.0.1');
		await once(host.server, 'listening');
		host.url = `http://127.0.0.1:${(host.server.address() as AddressInfo).port}/webhook`;
		const { activation = 'activate' } = options;
		if (activation === null) return host;
		await host.publish(activation).catch(async (error: unknown) => {
			await host.stop();
			throw error;
		});
		return host;
	}

	/**
	 * Calls trigger(), and ends the one before. Throws what it throws: n8n would not publish the workflow then. From 2.41 on
	 * n8n publishes it all the same, and makes five `attempts`.
	 */
	async publish(
		activation: WorkflowActivateMode = 'update',
		parameters = {},
		attempts = 1,
	): Promise<void> {
		await this.unpublish();
		Object.assign((this.options.parameters ??= {}), parameters);
		const workflow = this.loadWorkflow();
		for (const name of [this.name, ...(this.options.copies ?? [])]) {
			for (let attempt = 1; ; attempt++) {
				const opened = this.open(workflow, name, activation);
				if (attempt === attempts) await opened;
				if ((await Promise.allSettled([opened]))[0].status === 'fulfilled') break;
			}
		}
		this.save(workflow);
	}

	private async open(
		workflow: Workflow,
		name: string,
		activation: WorkflowActivateMode,
	): Promise<void> {
		const context = new TriggerContext(
			workflow,
			workflow.getNode(name) as INode,
			this.additionalData(),
			'trigger',
			activation,
			(data, _response, done, key) => this.emit(workflow, data[0], done, key),
			() => {
				throw new Error('emitError takes the workflow down');
			},
			(error) => this.errors.push(error as NodeError),
		);
		Object.defineProperty(context, 'logger', { value: this.logger });
		const answer = await new this.loaded.Trigger().trigger?.call(context as ITriggerFunctions);
		const { close } = this;
		this.close = async () => {
			await close?.();
			await answer?.closeFunction?.();
		};
	}

	/** n8n imports the workflow anew while it runs: it no longer knows the trigger that is open. */
	forget(): void {
		this.close = undefined;
	}

	async unpublish(): Promise<void> {
		await this.close?.();
		this.close = undefined;
	}

	/** A new process over the same database; executions that ran are cut off, and nothing more is saved of them. */
	async kill(): Promise<void> {
		this.process++;
		this.running.clear();
		const { close } = this;
		this.close = undefined;
		await close?.(); // of the old process, which emits nothing any more
		this.loaded.resetProcessState();
	}

	/** Deletes past executions from the database but the latest, as n8n does after two weeks. */
	prune(latest = 0): void {
		this.stored.keys = new Set(latest > 0 ? [...this.keys].slice(-latest) : []);
	}

	/** Ends the executions that run. */
	async endExecutions(): Promise<void> {
		await Promise.all([...this.running].map(async (execution) => await execution.end()));
		await new Promise((done) => setImmediate(done));
	}

	/** Resolves when the node has handled all webhook calls. */
	async handled(): Promise<void> {
		await until('the end of all webhook calls', () => this.calls.size === 0);
	}

	/** Resolves when so many executions were started, and have all ended. */
	async ended(count: number): Promise<void> {
		await this.executed(count);
		await until('the end of all executions', () => this.running.size === 0);
	}

	/** Resolves when n8n has saved that all executions have ended: what a kill from now on cannot undo. */
	async endsSaved(): Promise<void> {
		await until('the ends to be saved', () => this.staticData.includes('"starting":{}'));
	}

	async stop(): Promise<void> {
		TriggerHost.hosts.delete(this);
		await this.unpublish();
		this.server.closeAllConnections();
		await new Promise((done) => this.server.close(done));
	}

	/** Codes of the failed executions that the trigger reported. */
	get failures(): unknown[] {
		return this.errors.map(codeOf);
	}

	get items(): IDataObject[] {
		return this.executions.flat();
	}

	/** Lets time pass, at twice its speed, until so many executions were started; throws if they do not come. */
	async executed(count: number): Promise<void> {
		let polledAt = performance.now();
		await until(`${count} executions`, () => {
			if (this.executions.length >= count) return true;
			const now = performance.now();
			shiftAllClocks(Math.ceil(now - polledAt));
			polledAt = now;
			return false;
		});
	}

	/**
	 * Query IDs of the results that started executions, in that order. An execution that only saves the ledger has no
	 * result: it starts where n8n has deleted the execution whose key it repeats.
	 */
	get started(): unknown[] {
		return this.items
			.filter(({ deliveryId }) => deliveryId !== undefined)
			.map(({ queryId, _id }) => queryId ?? _id);
	}

	async deliver(
		body: string | Buffer | object,
		headers: Record<string, string> = {},
	): Promise<Delivered> {
		const raw = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
		const answer = await fetchUnpooled(this.url, {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...headers },
			body: raw,
		});
		return { status: answer.status, body: await answer.text(), headers: answer.headers };
	}

	/**
	 * Lets the trigger poll, by a delivery that names nothing real. Resolves when the node has handled it, which may be
	 * after its sender was answered.
	 */
	async poll(): Promise<Delivered> {
		shiftAllClocks(A_SECOND);
		const earlier = new Set(this.calls);
		const delivered = await this.deliver({ queryId: 'a-doorbell' });
		await Promise.all([...this.calls].filter((call) => !earlier.has(call)));
		return delivered;
	}

	/** Runs the trigger as the editor does, without a delivery. */
	async testInEditor(): Promise<IDataObject[]> {
		const workflow = this.loadWorkflow();
		const [items] = await this.execute(workflow, [{ json: {} }], 'manual');
		return items.map(({ json }) => json);
	}

	/** Runs checkExists, create or delete of the webhook. */
	async hook(name: 'checkExists' | 'create' | 'delete'): Promise<boolean> {
		const workflow = this.loadWorkflow();
		const node = workflow.getNode(this.name) as INode;
		const methods = new this.loaded.Trigger().webhookMethods?.default;
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

	/** Has the editor listen for a test delivery and stop: static data of its own, which n8n never writes. */
	async listenInEditor(): Promise<void> {
		const methods = new this.loaded.Trigger().webhookMethods?.default;
		const workflow = this.loadWorkflow('{}');
		const call = async (
			name: 'checkExists' | 'create' | 'delete',
			mode: WorkflowExecuteMode,
			activation: WorkflowActivateMode,
		) => {
			const node = workflow.getNode(this.name) as INode;
			const data = { ...this.webhookData(), isTest: true };
			const context = new HookContext(
				workflow,
				node,
				this.additionalData(),
				mode,
				activation,
				data,
			);
			return await methods?.[name]?.call(context);
		};
		if (!(await call('checkExists', 'manual', 'manual'))) await call('create', 'manual', 'manual');
		await call('delete', 'internal', 'update');
	}

	/** Delivers to the test URL of the editor; resolves with the items that come out. */
	async deliverTest(body: object, headers: Record<string, string> = {}): Promise<IDataObject[]> {
		this.isTest = true;
		const before = this.executions.length;
		await this.deliver(body, headers);
		this.isTest = false;
		return this.executions.splice(before).flat();
	}

	private isTest = false;

	/** n8n saves static data, checks whether the key is in its database, and runs the workflow. */
	private emit(workflow: Workflow, items: INodeExecutionData[], done?: Done, key?: string): void {
		this.save(workflow);
		const { process } = this;
		void (async () => {
			await new Promise((settled) => setImmediate(settled));
			if (process !== this.process) return;
			await this.database;
			if (this.isBroken) {
				this.refusals++;
				if (key !== undefined && this.storesWhatFails) this.keys.add(key);
				return done?.reject(new Error('the database is gone'));
			}
			if (key !== undefined && this.keys.has(key)) return done?.resolve(undefined as never);
			if (key !== undefined) this.keys.add(key);
			if (this.isStopped) return done?.reject(new ManualExecutionCancelledError('1'));
			const execution = this.loadWorkflow();
			this.executions.push(items.map(({ json }) => json));
			if (!this.options.hasWorkers) await this.execute(execution, items, 'trigger');
			const entry: Running = {
				key,
				end: async () => {
					this.save(execution);
					await sleep(AFTER_WRITE_MS);
					this.running.delete(entry);
					done?.resolve({ status: 'success' } as IRun);
				},
			};
			this.running.add(entry);
			if (!this.areExecutionsLong) await entry.end();
		})();
	}

	private async execute(
		workflow: Workflow,
		items: INodeExecutionData[],
		mode: WorkflowExecuteMode,
	): Promise<INodeExecutionData[][]> {
		const node = workflow.getNode(this.name) as INode;
		const data = { main: [items] };
		const context = new ExecuteContext(
			workflow,
			node,
			this.additionalData(),
			mode,
			createRunExecutionData({}),
			0,
			items,
			data,
			{ node, data, source: null },
			[],
		);
		return (await new this.loaded.Trigger().execute?.call(context)) as INodeExecutionData[][];
	}

	private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const workflow = this.loadWorkflow();
		const node = workflow.getNode(this.name) as INode;
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
			this.isTest ? 'manual' : 'webhook',
			this.webhookData(),
			[],
			null,
		);
		Object.defineProperty(context, 'logger', { value: this.logger });
		const output = await new this.loaded.Trigger().webhook?.call(context as IWebhookFunctions);
		const isAnswered = output?.noWebhookResponse === true;
		if (isAnswered && !output.workflowData) return this.save(workflow);
		if (this.isBroken) throw new Error('the database is gone');
		this.executions.push((output?.workflowData?.[0] ?? []).map(({ json }) => json));
		this.save(workflow);
		if (isAnswered) return;
		const { responseData = 'firstEntryJson' } = this.webhookData().webhookDescription;
		httpResponse.status(200).json(responseData || output?.webhookResponse); // n8n's rule
	}

	private readonly logger = Object.fromEntries(
		['debug', 'info', 'warn', 'error'].map((level) => [
			level,
			(message: string) => this.log.push(`${level}: ${message}`),
		]),
	);

	private loadWorkflow(staticData = this.staticData): Workflow {
		const { credentials, parameters = {} } = this.options;
		const node: INode = {
			id: 'node-1',
			name: this.name,
			type: 'n8n-nodes-credit-profile.taxQueryTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters,
			credentials: Object.fromEntries(
				Object.keys(credentials).map((type) => [type, { id: type, name: type }]),
			),
			webhookId: 'webhook-1',
		};
		const type = new this.loaded.Trigger();
		return new Workflow({
			id: this.workflowId,
			nodes: [node, ...(this.options.copies ?? []).map((name) => ({ ...node, name }))],
			connections: {},
			active: true,
			nodeTypes: {
				getByName: () => type,
				getByNameAndVersion: () => type,
				getKnownTypes: () => ({}),
			},
			staticData: JSON.parse(staticData) as IDataObject,
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
		const description = new this.loaded.Trigger().description.webhooks?.[0];
		return { webhookDescription: description, node: this.name } as unknown as IWebhookData;
	}

	private additionalData(): IWorkflowExecuteAdditionalData {
		return {
			credentialsHelper: new CredentialsInMemory(
				this.options.credentials,
				{ taxQueryApi: this.loaded.taxQueryApi },
				() => this.credentialReads++,
			),
			variables: {},
			webhookBaseUrl: 'https://n8n.example.com/webhook',
			webhookWaitingBaseUrl: 'https://n8n.example.com/webhook-waiting',
			formWaitingBaseUrl: 'https://n8n.example.com/form-waiting',
			webhookTestBaseUrl: 'https://n8n.example.com/webhook-test',
		} as unknown as IWorkflowExecuteAdditionalData;
	}
}

/** Decodes two codings, as n8n does. */
function decoded(request: IncomingMessage): AsyncIterable<Buffer> {
	switch (request.headers['content-encoding'] ?? '') {
		case 'gzip':
			return request.pipe(createGunzip());
		case 'deflate':
			return request.pipe(createInflate());
		default:
			return request;
	}
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of decoded(request)) {
		size += chunk.length;
		if (size > MAX_BODY) throw Object.assign(new Error('too large'), { statusCode: 413 });
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

export { shiftAllClocks };

/** The error that a promise is rejected with. */
export async function rejectionOrUndefined(
	promise: Promise<unknown>,
): Promise<NodeError | undefined> {
	return await promise.then(
		() => undefined,
		(error: NodeError) => error,
	);
}
