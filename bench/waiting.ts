import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import { startSandbox } from '../sandbox';
import type { LoggedRequest } from '../sandbox/plugins/requestLog';
import { startBenchN8n } from './support/benchN8n';
import { rfcOf } from './support/identifiers';
import { round, type BenchOptions, type BenchResult } from './support/result';

const QUERIES = 300;
/** Twenty windows, so that a single request more, which opens another one, is a twentieth. */
const LOOKUPS = 200;
/** A result comes so long after its query, every second one ten times later. */
const RESULT_MS = 6_000;
const SLOW_MS = 60_000;

/** 300 queries that wait for their results, and a second execution that reads queries meanwhile. */
export async function run({ log }: BenchOptions): Promise<BenchResult> {
	const sandbox = await startSandbox({ taxRateLimit: 10, resultDelay: RESULT_MS });
	const control = axios.create({ baseURL: `${sandbox.page}sandbox` });
	const n8n = await startBenchN8n(log);
	try {
		const { taxQueryApi } = await n8n.credentialsFor(sandbox);
		const node = {
			type: 'n8n-nodes-credit-profile.taxQuery',
			typeVersion: 1,
			onError: 'continueRegularOutput',
			credentials: { taxQueryApi },
		};
		const ask = await n8n.workflow('Waiting', {
			...node,
			parameters: {
				resource: 'taxpayer',
				operation: 'getCrf',
				rfc: '={{ $json.rfc }}',
				waitForResult: true,
				maxWait: 180,
				options: { simplify: false },
			},
		});
		const read = await n8n.workflow('Lookups', {
			...node,
			parameters: { resource: 'query', operation: 'get', queryId: '={{ $json.id }}' },
		});
		const requests = async () => (await control.get<LoggedRequest[]>('/requests')).data;

		await ask([{ rfc: rfcOf(0) }]);
		const [{ queryId }] = (await control.get<Array<{ queryId: string }>>('/ledger')).data;
		const ids = new Array<object>(LOOKUPS).fill({ id: queryId });
		log(`${LOOKUPS} lookups alone`);
		await sleep(1500);
		const alone = await read(ids);

		await sleep(1500);
		await control.delete('/requests');
		const taxpayers = Array.from({ length: QUERIES }, (_, index) => rfcOf(index + 1));
		const slow = taxpayers.filter((_, index) => index % 2 === 0);
		await control.put('/outcomes', Object.fromEntries(slow.map((rfc) => [rfc, ['SLOW']])));
		log(`${QUERIES} queries that wait`);
		const sending = ask(taxpayers.map((rfc) => ({ rfc })));
		const sent = async () => (await requests()).filter(({ method }) => method === 'POST').length;
		while ((await sent()) < QUERIES) await sleep(500);
		await sleep(1500); // as before those alone, that the first ten need not wait
		log(`${LOOKUPS} lookups beside them`);
		const beside = await read(ids);
		const { executionId } = await sending;
		const seenAt = Date.now();
		const polls = (await requests()).filter(
			({ method, path }) => method === 'GET' && !path.endsWith(queryId),
		);
		const items = await n8n.output(executionId);
		const results = items.filter(({ status }) => status === 'SUCCESS');
		const lastResult = Math.max(
			...items.map(
				({ createdAt, query }) =>
					Date.parse(String(createdAt)) +
					(slow.includes(String((query as { rfc: string }).rfc)) ? SLOW_MS : RESULT_MS),
			),
		);
		const ratio = round(beside.ms / alone.ms, 3);
		return {
			name: 'waiting',
			setting: `${QUERIES} queries sent at 10 points per second. Every second one has its result ${RESULT_MS / 1000} s later, the others after ${SLOW_MS / 1000} s. The node waits for all of them; ${LOOKUPS} lookups of a second execution run meanwhile.`,
			rows: [
				{
					queries: QUERIES,
					results: results.length,
					'requests to wait': polls.length,
					'last result seen after (s)': round((seenAt - lastResult) / 1000, 1),
					'lookups beside ÷ alone': ratio,
				},
			],
			verdicts: [
				{ what: 'results', value: results.length, atLeast: QUERIES },
				{ what: 'requests to wait for all of them', value: polls.length, atMost: 40 },
				{ what: 'lookups of a second execution ÷ alone', value: ratio, atMost: 1.1 },
				{
					what: 'last result seen after (s), a round being 15 s at most',
					value: round((seenAt - lastResult) / 1000, 1),
					atMost: 16,
				},
			],
		};
	} finally {
		await n8n.stop();
		await sandbox.close();
	}
}
