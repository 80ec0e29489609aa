import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { SmokeTestReport } from '../../demo/smokeTest';
import { describeWithStores } from './support/describeWithStores';
import { until } from '../support/until';

const root = join(__dirname, '..', '..');

/** Skipped without Redis or PostgreSQL. In CI they must not be missing. */

describeWithStores('n8n in queue mode, with the package in every process', () => {
	let temporary: string;

	beforeAll(() => {
		temporary = mkdtempSync(join(tmpdir(), 'credit-profile-queue-test-'));
		chmodSync(temporary, 0o755); // PostgreSQL runs as another user
	});
	afterAll(() => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));

	const start = (...args: string[]): ChildProcess =>
		spawn(process.execPath, ['--import', 'tsx', join('demo', 'cli.ts'), '--queue', ...args], {
			cwd: root,
			env: { ...process.env, TMPDIR: temporary },
			stdio: ['ignore', 'pipe', 'pipe'],
		});
	/** The processes that were started with a folder of this test. */
	const running = () =>
		execFileSync('ps', ['-Ao', 'args'], { encoding: 'utf8' })
			.split('\n')
			.filter((line) => line.includes(temporary));

	it('takes an applicant from the form to the result after a killed run', async () => {
		const first = start('--check');
		for await (const line of createInterface({ input: first.stderr! })) {
			if (line.includes('the main')) break; // PostgreSQL and Redis run by now
		}
		expect(running().join('\n')).toMatch(/postgres[\s\S]*redis|redis[\s\S]*postgres/);
		first.kill('SIGKILL');
		await until('all processes have ended', () => running().length === 0);

		const second = start('--check', '--json');
		const [stdout, stderr, [code]] = await Promise.all([
			text(second.stdout!),
			text(second.stderr!),
			once(second, 'exit'),
		]);
		expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
		expect(JSON.parse(stdout) as SmokeTestReport).toMatchObject({ ok: true, problem: null });
		expect(running()).toEqual([]);
	});
});
