import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchUnpooled } from './fetchUnpooled';
import { pinnedInstallation, type N8nInstallation } from './n8nInstallation';
import { signUpOrSignIn, type N8nClient } from './n8nClient';
import { copyTemplate } from './copyN8nDatabase';
import { freePorts } from './chooseFreePorts';
import type { Processes, Running } from './processes';

const START_TIMEOUT_MS = 600_000;

export interface N8n {
	/** Address of the editor and of the webhooks, without trailing slash. */
	url: string;
	login: { email: string; password: string };
	client: N8nClient;
	/** Resolves with what n8n wrote last, should it end by itself. */
	ended: Promise<string>;
}

export const SETTINGS = {
	N8N_SECURE_COOKIE: 'false', // plain HTTP, on the loopback address only
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true', // this package
	N8N_PYTHON_ENABLED: 'false',
	// Nothing of the demo is reported to, or fetched from, anywhere.
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	N8N_DISABLED_MODULES: 'mcp-registry,instance-ai',
};

/** Parts of n8n that no workflow here enters. */
const UNUSED_MODULES = [
	...['breaking-changes', 'chat-hub', 'external-secrets', 'favorites', 'insights'],
	...['instance-version-history', 'ldap', 'log-streaming', 'mcp', 'n8n-packages', 'oauth-jwe'],
	...['otel', 'provisioning', 'quick-connect', 'source-control', 'sso-oidc'],
	...['sso-saml', 'token-exchange', 'workflow-builder', 'workflow-reviews', 'agents'],
];

/**
 * Saves CPU time. n8n makes an expression engine only for a run with an expression, compiles its code once, and loads
 * no unused modules.
 */
export const LOW_CPU = {
	N8N_DISABLED_MODULES: [SETTINGS.N8N_DISABLED_MODULES, ...UNUSED_MODULES].join(','),
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
	N8N_EXPRESSION_ENGINE_COMPILE_CACHE: 'true',
};

/** Halves the start of an n8n that no browser opens and that has no Code node. */
export const HEADLESS = {
	N8N_DISABLE_UI: 'true',
	N8N_RUNNERS_MODE: 'external', // none is started
	N8N_RUNNERS_AUTH_TOKEN: 'of-no-runner',
	...LOW_CPU,
};

