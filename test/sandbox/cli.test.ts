import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import axios from 'axios';
import type { Sandbox } from '../../sandbox';

const node = (...args: string[]) =>
	spawn(process.execPath, args, {
		cwd: join(__dirname, '../..'),
		stdio: ['ignore', 'pipe', 'pipe'],
	});
const start = (...args: string[]) => node('--import', 'tsx', 'sandbox/cli.ts', ...args);

const exitCode = async (child: ChildProcess) => ((await once(child, 'exit')) as [number])[0];
/** Runs the program to its end: exit code and what it printed. */
async function run(...args: string[]) {
	const child = start(...args);
	const [code, stdout, stderr] = await Promise.all([
		exitCode(child),
		text(child.stdout),
		text(child.stderr),
	]);
	return { code, stdout, stderr };
}

/** The first line of JSON that the program prints. */
async function ready(child: ChildProcess & { stdout: NodeJS.ReadableStream }): Promise<Sandbox> {
	const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
	return JSON.parse(line) as Sandbox;
}

it('--json prints one line that leads to both services, and SIGTERM ends with 0', async () => {
	const child = start('--json', '--rate-limit', '25');
	const { creditProfile, taxQuery, page } = await ready(child);
	const { status, headers } = await axios.get(`${creditProfile.baseUrl}/api/v1/credential`, {
		headers: { Authorization: `Token ${creditProfile.token}` },
		proxy: false,
	});
	child.kill('SIGTERM');
	expect([status, headers['x-ratelimit-limit'], await exitCode(child)]).toEqual([200, '25', 0]);
	expect(taxQuery.baseUrl).toBe(`${page}api`);
	expect(Object.keys(taxQuery)).toEqual(['baseUrl', 'clientId', 'clientSecret']);
});

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
	"ends npm with 0 and the sandbox when npm's child gets %s",
	async (signal) => {
		const child = node('scripts/installAndRun.mjs', 'sandbox/cli.ts', '--json', '--port', '0');
		const { page } = await ready(child);
		child.kill(signal);
		expect(await exitCode(child)).toBe(0);
		const refused = axios.get(page, { proxy: false });
		await expect(refused).rejects.toMatchObject({ code: 'ECONNREFUSED' });
	},
);

it('prints addresses, tokens and secrets, and ends on Ctrl-C', async () => {
	const child = start();
	const lines: string[] = [];
	for await (const line of createInterface(child.stdout)) {
		lines.push(line);
		if (line.startsWith('Ctrl-C')) child.kill('SIGINT');
	}
	const shown = lines.join('\n');
	expect(shown).toMatch(/base URL +http:\/\/127\.0\.0\.1:\d+\n +API token +\S+/);
	expect(shown).toMatch(/base URL +\S+\/api\n +client id +\S+\n +client secret +\S+/);
});

it('--host is the address to listen at, and the sandbox names the loopback address', async () => {
	const child = start('--json', '--host', '0.0.0.0');
	const { page } = await ready(child);
	const { status } = await axios.get(page, { proxy: false });
	child.kill('SIGTERM');
	await exitCode(child);
	expect([status, new URL(page).hostname]).toEqual([200, '127.0.0.1']);
});

it('--help explains every flag', async () => {
	const { code, stdout } = await run('--help');
	const flags =
		'host port seed documents past-queries latency rate-limit tax-rate-limit tax-rate-limit-headers clock-skew ' +
		'result-delay immediate-records query-list list-order page-size list-shape record record-envelope status-words token-lifetime ' +
		'token-shape token-expires-in no-refresh-token webhook-url webhook-signing state mapping json help';
	expect(code).toBe(0);
	expect(flags.split(' ').filter((flag) => !stdout.includes(`--${flag} `))).toEqual([]);
});

it('a wrong flag ends the program with code 2 and one line', async () => {
	const stderr = '--port must be a whole number (0 to 65535), not "abc"\n';
	expect(await run('--port', 'abc')).toEqual({ code: 2, stdout: '', stderr });
});

it('a port in use ends the program with code 1 and one line', async () => {
	const holder = createServer().listen(0, '127.0.0.1');
	await once(holder, 'listening');
	const { port } = holder.address() as AddressInfo;
	const { code, stderr } = await run('--port', String(port));
	holder.close();
	const inUse = `EADDRINUSE: address already in use 127.0.0.1:${port}`;
	expect([code, stderr]).toEqual([1, `${inUse}: choose another with --port\n`]);
});
