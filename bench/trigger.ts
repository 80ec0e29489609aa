// Measures how triggers deliver in a real n8n: 200 asynchronous queries, webhook calls dropped, duplicated and
// reordered, n8n killed and restarted. A sink behind the workflow counts what came through.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import { ensureN8nInstalled } from '../demo/n8nInstallation';
import { isReady, startN8n } from '../demo/startN8n';
import { installPackage } from '../demo/installPackage';
import { startSandbox, type Sandbox } from '../sandbox';
import { sandboxQueryClient } from './support/sandboxQueryClient';
import { prepareCpuMeasurement } from './deliveryCpu';
import { RestartableN8n } from './support/restartableN8n';
import { median, round, type BenchResult, type BenchOptions } from './support/result';
import {
	submitQueries,
	createCredential,
	pollAndDeliverFinishedQueries,
	publishTrigger,
	retryCrashed,
	WEBHOOK_HEADER_SECRET,
	startTriggerOutputSink,
	countLostAndRepeatedArrivals,
} from './support/triggerBench';

const QUERIES = 200;
const PER_SECOND = 10;
const REPUBLISHED = 2;
/** Of the results, so many come as so many copies at once. */
const COPIED = 0.2;
const COPIES = 50;
const FAULTS = { drop: 0.3, duplicate: 0.2, reorder: 0.3 };
const TIMEOUT_MS = 300_000;
/** Before a 2xx n8n has stored the execution and begun it; a call is answered after 1.5 s at the latest. */
const ANSWER_MS = 500;
/** One more poll shows whether something is emitted too often. */
const AFTERMATH_MS = 40_000;
/** n8n makes an engine for each delivery to a trigger that is not its own, unless this is set. */
const LAZY = { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' };
const RESULT_DELAY_MS = 1_000;
const TIMED = 100;
const COSTED = 30;
const COST_TURNS = 5;
const COST_RATES = [2, 10];

export async function run({ log, count = QUERIES }: BenchOptions): Promise<BenchResult> {
	const processes = new RestartableN8n();
	const userFolder = await mkdtemp(join(tmpdir(), 'credit-profile-bench-'));
	const sandbox = await startSandbox({ rateLimit: 0, resultDelay: RESULT_DELAY_MS });
	const sink = await startTriggerOutputSink();
	try {
		await ensureN8nInstalled();
		await installPackage(processes, userFolder);
		log('starting n8n');
		const n8n = await startN8n(processes, userFolder, log, { N8N_METRICS: 'true' });
		const credential = await createCredential(n8n, sandbox);
		const published = await publishTrigger(n8n, credential, 'both', {}, sink.url);
		const { url } = published;
		const { workflowId } = published;
		await register(sandbox, { url, faults: FAULTS });

		log(`asking ${count} queries, ${PER_SECOND} per second`);
		const ids: string[] = [];
		const askMore = async (share: number) =>
			ids.push(...(await submitQueries(sandbox, Math.round(count * share), PER_SECOND)));
		await askMore(0.1);
		for (let count = 0; count < REPUBLISHED; count++) {
			log(`publishing anew after ${sink.arrivals.length} results`);
			const publishing = n8n.client
				.unpublish(workflowId)
				.then(async () => await n8n.client.publish(workflowId));
			await Promise.all([publishing, askMore(0.1)]);
		}
		let isOver = false;
		const copying = copy(url, sandbox, () => isOver);
		await askMore(0.3);
		const beforeKill = sink.arrivals.length;
		log(`killing n8n after ${beforeKill} results`);
		await processes.kill();
		log('starting n8n again');
		await Promise.all([processes.restart(n8n.url), askMore(0.4)]);
		await retryCrashed(n8n, workflowId, log);
		const deadline = Date.now() + TIMEOUT_MS;
		const missing = () => ids.filter((id) => !sink.arrivals.some(({ queryId }) => queryId === id));
		while (missing().length > 0 && Date.now() < deadline) await sleep(500);
		isOver = true;
		await copying;
		log(`${count - missing().length} of ${count} are here; waiting for one more poll`);
		await sleep(AFTERMATH_MS);
		const deliveries = await deliveriesOf(sandbox);
		const outcome = countLostAndRepeatedArrivals(ids, sink.arrivals);

		log(`timing ${TIMED} answers`);
		const proved = { authenticity: 'credential', confirm: 'off' };
		const timed = await publishTrigger(n8n, credential, 'unconfirmed', proved, sink.url);
		const byWebhook = { ...proved, receiveBy: 'webhook' };
		const { url: only } = await publishTrigger(
			n8n,
			credential,
			'webhook-only',
			byWebhook,
			sink.url,
		);
		await register(sandbox, { url: '' });
		await n8n.client.unpublish(workflowId);
		const record = await (await sandboxQueryClient(sandbox)).result();
		const times = await timeAnswers(timed.url, record, 1000 / PER_SECOND);
		const backToBack = await timeAnswers(timed.url, record, 0);
		const onlyTimes = await timeAnswers(only, record, 1000 / PER_SECOND);
		await n8n.client.unpublish(timed.workflowId); // or it would start the results of what follows, too
		const costOfDeliveries = await prepareCpuMeasurement(n8n, sandbox, {
			rates: COST_RATES,
			count: COSTED,
			turns: COST_TURNS,
			resultDelay: RESULT_DELAY_MS,
			log,
		});
		const costs = await costOfDeliveries();
		log('the same where n8n makes expression engines only when one is needed');
		await processes.kill();
		await processes.restart(n8n.url, LAZY);
		await sleep(AFTERMATH_MS / 2);
		const lazyCosts = await costOfDeliveries();
		await n8n.client.publish(timed.workflowId);
		await sleep(AFTERMATH_MS / 2);
		const lazyTimes = await timeAnswers(timed.url, record, 1000 / PER_SECOND, 'lazy');
		const everyCost = [
			...costs.map((cost) => ({ ...cost, how: '' })),
			...lazyCosts.map((cost) => ({ ...cost, how: `, with ${Object.keys(LAZY).join()}` })),
		];
		return {
			name: 'trigger',
			setting: `${count} asynchronous queries. The trigger of a real n8n, with webhook and checks, was published again twice, killed by SIGKILL after ${beforeKill} results and started again. 30 % of the webhook calls were dropped, 20 % duplicated, 30 % reordered. 20 % of the results came as 50 more copies at once, before and after the kill.`,
			rows: [
				{ what: 'queries', count: ids.length },
				...Object.entries(deliveries).map(([what, count]) => ({ what, count })),
				{ what: 'results that came through', count: outcome.through },
				{ what: 'results lost', count: outcome.lost },
				{ what: 'results that came through twice', count: outcome.twice },
				{ what: 'results that came through more often', count: outcome.moreOften },
				{ what: 'of those, with different deliveryId', count: outcome.unequal },
				{
					what: `ms until the answer, ${PER_SECOND} per second, median`,
					count: round(median(times), 1),
				},
				{
					what: `ms until the answer, ${PER_SECOND} per second, 95th percentile`,
					count: p95(times),
				},
				{ what: 'ms until the answer, back to back, median', count: round(median(backToBack), 1) },
				{
					what: `ms until the answer, ${PER_SECOND} per second, median, with Webhook Only`,
					count: round(median(onlyTimes), 1),
				},
				{
					what: `ms until the answer, ${PER_SECOND} per second, median, with ${Object.keys(LAZY).join()}`,
					count: round(median(lazyTimes), 1),
				},
				...everyCost.flatMap(({ perSecond, ours, own, ownWithEngine, how }) => [
					{ what: `CPU ms per confirmed webhook call, ${perSecond} per second${how}`, count: ours },
					{ what: "the same by n8n's Webhook node and HTTP Request", count: own },
					{ what: 'the same by version 1 of the Webhook node', count: ownWithEngine },
				]),
			],
			verdicts: [
				{ what: 'results lost', value: outcome.lost, atMost: 0 },
				{ what: 'results that came a third time', value: outcome.moreOften, atMost: 0 },
				{ what: 'repetitions with another deliveryId', value: outcome.unequal, atMost: 0 },
				{
					what: `ms until the sender is answered, unconfirmed, ${PER_SECOND} per second (median)`,
					value: round(median(times), 1),
					atMost: ANSWER_MS,
				},
				{
					what: `the same with ${Object.keys(LAZY).join()}`,
					value: round(median(lazyTimes), 1),
					atMost: ANSWER_MS,
				},
				...everyCost.map(({ perSecond, ours, own, how }) => ({
					what: `CPU per confirmed webhook call ÷ n8n's Webhook node and HTTP Request, ${perSecond} per second${how}`,
					value: round(ours / own),
					atMost: 1.5,
				})),
			],
		};
	} finally {
		await processes.stop();
		await sandbox.close();
		await sink.close();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	}
}

const p95 = (sorted: number[]) => round(sorted[Math.floor(sorted.length * 0.95)], 1);

async function register(sandbox: Sandbox, settings: object): Promise<void> {
	await axios.put(`${sandbox.page}sandbox/webhook`, settings);
}

/** Delivers some of the results many times at once, until it is over; none while n8n starts, which so many calls prevent. */
async function copy(url: string, sandbox: Sandbox, isOver: () => boolean): Promise<void> {
	await pollAndDeliverFinishedQueries(sandbox, isOver, async ({ _id }, index) => {
		if ((index + 1) % (1 / COPIED) !== 0) return;
		const deliver = async () =>
			await axios.post(url, { queryId: _id }).then(
				() => true,
				() => false, // n8n is down, or the workflow is not published for a moment
			);
		const copies = async () => await Promise.all(Array.from({ length: COPIES }, deliver));
		const { origin } = new URL(url);
		const isAccepted = async () => (await isReady(origin)) && (await copies()).includes(true);
		while (!isOver() && !(await isAccepted())) await sleep(1_000);
	});
}

async function deliveriesOf(sandbox: Sandbox): Promise<Record<string, number>> {
	type Delivery = { status: string; kind: string };
	const { data } = await axios.get<Delivery[]>(`${sandbox.page}sandbox/deliveries`);
	const count = (test: (delivery: Delivery) => boolean) => data.filter(test).length;
	return {
		'webhook calls dropped': count(({ status }) => status === 'dropped'),
		'webhook calls duplicated': count(({ kind }) => kind === 'duplicate'),
		'webhook calls accepted': count(({ status }) => status === 'delivered'),
		'webhook calls given up, n8n was down': count(({ status }) => status === 'failed'),
	};
}

/** Milliseconds until the sender of a result has its answer, where nothing is confirmed, in order of size. */
async function timeAnswers(
	url: string,
	record: object,
	pause: number,
	name = 'timed',
): Promise<number[]> {
	const times: number[] = [];
	for (let count = 0; count < TIMED; count++) {
		const startedAt = performance.now();
		await axios.post(
			url,
			{ ...record, _id: `${name}-${pause}-${count}` },
			{ headers: { 'X-Secret': WEBHOOK_HEADER_SECRET } },
		);
		times.push(performance.now() - startedAt);
		await sleep(pause);
	}
	return times.sort((a, b) => a - b);
}
