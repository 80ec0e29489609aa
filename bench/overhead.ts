import { startSandbox } from '../sandbox';
import { contestants } from './lookups';
import { startBenchN8n } from './support/benchN8n';
import { median, round, type BenchResult, type BenchOptions } from './support/result';

const ITEMS = 5000;
const NO_LIMIT = 100_000;

/** CPU time of the n8n process for each item, with nothing to wait for. */
export async function run({ rounds, log }: BenchOptions): Promise<BenchResult> {
	// The service always has a limiter; this one is out of the way. Without its headers the node would keep to 10 per second.
	const sandbox = await startSandbox({ rateLimit: NO_LIMIT });
	const n8n = await startBenchN8n(log);
	try {
		const [ours, theirs] = (await contestants(n8n, sandbox)).map((each) => ({
			...each,
			cpu: [] as number[],
		}));
		const items = Array.from({ length: ITEMS }, (_, i) => ({ id: 1 + (i % 25) }));
		// One round beforehand is not counted: it warms up what n8n compiles at first use.
		for (let turn = 0; turn <= rounds; turn++) {
			for (const { name, run: runOnce, cpu } of [ours, theirs]) {
				log(`${ITEMS} items, round ${turn} of ${rounds}: ${name}`);
				const before = await n8n.cpuSeconds();
				const { executionId } = await runOnce(items);
				const used = (await n8n.cpuSeconds()) - before;
				const { items: came, failed } = await n8n.outcome(executionId);
				if (came !== ITEMS || failed > 0)
					throw new Error(`${name}: ${came} items, ${failed} failed`);
				if (turn > 0) cpu.push((used * 1000) / ITEMS);
			}
		}
		return {
			name: 'overhead',
			setting: `${ITEMS} items, one request each, no latency, no limiter; CPU time of the n8n process; ${rounds} rounds, interleaved.`,
			rows: [ours, theirs].map(({ name, cpu }) => ({
				contestant: name,
				'CPU ms per item (median)': round(median(cpu), 3),
			})),
			verdicts: [
				{
					what: 'CPU time of ours ÷ HTTP Request',
					value: round(median(ours.cpu) / median(theirs.cpu), 3),
					atMost: 1,
				},
			],
		};
	} finally {
		await n8n.stop();
		await sandbox.close();
	}
}
