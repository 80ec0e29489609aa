import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fetchUnpooled } from '../../demo/fetchUnpooled';
import { repositoryRoot } from '../../demo/installPackage';
import { freeDemoPort } from '../support/freeDemoPort';
import { until } from '../support/until';

const root = join(__dirname, '..', '..');

/** Starts the demo's command line as `npm run demo` does. */
function start(args: string[], env: NodeJS.ProcessEnv = process.env) {
	const command = [join(root, 'scripts', 'installAndRun.mjs'), 'demo/cli.ts', ...args];
	return spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function finished(args: string[]) {
	const child = start(args);
	const [stdout, stderr, [code]] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		once(child, 'exit'),
	]);
	return { stdout, stderr, code };
}

const processes = () =>
	execFileSync('ps', ['-Ao', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
		.trim()
		.split('\n')
		.map((line) => {
			const [pid, parent, state, ...args] = line.trim().split(/\s+/);
			return { pid: Number(pid), parent: Number(parent), state, args: args.join(' ') };
		})
		.filter(({ state }) => !state.startsWith('Z')); // ended, which its parent has not heard yet

/** The processes that one has started, and those that these have started. */
function startedBy(pid: number): ReturnType<typeof processes> {
	const children = processes().filter(({ parent }) => parent === pid);
	return [...children, ...children.flatMap((child) => startedBy(child.pid))];
}

describe('the command line of the demo', () => {
	it('explains its options', async () => {
		const { stdout, code } = await finished(['--help']);
		expect({ stdout, code }).toEqual({ stdout: expect.stringContaining('--check'), code: 0 });
	});

	it.each([
		['an unknown option', ['--chekc'], "Unknown option '--chekc'"],
		['an option without the one it belongs to', ['--json'], '--json needs --check'],
		['an argument', ['now'], "Unexpected argument 'now'"],
		['data to keep of a check', ['--keep', '--check'], '--keep goes with neither'],
	])('refuses %s in one line', async (_, args, message) => {
		const { stderr, code } = await finished(args);
		expect({ lines: stderr.trim().split('\n'), code }).toEqual({
			lines: [expect.stringContaining(message)],
			code: 2,
		});
	});

	describe('at its end', () => {
		let temporary: string;

		beforeAll(() => (temporary = mkdtempSync(join(tmpdir(), 'credit-profile-test-'))));
		afterAll(() => rmSync(temporary, { recursive: true, force: true }));

		const here = () => ({ ...process.env, TMPDIR: temporary });
		const nothingIsLeft = async (isRunning: () => Promise<boolean> | boolean) => {
			await until('nothing runs, and nothing is left', async () => {
				const left = readdirSync(temporary).filter((name) => name.startsWith('credit-profile'));
				return left.length === 0 && !(await isRunning());
			});
		};

		it("SIGINT to npm's child process leaves no processes and no files", async () => {
			const child = start(['--port', String(await freeDemoPort())], here());
			const urls: string[] = [];
			for await (const line of createInterface({ input: child.stdout })) {
				const [, url] = /^(?:n8n|sandbox) +(http\S+)$/.exec(line) ?? [];
				if (url) urls.push(url);
				if (line.startsWith('Ctrl-C')) break;
			}
			expect(urls).toHaveLength(2);
			child.kill('SIGINT');
			const [code] = (await once(child, 'exit')) as [number];
			expect(code).toBe(0);
			await nothingIsLeft(async () => {
				const answers = await Promise.allSettled(urls.map(async (url) => await fetchUnpooled(url)));
				return answers.some(({ status }) => status === 'fulfilled');
			});
		});

		it('SIGTERM to npm while n8n starts leaves no processes and no files', async () => {
			const port = String(await freeDemoPort());
			const npm = spawn('npm', ['run', '--silent', 'demo', '--', '--port', port], {
				cwd: repositoryRoot,
				env: here(),
			});
			const begun = await until('n8n starts', () => {
				const started = startedBy(npm.pid as number);
				return started.some(({ args }) => /^\S+ \S+\/n8n start$/.test(args)) && started;
			});
			expect(begun.map(({ args }) => args).join('\n')).toContain('sandbox/cli.ts');
			npm.kill('SIGTERM');
			await nothingIsLeft(() => {
				const running = new Set(processes().map(({ pid }) => pid));
				return begun.some(({ pid }) => running.has(pid));
			});
		});
	});
});
