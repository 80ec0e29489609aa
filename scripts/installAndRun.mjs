// Runs a TypeScript program of this repository, and first installs the dependencies if they are missing.
// Plain JavaScript, because at this point nothing may be installed.
//   node scripts/installAndRun.mjs sandbox/cli.ts --port 4010
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const [program, ...args] = process.argv.slice(2);
// The demo needs its n8n, too, unless it only explains itself.
const needsN8n = program === 'demo/cli.ts' && !args.includes('--help');
try {
	await install(root, ...(needsN8n ? [join(root, 'demo', 'n8n-host')] : []));
} catch (error) {
	console.error(error.message);
	process.exit(1);
}

const child = spawn(process.execPath, ['--import', 'tsx', join(root, program), ...args], {
	cwd: root,
	stdio: 'inherit',
});
// Passed on, because only a terminal's Ctrl-C reaches the child by itself; then wait for it to clean up.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
// npm's shell dies without passing SIGTERM on, so a lost parent means SIGTERM.
const parent = process.ppid;
const watch = setInterval(() => {
	if (process.ppid === parent) return;
	clearInterval(watch);
	child.kill('SIGTERM');
}, 500);
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
