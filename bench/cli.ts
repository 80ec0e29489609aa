// npm run bench [-- NAME …] [--json] [--rounds N]: measures, prints a table each (or one line of JSON), and exits 1 if
// a bound is missed.
import { parseArgs } from 'node:util';
import { isBoundMet, toMarkdown, type BenchOptions, type BenchResult } from './support/result';

type Bench = (options: BenchOptions) => Promise<BenchResult>;

const benches: Record<string, () => Promise<{ run: Bench }>> = {
	faults: async () => await import('./queryBillingUnderFaults'),
	load: async () => await import('./loadTime'),
	listing: async () => await import('./documentListing'),
	lookups: async () => await import('./nodeVersusHttpRequestLookups'),
	overhead: async () => await import('./cpuPerItemVersusHttpRequest'),
	limiter: async () => await import('./rateLimiterAcrossProcesses'),
	queue: async () => await import('./queueMode'),
	small: async () => await import('./timeOfSmallExecutions'),
	sandbox: async () => await import('./sandboxThroughput'),
	flood: async () => await import('./webhookFloodImpact'),
	trigger: async () => await import('./triggerUnderFaults'),
	waiting: async () => await import('./waitForResult'),
};

async function main(): Promise<void> {
	const { positionals, values } = parseArgs({
		allowPositionals: true,
		options: {
			json: { type: 'boolean', default: false },
			rounds: { type: 'string', default: '5' },
			help: { type: 'boolean', default: false },
		},
	});
	const names = positionals.length > 0 ? positionals : Object.keys(benches);
	const unknown = names.filter((name) => !(name in benches));
	if (values.help || unknown.length > 0) {
		if (unknown.length > 0) console.error(`There is no benchmark ${unknown.join(', ')}.`);
		console.error(`npm run bench -- [${Object.keys(benches).join('|')}] [--json] [--rounds N]`);
		process.exitCode = values.help ? 0 : 2;
		return;
	}
	const results: BenchResult[] = [];
	for (const name of names) {
		const { run } = await benches[name]();
		const result = await run({
			rounds: Number(values.rounds),
			log: (line) => console.error(`${name}: ${line}`),
		});
		results.push(result);
		if (!values.json) console.log(`${toMarkdown(result)}\n`);
	}
	if (values.json) console.log(JSON.stringify(results));
	if (!results.every(({ verdicts }) => verdicts.every(isBoundMet))) process.exitCode = 1;
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
