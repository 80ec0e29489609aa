// Measures what a flood of deliveries costs others: lookups with the same token, true results, and n8n itself. An
// equal flood at n8n's own Webhook node serves as a comparison.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import { fetchUnpooled } from '../demo/fetchUnpooled';
import { startN8n, type N8n } from '../demo/startN8n';
import { ensureN8nInstalled } from '../demo/n8nInstallation';
import { installPackage } from '../demo/installPackage';
import { Processes } from '../demo/processes';
import { startSandbox, type Sandbox } from '../sandbox';
import { sandboxQueryClient } from './support/sandboxQueryClient';
import { median, round, type BenchOptions, type BenchResult } from './support/result';
import { startTriggerOutputSink, type Arrival } from './support/triggerBench';
import { buildWorkflow, type NodeSketch } from '../demo/workflow';

const LOOKUPS = 100;
const MAX_ROUNDS = 3;
const TRUE_EVERY_MS = 2_000;
const IN_TIME_MS = 5_000;
/** The trigger answers each sender within this time. */
const ANSWER_S = 2;
const SECRET = 'whsec-bench';
const MAX_PER_SECOND = 20;
/** With all that n8n can take, a flood would measure n8n's queue. */
const SHARE_OF_CAPACITY = 0.5;
/** Calls that measure the capacity. */
const PROBES = 100;
const PROBES_AT_ONCE = 4;

interface Flood {
	name: string;
	/** Path of the webhook that is flooded; none for the run that it is compared with. */
	path?: string;
	/** The share of n8n's capacity where absent. */
	perSecond?: number;
	body: () => unknown;
	headers?: Record<string, string>;
}

const forged = (count: number) => () =>
	Array.from({ length: count }, () => ({
		queryId: `forged${Math.random().toString(16).slice(2)}`,
		status: 'SUCCESS',
	}));
const wrong = { 'X-Secret': 'guessed' };

const floods: Flood[] = [
	{ name: 'alone', body: () => ({}) },
	{ name: '1/s of 100 IDs', path: 'open/tax-query', perSecond: 1, body: forged(100) },
	{ name: 'of 1 ID each', path: 'open/tax-query', body: forged(1) },
	{ name: 'wrongly signed', path: 'signed/tax-query', body: forged(1), headers: wrong },
	{
		name: "at n8n's Webhook node, wrong header",
		path: 'own-webhook',
		body: forged(1),
		headers: wrong,
	},
];

