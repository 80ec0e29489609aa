// What a delivery costs n8n's process: the trigger, which confirms it, beside n8n's own Webhook node with a fetch of
// the same record behind it. Version 1 of that node is measured, too: its webhook calls get an expression engine from
// n8n, as the trigger's do.
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import type { N8n } from '../demo/startN8n';
import { isFinished } from '../demo/n8nClient';
import type { Sandbox } from '../sandbox';
import { sandboxQueryClient } from './support/sandboxQueryClient';
import { until } from './support/until';
import { median, round } from './support/result';
import { buildWorkflow, type NodeSketch } from '../demo/workflow';

const SECRET = 'whsec-bench';
const headers = { 'X-Secret': SECRET };
/** Longer than the pause between two checks. */
const IDLE_SECONDS = 35;

type Stored = Record<string, { id: string; name: string }>;

/** CPU seconds of the n8n process so far; n8n must run with N8N_METRICS. */
async function cpuSeconds(url: string): Promise<number> {
	const { data } = await axios.get<string>(`${url}/metrics`);
	return Number(/^n8n_process_cpu_seconds_total (.+)$/m.exec(data)?.[1]);
}

/** Publishes a workflow of these nodes, one behind the other; returns its id. */
async function publish({ client }: N8n, name: string, nodes: object[]): Promise<string> {
	const named = nodes.map((node, index) => ({ name: `${name} ${index}`, ...node }));
	const id = await client.createWorkflow(buildWorkflow(name, named as NodeSketch[]));
	await client.publish(id);
	return id;
}

/** Milliseconds of CPU for each delivery of a result. */
interface Cost {
	perSecond: number;
	ours: number;
	/** By n8n's Webhook node and HTTP Request. */
	own: number;
	/** By version 1 of n8n's Webhook node, whose calls get an expression engine as the trigger's do. */
	ownWithEngine: number;
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
	const queries = await sandboxQueryClient(sandbox);
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
	const ours = await publish(n8n, 'cost-ours', [
		{
			type: 'n8n-nodes-credit-profile.taxQueryTrigger',
			webhookId: 'cost-ours',
			parameters: { authenticity: 'credential', settings: { simplify: false } },
			credentials: { ...(await create('taxQueryApi', { ...login, ...proof })) },
		},
	]);
	const publishOwn = async (path: string, typeVersion: number) =>
		await publish(n8n, path, [
			{
				type: 'n8n-nodes-base.webhook',
				typeVersion,
				webhookId: path,
				parameters: { httpMethod: 'POST', path, authentication: 'headerAuth', options: {} },
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
	const own = await publishOwn('cost-own', 2);
	const ownWithEngine = await publishOwn('cost-own-with-engine', 1);

	/** As a sender does: a 503 says after how many seconds to repeat the call. */
	const deliver = async (path: string, record: object): Promise<void> => {
		const validateStatus = (status: number) => status < 300 || status === 503;
		const call = { headers, timeout: 60_000, validateStatus };
		for (;;) {
			const response = await axios.post(`${url}/webhook/${path}`, record, call);
			if (response.status !== 503) return;
			await sleep(1000 * Number(response.headers['retry-after'] ?? 1));
		}
	};

	/** Asks, and delivers the result to the trigger as soon as there is one. */
	const askAndDeliver = async (): Promise<object> => {
		const id = await queries.ask();
		await sleep(resultDelay);
		const record = await queries.finished(id);
		await deliver('cost-ours/tax-query', record);
		return record;
	};

	/** The ids of a workflow's newest executions that have ended. */
	const endedExecutions = async (workflowId: string): Promise<string[]> =>
		(await client.executions(workflowId, { withoutData: true, limit: 250 }))
			.filter(isFinished)
			.map(({ id }) => id);

	/** CPU milliseconds of one delivery, without what n8n uses beside; and what the deliveries returned. */
	const measure = async <T>(
		workflowId: string,
		deliveries: Array<() => Promise<T>>,
		perSecond: number,
		idle: number,
	): Promise<{ cost: number; returned: T[] }> => {
		const before = new Set(await endedExecutions(workflowId));
		const started = { at: performance.now(), cpu: await cpuSeconds(url) };
		const delivering: Array<Promise<T>> = [];
		for (const start of deliveries) {
			delivering.push(start());
			const due = started.at + (delivering.length * 1000) / perSecond;
			await sleep(Math.max(0, due - performance.now()));
		}
		const returned = await Promise.all(delivering);
		await until(
			'the end of all executions',
			async () =>
				(await endedExecutions(workflowId)).filter((id) => !before.has(id)).length >=
				deliveries.length,
			{ pauseMs: 2_000 },
		);
		const seconds = (performance.now() - started.at) / 1000;
		const cpu = (await cpuSeconds(url)) - started.cpu - idle * seconds;
		return { cost: round((cpu * 1000) / deliveries.length, 1), returned };
	};

	return async () => {
		const idleFrom = await cpuSeconds(url);
		await sleep(IDLE_SECONDS * 1000);
		const idle = ((await cpuSeconds(url)) - idleFrom) / IDLE_SECONDS;
		const costs: Cost[] = [];
		for (const perSecond of rates) {
			const measured = { ours: [] as number[], own: [] as number[], ownWithEngine: [] as number[] };
			for (let turn = 1; turn <= turns; turn++) {
				log(`what a delivery costs, ${perSecond} per second, turn ${turn} of ${turns}`);
				const news = Array.from({ length: count }, () => askAndDeliver);
				const { cost, returned } = await measure(ours, news, perSecond, idle);
				measured.ours.push(cost);
				// The same results again: to the trigger a new one would be news, which its checks would start.
				const again = (path: string) => returned.map((record) => () => deliver(path, record));
				const byOwn = await measure(own, again('cost-own'), perSecond, idle);
				measured.own.push(byOwn.cost);
				const withEngine = again('cost-own-with-engine');
				const byOwnWithEngine = await measure(ownWithEngine, withEngine, perSecond, idle);
				measured.ownWithEngine.push(byOwnWithEngine.cost);
			}
			log(`${JSON.stringify(measured)}; idle ${round(1000 * idle, 1)} ms a second`);
			costs.push({
				perSecond,
				ours: median(measured.ours),
				own: median(measured.own),
				ownWithEngine: median(measured.ownWithEngine),
			});
		}
		return costs;
	};
}
