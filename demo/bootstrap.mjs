// Runs a TypeScript program of this repository, and first installs the dependencies if they are missing
// or older than the lock. Plain JavaScript, because at this point nothing may be installed.
//   node demo/bootstrap.mjs sandbox/cli.ts --port 4010
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const lock = join(root, 'package-lock.json');
const installed = join(root, 'node_modules', '.package-lock.json'); // npm writes it last

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
	console.error('Installing the development dependencies (about 1,060 packages, 1 to 2 minutes) …');
	const npm = spawnSync('npm', ['ci', '--no-progress', '--loglevel=error'], {
		cwd: root,
		stdio: ['ignore', 'inherit', 'inherit'],
		shell: process.platform === 'win32',
	});
	if (npm.status !== 0) {
		console.error(
			'npm ci did not succeed; its message stands above. Mend that and run this again.',
		);
		process.exit(npm.status ?? 1);
	}
}

const [program, ...args] = process.argv.slice(2);
const child = spawn(process.execPath, ['--import', 'tsx', join(root, program), ...args], {
	cwd: root,
	stdio: 'inherit',
});
// Ctrl-C reaches the child from the terminal; wait for it to clean up. SIGTERM is passed on.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
