import dns from 'node:dns';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { codeOf } from '../../support/errorCode';
import { runNodeInEngine, type NodeRun } from '../../support/runNodeInEngine';
import { serve } from '../../support/testServer';

/** Sends a POST there. */
const post = async (baseUrl: string, timeout = 60): Promise<NodeRun> =>
	await runNodeInEngine({
		type: 'creditProfile',
		parameters: {
			...{ resource: 'providerLogin', operation: 'upsert', provider: 'bureau/pm' },
			...{ loginFrom: 'fields', user: 'lender_1', password: 'Secret_of_unreached' },
			options: { timeout },
		},
		credentials: { creditProfileApi: { baseUrl, apiToken: `token of ${baseUrl}` } },
	});

type Addresses = Array<{ address: string; family: number }>;

/** Lets a host name stand for these addresses while the tests of a group run. */
function withHost(name: string, addresses: Addresses): void {
	const real = dns.lookup.bind(dns) as (...args: unknown[]) => void;
	beforeAll(() => {
		jest.spyOn(dns, 'lookup').mockImplementation(((host: string, ...rest: unknown[]) => {
			const [options, done] = rest as [object, (error: null, found: Addresses) => void];
			if (host === name) done(null, addresses);
			else real(host, options, done);
		}) as typeof dns.lookup);
	});
	afterAll(() => jest.restoreAllMocks());
}

/** A port on which connections are never opened: a program listens, accepts none, and its queue is full. */
async function startSilentPort() {
	const listener = new Worker(
		`const { parentPort } = require('node:worker_threads');
		const server = require('node:net').createServer();
		server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
			parentPort.postMessage(server.address().port);
			setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
		});`,
		{ eval: true },
	);
	const [port] = (await once(listener, 'message')) as [number];
	const waiting = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
	await Promise.race(waiting.map(async (socket) => await once(socket, 'connect')));
	return {
		url: `http://127.0.0.1:${port}`,
		async close() {
			for (const socket of waiting) socket.destroy();
			await listener.terminate();
		},
	};
}

describe('a service whose addresses all refuse the connection', () => {
	withHost('refusing.test', [
		{ address: '127.0.0.1', family: 4 },
		{ address: '127.0.0.2', family: 4 },
	]);

	it('was not reached', async () => {
		const { error } = await post('http://refusing.test:1');
		expect(error?.context).toMatchObject({ code: 'network', fault: 'ECONNREFUSED' });
	});
});

describe('a connection that never opens', () => {
	it('leaves it open whether anything was sent when the time is over', async () => {
		const silent = await startSilentPort();
		const { error } = await post(silent.url, 1);
		await silent.close();
		expect(error?.context).toMatchObject({ code: 'unsure', fault: 'ETIMEDOUT' });
	});
});

describe('a connection that opens', () => {
	it('has sent the request, though no response comes in time', async () => {
		const server = createServer(() => {});
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		const sockets: Socket[] = [];
		server.on('connection', (socket) => sockets.push(socket));
		const { port } = server.address() as AddressInfo;
		const { error } = await post(`http://127.0.0.1:${port}`, 1);
		for (const socket of sockets) socket.destroy();
		server.close();
		expect(codeOf(error)).toBe('unsure');
	});

	it('has sent the request, though it is reset', async () => {
		const service = await serve((request) => request.socket.destroy());
		const { error } = await post(service.url);
		await service.close();
		expect(codeOf(error)).toBe('unsure');
	});
});
