import { startSandbox } from '../sandbox';
import { contestants } from './lookups';
import { startBenchN8n } from './support/benchN8n';
import { median, round, type BenchResult, type BenchOptions } from './support/result';

/** A run of one item is what onboarding does all day. */
const SIZES = [1, 10, 50];
const RUNS = 200;
/** So many in a row, then the next contestant. */
const TURN = 10;
const NO_LIMIT = 100_000;

/** Wall and CPU time of small runs, with nothing to wait for, beside HTTP Request and a node that does nothing. */
export async function run({ log, count: runs = RUNS }: BenchOptions): Promise<BenchResult> {
	const sandbox = await startSandbox({ rateLimit: NO_LIMIT });
	const n8n = await startBenchN8n(log);
	try {
		const [ours, theirs] = await contestants(n8n, sandbox);
		const all = [
			ours,
			theirs,
			{
				name: 'a node that does nothing',
				run: await n8n.workflow('Nothing', {
					type: 'n8n-nodes-base.noOp',
					typeVersion: 1,
					parameters: {},
				}),
			},
		];
		const rows: BenchResult['rows'] = [];
		const verdicts: BenchResult['verdicts'] = [];
		for (const size of SIZES) {
			const items = Array.from({ length: size }, (_, i) => ({ id: 1 + (i % 25) }));
			const wall = all.map(() => [] as number[]);
			const cpu = all.map(() => 0);
			for (let turn = -2 * TURN; turn < runs; turn += TURN) {
				log(`${size} items, runs ${turn + 1} to ${turn + TURN} of ${runs}`);
				// who comes first changes, for each turn inherits what the one before has left to n8n
				const order = all.map((_, place) => (place + turn / TURN + all.length) % all.length);
				for (const index of order) {
					const before = await n8n.cpuSeconds();
					for (let count = 0; count < TURN; count++) {
						const { ms } = await all[index].run(items);
						if (turn >= 0) wall[index].push(ms);
					}
					if (turn >= 0) cpu[index] += (await n8n.cpuSeconds()) - before;
				}
			}
			all.forEach(({ name }, index) =>
				rows.push({
					items: size,
					contestant: name,
					'ms (median)': round(median(wall[index]), 1),
					'CPU ms (mean)': round((1000 * cpu[index]) / runs, 1),
				}),
			);
			const ratio = (values: number[]) => round(values[0] / values[1], 3);
			verdicts.push(
				{
					what: `${size} item(s): wall time of ours ÷ HTTP Request`,
					value: ratio(wall.map(median)),
					atMost: 1,
				},
				{ what: `${size} item(s): CPU time of ours ÷ HTTP Request`, value: ratio(cpu), atMost: 1 },
			);
		}
		return {
			name: 'small',
			setting: `${runs} runs each of ${SIZES.join(', ')} items, one request an item, no latency, no limiter. Wall time from the webhook call to its answer at the end; CPU time of the n8n process. Interleaved by ten; each turn begins with another contestant.`,
			rows,
			verdicts,
		};
	} finally {
		await n8n.stop();
		await sandbox.close();
	}
}
