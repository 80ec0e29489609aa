import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureN8nInstalled } from './n8nInstallation';
import { startN8n, type N8n } from './startN8n';
import { installPackage } from './installPackage';
import { writeKeptDemo, type KeptDemo } from './keptDemo';
import { MailServer, type Mail } from './mailServer';
import type { DemoPorts } from './chooseFreePorts';
import { Processes } from './processes';
import { provision, type AgentServices, type CreatedWorkflow } from './provision';
import { startQueueMode, type QueueMode } from './queueMode';
import {
	sandboxServedDocsUrl,
	startSandboxAndGetAccess,
	type SandboxAccess,
	type SandboxCommand,
} from './sandbox';
import { missingStoresText } from './queueModeStores';
import { decideDemoTurn, StubModel } from './stubModel';

export interface Demo {
	n8n: N8n;
	/** The processes around n8n, if it runs in queue mode. */
	queueMode?: QueueMode;
	sandbox: SandboxAccess;
	/** Says where n8n writes; removed by `stop`, unless the demo is kept. */
	folder: string;
	/** The workflows of `examples/`, by file name without `.json`. */
	workflows: Map<string, CreatedWorkflow>;
	/** Ends every process that was started and removes the temporary n8n user folder. */
	stop(): Promise<void>;
}

interface DemoOptions {
	/** Receives one line for each thing begun, and every few seconds while it lasts. */
	log?: (line: string) => void;
	/** n8n in queue mode, over PostgreSQL and Redis, instead of one process. */
	queue?: boolean;
	/** The sandbox; that of the sources when absent. */
	sandboxProgram?: SandboxCommand;
	/** Stand-ins for a language model and a mail server. */
	agentServices?: AgentServices;
	/** Further settings for n8n's environment, where it is one process. */
	settings?: NodeJS.ProcessEnv;
	/** Where n8n and the sandbox listen; on free ports when absent. */
	ports?: DemoPorts;
	/** Goes on with this demo's data, and keeps them; not in queue mode. */
	kept?: KeptDemo;
	/** Gets the mails of the examples, unless `agentServices` names a mail server. */
	onMail?: (mail: Mail) => void;
	/** Says what n8n and the sandbox are started with. */
	processes?: Processes;
	/** Ends everything, also in the midst of starting. */
	signal?: AbortSignal;
}

async function startSingle(
	processes: Processes,
	userFolder: string,
	log: (line: string) => void,
	documentation: string | undefined,
	settings: NodeJS.ProcessEnv,
): Promise<N8n> {
	log('Building the package and installing it into n8n …');
	await installPackage(processes, userFolder, documentation);
	log('Starting n8n (10 to 40 s) …');
	return await startN8n(processes, userFolder, log, settings);
}

/**
 * Starts a real n8n with this package in a fresh user folder, and the sandbox beside it. The workflows of `examples/`
 * are published, and results are delivered to them. Installs n8n first if it is missing. If any of it fails, it
 * throws, with nothing left running.
 */
export async function startDemo({
	log = () => {},
	queue = false,
	sandboxProgram,
	agentServices,
	settings,
	kept,
	ports = kept?.ports,
	onMail = () => {},
	processes = new Processes(),
	signal,
}: DemoOptions = {}): Promise<Demo> {
	const missing = queue ? missingStoresText() : undefined;
	if (missing) throw new Error(missing);
	const userFolder = kept?.folder ?? (await mkdtemp(join(tmpdir(), 'credit-profile-demo-')));
	await mkdir(userFolder, { recursive: true });
	let queueMode: QueueMode | undefined;
	let model: StubModel | undefined;
	let mailServer: MailServer | undefined;
	const abort = () => void processes.stop();
	signal?.addEventListener('abort', abort);
	const stop = async () => {
		signal?.removeEventListener('abort', abort);
		await model?.stop();
		await mailServer?.stop();
		await processes.stop();
		await queueMode?.remove();
		if (!kept) await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	};
	try {
		await ensureN8nInstalled(undefined, signal);
		log('Starting the sandbox …');
		const sandbox = await startSandboxAndGetAccess(
			processes,
			sandboxProgram,
			kept ? ['--state', join(userFolder, 'sandbox.json')] : [],
			ports?.sandbox,
		);
		const mainPort = ports && { N8N_PORT: String(ports.n8n) };
		const documentation = sandboxProgram ? undefined : sandboxServedDocsUrl(sandbox); // only a clone has them
		if (queue) {
			const options = { mainPort, documentation };
			queueMode = await startQueueMode(processes, userFolder, log, options);
		}
		const own = { ...settings, ...mainPort };
		const n8n = queueMode ?? (await startSingle(processes, userFolder, log, documentation, own));
		if (!agentServices?.modelUrl) {
			model = await StubModel.start(kept?.ports.model);
			model.speak = decideDemoTurn;
		}
		if (agentServices?.mailPort === undefined) {
			mailServer = await MailServer.start(onMail, kept?.ports.mail);
		}
		if (kept && kept.workflows.length > 0) {
			return { n8n, sandbox, folder: userFolder, workflows: new Map(kept.workflows), stop };
		}
		log('Creating the credentials and the example workflows …');
		const workflows = await provision(
			n8n,
			sandbox,
			{ modelUrl: model?.url, mailPort: mailServer?.port, ...agentServices },
			documentation,
		);
		if (kept) await writeKeptDemo({ ...kept, workflows: [...workflows] });
		return { n8n, queueMode, sandbox, folder: userFolder, workflows, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
