// npm test: installs what is missing, builds, runs unit, integration and e2e tests, and counts them.
//   npm test -- --only unit
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureHost } from '../demo/n8nHost';
import { npm } from '../demo/npm';
import { Processes } from '../demo/processes';
import { ensureStores } from '../demo/stores';
import { ensureChromium } from './e2e/support/chromium';

const PROJECTS = ['unit', 'integration', 'e2e'];
/** jest leaves one core idle unless told; each e2e file has an n8n of its own, which needs more than a core. */
const WORKERS = Math.max(2, Math.min(4, availableParallelism()));
/** Integration tests mostly wait: for a limit's window, a backoff, a latency. */
const INTEGRATION_WORKERS = 3 * WORKERS;
const root = join(__dirname, '..');
const output = join(root, '.test-output');
const log = (line: string) => console.error(line);

interface Counts {
	passed: number;
	failed: number;
	skipped: number;
}

/** The part of jest's JSON report that is counted. */
interface JestReport {
	numPassedTests: number;
	numFailedTests: number;
	numPendingTests: number;
	numTodoTests: number;
	/** Test files that could not even be run; each counts as a failure. */
	numRuntimeErrorTestSuites: number;
}

let jest: ChildProcess | undefined;
const processes = new Processes();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(signal, () => {
		jest?.kill(signal);
		void processes.stop().then(() => process.exit(130));
	});
}

function chosenProjects(): string[] {
	try {
		const { values } = parseArgs({ options: { only: { type: 'string' } } });
		if (values.only === undefined) return PROJECTS;
		if (!PROJECTS.includes(values.only)) throw new Error(`There are no ${values.only} tests`);
		return [values.only];
	} catch (error) {
		log(`${(error as Error).message.split('\n')[0]} (npm test -- [--only ${PROJECTS.join('|')}])`);
		process.exit(2);
	}
}

async function runJest(project: string): Promise<Counts> {
	const report = join(output, `${project}.json`);
	rmSync(report, { force: true });
	const args = ['--selectProjects', project, '--json', '--outputFile', report];
	args.push('--maxWorkers', String(project === 'integration' ? INTEGRATION_WORKERS : WORKERS));
	jest = spawn(process.execPath, [join(root, 'node_modules', 'jest', 'bin', 'jest.js'), ...args], {
		cwd: root,
		stdio: ['ignore', 'ignore', 'inherit'], // the tests are told on stderr; stdout only repeats the report
	});
	await once(jest, 'exit');
	try {
		const result = JSON.parse(readFileSync(report, 'utf8')) as JestReport;
		return {
			passed: result.numPassedTests,
			failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
			skipped: result.numPendingTests + result.numTodoTests,
		};
	} catch {
		return { passed: 0, failed: 1, skipped: 0 }; // jest ended without a report, having said why
	}
}

const told = ({ passed, failed, skipped }: Counts) =>
	`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

async function main(): Promise<number> {
	const projects = chosenProjects();
	mkdirSync(output, { recursive: true });
	let noBrowser: string | undefined;
	let noStores: string | undefined;
	if (projects.includes('e2e')) {
		await ensureHost(processes, log);
		noBrowser = await ensureChromium(processes, log);
		noStores = await ensureStores(processes, log);
	}
	log('Building the package …');
	await processes.run(...npm(['run', 'build', '--silent']), { cwd: root });

	const counts = new Map<string, Counts>();
	for (const project of projects) counts.set(project, await runJest(project));

	const all = [...counts.values()];
	const sum = (key: keyof Counts) => all.reduce((total, count) => total + count[key], 0);
	const total = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
	console.log();
	if (noBrowser)
		console.log(`The browser part ${process.env.CI ? 'failed' : 'was skipped'}: ${noBrowser}`);
	if (noStores) console.log(`Queue mode ${process.env.CI ? 'failed' : 'was skipped'}: ${noStores}`);
	for (const [project, count] of counts) console.log(`${project}: ${told(count)}`);
	console.log(told(total));
	return all.every(({ passed, failed }) => passed > 0 && failed === 0) ? 0 : 1;
}

main().then(
	(code) => (process.exitCode = code),
	(error: Error) => {
		log(error.message);
		process.exitCode = 1;
	},
);
