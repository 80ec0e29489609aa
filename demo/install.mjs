// Installs a folder's packages from its lock, telling every few seconds how far it is. Plain JavaScript,
// because it also installs the tools that run TypeScript.
//   node demo/install.mjs demo/n8n-host
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRESS_EVERY_MS = 5_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** npm writes the hidden lock last: an install that was cut short, or is older than the lock, is not complete. */
function isInstalled(folder) {
	const hiddenLock = join(folder, 'node_modules', '.package-lock.json');
	return (
		existsSync(hiddenLock) &&
		statSync(hiddenLock).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs
	);
}

/** The folders that npm will fill here: without the packages made for other systems. */
function packageFolders(folder) {
	const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
	const suits = (allowed, here) => !allowed || allowed.includes(here);
	return Object.entries(packages)
		.filter(
			([path, { os, cpu }]) => path && suits(os, process.platform) && suits(cpu, process.arch),
		)
		.map(([path]) => join(folder, path));
}

/** Runs `npm ci` in the folder unless that is done. Everything said goes to stderr. Throws when npm does not succeed. */
export async function ensureInstalled(folder) {
	if (isInstalled(folder)) return;
	const name = basename(resolve(folder));
	const folders = packageFolders(folder);
	const started = Date.now();
	const total = folders.length.toLocaleString('en');
	console.error(`${name}: installing about ${total} packages (a few minutes, only this once) …`);
	const progress = setInterval(() => {
		const done = folders.filter((path) => existsSync(join(path, 'package.json'))).length;
		const seconds = Math.round((Date.now() - started) / 1000);
		const what = done > 0 ? `${done.toLocaleString('en')} of ${total} packages` : 'fetching';
		console.error(`${name}: ${what}, ${seconds} s …`);
	}, PROGRESS_EVERY_MS);

	const npm = spawn('npm', ['ci', '--no-progress', '--loglevel=error'], {
		cwd: folder,
		stdio: ['ignore', 2, 2],
		shell: process.platform === 'win32',
	});
	// npm takes its time after SIGTERM; what it leaves behind is put right by the next run.
	const stop = () => npm.kill('SIGKILL');
	for (const signal of SIGNALS) process.once(signal, stop);
	try {
		const code = await new Promise((done, fail) => npm.on('error', fail).on('exit', done));
		if (code !== 0) {
			throw new Error(
				`npm ci did not succeed in ${folder}; see its message above. Fix that, then run the same command again.`,
			);
		}
	} finally {
		clearInterval(progress);
		for (const signal of SIGNALS) process.off(signal, stop);
	}
	console.error(`${name}: installed in ${Math.round((Date.now() - started) / 1000)} s`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	await ensureInstalled(process.argv[2]).catch((error) => {
		console.error(error.message);
		process.exit(1);
	});
}
