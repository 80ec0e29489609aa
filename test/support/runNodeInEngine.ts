import 'reflect-metadata';
import { inspect } from 'node:util';
import { ErrorReporter, ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	ICredentialsHelper,
	NodeHelpers,
	Workflow,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type ICredentialsExpressionResolveValues,
	type IExecuteContextData,
	type IExecuteData,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
	type IWorkflowExecuteAdditionalData,
	type NodeExecutionHint,
	type OnError,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { CreditProfileApi } from '../../credentials/CreditProfileApi.credentials';
import { TaxQueryApi } from '../../credentials/TaxQueryApi.credentials';
import { CreditProfile } from '../../nodes/CreditProfile/CreditProfile.node';
import { TaxQuery } from '../../nodes/TaxQuery/TaxQuery.node';

export const packageNodesByType: Record<string, INodeType> = {
	creditProfile: new CreditProfile(),
	taxQuery: new TaxQuery(),
};
const credentialTypes: Record<string, ICredentialType> = {
	creditProfileApi: new CreditProfileApi(),
	taxQueryApi: new TaxQueryApi(),
};

/** Stored credentials by type. Like n8n's database, it keeps the token that a login brings. */
export type Credentials = Record<string, ICredentialDataDecryptedObject>;

/** It does what n8n's own credentials helper does, over a plain object instead of a database. */
export class CredentialsInMemory extends ICredentialsHelper {
	constructor(
		private readonly stored: Credentials,
		private readonly types = credentialTypes,
		private readonly onRead = () => {},
	) {
		super();
	}
	getParentTypes() {
		return [];
	}
	isCredentialUsableByNode() {
		return true;
	}
	async getDecrypted(
		_data: unknown,
		_node: unknown,
		type: string,
		mode: WorkflowExecuteMode = 'trigger',
		executeData?: IExecuteData,
		_raw?: boolean,
		values?: ICredentialsExpressionResolveValues,
	) {
		this.onRead();
		const { properties } = this.types[type] ?? { properties: undefined };
		if (!properties) return { ...this.stored[type] };
		// like n8n's own: defaults come in, and values of fields that are not shown are dropped
		const stored = this.stored[type] as INodeParameters;
		const resolved = NodeHelpers.getNodeParameters(properties, stored, true, false, null, null);
		if (!values) return resolved as ICredentialDataDecryptedObject;
		return values.workflow.expression.getParameterValue(
			resolved as INodeParameters,
			values.runExecutionData,
			values.runIndex,
			values.itemIndex,
			values.node.name,
			values.connectionInputData,
			mode,
			{},
			executeData,
		) as ICredentialDataDecryptedObject;
	}
	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		type: string,
		request: IHttpRequestOptions,
	) {
		const { authenticate } = this.types[type];
		if (typeof authenticate !== 'function') throw new Error(`${type} has no authenticate function`);
		return await authenticate(credentials, request);
	}
	async preAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		type: string,
		_node: INode,
		isExpired: boolean,
	) {
		const { properties, preAuthentication } = this.types[type];
		const expirable = properties.find(({ typeOptions }) => typeOptions?.expirable)?.name;
		if (!expirable || !preAuthentication) return undefined;
		if (credentials[expirable] !== '' && !isExpired) return undefined;
		const output = await preAuthentication.call(helpers, credentials);
		if (output[expirable] === undefined) return undefined;
		Object.assign(this.stored[type], output);
		return Object.assign(credentials, output);
	}
	async runPreAuthentication() {
		return undefined;
	}
	async getCredentials(): Promise<never> {
		throw new Error('not used by the engine');
	}
	async updateCredentials() {}
	async updateCredentialsOauthTokenData() {}
	getCredentialsProperties(type: string) {
		return this.types[type].properties;
	}
}

export interface NodeRun {
	/** Items of the first output. */
	items: INodeExecutionData[];
	/** Items of the error output, with `onError: 'continueErrorOutput'`. */
	failed: INodeExecutionData[];
	error?: Error & { description?: string | null; context?: Record<string, unknown> };
	hints: NodeExecutionHint[];
	/** Metadata of the execution. */
	metadata: Record<string, string>;
	/** Everything that n8n would save of this execution, as text. */
	saved: string;
}

export interface NodeRunOptions {
	type: 'creditProfile' | 'taxQuery';
	parameters: INodeParameters;
	credentials: Credentials;
	/** JSON of the input items; one empty item by default. */
	items?: Array<INodeExecutionData['json']>;
	/** Files of each input item. */
	binary?: INodeExecutionData['binary'];
	onError?: OnError;
	/** No other node runs before it. */
	isFirst?: boolean;
	/** The node has run so often in this execution, as in a loop. */
	ranBefore?: number;
	/** None, as under the MCP Server Trigger, with null. */
	executionId?: string | null;
	/** Newer hosts report it. */
	parentExecutionId?: string;
	/** It is called by an AI agent. */
	isTool?: boolean;
	/** The workflow's, n8n's own by default. */
	timezone?: string;
	/** n8n keeps it for nodes with an execution; runs that share it are its tries or its Retry. */
	memory?: IExecuteContextData;
	mode?: WorkflowExecuteMode;
	/** Tries of Retry On Fail. */
	maxTries?: number;
	/** Further secrets that must not be saved or logged, beside those of the credentials. */
	secrets?: string[];
	/** Receives a function that cancels the execution. */
	onStart?: (cancel: () => void) => void;
}

/** Everything secret that a credential holds: what its type masks in the editor, and the token that a login brought. */
function secretsOf(credentials: Credentials): string[] {
	return Object.entries(credentials).flatMap(([type, data]) =>
		credentialTypes[type].properties
			.filter(({ typeOptions }) => typeOptions?.password)
			.flatMap(({ name }) => textsIn(data[name]))
			.filter((secret) => secret.length > 3),
	);
}

