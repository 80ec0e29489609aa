// npm test: installs what is missing, builds, runs unit, integration and e2e tests, and counts them.
//   npm test -- --only unit
//   npm test -- --only integration --random       in random order; the seed is printed
//   npm test -- --only integration --random 4711  in the order of that seed
import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureHost } from '../demo/n8nHost';
import { npm } from '../demo/npm';
import { Processes } from '../demo/processes';
import { ensureStores } from '../demo/stores';
import { ensureChromium } from './e2e/support/chromium';

const USAGE = 'npm test -- [--only unit|integration|e2e] [--random [seed]]';
const CORES = Math.max(2, Math.min(4, availableParallelism()));
/** Each is one run of jest. All go on at once. */
const RUNS = [
	// In processes of their own: what an integration test leaves running would set timers in their frozen clocks.
	{ project: 'unit', workers: CORES },
	// Integration tests mostly wait: for a limit's window, a backoff, a latency.
	{ project: 'integration', workers: 3 * CORES },
	// Each file has an n8n of its own. They begin when n8n is installed.
	{ project: 'e2e', workers: CORES + 1 },
];
type Run = (typeof RUNS)[number];
const root = join(__dirname, '..');
const output = join(root, '.test-output');
/** Which tests have failed, and why. */
const failures = join(output, 'failures.txt');
const log = (line: string) => console.error(line);

interface Counts {
	passed: number;
	failed: number;
	skipped: number;
}

/** None of the tests could be run. */
const NONE: Counts = { passed: 0, failed: 1, skipped: 0 };

/** The part of jest's JSON report that is counted. */
interface JestReport {
	testResults: Array<{
		/** `failed` without a failed test: the file could not be run, or what follows its tests failed. */
		status: string;
		assertionResults: Array<{ status: string }>;
	}>;
}

/** What this machine lacks, in a line each. */
const missing: string[] = [];
const running = new Set<ChildProcess>();
const processes = new Processes();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(signal, () => {
		for (const jest of running) jest.kill(signal);
		void processes.stop().then(() => process.exit(130));
	});
}

interface Choice {
	runs: Run[];
	seed: number | undefined;
}

function readArguments(): Choice {
	try {
		const { values, positionals } = parseArgs({
			allowPositionals: true,
			options: { only: { type: 'string' }, random: { type: 'boolean', default: false } },
		});
		const { only, random } = values;
		const runs = RUNS.filter(({ project }) => only === undefined || project === only);
		if (runs.length === 0) throw new Error(`There are no ${only} tests`);
		const [seed = randomInt(2 ** 31 - 1), ...others] = positionals.map(Number);
		if (others.length > 0 || !Number.isSafeInteger(seed) || (!random && positionals.length > 0)) {
			throw new Error(`What is ${positionals.join(' ')}?`);
		}
		return { runs, seed: random ? seed : undefined };
	} catch (error) {
		log(`${(error as Error).message.split('\n')[0]} (${USAGE})`);
		process.exit(2);
	}
}

function countIn({ testResults: files }: JestReport): Counts {
	const statuses = files.flatMap(({ assertionResults }) =>
		assertionResults.map(({ status }) => status),
	);
	const broken = files.filter(
		(file) =>
			file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'),
	);
	const passed = statuses.filter((status) => status === 'passed').length;
	const failed = statuses.filter((status) => status === 'failed').length;
	return {
		passed,
		failed: failed + broken.length,
		skipped: statuses.length - passed - failed,
	};
}

/** Runs jest; tells how many tests have passed. */
async function runJest({ project, workers }: Run, seed?: number): Promise<Counts> {
	const report = join(output, `${project}.json`);
	rmSync(report, { force: true });
	const args = ['--selectProjects', project, '--maxWorkers', String(workers)];
	args.push('--json', '--outputFile', report);
	if (seed !== undefined) args.push('--randomize', '--seed', String(seed));
	const jest = spawn(
		process.execPath,
		// its workers have the flag, too: a tenth of their time was garbage collection
		['--max-semi-space-size=64', join(root, 'node_modules', 'jest', 'bin', 'jest.js'), ...args],
		{
			cwd: root,
			env: { ...process.env, FAILURE_SUMMARY: failures },
			stdio: ['ignore', 'ignore', 'inherit'], // the tests are told on stderr; stdout only repeats the report
		},
	);
	running.add(jest);
	await once(jest, 'exit');
	running.delete(jest);
	try {
		return countIn(JSON.parse(readFileSync(report, 'utf8')) as JestReport);
	} catch {
		return NONE; // jest ended without a report, having said why
	}
}

/** Installs what the tests in n8n need, and runs them. */
async function runInN8n(run: Run, seed?: number) {
	await ensureHost();
	const noBrowser = await ensureChromium(processes, log);
	const noStores = await ensureStores(processes, log);
	const counts = await runJest(run, seed);
	const outcome = process.env.CI ? 'failed' : 'was skipped';
	if (noBrowser) missing.push(`The browser part ${outcome}: ${noBrowser}`);
	if (noStores) missing.push(`Queue mode ${outcome}: ${noStores}`);
	return counts;
}

const told = ({ passed, failed, skipped }: Counts) =>
	`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

async function main(): Promise<number> {
	const { runs, seed } = readArguments();
	mkdirSync(output, { recursive: true });
	rmSync(failures, { force: true });
	log('Building the package …');
	await processes.run(...npm(['run', 'build', '--silent']), { cwd: root });
	if (seed !== undefined) log(`In the order of seed ${seed}`);

	const begun = performance.now();
	const counts = await Promise.all(
		runs.map(async (run) => {
			const count = await (run.project === 'e2e' ? runInN8n : runJest)(run, seed).catch(
				({ message }: Error) => {
					log(message); // n8n could not be installed; the other tests go on
					return NONE;
				},
			);
			const seconds = Math.round((performance.now() - begun) / 1000);
			log(`${run.project} ended after ${seconds} s`);
			return [run.project, count] as const;
		}),
	);
	const sum = (key: keyof Counts) => counts.reduce((total, [, count]) => total + count[key], 0);
	console.log(existsSync(failures) ? readFileSync(failures, 'utf8') : '');
	for (const line of missing) console.log(line);
	for (const [project, count] of counts) console.log(`${project}: ${told(count)}`);
	console.log(told({ passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }));
	return counts.every(([, { passed, failed }]) => passed > 0 && failed === 0) ? 0 : 1;
}

main().then(
	(code) => (process.exitCode = code),
	(error: Error) => {
		log(error.message);
		process.exitCode = 1;
	},
);
