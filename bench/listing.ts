import { startSandbox } from '../sandbox';
import { startBenchN8n, type BenchN8n, type TimedWorkflowExecution } from './support/benchN8n';
import { median, round, type BenchResult, type BenchOptions } from './support/result';

const DOCUMENTS = 10_000;
const MANY_DOCUMENTS = 50_000;
const PAGE = 100;
const NO_LIMIT = 100_000;
const LATENCY_MS = 300;
const POINTS_PER_SECOND = 10;
const MEMORY_EVERY_MS = 250;

interface Setting {
	documents: number;
	latency: number;
	rateLimit: number;
}

interface Contestant {
	name: string;
	run: (items: object[]) => Promise<TimedWorkflowExecution>;
}

/** All list one collection of so many documents to the end: one item for each comes out, of the last one file. */
async function contestants(
	n8n: BenchN8n,
	{ documents, latency, rateLimit }: Setting,
): Promise<{ close: () => Promise<void>; list: Contestant[] }> {
	const sandbox = await startSandbox({ documents, latency, rateLimit });
	const { baseUrl, token } = sandbox.creditProfile;
	const label = `${documents} documents`;
	const { creditProfileApi, httpHeaderAuth } = await n8n.credentialsFor(sandbox);
	const largest = await largestCollection(baseUrl, token, documents);
	const parameters = {
		resource: 'dataDocument',
		operation: 'getAll',
		collection: { __rl: true, mode: 'id', value: String(largest) },
		returnAll: true,
		options: { simplify: false },
	};
	const node = {
		type: 'n8n-nodes-credit-profile.creditProfile',
		typeVersion: 1,
		credentials: { creditProfileApi },
	};
	const ours = await n8n.workflow(`Ours ${label}`, { ...node, parameters });
	const toFile = await n8n.workflow(`Ours ${label} to a file`, {
		...node,
		parameters: { ...parameters, output: 'file', fileFormat: 'ndjson' },
	});
	const theirs = await n8n.workflow(
		`HTTP Request ${label}`,
		{
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			credentials: { httpHeaderAuth },
			parameters: {
				url: `${baseUrl}/api/v1/data/collection/${largest}/document`,
				authentication: 'genericCredentialType',
				genericAuthType: 'httpHeaderAuth',
				sendQuery: true,
				queryParameters: { parameters: [{ name: 'limit', value: String(PAGE) }] },
				options: {
					pagination: {
						pagination: {
							paginationMode: 'updateAParameterInEachRequest',
							parameters: {
								parameters: [{ name: 'offset', value: `={{ $pageCount * ${PAGE} }}` }],
							},
							paginationCompleteWhen: 'other',
							completeExpression: `={{ $pageCount * ${PAGE} >= $response.body.total }}`,
							limitPagesFetched: false,
							requestInterval: 0,
						},
					},
				},
			},
		},
		'documents',
	);
	return {
		close: async () => await sandbox.close(),
		list: [
			{ name: 'Credit Profile node', run: ours },
			{ name: 'HTTP Request, its own pagination', run: theirs },
			{ name: 'Credit Profile node, Output: File', run: toFile },
		],
	};
}

async function largestCollection(baseUrl: string, token: string, total: number): Promise<number> {
	const headers = { Authorization: `Token ${token}` };
	const get = async <T>(path: string) =>
		(await (await fetch(`${baseUrl}/api/v1${path}`, { headers })).json()) as T;
	const { data } = await get<{ data: Array<{ id: number }> }>('/data/collection?limit=9');
	for (const { id } of data) {
		const page = await get<{ total: number }>(`/data/collection/${id}/document?limit=10`);
		if (page.total === total) return id;
	}
	throw new Error(`No collection holds ${total} documents`);
}

/** The most memory that n8n was seen to use while the work ran, in MB. */
async function peakMemory(n8n: BenchN8n, work: () => Promise<unknown>): Promise<number> {
	let peak = 0;
	let isOver = false;
	const watch = (async () => {
		while (!isOver) {
			peak = Math.max(peak, await n8n.memory());
			await new Promise((resolve) => setTimeout(resolve, MEMORY_EVERY_MS));
		}
	})();
	await work().finally(() => (isOver = true));
	await watch;
	return peak / 1024 ** 2;
}

