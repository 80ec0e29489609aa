import autocannon from 'autocannon';
import { startSandbox } from '../sandbox';
import { median, round, type BenchResult, type BenchOptions } from './support/result';

const CONNECTIONS = 10;
const SECONDS = 4;
const AT_LEAST = 1500;

const lists = [
	{ name: 'Collections, a page of 10', path: '/api/v1/data/collection' },
	{
		name: 'Collections, a page of 10 with version and creator',
		path: '/api/v1/data/collection?includeActiveDataCollectionVersion=true&includeCreator=true',
	},
	{ name: 'Documents, a page of 50', path: '/api/v1/data/collection/2/document' },
];

/** Requests per second that the sandbox answers on loopback, limiter and latency off, each answer validated. */
export async function run({ rounds, log }: BenchOptions): Promise<BenchResult> {
	const sandbox = await startSandbox({ rateLimit: 0, latency: 0 });
	const { baseUrl, token } = sandbox.creditProfile;
	try {
		const rows = [];
		for (const { name, path } of lists) {
			const rates: number[] = [];
			const slowest: number[] = [];
			for (let turn = 0; turn <= rounds; turn++) {
				log(`${name}, round ${turn} of ${rounds}`);
				const { requests, latency, non2xx, errors } = await autocannon({
					url: baseUrl + path,
					headers: { authorization: `Token ${token}` },
					connections: CONNECTIONS,
					duration: turn === 0 ? 1 : SECONDS, // the first warms up
				});
				if (non2xx + errors > 0) throw new Error(`${name}: ${non2xx + errors} requests failed`);
				if (turn === 0) continue;
				rates.push(requests.average);
				slowest.push(latency.p99);
			}
			rows.push({
				contestant: name,
				'requests/s (median)': round(median(rates), 0),
				'p99 ms (median)': round(median(slowest)),
			});
		}
		return {
			name: 'sandbox',
			setting: `${CONNECTIONS} connections on loopback, ${SECONDS} s, ${rounds} rounds; limiter and latency off.`,
			rows,
			verdicts: [
				{
					what: 'Requests/s to the list of collections',
					value: rows[0]['requests/s (median)'],
					atLeast: AT_LEAST,
				},
			],
		};
	} finally {
		await sandbox.close();
	}
}
