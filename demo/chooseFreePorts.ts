import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

export interface DemoPorts {
	n8n: number;
	sandbox: number;
}

/** n8n's own default. The port after it belongs to n8n's broker of task runners. */
const PREFERRED: DemoPorts = { n8n: 5678, sandbox: 5680 };

async function listen(port: number): Promise<Server> {
	return await new Promise((resolve, reject) => {
		const server = createServer().on('error', reject);
		server.listen(port, '127.0.0.1', () => resolve(server));
	});
}

const close = async (server: Server) => await new Promise((done) => server.close(done));

async function isFree(port: number): Promise<boolean> {
	try {
		await close(await listen(port));
		return true;
	} catch {
		return false;
	}
}

/** Others are handed out by the system, also to connections, and n8n listens only some seconds later. */
const [LOWEST, HIGHEST] = [10_000, 32_767];

/** They differ, and are free on the loopback address. */
export async function freePorts(count: number): Promise<number[]> {
	const ports = new Set<number>();
	while (ports.size < count) {
		const port = randomInt(LOWEST, HIGHEST + 1);
		if (await isFree(port)) ports.add(port);
	}
	return [...ports];
}

/**
 * The chosen port and the next are taken, or else the preferred ones. So a demo's addresses are the same at each
 * start. A preferred port in use is replaced by a free one; throws if a chosen one is in use.
 */
export async function chooseDemoPorts(chosen?: number, preferred = PREFERRED): Promise<DemoPorts> {
	const wanted = chosen === undefined ? preferred : { n8n: chosen, sandbox: chosen + 1 };
	const [areFree, free] = await Promise.all([
		Promise.all([isFree(wanted.n8n), isFree(wanted.sandbox)]),
		freePorts(2),
	]);
	const taken = [wanted.n8n, wanted.sandbox].filter((_, index) => !areFree[index]);
	if (chosen !== undefined && taken.length > 0) {
		throw new Error(`Port ${taken.join(' and ')} is in use: choose another one with --port`);
	}
	return {
		n8n: areFree[0] ? wanted.n8n : free[0],
		sandbox: areFree[1] ? wanted.sandbox : free[1],
	};
}
