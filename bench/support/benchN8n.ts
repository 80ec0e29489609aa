// Starts a real n8n with the built package, for measuring. Its workflows have one node between a webhook that brings
// the items and a node that ends the run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axios from 'axios';
import { ensureN8nInstalled } from '../../demo/n8nInstallation';
import { startN8n } from '../../demo/startN8n';
import type { N8nClient, WorkflowNode } from '../../demo/n8nClient';
import { installPackage } from '../../demo/installPackage';
import { Processes } from '../../demo/processes';
import { startQueueMode, type QueueMode, type QueueModeOptions } from '../../demo/queueMode';
import type { Sandbox } from '../../sandbox';
import { buildWorkflow } from '../../demo/workflow';

type MeasuredNode = Pick<WorkflowNode, 'type' | 'typeVersion' | 'credentials'> & {
	parameters: object;
	onError?: string;
	retryOnFail?: boolean;
	maxTries?: number;
	waitBetweenTries?: number;
};

export interface TimedWorkflowExecution {
	/** Milliseconds from the request that starts the workflow to the answer at its end. */
	ms: number;
	executionId: string;
}

type Stored = { id: string; name: string };

export interface BenchN8n {
	url: string;
	client: N8nClient;
	/** The processes around it, if it was started in queue mode. */
	queueMode?: QueueMode;
	/** The credentials with which a sandbox's documents are read: by our node, and by HTTP Request. */
	credentialsFor(
		sandbox: Sandbox,
		taxQuery?: object,
	): Promise<Record<'creditProfileApi' | 'httpHeaderAuth' | 'taxQueryApi', Stored>>;
	/**
	 * Publishes a workflow around the node and returns what runs it with so many items. `listField` names the field of
	 * its output that holds the rows, if they are to be split into items.
	 */
	workflow(
		name: string,
		node: MeasuredNode,
		listField?: string,
	): Promise<(items: object[]) => Promise<TimedWorkflowExecution>>;
	/**
	 * Returns the execution's error, message and description ('' without one). It also counts the queries whose
	 * acceptance its metadata call unknown.
	 */
	failure(executionId: string): Promise<{ text: string; unsureQueries: number }>;
	/** Items that the measured node brought in that execution, and how many of them carry an error. */
	outcome(executionId: string): Promise<{ items: number; failed: number }>;
	/** The items that the measured node brought in that execution. */
	output(executionId: string): Promise<Array<Record<string, unknown>>>;
	/** The same, each with the index of its input item. */
	rows(executionId: string): Promise<Array<{ json: Record<string, unknown>; item: number }>>;
	/** CPU seconds that the n8n process has used so far. */
	cpuSeconds(): Promise<number>;
	/** Resident memory of the n8n process, in bytes. */
	memory(): Promise<number>;
	stop(): Promise<void>;
}

const MEASURED = 'Measured node';

