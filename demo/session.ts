import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureHost } from './host';
import { startN8n, type N8n } from './n8n';
import { installPackage } from './package';
import { Processes } from './processes';
import { provision, type Provisioned } from './provision';
import { startSandbox, type Sandbox } from './sandbox';

export interface Demo {
	n8n: N8n;
	sandbox: Sandbox;
	/** The workflows of `examples/`, by file name without `.json`. */
	workflows: Map<string, Provisioned>;
	/** Ends every process that was started and removes the temporary n8n user folder. */
	stop(): Promise<void>;
}

export interface DemoOptions {
	/** Receives one line for each thing begun, and every few seconds while it lasts. */
	log?: (line: string) => void;
	/** Ends everything, also in the midst of starting. */
	signal?: AbortSignal;
}

/**
 * A real n8n with this package installed, in a fresh user folder, and the sandbox beside it; the workflows of
 * `examples/` are published and results are delivered to them. Installs n8n first if it is missing.
 * Throws, with nothing left running, if any of it fails.
 */
export async function startDemo({ log = () => {}, signal }: DemoOptions = {}): Promise<Demo> {
	const processes = new Processes();
	const userFolder = await mkdtemp(join(tmpdir(), 'credit-profile-demo-'));
	const abort = () => void processes.stop();
	signal?.addEventListener('abort', abort);
	const stop = async () => {
		signal?.removeEventListener('abort', abort);
		await processes.stop();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	};
	try {
		await ensureHost(processes, log);
		log('Building the package and installing it into a fresh n8n …');
		await installPackage(processes, userFolder);
		log('Starting the sandbox …');
		const sandbox = await startSandbox(processes);
		log('Starting n8n (10 to 40 s) …');
		const n8n = await startN8n(processes, userFolder, log);
		log('Creating the credentials and the example workflows …');
		const workflows = await provision(n8n, sandbox);
		return { n8n, sandbox, workflows, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
