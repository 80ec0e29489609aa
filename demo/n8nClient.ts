import { setTimeout as sleep } from 'node:timers/promises';
import { fetchUnpooled } from './fetchUnpooled';

const PUBLISH_TIMEOUT_MS = 300_000;
/** n8n's database may be busy. */
const MAX_SENDS = 240;
const SEND_AGAIN_MS = 500;
const SCOPES = [
	'execution:list',
	'execution:read',
	'execution:retry',
	'workflow:activate',
	'workflow:create',
	'workflow:deactivate',
];

export interface WorkflowNode {
	name: string;
	type: string;
	typeVersion: number;
	parameters?: object;
	webhookId?: string;
	credentials?: Record<string, { id: string; name: string }>;
}

/** A workflow as it stands in `examples/`. */
export interface Workflow {
	name: string;
	nodes: WorkflowNode[];
	connections: object;
	settings: object;
	/** A click runs with these items in place of an event. */
	pinData?: object;
}

export interface ExecutionError {
	message: string;
	description?: string | null;
}

export interface NodeExecution {
	/** Milliseconds since the epoch. */
	startTime: number;
	/** Its place among the node runs since the execution began, or was resumed. */
	executionIndex: number;
	executionStatus: string;
	error?: ExecutionError;
	data?: {
		main?: ({ json: Record<string, unknown>; pairedItem?: { item: number } }[] | null)[];
	};
}

export interface Execution {
	id: string;
	/** `success`, `error`, `crashed`, `running` … */
	status: string;
	/** `manual`, `trigger`, `webhook` … */
	mode: string;
	workflowId: string;
	data?: {
		resultData: {
			error?: ExecutionError;
			lastNodeExecuted?: string;
			runData: Record<string, NodeExecution[]>;
			/** The list of executions can be filtered by it. */
			metadata?: Record<string, string>;
		};
	};
}

/** Nothing more will come of it. */
export const isFinished = ({ status }: Execution): boolean =>
	!['new', 'running', 'waiting'].includes(status);

interface NodeType {
	displayName: string;
	webhooks?: { path: string; isFullPath?: boolean }[];
}

/** The part of a running n8n that the demo uses: its public API where that suffices, else the editor's. */
export interface N8nClient {
	version(): Promise<string>;
	createCredential(type: string, name: string, data: object): Promise<string>;
	/** Creates a key for n8n's public API with these scopes, and returns it. */
	createApiKey(label: string, scopes: string[]): Promise<string>;
	createWorkflow(workflow: Workflow): Promise<string>;
	/** Publishes a workflow and waits until its triggers are registered. */
	publish(workflowId: string): Promise<void>;
	unpublish(workflowId: string): Promise<void>;
	/** Descriptions of the given nodes' types, in their order. Throws if n8n did not load one of them. */
	nodeTypes(nodes: { type: string; typeVersion: number }[]): Promise<NodeType[]>;
	/** The newest executions of a workflow, newest first; with their data, unless less is enough. */
	executions(
		workflowId: string,
		options?: { withoutData: boolean; limit?: number },
	): Promise<Execution[]>;
	/** All executions of a workflow in this status, without their data. */
	executionsIn(status: string, workflowId: string): Promise<Execution[]>;
	/** Starts a failed or crashed execution once more, with the saved workflow. */
	retry(executionId: string): Promise<void>;
	/** It comes with its data. */
	execution(id: string): Promise<Execution>;
	/** The same user at another process over the same database. */
	at(url: string): N8nClient;
}

class N8nError extends Error {
	constructor(
		message: string,
		readonly status: number,
	) {
		super(message);
	}
}

