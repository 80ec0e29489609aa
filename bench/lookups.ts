import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import { startSandbox, type Sandbox } from '../sandbox';
import type { LoggedRequest } from '../sandbox/plugins/requestLog';
import { startBenchN8n, type BenchN8n, type TimedWorkflowExecution } from './support/benchN8n';
import { median, round, type BenchResult, type BenchOptions } from './support/result';

const ITEMS = 300;
export const LATENCY_MS = 300;
export const RATE_LIMIT_PER_SECOND = 10;
const AT_ONCE = 3;
/** Lets the limiter's window end, so that no contestant begins with points that the one before has spent. */
const REFILL_MS = 1500;

/** The least time in which the limiter lets so many requests pass: full windows, and the last answer. */
export const idealMs = (requests: number) =>
	(Math.ceil(requests / RATE_LIMIT_PER_SECOND) - 1) * 1000 + LATENCY_MS;

export interface Contestant {
	name: string;
	run: (items: object[]) => Promise<TimedWorkflowExecution>;
}

/** The contestants: one collection looked up for each item. */
export async function contestants(
	n8n: BenchN8n,
	sandbox: Sandbox,
	prefix = '',
): Promise<Contestant[]> {
	const { baseUrl } = sandbox.creditProfile;
	const { creditProfileApi, httpHeaderAuth } = await n8n.credentialsFor(sandbox);
	const httpRequest = (options: object) => ({
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		onError: 'continueRegularOutput',
		credentials: { httpHeaderAuth },
		parameters: {
			url: `=${baseUrl}/api/v1/data/collection/{{ $json.id }}`,
			authentication: 'genericCredentialType',
			genericAuthType: 'httpHeaderAuth',
			options,
		},
	});
	return [
		{
			name: 'Credit Profile node',
			run: await n8n.workflow(`${prefix}Ours`, {
				type: 'n8n-nodes-credit-profile.creditProfile',
				typeVersion: 1,
				onError: 'continueRegularOutput',
				credentials: { creditProfileApi },
				parameters: {
					resource: 'dataCollection',
					operation: 'get',
					collection: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
					options: { simplify: false },
				},
			}),
		},
		{
			name: 'HTTP Request, as it comes',
			run: await n8n.workflow(`${prefix}As it comes`, httpRequest({})),
		},
		{
			name: 'HTTP Request, tuned by hand to 10 per 1,000 ms',
			run: await n8n.workflow(
				`${prefix}Tuned`,
				httpRequest({ batching: { batch: { batchSize: 10, batchInterval: 1000 } } }),
			),
		},
	];
}

export async function run({ rounds, log }: BenchOptions): Promise<BenchResult> {
	const sandbox = await startSandbox({
		latency: LATENCY_MS,
		rateLimit: RATE_LIMIT_PER_SECOND,
	});
	const control = axios.create({ baseURL: `${sandbox.page}sandbox` });
	const n8n = await startBenchN8n(log);
	try {
		const runners = await contestants(n8n, sandbox);
		const { data } = await axios.get<{ data: Array<{ id: number }> }>(
			`${sandbox.creditProfile.baseUrl}/api/v1/data/collection?limit=25`,
			{ headers: { Authorization: `Token ${sandbox.creditProfile.token}` } },
		);
		const items = Array.from({ length: ITEMS }, (_, i) => ({
			id: data.data[i % data.data.length].id,
		}));
		const rows: BenchResult['rows'] = [];
		const verdicts: BenchResult['verdicts'] = [];
		for (const executions of [1, AT_ONCE]) {
			const measured = new Map(
				runners.map(({ name }) => [
					name,
					{ ms: [] as number[], refused: [] as number[], failed: [] as number[] },
				]),
			);
			for (let round = 1; round <= rounds; round++) {
				for (const { name, run: runOnce } of runners) {
					log(`${executions} × ${ITEMS} items, round ${round} of ${rounds}: ${name}`);
					await sleep(REFILL_MS);
					await control.delete('/requests');
					const startedAt = performance.now();
					const runs = await Promise.all(
						Array.from({ length: executions }, async () => await runOnce(items)),
					);
					const ms = performance.now() - startedAt;
					const requests = (await control.get<LoggedRequest[]>('/requests')).data;
					const outcomes = await Promise.all(
						runs.map(async ({ executionId }) => await n8n.outcome(executionId)),
					);
					const of = measured.get(name);
					of?.ms.push(ms);
					of?.refused.push(requests.filter(({ status }) => status === 429).length);
					of?.failed.push(outcomes.reduce((sum, { failed }) => sum + failed, 0));
				}
			}
			const ideal = idealMs(executions * ITEMS);
			for (const [name, { ms, refused, failed }] of measured) {
				rows.push({
					executions,
					contestant: name,
					'seconds (median)': round(median(ms) / 1000),
					'× ideal': round(median(ms) / ideal, 3),
					'429s seen (median)': median(refused),
					'items failed (median)': median(failed),
				});
			}
			const ours = measured.get(runners[0].name);
			verdicts.push(
				{
					what: `${executions} execution(s): time of ours ÷ ideal (${ideal / 1000} s)`,
					value: round(median(ours?.ms ?? []) / ideal, 3),
					atMost: 1.05,
				},
				{
					what: `${executions} execution(s): most items of ours that failed in a round`,
					value: Math.max(...(ours?.failed ?? [])),
					atMost: 0,
				},
			);
		}
		return {
			name: 'lookups',
			setting: `${ITEMS} items, one lookup each, ${LATENCY_MS} ms latency, limiter at ${RATE_LIMIT_PER_SECOND} points per second; alone and in ${AT_ONCE} executions at once; ${rounds} rounds, interleaved.`,
			rows,
			verdicts,
		};
	} finally {
		await n8n.stop();
		await sandbox.close();
	}
}
