import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { chooseDemoPorts, freePorts } from '../../../demo/chooseFreePorts';
import { freeDemoPort } from '../../support/freeDemoPort';

/** Takes a port of the loopback address until the test ends. */
async function take(port: number): Promise<Server> {
	const server = createServer().listen(port, '127.0.0.1');
	await once(server, 'listening');
	return server;
}

const release = async (server: Server) => await new Promise((done) => server.close(done));

describe('the ports of the demo', () => {
	it('are the chosen one for n8n, and the next for the sandbox', async () => {
		const chosen = await freeDemoPort();
		await expect(chooseDemoPorts(chosen)).resolves.toEqual({ n8n: chosen, sandbox: chosen + 1 });
	});

	it('are refused by number where a chosen one is in use', async () => {
		const server = await take(0);
		const { port } = server.address() as AddressInfo;
		await expect(chooseDemoPorts(port)).rejects.toThrow(String(port));
		await release(server);
	});

	it('are none that the system hands out to connections meanwhile', async () => {
		const ports = await freePorts(20);
		expect([new Set(ports).size, ports.filter((port) => port > 32_767)]).toEqual([20, []]);
	});

	it('are the same at each start, and others where those are in use', async () => {
		const [n8n, sandbox] = await freePorts(2);
		const start = async () => await chooseDemoPorts(undefined, { n8n, sandbox });
		const first = await start();
		const again = await start();
		const server = await take(n8n);
		const beside = await start();
		await release(server);
		expect([first, again]).toEqual([
			{ n8n, sandbox },
			{ n8n, sandbox },
		]);
		expect(beside.n8n).not.toBe(n8n);
		expect(beside.sandbox).toBe(sandbox);
	});
});
