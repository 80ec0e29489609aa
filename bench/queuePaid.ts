// A worker that dies, or is frozen, in a run that costs money, and what an operator clicks then.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import { isFinished } from '../demo/n8nClient';
import { startSandbox } from '../sandbox';
import type { BenchN8n } from './support/benchN8n';
import { paidWorkflow, startExecutionRetry } from './support/paidWorkflow';
import { rfcOf } from './support/identifiers';
import type { BenchOptions, BenchResult, MeasuredBound } from './support/result';

const ITEMS = 100;
/** Each blow falls when so many items are billed. */
const BLOWS = [
	{ signal: 'SIGKILL', billedBefore: 30 },
	{ signal: 'SIGTERM', billedBefore: 30 },
	{ signal: 'SIGTERM', billedBefore: 80 },
	{ signal: 'SIGSTOP', billedBefore: 30 },
] as const;
/** A request that was on its way is billed by then; and at 10 points per second others are, unless the run stands still. */
const SETTLE_MS = 500;
const PROBE_MS = 700;
const FROZEN_MS = 120_000;
const END_TIMEOUT_MS = 240_000;

/** The process that n8n runs in, by its user folder. */
function pidOf(folder: string): number {
	for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
		try {
			const isN8n = /n8n\0worker\0$/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
			const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
			const isGroup = readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('processGroup');
			if (isN8n && !isGroup && environment.includes(`N8N_USER_FOLDER=${folder}`))
				return Number(pid);
		} catch {
			// ended meanwhile
		}
	}
	throw new Error(`No worker runs in ${folder}`);
}

export async function measureWorkerCrashBilling(n8n: BenchN8n, { log }: BenchOptions) {
	const { queueMode, client, url } = n8n;
	if (!queueMode) throw new Error('There are workers in queue mode only');
	const rows: BenchResult['rows'] = [];
	const verdicts: MeasuredBound[] = [];
	let people = 0;
	for (const { signal, billedBefore } of BLOWS) {
		log(`a paid run over workers, one of which gets ${signal} after ${billedBefore}`);
		const sandbox = await startSandbox({ resultDelay: 0 });
		try {
			const control = axios.create({ baseURL: `${sandbox.page}sandbox` });
			type Entry = { query: { rfc: string } };
			const billed = async () =>
				(await control.get<Entry[]>('/ledger')).data.map(({ query }) => query.rfc);
			const { taxQueryApi } = await n8n.credentialsFor(sandbox);
			const items = Array.from({ length: ITEMS }, () => ({ rfc: rfcOf(people++) }));
			const path = `paid-${signal.toLowerCase()}-${billedBefore}`;
			const id = await client.createWorkflow(paidWorkflow(path, taxQueryApi));
			await client.publish(id);
			await axios.post(`${url}/webhook/${path}`, { items });
			while ((await billed()).length < billedBefore) await sleep(50);

			const pid = await theOneThatRuns(queueMode.workers, billed);
			const atSignal = (await billed()).length;
			if (signal === 'SIGSTOP') await sleep(FROZEN_MS);
			else process.kill(pid, signal);
			if (signal !== 'SIGKILL') process.kill(pid, 'SIGCONT');
			let first = await endedExecution(n8n, id, 1);
			if (signal === 'SIGSTOP') {
				await untilQuiet(billed); // n8n may have given it up while the frozen worker goes on with it …
				first = await endedExecution(n8n, id, 1); // … and ends it well
			}
			const again = first.status !== 'success';
			if (again) await startExecutionRetry(url, queueMode.login, first.id);
			const last = again ? await endedExecution(n8n, id, 2) : first;
			const isGone = last.status !== 'success'; // n8n has thrown away what there was to retry
			if (isGone) {
				const reuse = { reuse: 'hours', reuseHours: 1 };
				const workflow = paidWorkflow(`${path}-reuse`, taxQueryApi, { parameters: reuse });
				const secondId = await client.createWorkflow(workflow);
				await client.publish(secondId);
				await axios.post(`${url}/webhook/${path}-reuse`, { items });
				await endedExecution(n8n, secondId, 1);
			}
			await untilQuiet(billed);
			const all = await billed();
			const twice = all.length - new Set(all).size;
			rows.push({
				what: `${signal} of a worker with ${atSignal} of ${ITEMS} billed: ${first.status}${again ? `, Retry: ${last.status}` : ''}${isGone ? ', run again with Reuse' : ''}`,
				'× ideal': '',
				'429s per lookup': '',
				'items failed': `billed ${all.length}, distinct ${new Set(all).size}`,
			});
			verdicts.push(
				{
					what: `${signal} of a worker, and what an operator does then: paid twice`,
					value: twice,
					atMost: 0,
				},
				{
					what: `${signal} of a worker, and what an operator does then: asked in the end`,
					value: new Set(all).size,
					atLeast: ITEMS,
				},
			);
			if (signal !== 'SIGSTOP') await queueMode.addWorker();
		} finally {
			await sandbox.close();
		}
	}
	return { rows, verdicts };
}

type Billed = () => Promise<string[]>;

/** Stops one worker after the other until the run stands still; returns the process that is stopped then. */
async function theOneThatRuns(workers: Array<{ folder: string }>, billed: Billed): Promise<number> {
	for (const { folder } of [...workers]) {
		let pid;
		try {
			pid = pidOf(folder);
		} catch {
			continue; // it was hit in an earlier run
		}
		process.kill(pid, 'SIGSTOP');
		await sleep(SETTLE_MS);
		const before = (await billed()).length;
		await sleep(PROBE_MS);
		if ((await billed()).length === before) return pid;
		process.kill(pid, 'SIGCONT');
	}
	throw new Error('No worker runs it');
}

async function untilQuiet(billed: Billed): Promise<void> {
	for (let before = -1; before !== (await billed()).length; await sleep(3000)) {
		before = (await billed()).length;
	}
}

async function endedExecution({ client }: BenchN8n, workflowId: string, count: number) {
	for (const deadline = Date.now() + END_TIMEOUT_MS; Date.now() < deadline; await sleep(500)) {
		const executions = await client.executions(workflowId);
		if (executions.filter(isFinished).length >= count) return executions[0];
	}
	throw new Error(`The execution did not end in ${END_TIMEOUT_MS / 1000} s`);
}
