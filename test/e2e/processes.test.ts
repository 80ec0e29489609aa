import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

const demoFolder = join(__dirname, '..', '..', 'demo');
const processes = join(demoFolder, 'processes.ts');
const processGroup = join(demoFolder, 'runInProcessGroup.mjs');

/** A program that lives as long as its connection to the test. */
const connected = (port: number) => `require('net').connect(${port}, '127.0.0.1');`;

/** A program that starts the two above by `Processes`, and waits. */
const starter = (port: number) => {
	const stubborn = JSON.stringify(`process.on('SIGTERM', () => {}); ${connected(port)}`);
	const parent = `${connected(port)} require('child_process').spawn(process.execPath, ['-e', ${stubborn}])`;
	return `
		const { Processes } = require(${JSON.stringify(processes)});
		const processes = new Processes();
		processes.start(process.execPath, ['-e', ${JSON.stringify(parent)}]);
		for (const signal of ['SIGTERM', 'SIGINT']) {
			process.on(signal, () => void processes.stop().then(() => process.exit(0)));
		}
	`;
};

describe('whatever the demo starts', () => {
	let server: Server;

	beforeEach(async () => {
		server = createServer().listen(0, '127.0.0.1');
		await once(server, 'listening');
	});

	afterEach(() => server.close());

	it.each([
		['SIGTERM', 'alone'],
		['SIGKILL', 'alone'],
		['SIGINT', 'with everything in its terminal, as by Ctrl-C'],
		['SIGKILL', 'with everything in its process group'],
	] as const)('ends, with what it started itself, when the demo gets %s %s', async (signal, to) => {
		const sockets: Socket[] = [];
		const two = new Promise<void>((resolve) => {
			server.on('connection', (socket) => {
				socket.on('error', () => {});
				if (sockets.push(socket) === 2) resolve();
			});
		});
		const { port } = server.address() as AddressInfo;
		const demo = spawn(process.execPath, ['--import', 'tsx', '-e', starter(port)], {
			detached: to !== 'alone',
		});
		await two;
		const ended = Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
		if (to === 'alone') demo.kill(signal);
		else process.kill(-(demo.pid as number), signal);
		await expect(ended).resolves.toHaveLength(2);
	});

	it('ends also when the demo was killed before it was begun', async () => {
		const args = [processGroup, 'SIGTERM', process.execPath, '-e', 'setInterval(() => {}, 1000)'];
		const group = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
		group.disconnect();
		try {
			await once(group, 'exit', { signal: AbortSignal.timeout(600_000) }); // when all that it started has ended
		} finally {
			group.kill('SIGKILL');
		}
	});
});
