import { randomBytes } from 'node:crypto';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
	startWorkerOrWebhookProcess,
	startN8n,
	type WorkerOrWebhookProcess,
	type N8n,
} from './startN8n';
import { installPackage } from './installPackage';
import type { Processes } from './processes';
import { startStores } from './queueModeStores';

export interface QueueModeOptions {
	workers?: number;
	webhookProcessors?: number;
	/** Further settings for every process. */
	extra?: NodeJS.ProcessEnv;
	/** Names the port of the main, if it is not to be any free one. */
	mainPort?: NodeJS.ProcessEnv;
	/** Address of the pages that the package links to, if not the published ones. */
	documentation?: string;
}

/** n8n in queue mode: itself (the main), its workers and webhook processors, over PostgreSQL and Redis. */
export interface QueueMode extends N8n {
	workers: WorkerOrWebhookProcess[];
	webhookProcessors: WorkerOrWebhookProcess[];
	/** An operator must set them on every process. */
	settings: Record<string, string>;
	/** Starts one more worker. */
	addWorker(): Promise<WorkerOrWebhookProcess>;
	/** Removes the data of PostgreSQL and Redis, once all processes have ended. */
	remove(): Promise<void>;
}

/** The settings that matter beyond the addresses of the stores, with the reason for each. */
export const queueSettings = () => ({
	EXECUTIONS_MODE: 'queue',
	/** Credentials are encrypted with it; who has another one cannot read them. */
	N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
	/** The default, 2, collapses under ten deliveries a second. */
	DB_POSTGRESDB_POOL_SIZE: '10',
	/** Covers the items of the largest run divided by the points per second, or a stopped worker loses its run. */
	N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '60',
	/** Without it, n8n makes an unused expression engine, some 60 ms of CPU. */
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
	/** Clicks in the editor run on workers, too. */
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
});

/** They run beside the main. */
export const PROCESS_COUNTS = { workers: 2, webhookProcessors: 1 };

/**
 * Starts n8n in queue mode below `folder`, with the built package in the folder of every process: a worker without it
 * fails its jobs. The processes end with `processes`.
 */
export async function startQueueMode(
	processes: Processes,
	folder: string,
	log: (line: string) => void,
	{
		workers = PROCESS_COUNTS.workers,
		webhookProcessors = PROCESS_COUNTS.webhookProcessors,
		extra = {},
		mainPort = {},
		documentation,
	}: QueueModeOptions = {},
): Promise<QueueMode> {
	log('Starting PostgreSQL and Redis …');
	const stores = await startStores(processes);
	try {
		const settings = { ...queueSettings(), ...stores.settings };
		const env = { ...settings, ...extra };
		const main = join(folder, 'main');
		await mkdir(main, { recursive: true });
		await installPackage(processes, main, documentation);
		log('Starting n8n in queue mode: the main (10 to 40 s) …');
		const n8n = await startN8n(processes, main, log, { ...env, ...mainPort });

		const helper = async (kind: 'worker' | 'webhook', number: number) => {
			const own = join(folder, `${kind}-${number + 1}`);
			const nodes = join('.n8n', 'nodes');
			await cp(join(main, nodes), join(own, nodes), { recursive: true });
			return await startWorkerOrWebhookProcess(processes, kind, own, log, env);
		};
		log(`Starting ${workers} workers and ${webhookProcessors} webhook processor(s) …`);
		const several = async (kind: 'worker' | 'webhook', count: number) =>
			await Promise.all(Array.from({ length: count }, async (_, i) => await helper(kind, i)));
		const [started, processors] = await Promise.all([
			several('worker', workers),
			several('webhook', webhookProcessors),
		]);
		const ended = Promise.race([
			n8n.ended,
			...[...started, ...processors].map(async ({ process }) => {
				const code = await process.exited;
				return `A worker or webhook processor ended with ${code}:\n${process.tail()}`;
			}),
		]);
		return {
			...n8n,
			ended,
			workers: started,
			webhookProcessors: processors,
			settings,
			addWorker: async () => {
				const worker = await helper('worker', started.length);
				started.push(worker);
				return worker;
			},
			remove: stores.remove,
		};
	} catch (error) {
		await processes.stop();
		await stores.remove();
		throw error;
	}
}
