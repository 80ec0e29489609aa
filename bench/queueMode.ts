// n8n's queue mode: one main and several workers on Redis and PostgreSQL, which share one token and one budget.
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import { missingStoresText } from '../demo/queueModeStores';
import { startSandbox } from '../sandbox';
import type { LoggedRequest } from '../sandbox/plugins/requestLog';
import { contestants, idealMs, LATENCY_MS, RATE_LIMIT_PER_SECOND } from './lookups';
import { startBenchN8n, type BenchN8n, type TimedWorkflowExecution } from './support/benchN8n';
import { measureWorkerCrashBilling } from './queuePaid';
import { measureTriggerResults } from './queueResults';
import {
	median,
	round,
	type BenchOptions,
	type BenchResult,
	type MeasuredBound,
} from './support/result';

const LOOKUPS = 300;
const REFILL_MS = 1500;

type Row = BenchResult['rows'][number];
type Part = (
	n8n: BenchN8n,
	options: BenchOptions,
) => Promise<{ rows: Row[]; verdicts: MeasuredBound[] }>;

/** The same number of lookups in several executions, which n8n gives to its workers. */
const lookups =
	(workers: number, executions: number, names: RegExp): Part =>
	async (n8n, { rounds, log }) => {
		const sandbox = await startSandbox({
			latency: LATENCY_MS,
			rateLimit: RATE_LIMIT_PER_SECOND,
		});
		try {
			const control = axios.create({ baseURL: `${sandbox.page}sandbox` });
			const runners = (await contestants(n8n, sandbox, `${workers} workers `)).filter(({ name }) =>
				names.test(name),
			);
			const rows: Row[] = [];
			const verdicts: MeasuredBound[] = [];
			for (const { name, run: runOnce } of runners) {
				const isOurs = name.startsWith('Credit Profile');
				const times: number[] = [];
				const refused: number[] = [];
				const failed: number[] = [];
				for (let turn = 1; turn <= (isOurs ? rounds : 1); turn++) {
					log(`${executions} × ${LOOKUPS / executions} over ${workers} workers, ${turn}: ${name}`);
					await sleep(REFILL_MS);
					await control.delete('/requests');
					const items = Array.from({ length: LOOKUPS / executions }, (_, i) => ({
						id: 1 + (i % 25),
					}));
					const startedAt = performance.now();
					const runs: TimedWorkflowExecution[] = await Promise.all(
						Array.from({ length: executions }, async () => await runOnce(items)),
					);
					times.push(performance.now() - startedAt);
					const requests = (await control.get<LoggedRequest[]>('/requests')).data;
					refused.push(requests.filter(({ status }) => status === 429).length);
					const outcomes = await Promise.all(
						runs.map(async ({ executionId }) => await n8n.outcome(executionId)),
					);
					failed.push(outcomes.reduce((sum, outcome) => sum + outcome.failed, 0));
				}
				const what = `${executions} × ${LOOKUPS / executions} lookups over ${workers} workers`;
				const ideal = round(median(times) / idealMs(LOOKUPS), 3);
				const perLookup = round(median(refused) / LOOKUPS, 3);
				rows.push({
					what: `${what}: ${name}`,
					'× ideal': ideal,
					'429s per lookup': perLookup,
					'items failed': Math.max(...failed),
				});
				if (!isOurs) continue;
				verdicts.push(
					{ what: `${what}: time ÷ ideal`, value: ideal, atMost: 1.1 },
					{ what: `${what}: responses 429 per lookup`, value: perLookup, atMost: 0.5 },
					{ what: `${what}: most items failed`, value: Math.max(...failed), atMost: 0 },
				);
			}
			return { rows, verdicts };
		} finally {
			await sandbox.close();
		}
	};

/** Tax Query at a service that shows no limit: what the credential says holds for all workers together. */
const unshown =
	(workers: number): Part =>
	async (n8n, { log }) => {
		log(`Tax Query over ${workers} workers, without headers`);
		const sandbox = await startSandbox({ latency: LATENCY_MS });
		try {
			const control = axios.create({ baseURL: `${sandbox.page}sandbox` });
			const { taxQuery } = sandbox;
			const id = await n8n.client.createCredential('taxQueryApi', `shared by ${workers}`, {
				baseUrl: taxQuery.baseUrl,
				grant: 'clientCredentials',
				clientId: taxQuery.clientId,
				clientSecret: taxQuery.clientSecret,
				pointsPerSecond: RATE_LIMIT_PER_SECOND,
				processes: workers,
			});
			const read = await n8n.workflow(`Unshown limit, ${workers} workers`, {
				type: 'n8n-nodes-credit-profile.taxQuery',
				typeVersion: 1,
				onError: 'continueRegularOutput',
				credentials: { taxQueryApi: { id, name: `shared by ${workers}` } },
				parameters: { resource: 'query', operation: 'get', queryId: '={{ $json.id }}' },
			});
			const readAll = async (count: number) => {
				const items = new Array<object>(count).fill({ id: '65f000000000000000000000' });
				await Promise.all(Array.from({ length: 2 * workers }, async () => await read(items)));
			};
			const requestTimes = async () => {
				const { data } = await control.get<Array<LoggedRequest & { at: string }>>('/requests');
				return data.filter(({ path }) => path.includes('/query/')).map(({ at }) => Date.parse(at));
			};
			await readAll(5); // a worker's first request is on its way for long, while the next ones keep their pace
			const before = (await requestTimes()).length;
			await readAll(50);
			const times = (await requestTimes()).slice(before).sort((a, b) => a - b);
			// the first request of each process waits for none
			const paced = times.length - workers;
			const perSecond = round((1000 * paced) / (times[times.length - 1] - times[0]), 1);
			const what = `Tax Query over ${workers} workers, no headers: requests per second`;
			return {
				rows: [
					{ what, '× ideal': round(10 / perSecond, 3), '429s per lookup': 0, 'items failed': 0 },
				],
				verdicts: [{ what, value: perSecond, atMost: RATE_LIMIT_PER_SECOND }],
			};
		} finally {
			await sandbox.close();
		}
	};

const parts: Array<{ name: string; workers: number; parts: Part[] }> = [
	{ name: '2', workers: 2, parts: [lookups(2, 3, /./), unshown(2)] },
	{ name: '4', workers: 4, parts: [lookups(4, 6, /^Credit/), unshown(4)] },
	{ name: 'paid', workers: 2, parts: [measureWorkerCrashBilling] },
];

export async function run(options: BenchOptions): Promise<BenchResult> {
	const missing = missingStoresText();
	if (missing) throw new Error(missing);
	const rows: Row[] = [];
	const verdicts: MeasuredBound[] = [];
	for (const { name, workers, parts: each } of parts) {
		if ((options.part ?? name) !== name) continue;
		const n8n = await startBenchN8n(options.log, { workers, webhookProcessors: 0 });
		try {
			for (const part of each) {
				const measured = await part(n8n, options);
				rows.push(...measured.rows);
				verdicts.push(...measured.verdicts);
				for (const row of measured.rows) options.log(JSON.stringify(row));
			}
		} finally {
			await n8n.stop();
		}
	}
	if ((options.part ?? 'results') === 'results') {
		const measured = await measureTriggerResults(options);
		rows.push(...measured.rows);
		verdicts.push(...measured.verdicts);
	}
	return {
		name: 'queue',
		setting: `n8n in queue mode on PostgreSQL and Redis: a main and two or four workers; ${LATENCY_MS} ms latency, one token, ${RATE_LIMIT_PER_SECOND} points per second; ${options.rounds} rounds of ours, medians.`,
		rows,
		verdicts,
	};
}