/** Sends one request. n8n responds with 503 in front of its routes: it has processed nothing, and may be sent it again. */
async function request<T>(
	url: string,
	headers: Record<string, string>,
	method: string,
	body?: unknown,
): Promise<{ answer: T; cookie: string }> {
	const send = async () =>
		await fetchUnpooled(url, {
			method,
			headers: { 'content-type': 'application/json', ...headers },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
	let response = await send();
	for (let sends = 1; response.status === 503 && sends < MAX_SENDS; sends++) {
		await sleep(SEND_AGAIN_MS);
		response = await send();
	}
	const text = await response.text();
	if (!response.ok) {
		throw new N8nError(
			`n8n answered ${response.status} to ${method} ${new URL(url).pathname}: ${text}`,
			response.status,
		);
	}
	const cookie = response.headers.getSetCookie().map((value) => value.split(';')[0]);
	return { answer: JSON.parse(text) as T, cookie: cookie.join('; ') };
}

/** Makes the owner of a fresh n8n, signed in, with a key for the public API. */
export async function signUpOwner(
	url: string,
	login: { email: string; password: string },
): Promise<N8nClient> {
	const { cookie } = await request(`${url}/rest/owner/setup`, {}, 'POST', {
		...login,
		firstName: 'Demo',
		lastName: 'Owner',
	});
	const rawApiKey = await createApiKey(url, cookie, 'demo', SCOPES);
	return clientAt(url, cookie, { 'x-n8n-api-key': rawApiKey });
}

/** n8n refuses to make a second owner with this status. */
const OWNER_EXISTS = 400;

/** Makes the owner, or signs in to an n8n that has it from an earlier time. */
export async function signUpOrSignIn(
	url: string,
	login: { email: string; password: string },
): Promise<N8nClient> {
	try {
		return await signUpOwner(url, login);
	} catch (error) {
		if (!(error instanceof N8nError && error.status === OWNER_EXISTS)) throw error;
	}
	const { cookie } = await request(`${url}/rest/login`, {}, 'POST', {
		...{ emailOrLdapLoginId: login.email, email: login.email, password: login.password },
	});
	// n8n shows a key only once, so each start has one of its own.
	const rawApiKey = await createApiKey(url, cookie, `demo ${new Date().toISOString()}`, SCOPES);
	return clientAt(url, cookie, { 'x-n8n-api-key': rawApiKey });
}

const restAt =
	(url: string, cookie: string) =>
	async <T>(method: string, path: string, body?: unknown) =>
		(await request<{ data: T }>(`${url}/rest${path}`, { cookie }, method, body)).answer.data;

async function createApiKey(url: string, cookie: string, label: string, scopes: string[]) {
	const body = { label, expiresAt: null, scopes };
	const rest = restAt(url, cookie);
	return (await rest<{ rawApiKey: string }>('POST', '/api-keys', body)).rawApiKey;
}

/** `cookie` and `key` are those of a user who is signed in. */
function clientAt(url: string, cookie: string, key: Record<string, string>): N8nClient {
	const rest = restAt(url, cookie);
	const api = async <T>(method: string, path: string, body?: unknown) =>
		(await request<T>(`${url}/api/v1${path}`, key, method, body)).answer;

	return {
		version: async () => (await rest<{ versionCli: string }>('GET', '/settings')).versionCli,

		createApiKey: async (label, scopes) => await createApiKey(url, cookie, label, scopes),

		createCredential: async (type, name, data) =>
			(await rest<{ id: string }>('POST', '/credentials', { type, name, data })).id,

		createWorkflow: async ({ name, nodes, connections, settings, pinData }) => {
			// Older hosts refuse the field.
			const workflow = { name, nodes, connections, settings, ...(pinData && { pinData }) };
			return (await api<{ id: string }>('POST', '/workflows', workflow)).id;
		},

		publish: async (workflowId) => {
			await api('POST', `/workflows/${workflowId}/activate`);
			const deadline = Date.now() + PUBLISH_TIMEOUT_MS;
			for (;;) {
				const publication = await rest<{
					status: string;
					triggers: { errorMessage: string | null }[];
				}>('GET', `/workflows/${workflowId}/publication-status`).catch((error: unknown) => {
					// Older hosts have registered the triggers when they answer, and know no such status.
					if (error instanceof N8nError && error.status === 404) return undefined;
					throw error;
				});
				if (!publication || publication.status === 'published') return;
				// In queue mode it is "not_published" for a moment, until the main has taken it up.
				const isComing = ['in_progress', 'not_published'].includes(publication.status);
				if (!isComing || Date.now() > deadline) {
					const reasons = publication.triggers.map(({ errorMessage }) => errorMessage ?? '');
					throw new Error(
						`n8n did not publish the workflow (${publication.status}). ${reasons.join(' ')}`,
					);
				}
				await sleep(100);
			}
		},

		unpublish: async (workflowId) => {
			await api('POST', `/workflows/${workflowId}/deactivate`);
		},

		nodeTypes: async (nodes) =>
			await rest<NodeType[]>('POST', '/node-types', {
				nodeInfos: nodes.map(({ type, typeVersion }) => ({ name: type, version: typeVersion })),
			}),

		at: (other) => clientAt(other, cookie, key),

		executionsIn: async (status, workflowId) => {
			const found: Execution[] = [];
			for (let cursor: string | null = ''; cursor !== null;) {
				const page: { data: Execution[]; nextCursor: string | null } = await api(
					'GET',
					`/executions?status=${status}&workflowId=${workflowId}&limit=250${cursor && `&cursor=${cursor}`}`,
				);
				found.push(...page.data);
				cursor = page.nextCursor;
			}
			return found;
		},

		retry: async (id) =>
			void (await api('POST', `/executions/${id}/retry`, { loadWorkflow: false })),

		execution: async (id) => await api<Execution>('GET', `/executions/${id}?includeData=true`),

		executions: async (workflowId, { withoutData, limit = 20 } = { withoutData: false }) =>
			(
				await api<{ data: Execution[] }>(
					'GET',
					`/executions?includeData=${!withoutData}&limit=${limit}&workflowId=${workflowId}`,
				)
			).data,
	};
}