/** A field's text, or those in it if it is JSON. */
function textsIn(value: unknown): string[] {
	if (!isText(value)) return isFilled(value) ? Object.values(value).flatMap(textsIn) : [];
	try {
		const json: unknown = JSON.parse(value);
		return isFilled(json) ? textsIn(json) : [value];
	} catch {
		return [value];
	}
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isFilled = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Collects what is logged while `work` runs, however it is written. */
async function withLog<T>(work: () => Promise<T>): Promise<{ result: T; logged: string }> {
	let logged = '';
	const take = (...args: unknown[]) => {
		logged += args
			.map((arg) => (typeof arg === 'string' ? arg : inspect(arg, { depth: 8 })))
			.join(' ');
	};
	const spies = [
		jest.spyOn(ErrorReporter.prototype, 'error').mockImplementation(take), // n8n-core logs by it
		...(['log', 'info', 'warn', 'error', 'debug'] as const).map((name) =>
			jest.spyOn(console, name).mockImplementation(take),
		),
		...[process.stdout, process.stderr].map((stream) =>
			jest.spyOn(stream, 'write').mockImplementation((chunk) => {
				take(String(chunk));
				return true;
			}),
		),
	];
	try {
		return { result: await work(), logged };
	} finally {
		for (const spy of spies) spy.mockRestore();
	}
}

/**
 * Runs one node in n8n's own engine, with real HTTP. Every run is searched for the secrets of its credentials: the
 * test fails if one is in what n8n would save or log.
 */
export async function runNodeInEngine(options: NodeRunOptions): Promise<NodeRun> {
	const { result, logged } = await withLog(async () => await runInEngine(options));
	for (const secret of [...secretsOf(options.credentials), ...(options.secrets ?? [])]) {
		if (result.saved.includes(secret)) throw new Error('A secret is in the execution data');
		if (logged.includes(secret)) throw new Error('A secret is in the log');
	}
	return result;
}

async function runInEngine(options: NodeRunOptions): Promise<NodeRun> {
	const { type, parameters, credentials, onError, executionId = 'execution-1' } = options;
	const {
		mode = 'trigger',
		memory = {},
		maxTries,
		isTool,
		timezone,
		ranBefore = 0,
		isFirst,
	} = options;
	const nodeType = packageNodesByType[type];
	const node: INode = {
		id: 'node-1',
		name: 'Node under test',
		type: `n8n-nodes-credit-profile.${type}${isTool ? 'Tool' : ''}`,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		onError,
		...(maxTries !== undefined && { retryOnFail: true, maxTries, waitBetweenTries: 1 }),
		credentials: Object.fromEntries(
			Object.keys(credentials).map((name) => [name, { id: name, name }]),
		),
	};
	const types: INodeTypes = {
		getByName: () => nodeType,
		getByNameAndVersion: () => nodeType,
		getKnownTypes: () => ({}),
	};
	const input: INode = {
		id: 'node-0',
		name: 'Items',
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const { binary } = options;
	const items = (options.items ?? [{}]).map((json) => ({ json, ...(binary && { binary }) }));
	const workflow = new Workflow({
		id: 'workflow-1',
		nodes: [input, node],
		connections: {
			[input.name]: { main: [[{ node: node.name, type: 'main', index: 0 }]] },
		},
		active: false,
		nodeTypes: types,
		...(timezone !== undefined && { settings: { timezone } }),
	});
	const workflowData = {
		id: 'workflow-1',
		name: 'Test',
		active: false,
		activeVersionId: null,
		isArchived: false,
		createdAt: new Date(),
		updatedAt: new Date(),
		nodes: [node],
		connections: {},
	};
	const additionalData = {
		credentialsHelper: new CredentialsInMemory(credentials),
		hooks: new ExecutionLifecycleHooks(mode, executionId ?? '', workflowData),
		executionId: executionId ?? undefined,
		variables: {},
		webhookWaitingBaseUrl: 'http://127.0.0.1/webhook-waiting',
		formWaitingBaseUrl: 'http://127.0.0.1/form-waiting',
		webhookBaseUrl: 'http://127.0.0.1/webhook',
		setExecutionStatus() {},
	} as unknown as IWorkflowExecuteAdditionalData;
	const before = { startTime: 0, executionIndex: 0, executionTime: 0, source: [] };
	const parent = options.parentExecutionId;
	const data = createRunExecutionData({
		...(parent !== undefined && {
			parentExecution: { executionId: parent, workflowId: 'workflow-of-parent' },
		}),
		resultData: {
			runData: {
				[input.name]: [{ ...before, data: { main: [items] } }],
				...(ranBefore > 0 && { [node.name]: new Array<typeof before>(ranBefore).fill(before) }),
			},
		},
		executionData: {
			contextData: memory,
			nodeExecutionStack: [
				{
					node,
					data: { main: [items] },
					source: isFirst ? null : { main: [{ previousNode: input.name }] },
				},
			],
		},
	});
	const execution = new WorkflowExecute(additionalData, mode, data).processRunExecutionData(
		workflow,
	);
	options.onStart?.(() => execution.cancel());
	const run = await execution;
	delete run.data.resultData.runData[input.name];
	const task = run.data.resultData.runData[node.name][ranBefore];
	return {
		items: task.data?.main[0] ?? [],
		failed: task.data?.main[1] ?? [],
		error: task.error as NodeRun['error'],
		hints: task.hints ?? [],
		metadata: run.data.resultData.metadata ?? {},
		saved: JSON.stringify(run),
	};
}