export async function run({
	rounds,
	log,
	lazy,
	count = LOOKUPS,
}: BenchOptions): Promise<BenchResult> {
	const processes = new Processes();
	const userFolder = await mkdtemp(join(tmpdir(), 'credit-profile-bench-'));
	const sandbox = await startSandbox({ resultDelay: 200 });
	const sink = await startTriggerOutputSink();
	try {
		await ensureN8nInstalled();
		await installPackage(processes, userFolder);
		log('starting n8n');
		const n8n = await startN8n(processes, userFolder, log, {
			N8N_METRICS: 'true',
			...(lazy && { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' }),
		});
		await publish(n8n, sandbox, sink.url);
		const capacity = await measureOwnCallsPerSecond(n8n);
		const perSecond = Math.max(1, Math.min(MAX_PER_SECOND, round(SHARE_OF_CAPACITY * capacity, 0)));
		const measured: Row[] = [];
		for (let round = 0; round <= Math.min(rounds, MAX_ROUNDS); round++) {
			for (const flood of floods) {
				log(`${flood.name}, round ${round}`);
				const row = await measure(n8n, sandbox, { perSecond, ...flood }, sink.arrivals, count);
				if (round > 0) measured.push(row); // the first warms n8n up
			}
		}
		const rows = floods.map(({ name }) => summary(measured.filter((each) => each.flood === name)));
		const [alone, , , , own] = rows;
		const lookups = (row: Summary) => row['seconds for the lookups'];
		return {
			name: 'flood',
			setting: `${count} lookups with the token that the trigger uses, 10 points/s (median of ${Math.min(rounds, MAX_ROUNDS)} rounds, interleaved; the counts are sums). Meanwhile a true result arrives every ${TRUE_EVERY_MS / 1000} s, and somebody floods a webhook: ${perSecond} calls a second unless it says otherwise, at most half of the ${round(capacity, 0)} that n8n's own Webhook node refuses${lazy ? '; n8n with N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE' : ''}.`,
			rows,
			verdicts: [
				...rows.slice(1, 4).map((row) => ({
					what: `${row.flood}: lookups, times alone (or 1.1 times what n8n's own Webhook node makes of them)`,
					value: round(lookups(row) / lookups(alone)),
					atMost: round(Math.max(1.25, (1.1 * lookups(own)) / lookups(alone))),
				})),
				{
					what: "the slowest of the trigger's answers to webhook calls, in seconds",
					value: Math.max(...rows.slice(0, 4).map((row) => row['slowest answer (s)'])),
					atMost: ANSWER_S,
				},
				{
					what: 'true results that did not start within 5 s',
					value: rows.reduce((sum, row) => sum + row['true results late'], 0),
					atMost: 0,
				},
				{
					what: 'times that n8n was not ready',
					value: rows.reduce((sum, row) => sum + row['not ready'], 0),
					atMost: 0,
				},
			],
		};
	} finally {
		await processes.stop();
		await sandbox.close();
		await sink.close();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	}
}

/**
 * Publishes the triggers, n8n's own Webhook, and the workflow of the lookups. The open trigger's executions report to
 * the sink.
 */
async function publish({ client }: N8n, { taxQuery }: Sandbox, sinkUrl: string): Promise<void> {
	const create = async (type: string, data: object) => ({
		[type]: { id: await client.createCredential(type, type, data), name: type },
	});
	const credentials = {
		...(await create('taxQueryApi', {
			baseUrl: taxQuery.baseUrl,
			grant: 'clientCredentials',
			clientId: taxQuery.clientId,
			clientSecret: taxQuery.clientSecret,
			webhookVerification: 'header',
			webhookSecret: SECRET,
			webhookHeaderName: 'X-Secret',
		})),
	};
	const header = await create('httpHeaderAuth', { name: 'X-Secret', value: SECRET });
	const workflow = async (name: string, nodes: NodeSketch[], connections?: object) => {
		const id = await client.createWorkflow(buildWorkflow(name, nodes, { connections }));
		await client.publish(id);
		return id;
	};
	const trigger = (name: string, parameters: object) => ({
		name,
		type: 'n8n-nodes-credit-profile.taxQueryTrigger',
		webhookId: name,
		parameters,
		credentials,
	});
	const sink = {
		name: 'Sink',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: { url: `=${sinkUrl}/?queryId={{ $json.queryId }}`, options: {} },
	};
	await workflow('open', [trigger('open', {}), sink], {
		open: { main: [[{ node: 'Sink', type: 'main', index: 0 }]] },
	});
	await workflow('signed', [trigger('signed', { authenticity: 'credential' })]);
	const webhook = (path: string, parameters: object) => ({
		name: path,
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId: path,
		parameters: { httpMethod: 'POST', path, options: {}, ...parameters },
	});
	const own = webhook('own-webhook', { authentication: 'headerAuth' });
	await workflow('own', [{ ...own, credentials: header }]);
	await workflow(
		'lookups',
		[
			webhook('lookups', { responseMode: 'lastNode' }),
			{
				name: 'Items',
				type: 'n8n-nodes-base.splitOut',
				parameters: { fieldToSplitOut: 'body.items', options: {} },
			},
			{
				name: 'Lookups',
				type: 'n8n-nodes-credit-profile.taxQuery',
				parameters: { resource: 'query', operation: 'get', queryId: '={{ $json.id }}' },
				credentials: { taxQueryApi: credentials.taxQueryApi },
			},
		],
		{
			lookups: { main: [[{ node: 'Items', type: 'main', index: 0 }]] },
			Items: { main: [[{ node: 'Lookups', type: 'main', index: 0 }]] },
		},
	);
}

/** How many calls a second n8n's own Webhook node refuses. */
async function measureOwnCallsPerSecond({ url }: N8n): Promise<number> {
	const call = async () =>
		await axios.post(
			`${url}/webhook/own-webhook`,
			{},
			{ headers: wrong, validateStatus: () => true },
		);
	const callInTurn = async () => {
		for (let calls = 0; calls < PROBES / PROBES_AT_ONCE; calls++) await call();
	};
	await callInTurn(); // warms n8n up
	const startedAt = performance.now();
	await Promise.all(Array.from({ length: PROBES_AT_ONCE }, callInTurn));
	return (1000 * PROBES) / (performance.now() - startedAt);
}

type Row = Awaited<ReturnType<typeof measure>>;
type Summary = ReturnType<typeof summary>;

/** The seconds within which 99 of 100 answers came. */
function percentile99(answersMs: number[]): number {
	const sorted = [...answersMs].sort((a, b) => a - b);
	return round((sorted[Math.ceil(0.99 * sorted.length) - 1] ?? 0) / 1000);
}

/** The rounds of one flood: the median of its seconds, the sum of what it counts, the highest peak. */
function summary(rows: Row[]) {
	const answersMs = rows.flatMap((row) => row.answersMs);
	const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
	return {
		flood: rows[0].flood,
		'seconds for the lookups': round(median(rows.map((row) => row['seconds for the lookups'])), 1),
		'webhook calls answered': answersMs.length,
		'99 % answered within (s)': percentile99(answersMs),
		'slowest answer (s)': round(Math.max(0, ...answersMs) / 1000),
		'true results': sum((row) => row['true results']),
		'true results late': sum((row) => row['true results late']),
		'not ready': sum((row) => row['not ready']),
		'peak memory (MB)': Math.max(...rows.map((row) => row['peak memory (MB)'])),
	};
}

async function measure(
	n8n: N8n,
	sandbox: Sandbox,
	flood: Flood & { perSecond: number },
	arrivals: Arrival[],
	lookups: number,
) {
	const queries = await sandboxQueryClient(sandbox);
	const record = await queries.result();
	let isOver = false;
	let notReady = 0;
	const answersMs: number[] = [];
	let peakMb = 0;
	let results = 0;
	const late: string[] = [];
	const call = async (path: string, body: unknown, headers?: Record<string, string>) => {
		const sentAt = performance.now();
		const options = { headers, validateStatus: () => true, timeout: 30_000 };
		await axios.post(`${n8n.url}/webhook/${path}`, body, options).catch(() => {});
		answersMs.push(performance.now() - sentAt); // a call without an answer counts as a slow one
	};
	const inBackground = [
		(async () => {
			while (!isOver && flood.path) {
				void call(flood.path, flood.body(), flood.headers);
				await sleep(1000 / flood.perSecond);
			}
		})(),
		(async () => {
			while (!isOver) {
				const { ok } = await fetchUnpooled(`${n8n.url}/healthz/readiness`).catch(() => ({
					ok: false,
				}));
				if (!ok) notReady++;
				const metrics = await axios
					.get<string>(`${n8n.url}/metrics`)
					.then(({ data }) => data)
					.catch(() => '');
				const [, bytes] = /^n8n_process_resident_memory_bytes (.+)$/m.exec(metrics) ?? [];
				peakMb = Math.max(peakMb, Number(bytes ?? 0) / 1e6);
				await sleep(1_000);
			}
		})(),
		(async () => {
			while (!isOver) {
				const { _id } = await queries.result();
				results++;
				const deadline = Date.now() + IN_TIME_MS;
				void call('open/tax-query', { queryId: _id });
				const hasStarted = () => arrivals.some(({ queryId }) => queryId === _id);
				while (!hasStarted() && Date.now() < deadline) await sleep(100);
				if (!hasStarted()) late.push(_id);
				await sleep(TRUE_EVERY_MS);
			}
		})(),
	];
	const startedAt = performance.now();
	const items = Array.from({ length: lookups }, () => ({ id: record._id }));
	await axios.post(`${n8n.url}/webhook/lookups`, { items }, { timeout: 300_000 });
	const seconds = (performance.now() - startedAt) / 1000;
	isOver = true;
	await Promise.all(inBackground);
	return {
		flood: flood.name,
		'seconds for the lookups': round(seconds, 1),
		answersMs,
		'true results': results,
		'true results late': late.length,
		'not ready': notReady,
		'peak memory (MB)': round(peakMb, 0),
	};
}
