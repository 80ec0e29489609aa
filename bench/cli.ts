import { parseArgs } from 'node:util';
import { isBoundMet, toMarkdown, type BenchOptions, type BenchResult } from './support/result';

type Bench = (options: BenchOptions) => Promise<BenchResult>;

const benches: Record<string, () => Promise<{ run: Bench }>> = {
	faults: async () => await import('./faults'),
	load: async () => await import('./loadTime'),
	listing: async () => await import('./listing'),
	lookups: async () => await import('./lookups'),
	overhead: async () => await import('./overhead'),
	limiter: async () => await import('./limiter/processes'),
	queue: async () => await import('./queueMode'),
	small: async () => await import('./small'),
	sandbox: async () => await import('./sandboxThroughput'),
	flood: async () => await import('./flood'),
	trigger: async () => await import('./trigger'),
	waiting: async () => await import('./waiting'),
};

const USAGE = `Usage: npm run bench -- [NAME …] [options]

Measures, prints a table each, and exits with 1 if a bound is missed. Without a name it runs all of
${Object.keys(benches).join(', ')}.

  --rounds N        How often each contestant runs; medians are taken. [5]
  --count N         flood: lookups [100]; small: runs [200]; trigger: queries [200].
  --part NAME       queue: only 2 or 4 (workers), paid or results.
  --operation NAME  faults: only the operations whose name contains this.
  --sandbox JSON    faults: a sandbox of another shape, for example {"record":"no-response"}.
  --lazy            flood: n8n with N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE.
  --chart           limiter: write docs/scaling-limiter.svg.
  --json            Print the results as one line of JSON.
  --help            Print this.`;

/** It counts from 1; undefined without a text. */
function wholeNumber(name: string, text?: string): number | undefined {
	if (text === undefined || /^[1-9]\d*$/.test(text))
		return text === undefined ? text : Number(text);
	throw new Error(`--${name} must be a whole number from 1, not "${text}"`);
}

function options() {
	try {
		const { positionals, values } = parseArgs({
			allowPositionals: true,
			options: {
				rounds: { type: 'string', default: '5' },
				count: { type: 'string' },
				part: { type: 'string' },
				operation: { type: 'string' },
				sandbox: { type: 'string', default: '{}' },
				lazy: { type: 'boolean', default: false },
				chart: { type: 'boolean', default: false },
				json: { type: 'boolean', default: false },
				help: { type: 'boolean', default: false },
			},
		});
		const unknown = positionals.filter((name) => !(name in benches));
		if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(', ')}`);
		return {
			...values,
			names: positionals.length > 0 ? positionals : Object.keys(benches),
			rounds: wholeNumber('rounds', values.rounds) ?? 0,
			count: wholeNumber('count', values.count),
			sandbox: JSON.parse(values.sandbox) as object,
		};
	} catch (error) {
		console.error(`${(error as Error).message} (see npm run bench -- --help)`);
		process.exit(2);
	}
}

async function main(): Promise<void> {
	const { names, help, json, ...chosen } = options();
	if (help) {
		console.log(USAGE);
		return;
	}
	const results: BenchResult[] = [];
	for (const name of names) {
		const { run } = await benches[name]();
		const result = await run({
			...chosen,
			log: (line) => console.error(`${name}: ${line}`),
		});
		results.push(result);
		if (!json) console.log(`${toMarkdown(result)}\n`);
	}
	if (json) console.log(JSON.stringify(results));
	if (!results.every(({ verdicts }) => verdicts.every(isBoundMet))) process.exitCode = 1;
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
