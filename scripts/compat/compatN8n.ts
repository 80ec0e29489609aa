// One pinned n8n with the built package, beside a sandbox: what the runs of `npm run compat` ask of it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { fetchUnpooled } from '../../demo/fetchUnpooled';
import { startN8n } from '../../demo/startN8n';
import { isFinished, type Execution } from '../../demo/n8nClient';
import { pinnedInstallation as newest, installationPathsIn } from '../../demo/n8nInstallation';
import { installPackage } from '../../demo/installPackage';
import { RestartableN8n } from '../../bench/support/restartableN8n';
import { buildWorkflow, type NodeSketch } from '../../demo/workflow';

const PACKAGE = 'n8n-nodes-credit-profile';

/** The n8n that this run is about; `npm run compat` names its folder. */
const n8nUnderTest = process.env.COMPAT_HOST
	? installationPathsIn(process.env.COMPAT_HOST)
	: newest;

type Credentials = Record<string, { id: string; name: string }>;

export interface TestedWorkflowNode {
	type: 'creditProfile' | 'taxQuery' | 'taxQueryTrigger';
	parameters: INodeParameters;
	credentials: Credentials;
	onError?: 'continueRegularOutput' | 'continueErrorOutput';
}

export interface NodeUnderTestRun {
	status: string;
	error: string;
	/** The items of each of the node's outputs. */
	outputs: Array<Array<Record<string, unknown>>>;
}

const NODE = 'Node under test';
let workflows = 0;

/** Starts it in a fresh user folder. */
export async function startCompatN8n() {
	const processes = new RestartableN8n();
	const userFolder = await mkdtemp(join(tmpdir(), 'credit-profile-compat-'));
	const stop = async () => {
		await processes.stop();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	};
	try {
		await installPackage(processes, userFolder);
		const older = n8nUnderTest === newest ? {} : { N8N_DISABLED_MODULES: undefined }; // names that it does not know
		const n8n = await startN8n(processes, userFolder, () => {}, older, n8nUnderTest);
		return { ...hostOf(n8n, processes), stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

function hostOf({ url, client }: Awaited<ReturnType<typeof startN8n>>, processes: RestartableN8n) {
	const create = async (nodes: NodeSketch[], connections?: object) => {
		const name = `Compat ${++workflows}`;
		const id = await client.createWorkflow(buildWorkflow(name, nodes, { connections }));
		await client.publish(id);
		return id;
	};
	/** The executions of a workflow, once there are so many, all of them ended; the newest first. */
	const executions = async (workflowId: string, count: number): Promise<Execution[]> => {
		for (;;) {
			const found = await client.executions(workflowId);
			if (found.length >= count && found.every(isFinished)) return found;
		}
	};
	return {
		url,
		client,
		async credential(type: string, data: object): Promise<Credentials> {
			return { [type]: { id: await client.createCredential(type, type, data), name: type } };
		},
		/** Publishes a workflow of a webhook, the items that it brings, and the node; returns what runs it. */
		async workflow({
			type,
			...node
		}: TestedWorkflowNode): Promise<(items?: object[]) => Promise<NodeUnderTestRun>> {
			const path = `compat-${workflows}`;
			const names = ['Webhook', 'Items', NODE];
			const id = await create(
				[
					{
						name: names[0],
						type: 'n8n-nodes-base.webhook',
						typeVersion: 2,
						webhookId: path,
						parameters: { httpMethod: 'POST', path, responseMode: 'lastNode', options: {} },
					},
					{
						name: names[1],
						type: 'n8n-nodes-base.splitOut',
						typeVersion: 1,
						parameters: { fieldToSplitOut: 'body.items', options: {} },
					},
					{ name: NODE, type: `${PACKAGE}.${type}`, typeVersion: 1, ...node },
				],
				Object.fromEntries(
					[0, 1].map((index) => [
						names[index],
						{ main: [[{ node: names[index + 1], type: 'main', index: 0 }]] },
					]),
				),
			);
			let runs = 0;
			return async (items = [{}]) => {
				await fetchUnpooled(`${url}/webhook/${path}`, {
					method: 'POST',
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify({ items }),
				});
				const [{ status, data }] = await executions(id, ++runs);
				const error = data?.resultData.error;
				const [run] = data?.resultData.runData[NODE] ?? [];
				return {
					status,
					error: error ? `${error.message} ${error.description ?? ''}` : '',
					outputs: (run?.data?.main ?? []).map((output) => (output ?? []).map(({ json }) => json)),
				};
			};
		},
		/** Publishes a workflow that begins with the trigger. */
		async trigger({ type, ...node }: TestedWorkflowNode) {
			const webhookId = `compat-trigger-${workflows}`;
			const trigger = {
				name: NODE,
				type: `${PACKAGE}.${type}`,
				typeVersion: 1,
				webhookId,
				...node,
			};
			const id = await create([trigger], {});
			return {
				url: `${url}/webhook/${webhookId}/tax-query`,
				/** Resolves once there are so many executions. */
				async started(count: number) {
					const found = await executions(id, count);
					return found.map(
						({ data }) => data?.resultData.runData[NODE][0].data?.main?.[0]?.[0].json ?? {},
					);
				},
			};
		},
		/** Ends n8n without a chance to put anything in order, and starts it again. */
		async restart() {
			await processes.kill();
			await processes.restart(url);
		},
	};
}

export type RunningCompatN8n = Awaited<ReturnType<typeof startCompatN8n>>;
