import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { applicantFile, check, type CheckReport } from './check';
import { root } from './package';
import { startDemo, type Demo } from './session';

const USAGE = `Usage: npm run demo [-- options]

Starts a real n8n with this package installed, and the sandbox that stands for both services.
The first run installs n8n (about 2,100 packages, a few minutes).

  --check   Submit one applicant, wait for the result that comes later, report, and end.
            Exits with 0 only if every execution succeeded.
  --json    With --check: print the report as JSON, and nothing else, on stdout.
  --help    Print this.`;

const log = (line: string) => console.error(line);

function options() {
	try {
		const { values } = parseArgs({
			options: {
				check: { type: 'boolean', default: false },
				json: { type: 'boolean', default: false },
				help: { type: 'boolean', default: false },
			},
		});
		if (values.json && !values.check) throw new Error('--json needs --check');
		return values;
	} catch (error) {
		log(`${(error as Error).message.split('\n')[0]} (see npm run demo -- --help)`);
		process.exit(2);
	}
}

function printInstructions({ n8n, sandbox, workflows }: Demo): void {
	const editor = (file: string) => `${n8n.url}/workflow/${workflows.get(file)?.id}`;
	console.log(`
n8n      ${n8n.url}
  sign in with ${n8n.login.email} and ${n8n.login.password}
sandbox  ${sandbox.page}

1. Onboard an applicant:
   curl -X POST ${n8n.url}/webhook/onboard-applicant \\
     -H 'content-type: application/json' -d @${relative(root, applicantFile)}
2. See the run: open ${editor('onboard-applicant')} and click Executions.
3. A moment later the tax authority's result arrives by webhook: the same in
   ${editor('collect-query-results')}

Ctrl-C ends all of it and removes its data.`);
}

function printReport({ n8nVersion, steps, asyncResult, ok, problem }: CheckReport): void {
	console.log(`n8n ${n8nVersion}`);
	for (const { name, workflow, executionId, status, outcome } of steps) {
		console.log(`${workflow} · execution ${executionId} · ${name}: ${status}, ${outcome}`);
	}
	if (asyncResult) console.log(`Result by webhook: ${JSON.stringify(asyncResult)}`);
	console.log(ok ? 'All executions succeeded.' : `Not in order: ${problem}`);
}

/** Runs the demo until `signal` aborts, or its check to the end. Returns the exit code. */
async function main(signal: AbortSignal): Promise<number> {
	const { check: checkOnly, json, help } = options();
	if (help) {
		console.log(USAGE);
		return 0;
	}
	const demo = await startDemo({ log, signal });
	try {
		if (checkOnly) {
			const report = await check(demo, log);
			if (json) console.log(JSON.stringify(report));
			else printReport(report);
			return report.ok ? 0 : 1;
		}
		printInstructions(demo);
		const stopped = new Promise<void>((resolve) => {
			signal.addEventListener('abort', () => resolve());
			if (signal.aborted) resolve();
		});
		const failure = await Promise.race([stopped, demo.n8n.ended]);
		if (failure && !signal.aborted) throw new Error(failure);
		return 0;
	} finally {
		await demo.stop();
	}
}

const controller = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
	process.on(signal, () => {
		if (!controller.signal.aborted) log('Stopping …');
		controller.abort();
	});
}
main(controller.signal).then(
	(code) => (process.exitCode = code),
	(error: Error) => {
		if (!controller.signal.aborted) log(error.message);
		process.exitCode = controller.signal.aborted ? 130 : 1;
	},
);