/** n8n's own settings of whoever runs this must not reach the demo's n8n. */
function cleanEnvironment(): NodeJS.ProcessEnv {
	const foreign = /^(N8N_|DB_|EXECUTIONS_|QUEUE_|NODES_|NODE_FUNCTION_|GENERIC_|WEBHOOK_|JEST_)/;
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

function environment(
	{ path, folder }: N8nInstallation,
	userFolder: string,
	port: number,
	brokerPort: number,
	extra: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
	return {
		...cleanEnvironment(),
		NODE_ENV: 'production',
		PATH: path,
		NODE_OPTIONS: '--max-semi-space-size=64', // a sixth of n8n's time was garbage collection
		NODE_COMPILE_CACHE: join(folder, 'node_modules', '.compile-cache'), // n8n starts faster from the second time on
		NO_PROXY: ['127.0.0.1', 'localhost', process.env.NO_PROXY].filter(Boolean).join(','),
		N8N_USER_FOLDER: userFolder,
		N8N_HOST: '127.0.0.1',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_PORT: String(port),
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		...SETTINGS,
		...extra,
	};
}

/** Calls `ready` until it holds. Throws if the process ends before, or does not get there in time. */
async function untilReady(
	name: string,
	process: Running,
	ready: () => Promise<boolean>,
	log: (line: string) => void,
): Promise<void> {
	let failure: string | undefined;
	void process.exited.then((code) => (failure = `${name} ended with ${code}:\n${process.tail()}`));
	const started = Date.now();
	const seconds = () => Math.round((Date.now() - started) / 1000);
	const progress = setInterval(() => log(`Starting ${name}, ${seconds()} s …`), 5_000);
	try {
		while (!(await ready())) {
			if (failure) throw new Error(failure);
			if (Date.now() - started > START_TIMEOUT_MS) {
				throw new Error(`${name} was not ready after ${seconds()} s:\n${process.tail()}`);
			}
			await sleep(250);
		}
	} finally {
		clearInterval(progress);
	}
}

/** A worker or a webhook processor of n8n's queue mode. */
export interface WorkerOrWebhookProcess {
	/** Webhooks go there, if it is a webhook processor. */
	url: string;
	process: Running;
	/** Its user folder. */
	folder: string;
}

/** Starts a further process beside a running n8n, and waits until it is ready. `extra` names what both share. */
export async function startWorkerOrWebhookProcess(
	processes: Processes,
	kind: 'worker' | 'webhook',
	userFolder: string,
	log: (line: string) => void,
	extra: NodeJS.ProcessEnv,
): Promise<WorkerOrWebhookProcess> {
	const [port, brokerPort] = await freePorts(2);
	const url = `http://127.0.0.1:${port}`;
	const env = environment(pinnedInstallation, userFolder, port, brokerPort, {
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		QUEUE_HEALTH_CHECK_PORT: String(port),
		...extra,
	});
	const process = processes.start(pinnedInstallation.node, [pinnedInstallation.n8n, kind], {
		cwd: userFolder,
		env,
	});
	const ready = async () => await responds(`${url}/healthz/readiness`);
	await untilReady(`n8n ${kind}`, process, ready, log);
	return { url, process, folder: userFolder };
}

/** Runs a command of n8n, such as `import:workflow`, to its end, beside the n8n of this user folder. */
export async function runN8nCommand(
	processes: Processes,
	userFolder: string,
	args: string[],
): Promise<string> {
	const [port, brokerPort] = await freePorts(2);
	const env = environment(pinnedInstallation, userFolder, port, brokerPort, HEADLESS);
	return await processes.run(pinnedInstallation.node, [pinnedInstallation.n8n, ...args], {
		cwd: userFolder,
		env,
	});
}

/** Starts n8n in the given (fresh) user folder, and waits until it is ready; it has no owner yet. */
export async function startUnowned(
	processes: Processes,
	userFolder: string,
	log: (line: string) => void,
	extra: NodeJS.ProcessEnv = {},
	on: N8nInstallation = pinnedInstallation,
): Promise<{ url: string; process: Running }> {
	if (on === pinnedInstallation && extra.DB_TYPE === undefined) await copyTemplate(userFolder);
	const [free, brokerPort] = await freePorts(2);
	const port = Number(extra.N8N_PORT ?? free);
	const url = `http://127.0.0.1:${port}`;
	const process = processes.start(on.node, [on.n8n, 'start'], {
		cwd: userFolder,
		env: environment(on, userFolder, port, brokerPort, extra),
	});
	await untilReady('n8n', process, async () => await isReady(url), log);
	return { url, process };
}

/**
 * Starts n8n in the given user folder, waits until it is ready, and makes its owner if it has none. `extra` holds further
 * settings for n8n's environment; `on` is the n8n to start, the demo's by default.
 */
export async function startN8n(
	processes: Processes,
	userFolder: string,
	log: (line: string) => void,
	extra: NodeJS.ProcessEnv = {},
	on: N8nInstallation = pinnedInstallation,
): Promise<N8n> {
	const { url, process } = await startUnowned(processes, userFolder, log, extra, on);
	const login = { email: 'owner@demo.invalid', password: 'Demo-password-1' };
	return {
		url,
		login,
		client: await signUpOrSignIn(url, login),
		ended: process.exited.then((code) => `n8n ended with ${code}:\n${process.tail()}`),
	};
}

async function responds(url: string, statuses = [200]): Promise<boolean> {
	return await fetchUnpooled(url).then(
		({ status }) => statuses.includes(status),
		() => false, // it does not listen yet
	);
}

/** Before 2.x n8n reports readiness before its routes exist. */
export async function isReady(url: string): Promise<boolean> {
	return (
		(await responds(`${url}/healthz/readiness`)) &&
		(await responds(`${url}/rest/login`, [200, 401]))
	);
}
