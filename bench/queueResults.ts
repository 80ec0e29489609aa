// Measures results in queue mode. Senders give up after a second, and deliver some results twice at once. The main,
// which alone has the trigger, is killed and restarted.
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import { startSandbox } from '../sandbox';
import { RestartableN8n } from './support/restartableN8n';
import { startBenchN8n } from './support/benchN8n';
import { round, type BenchOptions, type BenchResult } from './support/result';
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

const QUERIES = 500;
/** They warm the workers up, and show the main that workers run the executions. */
const FIRST = 20;
const PER_SECOND = 10;
/** Then the main is killed. The results of its first poll have run, and the next poll is due. */
const BEFORE_KILL = 420;
const RESULT_DELAY_MS = 1_000;
const GIVE_UP_MS = 1_000;
/** Of the results, one in so many is delivered to both webhook processors at once. */
const COPIED = 5;
const ASK_EVERY_MS = 30_000;
/** The trigger's first poll comes this long after a start, so that running executions can end first. */
const FIRST_POLL_MS = 15_000;
const TOLERANCE_MS = 3_000;
const TIMEOUT_MS = 180_000;
/** One more poll shows whether something is started too often. */
const AFTERMATH_MS = 40_000;

export async function measureTriggerResults({
	log,
}: BenchOptions): Promise<Pick<BenchResult, 'rows' | 'verdicts'>> {
	const processes = new RestartableN8n();
	const sandbox = await startSandbox({ rateLimit: 0, resultDelay: RESULT_DELAY_MS });
	const sink = await startTriggerOutputSink();
	const n8n = await startBenchN8n(log, { workers: 2, webhookProcessors: 2 }, processes);
	try {
		const credential = await createCredential(n8n, sandbox);
		const { url, workflowId } = await publishTrigger(n8n, credential, 'queue', {}, sink.url);
		const path = new URL(url).pathname;
		const urls = (n8n.queueMode?.webhookProcessors ?? []).map((each) => each.url + path);
		const answers: Record<string, number> = {};
		const finishedAt = new Map<string, number>();
		let isOver = false;
		const delivering = pollAndDeliverFinishedQueries(
			sandbox,
			() => isOver,
			async ({ _id, updatedAt }, index) => {
				finishedAt.set(_id, Date.parse(updatedAt));
				const to = index % COPIED === 0 ? urls : [urls[index % urls.length]];
				await Promise.all(
					to.map(async (each) => {
						const options = {
							timeout: GIVE_UP_MS,
							headers: { 'X-Secret': WEBHOOK_HEADER_SECRET },
							validateStatus: () => true,
						};
						const answer = await axios.post(each, { queryId: _id }, options).then(
							({ status }) => String(status),
							() => 'given up',
						);
						answers[answer] = (answers[answer] ?? 0) + 1;
					}),
				);
			},
		);
		const arrived = (id: string) => sink.arrivals.some(({ queryId }) => queryId === id);
		log(`${FIRST} first ones`);
		const first = await submitQueries(sandbox, FIRST, PER_SECOND);
		while (!first.every(arrived)) await sleep(500);
		log(`asking ${QUERIES} queries, ${PER_SECOND} per second`);
		const requestedAt = Date.now();
		const ids = await submitQueries(sandbox, BEFORE_KILL, PER_SECOND);
		const killedAt = Date.now();
		const beforeKill = sink.arrivals.length - FIRST;
		log(`killing the main after ${beforeKill} results`);
		await processes.kill();
		const [readyAt] = await Promise.all([
			processes.restart(n8n.url).then(() => Date.now()),
			submitQueries(sandbox, QUERIES - BEFORE_KILL, PER_SECOND).then((more) => ids.push(...more)),
		]);
		await retryCrashed(n8n, workflowId, log);
		const missing = () => ids.filter((id) => !arrived(id));
		for (const end = Date.now() + TIMEOUT_MS; missing().length > 0 && Date.now() < end;)
			await sleep(500);
		isOver = true;
		await delivering;
		log(`${QUERIES - missing().length} of ${QUERIES} are here; waiting for one more poll`);
		await sleep(AFTERMATH_MS);

		/** A result can start when it was finished, or when the main looked again. */
		const delays = ids.map((id) => {
			const at = Math.min(
				...sink.arrivals.filter(({ queryId }) => queryId === id).map((arrival) => arrival.at),
			);
			const finished = finishedAt.get(id) ?? 0;
			const wasDown = at > killedAt && finished < readyAt + FIRST_POLL_MS;
			return { finished, at, ms: at - (wasDown ? readyAt + FIRST_POLL_MS : finished) };
		});
		const outcome = countLostAndRepeatedArrivals(ids, sink.arrivals);
		const last = delays.reduce((a, b) => (b.ms > a.ms ? b : a));
		const slowest = round(last.ms / 1000, 1);
		const since = (at: number) => `${round((at - requestedAt) / 1000, 1)} s`;
		log(
			`the slowest was there after ${since(last.finished)} and started after ${since(last.at)}; killed after ${since(killedAt)}, ready after ${since(readyAt)}`,
		);
		const what = `${QUERIES} results over main, 2 workers, 2 webhook processors; SIGKILL of the main after ${beforeKill}`;
		const text = Object.entries(answers).map(([answer, count]) => `${answer}: ${count}`);
		return {
			rows: [
				{
					what: `${what}; senders were answered ${text.join(', ')}; slowest start after ${slowest} s`,
					'× ideal': '',
					'429s per lookup': '',
					'items failed': `lost ${outcome.lost}, twice ${outcome.twice}, more often ${outcome.moreOften}`,
				},
			],
			verdicts: [
				{ what: 'results lost', value: outcome.lost, atMost: 0 },
				{ what: 'results started twice', value: outcome.twice, atMost: 0 },
				{ what: 'results started a third time', value: outcome.moreOften, atMost: 0 },
				{
					what: 'seconds until the last one was started',
					value: slowest,
					atMost: (ASK_EVERY_MS + TOLERANCE_MS) / 1000,
				},
			],
		};
	} finally {
		await n8n.stop();
		await sandbox.close();
		await sink.close();
	}
}
