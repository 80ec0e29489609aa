import { parseArgs } from 'node:util';
import { smokeTestRunningDemo, type SmokeTestReport } from './smokeTest';
import { startDemo, type Demo } from './startDemo';
import { ensureN8nInstalled } from './n8nInstallation';
import { applicationFormUrl, REVIEW_PAGES_BASIC_AUTH } from './provision';
import { chooseDemoPorts } from './chooseFreePorts';
import { KEPT_FOLDER, readKeptDemo } from './keptDemo';
import { printedMail, type Mail } from './mailServer';
import type { QueueMode } from './queueMode';

const USAGE = `Usage: npm run demo [-- options]

Starts a real n8n with this package installed, and the sandbox, which simulates both services.
The first run installs n8n (2.6 GB, a few minutes).

  --install Install n8n if it is missing, and end.
  --queue   Run n8n in queue mode: one main, two workers, one webhook processor, over
            PostgreSQL and Redis (from your system's packages; their data is removed at the end).
  --keep    Go on with the data of the last time with --keep, and keep them in .demo. Examples and
            credentials stay as they are there; the package is the current one.
  --check   Submit one applicant, wait for the result that comes later, report, and end.
            Exits with 0 only if every execution succeeded.
  --port N  The editor listens on port N, the sandbox on the next one. Without it, on 5678
            and 5680 where these are free, so that links stay the same.
  --json    With --check: print the report as JSON, and nothing else, on stdout.
  --help    Print this.`;

const log = (line: string) => console.error(line);

function options() {
	try {
		const { values } = parseArgs({
			options: {
				check: { type: 'boolean', default: false },
				install: { type: 'boolean', default: false },
				queue: { type: 'boolean', default: false },
				keep: { type: 'boolean', default: false },
				json: { type: 'boolean', default: false },
				port: { type: 'string' },
				help: { type: 'boolean', default: false },
			},
		});
		if (values.json && !values.check) throw new Error('--json needs --check');
		if (values.keep && (values.queue || values.check)) {
			throw new Error('--keep goes with neither --queue nor --check');
		}
		const port = values.port === undefined ? undefined : Number(values.port);
		if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_535)) {
			throw new Error('--port needs a number from 1 to 65534');
		}
		return { ...values, port };
	} catch (error) {
		log(`${(error as Error).message.split('\n')[0]} (see npm run demo -- --help)`);
		process.exit(2);
	}
}

function printQueueMode({ workers, webhookProcessors, settings }: QueueMode): void {
	console.log(`
Queue mode: the main above, ${workers.length} workers, and webhook processors at ${webhookProcessors.map(({ url }) => url).join(', ')}
Every process runs with this package in its own folder, and with
${Object.entries(settings)
	.map(([name, value]) => `  ${name}=${value}`)
	.join('\n')}
DB_POSTGRESDB_POOL_SIZE is 2 unless set; raise it from ten webhook calls a second on.
N8N_GRACEFUL_SHUTDOWN_TIMEOUT must be at least the items of your largest run divided by its points per second.`);
}

function printInstructions({ n8n, queueMode, sandbox, workflows }: Demo, isKept: boolean): void {
	const editor = (file: string) => `${n8n.url}/workflow/${workflows.get(file)?.id}`;
	console.log(`
n8n      ${n8n.url}
  sign in with ${n8n.login.email} and ${n8n.login.password}
sandbox  ${sandbox.page}

1. Start here: open ${editor('start-here')} and click Execute workflow.
   It links to every other example.
2. Onboard an applicant by a form: ${applicationFormUrl(n8n)}
   (its workflow: ${editor('onboard-applicant')})
   The operator's pages: ${n8n.url}/webhook/solicitudes (${REVIEW_PAGES_BASIC_AUTH.user}, ${REVIEW_PAGES_BASIC_AUTH.password})
3. A moment later the tax authority's result starts
   ${editor('collect-query-results')} (click Executions)
`);
	console.log('Guía del operador en español: docs/es/guia.md');
	if (queueMode) printQueueMode(queueMode);
	console.log('\nThe mails of the examples are printed here. None is delivered.');
	console.log(
		isKept
			? `Ctrl-C ends all of it. Its data stay in ${KEPT_FOLDER}; remove that folder to begin anew.`
			: 'Ctrl-C ends all of it and removes its data.',
	);
}

function printReport({ n8nVersion, steps, asyncResult, ok, problem }: SmokeTestReport): void {
	console.log(`n8n ${n8nVersion}`);
	for (const { name, workflow, executionId, status, outcome } of steps) {
		console.log(`${workflow} · execution ${executionId} · ${name}: ${status}, ${outcome}`);
	}
	if (asyncResult) console.log(`Result by webhook: ${JSON.stringify(asyncResult)}`);
	console.log(ok ? 'All executions succeeded.' : `Not in order: ${problem}`);
}

/** Runs the demo until `signal` aborts, or its check to the end. Returns the exit code. */
async function main(signal: AbortSignal): Promise<number> {
	const { check: checkOnly, install, queue, keep, json, help, port } = options();
	if (help) {
		console.log(USAGE);
		return 0;
	}
	if (install) {
		await ensureN8nInstalled(undefined, signal);
		return 0;
	}
	// A check beside a running demo takes no port that its user has bookmarked.
	const kept = keep ? await readKeptDemo(KEPT_FOLDER, port) : undefined;
	const ports =
		kept?.ports ?? (checkOnly && port === undefined ? undefined : await chooseDemoPorts(port));
	const onMail = checkOnly ? undefined : (mail: Mail) => console.log(`\n${printedMail(mail)}`);
	const demo = await startDemo({ log, queue, signal, ports, kept, onMail });
	try {
		if (checkOnly) {
			const report = await smokeTestRunningDemo(demo, log);
			if (json) console.log(JSON.stringify(report));
			else printReport(report);
			return report.ok ? 0 : 1;
		}
		printInstructions(demo, keep);
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