/** Starts n8n for measuring, as one process or in queue mode. */
export async function startBenchN8n(
	log: (line: string) => void,
	queue?: QueueModeOptions,
	processes = new Processes(),
): Promise<BenchN8n> {
	const userFolder = await mkdtemp(join(tmpdir(), 'credit-profile-bench-'));
	let queueMode: QueueMode | undefined;
	const stop = async () => {
		await processes.stop();
		await queueMode?.remove();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	};
	try {
		await ensureN8nInstalled();
		const extra = { N8N_METRICS: 'true' };
		if (queue) queueMode = await startQueueMode(processes, userFolder, log, { ...queue, extra });
		else await installPackage(processes, userFolder);
		if (!queue) log('starting n8n');
		const { url, client } = queueMode ?? (await startN8n(processes, userFolder, log, extra));
		const metric = async (name: string): Promise<number> => {
			const { data } = await axios.get<string>(`${url}/metrics`);
			const line = new RegExp(`^n8n_${name} (.+)$`, 'm').exec(data);
			if (!line) throw new Error(`n8n reports no metric ${name}`);
			return Number(line[1]);
		};
		const rows = async (executionId: string) => {
			const execution = await client.execution(executionId);
			const run = execution.data?.resultData.runData[MEASURED]?.at(-1);
			return (run?.data?.main?.[0] ?? []).map(({ json, pairedItem }) => ({
				json,
				item: pairedItem?.item ?? 0,
			}));
		};
		const output = async (executionId: string) => (await rows(executionId)).map(({ json }) => json);
		return {
			url,
			client,
			queueMode,
			stop,
			cpuSeconds: async () => await metric('process_cpu_seconds_total'),
			memory: async () => await metric('process_resident_memory_bytes'),
			async credentialsFor({ creditProfile: { baseUrl, token }, taxQuery }, ownFields = {}) {
				const create = async (type: string, data: object) => ({
					id: await client.createCredential(type, baseUrl, data),
					name: baseUrl,
				});
				return {
					creditProfileApi: await create('creditProfileApi', {
						baseUrl,
						apiToken: token,
					}),
					taxQueryApi: await create('taxQueryApi', {
						baseUrl: taxQuery.baseUrl,
						grant: 'clientCredentials',
						clientId: taxQuery.clientId,
						clientSecret: taxQuery.clientSecret,
						...ownFields,
					}),
					httpHeaderAuth: await create('httpHeaderAuth', {
						name: 'Authorization',
						value: `Token ${token}`,
					}),
				};
			},
			async workflow(name, node, listField) {
				const path = name.toLowerCase().replace(/\W+/g, '-');
				const nodes = [
					{
						name: 'Webhook',
						type: 'n8n-nodes-base.webhook',
						typeVersion: 2,
						webhookId: path,
						parameters: {
							httpMethod: 'POST',
							path,
							responseMode: 'lastNode',
							responseData: 'firstEntryJson',
							options: {},
						},
					},
					{
						name: 'Items',
						type: 'n8n-nodes-base.splitOut',
						typeVersion: 1,
						parameters: { fieldToSplitOut: 'body.items', options: {} },
					},
					...(listField
						? [
								{ name: 'Pages', ...node },
								{
									name: MEASURED,
									type: 'n8n-nodes-base.splitOut',
									typeVersion: 1,
									parameters: { fieldToSplitOut: listField, options: {} },
								},
							]
						: [{ name: MEASURED, ...node }]),
					{
						name: 'End',
						type: 'n8n-nodes-base.set',
						typeVersion: 3.4,
						executeOnce: true,
						parameters: {
							assignments: {
								assignments: [
									{ id: '1', name: 'executionId', value: '={{ $execution.id }}', type: 'string' },
								],
							},
							options: {},
						},
					},
				];
				const id = await client.createWorkflow(buildWorkflow(name, nodes));
				await client.publish(id);
				return async (items) => {
					const startedAt = performance.now();
					const { data, status } = await axios.post<{ executionId: string }>(
						`${url}/webhook/${path}`,
						{ items },
						{
							maxBodyLength: Infinity,
							validateStatus: (code) => code < 300 || (node.onError === undefined && code === 500),
						},
					);
					const ms = performance.now() - startedAt;
					if (status === 200) return { ms, executionId: data.executionId };
					const [failed] = await client.executions(id);
					return { ms, executionId: failed.id };
				};
			},
			output,
			rows,
			async failure(executionId) {
				const { data } = await client.execution(executionId);
				const { error, metadata } = data?.resultData ?? {};
				const text = error ? `${error.message} ${error.description ?? ''}` : '';
				return { text, unsureQueries: Number(metadata?.unsureQueries ?? 0) };
			},
			async outcome(executionId) {
				const items = await output(executionId);
				return { items: items.length, failed: items.filter(({ error }) => error).length };
			},
		};
	} catch (error) {
		await stop();
		throw error;
	}
}
