import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { root } from '../../demo/package';
import { until } from '../support/until';

const MINUTES = 60_000;
const demo = join(__dirname, '..', '..', 'demo');

/** Starts the demo's command line as `npm run demo` does. */
function start(args: string[], env: NodeJS.ProcessEnv = process.env) {
	const command = [join(demo, 'bootstrap.mjs'), 'demo/cli.ts', ...args];
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

describe('the command line of the demo', () => {
	it('explains its options', async () => {
		const { stdout, code } = await finished(['--help']);
		expect({ stdout, code }).toEqual({ stdout: expect.stringContaining('--check'), code: 0 });
	});

	it.each([
		['an unknown option', ['--chekc'], "Unknown option '--chekc'"],
		['an option without the one it belongs to', ['--json'], '--json needs --check'],
		['an argument', ['now'], "Unexpected argument 'now'"],
	])('refuses %s in one line', async (_, args, message) => {
		const { stderr, code } = await finished(args);
		expect({ lines: stderr.trim().split('\n'), code }).toEqual({
			lines: [expect.stringContaining(message)],
			code: 2,
		});
	});

	describe('when it is told to end', () => {
		let temporary: string;

		beforeAll(() => (temporary = mkdtempSync(join(tmpdir(), 'credit-profile-test-'))));
		afterAll(() => rmSync(temporary, { recursive: true, force: true }));

		const npm = () => spawn('npm', ['run', '--silent', 'demo'], { cwd: root, env: here() });
		const here = () => ({ ...process.env, TMPDIR: temporary });
		it.each([
			['SIGINT to the process that npm started', 'SIGINT', () => start([], here())],
			['SIGTERM to npm, whose shell passes nothing on', 'SIGTERM', npm],
		] as const)(
			'by %s, leaves nothing running and nothing behind',
			async (_how, signal, begin) => {
				const child = begin();
				const urls: string[] = [];
				for await (const line of createInterface({ input: child.stdout })) {
					const [, url] = /^(?:n8n|sandbox) +(http\S+)$/.exec(line) ?? [];
					if (url) urls.push(url);
					if (line.startsWith('Ctrl-C')) break;
				}
				expect(urls).toHaveLength(2);
				child.kill(signal);
				const [code] = await once(child, 'exit');
				if (signal === 'SIGINT') expect(code).toBe(0);
				await until('nothing runs, and nothing is left', async () => {
					const answers = await Promise.allSettled(urls.map(async (url) => await fetch(url)));
					const left = readdirSync(temporary).filter((name) => name.startsWith('credit-profile'));
					return answers.every(({ status }) => status === 'rejected') && left.length === 0;
				});
			},
			3 * MINUTES,
		);
	});
});
