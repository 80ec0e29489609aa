import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import axios from 'axios';
import { startSandbox, type Sandbox } from '../../../sandbox';
import { readFlags } from '../../../sandbox/flags';
import { UsageError } from '../../../sandbox/flagValues';

const root = join(__dirname, '../../..');
const start = (...args: string[]) =>
	spawn(process.execPath, ['--import', 'tsx', 'sandbox/cli.ts', ...args], {
		cwd: root,
		stdio: ['ignore', 'pipe', 'pipe'],
	});

/** Runs the program to its end: exit code and what it printed. */
async function run(...args: string[]) {
	const child = start(...args);
	const [[code], stdout, stderr] = await Promise.all([
		once(child, 'exit') as Promise<[number]>,
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

describe('the command line of the sandbox', () => {
	it('prints one line of JSON that leads to both services, and ends with 0 on SIGTERM', async () => {
		const child = start('--json', '--rate-limit', '25');
		const { creditProfile, taxQuery, page } = await ready(child);
		const { status, headers } = await axios.get(`${creditProfile.baseUrl}/api/v1/credential`, {
			headers: { Authorization: `Token ${creditProfile.token}` },
			proxy: false,
		});
		child.kill('SIGTERM');
		const [code] = (await once(child, 'exit')) as [number];
		expect({ status, limit: headers['x-ratelimit-limit'], code }).toEqual({
			status: 200,
			limit: '25',
			code: 0,
		});
		expect(taxQuery.baseUrl).toBe(`${page}api`);
		expect(Object.keys(taxQuery)).toEqual(['baseUrl', 'clientId', 'clientSecret']);
	});

	it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
		"ends npm with 0 and the sandbox when npm's child gets %s",
		async (signal) => {
			const child = spawn(
				process.execPath,
				['demo/bootstrap.mjs', 'sandbox/cli.ts', '--json', '--port', '0'],
				{ cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
			);
			const { page } = await ready(child);
			child.kill(signal);
			const [code] = (await once(child, 'exit')) as [number];
			const answer = axios.get(page, { proxy: false });
			await expect(answer).rejects.toMatchObject({ code: 'ECONNREFUSED' });
			expect(code).toBe(0);
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

	it('listens where --host says, and is called by the loopback address', async () => {
		const child = start('--json', '--host', '0.0.0.0');
		const { page } = await ready(child);
		const { status } = await axios.get(page, { proxy: false });
		child.kill('SIGTERM');
		await once(child, 'exit');
		expect([status, new URL(page).hostname]).toEqual([200, '127.0.0.1']);
	});

	it('gives the same secrets again for the same seed, and others for another', async () => {
		const tokens: string[] = [];
		for (const seed of ['7', '7', '8']) {
			const sandbox = await startSandbox(readFlags(['--seed', seed]).options);
			tokens.push(sandbox.creditProfile.token);
			await sandbox.close();
		}
		expect(tokens[1]).toBe(tokens[0]);
		expect(tokens[2]).not.toBe(tokens[0]);
	});

	it('explains every flag with --help', async () => {
		const { code, stdout } = await run('--help');
		const flags =
			'host port seed documents past-queries latency rate-limit tax-rate-limit tax-rate-limit-headers clock-skew ' +
			'result-delay immediate-records query-list list-order page-size list-shape record record-envelope status-words token-lifetime ' +
			'token-shape token-expires-in no-refresh-token webhook-url webhook-signing state mapping json help';
		expect(code).toBe(0);
		expect(flags.split(' ').filter((flag) => !stdout.includes(`--${flag} `))).toEqual([]);
	});

	it.each([
		[['--port', 'abc'], '--port must be a whole number (0 to 65535), not "abc"'],
		[['--port', '70000'], '--port must be a whole number (0 to 65535), not "70000"'],
		[['--host', 'here'], '--host must be an IP address such as 127.0.0.1 or 0.0.0.0, not "here"'],
		[['--seed', '1.5'], '--seed must be a whole number (0 or more), not "1.5"'],
		[
			['--webhook-url', 'ftp://x'],
			'--webhook-url must be a URL beginning with http:// or https://, not "ftp://x"',
		],
		[['--query-list', 'xml'], '--query-list must be array or page or lean, not "xml"'],
		[['--list-order', 'up'], '--list-order must be newest or oldest or none, not "up"'],
		[['--record', 'thin'], '--record must be full or lean, not "thin"'],
		[
			['--status-words', 'done=X'],
			'--status-words must be like success=DONE,pending=WAIT,failed=ERROR',
		],
		[
			['--mapping', 'tsconfig.json'],
			'--mapping tsconfig.json: Mapping: "compilerOptions" is not known; known are creditProfile, taxQuery',
		],
		[['--colour'], "Unknown option '--colour'; --help lists the flags"],
		[['--port'], "Option '--port <value>' argument missing; --help lists the flags"],
	])('refuses %j with one clear line', (args, line) => {
		expect(() => readFlags(args)).toThrow(new UsageError(line));
	});

	it('ends with code 2 and that line alone for a flag that is wrong', async () => {
		const stderr = '--port must be a whole number (0 to 65535), not "abc"\n';
		expect(await run('--port', 'abc')).toEqual({ code: 2, stdout: '', stderr });
	});

	it('says in one line that the port is in use, with code 1', async () => {
		const holder = createServer().listen(0, '127.0.0.1');
		await once(holder, 'listening');
		const { port } = holder.address() as AddressInfo;
		const { code, stderr } = await run('--port', String(port));
		holder.close();
		expect({ code, stderr }).toEqual({
			code: 1,
			stderr: `EADDRINUSE: address already in use 127.0.0.1:${port}: choose another with --port\n`,
		});
	});
});