export async function run({ rounds, log }: BenchOptions): Promise<BenchResult> {
	const speed = await measureSpeed(rounds, log);
	const memory = await measureMemory(rounds, log);
	const bound = DOCUMENTS / PAGE / POINTS_PER_SECOND;
	const [ours, theirs] = speed.map(({ seconds }) => median(seconds));
	const [ourMemory, theirMemory, fileMemory] = memory.map(({ megabytes }) => median(megabytes));
	const [, theirsAbove, fileAbove] = memory.map(({ above }) => median(above));
	return {
		name: 'listing',
		setting: `${DOCUMENTS} documents in ${DOCUMENTS / PAGE} pages, ${LATENCY_MS} ms latency, limiter at ${POINTS_PER_SECOND} points per second, ${rounds} rounds, interleaved; memory: ${MANY_DOCUMENTS} documents in one list, no latency, no limiter, a fresh n8n for each run.`,
		rows: memory.map(({ name, megabytes }, index) => {
			const seconds = speed[index] && median(speed[index].seconds);
			return {
				contestant: name,
				'seconds (median)': seconds === undefined ? '–' : round(seconds),
				[`× limiter's bound (${bound} s)`]: seconds === undefined ? '–' : round(seconds / bound, 3),
				'peak memory MB (median)': round(median(megabytes), 0),
				'of that above an idle n8n': round(median(memory[index].above), 0),
			};
		}),
		verdicts: [
			{ what: "Time of ours ÷ the limiter's bound", value: round(ours / bound, 3), atMost: 1.1 },
			{ what: 'Time of HTTP Request ÷ ours', value: round(theirs / ours), atLeast: 2.5 },
			{
				what: 'Peak memory of ours ÷ HTTP Request',
				value: round(ourMemory / theirMemory, 3),
				atMost: 1,
			},
			{
				what: 'Peak memory of ours with Output: File ÷ HTTP Request, the idle n8n in both',
				value: round(fileMemory / theirMemory, 3),
				atMost: 1,
			},
			{
				what: 'Memory above an idle n8n, ours with Output: File ÷ HTTP Request',
				value: round(fileAbove / theirsAbove, 3),
				atMost: 0.3,
			},
		],
	};
}

async function measureSpeed(rounds: number, log: BenchOptions['log']) {
	const n8n = await startBenchN8n(log);
	const { list, close } = await contestants(n8n, {
		documents: DOCUMENTS,
		latency: LATENCY_MS,
		rateLimit: POINTS_PER_SECOND,
	});
	const items = list.slice(0, 2); // those that give items
	const measured = items.map(({ name }) => ({ name, seconds: [] as number[] }));
	try {
		for (let turn = 1; turn <= rounds; turn++) {
			for (const [index, { name, run: runOnce }] of items.entries()) {
				log(`${DOCUMENTS} documents, round ${turn} of ${rounds}: ${name}`);
				const { ms, executionId } = await runOnce([{}]);
				const outcome = await n8n.outcome(executionId);
				if (outcome.items !== DOCUMENTS) {
					throw new Error(`${name} brought ${outcome.items} documents`);
				}
				measured[index].seconds.push(ms / 1000);
			}
		}
		return measured;
	} finally {
		await n8n.stop();
		await close();
	}
}

/** A fresh n8n for each run, because a process does not give back the memory that the run before it took. */
async function measureMemory(rounds: number, log: BenchOptions['log']) {
	const measured: Array<{ name: string; megabytes: number[]; above: number[] }> = [];
	for (let turn = 1; turn <= rounds; turn++) {
		for (const index of [0, 1, 2]) {
			const n8n = await startBenchN8n(log);
			const setting = { documents: MANY_DOCUMENTS, latency: 0, rateLimit: NO_LIMIT };
			const { list, close } = await contestants(n8n, setting);
			const { name, run: runOnce } = list[index];
			try {
				log(`${MANY_DOCUMENTS} documents, round ${turn} of ${rounds}: ${name}`);
				const idle = (await n8n.memory()) / 1024 ** 2;
				const peak = await peakMemory(n8n, async () => await runOnce([{}]));
				measured[index] ??= { name, megabytes: [], above: [] };
				measured[index].megabytes.push(peak);
				measured[index].above.push(peak - idle);
			} finally {
				await n8n.stop();
				await close();
			}
		}
	}
	return measured;
}
