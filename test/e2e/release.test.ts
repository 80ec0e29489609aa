import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '..', '..');
const run = promisify(execFile);

describe('a release', () => {
	it('is tried without changing anything here', async () => {
		const status = async () => (await run('git', ['status', '--porcelain'], { cwd: root })).stdout;
		const before = await status();
		const args = [join('scripts', 'installAndRun.mjs'), join('release', 'cli.ts'), '--dry-run'];
		const env = { ...process.env, NODE_ENV: undefined }; // a plugin of ESLint judges otherwise in a test
		const { stdout } = await run(process.execPath, args, { cwd: root, env });
		expect(stdout).toMatch(/installs: n8n-nodes-credit-profile-.*\.tgz: 1 package/);
		expect(stdout).toMatch(/installs: credit-profile-sandbox-.*\.tgz: 1 package/);
		expect(await status()).toBe(before);
	});
});
