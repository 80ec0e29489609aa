// What a delivery costs n8n's process: the trigger, which confirms it, beside n8n's own Webhook node with a fetch of
// the same record behind it.
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import type { N8n } from '../demo/n8n';
import type { WorkflowNode } from '../demo/n8nClient';
import type { Sandbox } from '../sandbox';
import { queriesAt } from '../test/integration/support/queries';
import { median, round } from './support/result';

const SECRET = 'whsec-bench';
const headers = { 'X-Secret': SECRET };

type Stored = Record<string, { id: string; name: string }>;

/** CPU seconds of the n8n process so far; n8n must run with N8N_METRICS. */
async function cpuSeconds(url: string): Promise<number> {
	const { data } = await axios.get<string>(`${url}/metrics`);
	return Number(/^n8n_process_cpu_seconds_total (.+)$/m.exec(data)?.[1]);
}

/** Publishes a workflow of these nodes, one behind the other. */
async function publish({ client }: N8n, name: string, nodes: object[]): Promise<void> {
	const placed = nodes.map((node, index) => ({
		id: `${name}-${index}`,
		name: `${name} ${index}`,
		typeVersion: 1,
		position: [220 * index, 0],
		...node,
	}));
	const connections = Object.fromEntries(
		placed
			.slice(1)
			.map((node, index) => [
				placed[index].name,
				{ main: [[{ node: node.name, type: 'main', index: 0 }]] },
			]),
	);
	const id = await client.createWorkflow({
		name,
		nodes: placed as unknown as WorkflowNode[],
		connections,
		settings: { executionOrder: 'v1' },
	});
	await client.publish(id);
}

/** Milliseconds of CPU for each delivery of a result. */
interface Cost {
	perSecond: number;
	ours: number;
	/** By n8n's Webhook node and HTTP Request. */
	own: number;
}

/** Publishes both contestants; returns what measures them, at each rate of deliveries per second. */
export async function prepareCpuMeasurement(
	n8n: N8n,
	sandbox: Sandbox,
	{
		rates,
		count,
		turns,
		resultDelay,
		log,
	}: {
		rates: number[];
		/** Deliveries of a turn. */
		count: number;
		/** The contestants take turns, so that what n8n does beside meets both. */
		turns: number;
		resultDelay: number;
		log(line: string): void;
	},
): Promise<() => Promise<Cost[]>> {
	const { client, url } = n8n;
	const create = async (type: string, data: object): Promise<Stored> => ({
		[type]: { id: await client.createCredential(type, `cost ${type}`, data), name: `cost ${type}` },
	});
	const queries = await queriesAt(sandbox);
	const secret = await create('httpHeaderAuth', { name: 'X-Secret', value: SECRET });
	const token = String(queries.service.defaults.headers.Authorization);
	const bearer = await create('httpHeaderAuth', { name: 'Authorization', value: token });
	const login = {
		...{ baseUrl: sandbox.taxQuery.baseUrl, grant: 'clientCredentials', pointsPerSecond: 0 },
		...{ clientId: sandbox.taxQuery.clientId, clientSecret: sandbox.taxQuery.clientSecret },
	};
	const proof = {
		webhookVerification: 'header',
		webhookSecret: SECRET,
		webhookHeaderName: 'X-Secret',
	};
	await publish(n8n, 'cost-ours', [
		{
			type: 'n8n-nodes-credit-profile.taxQueryTrigger',
			webhookId: 'cost-ours',
			parameters: { authenticity: 'credential', settings: { simplify: false } },
			credentials: { ...(await create('taxQueryApi', { ...login, ...proof })) },
		},
	]);
	await publish(n8n, 'cost-own', [
		{
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: 'cost-own',
			parameters: {
				httpMethod: 'POST',
				path: 'cost-own',
				authentication: 'headerAuth',
				options: {},
			},
			credentials: secret,
		},
		{
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				url: `=${sandbox.taxQuery.baseUrl}/query/{{ $json.body._id }}`,
				authentication: 'genericCredentialType',
				genericAuthType: 'httpHeaderAuth',
				options: {},
			},
			credentials: bearer,
		},
	]);

	/** Asks, and delivers the result as soon as there is one. */
	const deliver = async (to: string): Promise<void> => {
		const id = await queries.ask();
		await sleep(resultDelay);
		await axios.post(to, await queries.finished(id), { headers, timeout: 60_000 });
	};

	/** CPU milliseconds of one delivery, without what n8n uses beside. */
	const measure = async (path: string, perSecond: number, idle: number): Promise<number> => {
		const started = { at: performance.now(), cpu: await cpuSeconds(url) };
		const answers: Array<Promise<unknown>> = [];
		for (let sent = 0; sent < count; sent++) {
			answers.push(deliver(`${url}/webhook/${path}`));
			const due = started.at + ((sent + 1) * 1000) / perSecond;
			await sleep(Math.max(0, due - performance.now()));
		}
		await Promise.all(answers);
		await sleep(2_000); // the executions end
		const seconds = (performance.now() - started.at) / 1000;
		const cpu = (await cpuSeconds(url)) - started.cpu - idle * seconds;
		return round((cpu * 1000) / count, 1);
	};
	return async () => {
		const idleFrom = await cpuSeconds(url);
		await sleep(10_000);
		const idle = ((await cpuSeconds(url)) - idleFrom) / 10;
		const costs: Cost[] = [];
		for (const perSecond of rates) {
			const own: number[] = [];
			const ours: number[] = [];
			for (let turn = 1; turn <= turns; turn++) {
				log(`what a delivery costs, ${perSecond} per second, turn ${turn} of ${turns}`);
				own.push(await measure('cost-own', perSecond, idle));
				ours.push(await measure('cost-ours/tax-query', perSecond, idle));
			}
			log(
				`own ${own.join(', ')}; ours ${ours.join(', ')}; idle ${round(1000 * idle, 1)} ms a second`,
			);
			costs.push({ perSecond, ours: median(ours), own: median(own) });
		}
		return costs;
	};
}
