// Installs a folder's packages from its lock, telling every few seconds how far it is. Plain JavaScript,
// because it also installs the tools that run TypeScript.
//   node demo/install.mjs demo/n8n-host
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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

const isRunning = (pid) => {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
};

/** Waits while another process installs in the folder: two at once would spoil it. Resolves with what ends the turn. */
async function turnIn(folder) {
	const lock = join(folder, '.installing');
	for (;;) {
		try {
			writeFileSync(lock, String(process.pid), { flag: 'wx' });
			return () => rmSync(lock, { force: true });
		} catch {
			const holder = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0;
			if (holder > 0 && !isRunning(holder)) rmSync(lock, { force: true });
			await sleep(250);
		}
	}
}

/** Runs `npm ci` in the folder unless that is done. Everything said goes to stderr. Throws when npm does not succeed. */
export async function ensureInstalled(folder) {
	if (isInstalled(folder)) return;
	const end = await turnIn(folder);
	try {
		if (!isInstalled(folder)) await install(folder);
	} finally {
		end();
	}
}

async function install(folder) {
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
