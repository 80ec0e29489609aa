import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { host } from './host';
import { signUpOwner, type N8nClient } from './n8nClient';
import type { Processes } from './processes';

const START_TIMEOUT_MS = 180_000;

export interface N8n {
	/** Address of the editor and of the webhooks, without trailing slash. */
	url: string;
	login: { email: string; password: string };
	client: N8nClient;
	/** Resolves with what n8n wrote last, should it end by itself. */
	ended: Promise<string>;
}

/** n8n's own settings of whoever runs this must not reach the demo's n8n. */
function cleanEnvironment(): NodeJS.ProcessEnv {
	const foreign = /^(N8N_|DB_|EXECUTIONS_|QUEUE_|NODES_|NODE_FUNCTION_|GENERIC_|WEBHOOK_|JEST_)/;
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

function environment(
	userFolder: string,
	port: number,
	brokerPort: number,
	extra: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
	return {
		...cleanEnvironment(),
		NODE_ENV: 'production',
		PATH: host.path,
		NO_PROXY: ['127.0.0.1', 'localhost', process.env.NO_PROXY].filter(Boolean).join(','),
		N8N_USER_FOLDER: userFolder,
		N8N_HOST: '127.0.0.1',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_PORT: String(port),
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
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
		...extra,
	};
}

/** `count` different TCP ports that are free on the loopback address. */
async function freePorts(count: number): Promise<number[]> {
	const servers = await Promise.all(
		Array.from(
			{ length: count },
			async () =>
				await new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
					const server = createServer().on('error', reject);
					server.listen(0, '127.0.0.1', () => resolve(server));
				}),
		),
	);
	const ports = servers.map((server) => (server.address() as AddressInfo).port);
	await Promise.all(servers.map(async (server) => await new Promise((done) => server.close(done))));
	return ports;
}

/**
 * Starts n8n in the given (fresh) user folder, waits until it is ready, and makes its owner. `extra` holds further
 * settings for n8n's environment.
 */
export async function startN8n(
	processes: Processes,
	userFolder: string,
	log: (line: string) => void,
	extra: NodeJS.ProcessEnv = {},
): Promise<N8n> {
	const [port, brokerPort] = await freePorts(2);
	const url = `http://127.0.0.1:${port}`;
	const n8n = processes.start(host.node, [host.n8n, 'start'], {
		cwd: userFolder,
		env: environment(userFolder, port, brokerPort, extra),
	});
	const ended = n8n.exited.then((code) => `n8n ended with ${code}:\n${n8n.tail()}`);

	let failure: string | undefined;
	void ended.then((message) => (failure = message));
	const started = Date.now();
	const seconds = () => Math.round((Date.now() - started) / 1000);
	const progress = setInterval(() => log(`Starting n8n, ${seconds()} s …`), 5_000);
	try {
		while (!(await isReady(url))) {
			if (failure) throw new Error(failure);
			if (Date.now() - started > START_TIMEOUT_MS) {
				throw new Error(`n8n was not ready after ${seconds()} s:\n${n8n.tail()}`);
			}
			await sleep(250);
		}
	} finally {
		clearInterval(progress);
	}

	const login = { email: 'owner@demo.invalid', password: 'Demo-password-1' };
	return { url, login, client: await signUpOwner(url, login), ended };
}

async function isReady(url: string): Promise<boolean> {
	return await fetch(`${url}/healthz/readiness`)
		.then((answer) => answer.ok)
		.catch(() => false); // it does not listen yet
}
