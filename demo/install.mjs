// Installs a folder's packages from its lock, telling every few seconds how far it is. Plain JavaScript,
// because it also installs the tools that run TypeScript.
//   node demo/install.mjs demo/n8n-host
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROGRESS_EVERY_MS = 5_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const bunFolder = join(dirname(fileURLToPath(import.meta.url)), 'bun');

/** Written below `node_modules` when Bun has ended well. */
const MARK = '.installed';

/** npm writes its hidden lock last: an install that was cut short, or is older than the lock, is not complete. */
function isInstalled(folder) {
	const locked = statSync(join(folder, 'package-lock.json')).mtimeMs;
	return ['.package-lock.json', MARK]
		.map((name) => join(folder, 'node_modules', name))
		.some((proof) => existsSync(proof) && statSync(proof).mtimeMs >= locked);
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

/**
 * The program of Bun, which npm installs in 3 s: it then installs packages in seconds for which npm takes minutes. Their
 * versions are those of npm's lock; their folders may be nested otherwise. Undefined where Bun has no program for this system.
 */
async function findBun() {
	await ensureInstalled(bunFolder).catch(() => {}); // npm does without it
	const systems = join(bunFolder, 'node_modules', '@oven');
	return (existsSync(systems) ? readdirSync(systems) : [])
		.flatMap((system) => ['bun', 'bun.exe'].map((name) => join(systems, system, 'bin', name)))
		.find(existsSync);
}

/** Runs a program in the folder; resolves with its exit code. Everything said goes to stderr. */
async function run(program, args, folder, env = {}) {
	const child = spawn(program, args, {
		cwd: folder,
		stdio: ['ignore', 2, 2],
		shell: program === 'npm' && process.platform === 'win32',
		env: { ...process.env, ...env },
	});
	// It takes its time after SIGTERM; what it leaves behind, and the lock, is put right by the next run.
	const stop = () => {
		child.kill('SIGKILL');
		process.exit(130);
	};
	for (const signal of SIGNALS) process.once(signal, stop);
	try {
		return await new Promise((done, fail) => child.on('error', fail).on('exit', done));
	} finally {
		for (const signal of SIGNALS) process.off(signal, stop);
	}
}

const BUN_INSTALL = [
	...['install', '--frozen-lockfile', '--no-save', '--ignore-scripts', '--linker', 'hoisted'],
	...['--no-progress', '--no-summary'],
];

/** Whether Bun has installed the folder's packages. */
async function installByBun(folder) {
	const bun = resolve(folder) === bunFolder ? undefined : await findBun();
	if (!bun) return false;
	const modules = join(folder, 'node_modules');
	rmSync(modules, { recursive: true, force: true, maxRetries: 5 }); // as npm ci does
	const env = { BUN_INSTALL_CACHE_DIR: join(resolve(modules), '.bun-cache') };
	if ((await run(bun, BUN_INSTALL, folder, env).catch(() => 1)) !== 0) return false;
	writeFileSync(join(modules, MARK), '');
	return true;
}

/** Installs the packages of the folder, unless that is done. Everything said goes to stderr. Throws when npm does not succeed. */
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
	console.error(
		`${name}: installing about ${total} packages (up to a few minutes, only this once) …`,
	);
	const progress = setInterval(() => {
		const done = folders.filter((path) => existsSync(join(path, 'package.json'))).length;
		const seconds = Math.round((Date.now() - started) / 1000);
		const what = done > 0 ? `${done.toLocaleString('en')} of ${total} packages` : 'fetching';
		console.error(`${name}: ${what}, ${seconds} s …`);
	}, PROGRESS_EVERY_MS);

	try {
		const isDone =
			(await installByBun(folder)) ||
			(await run('npm', ['ci', '--no-progress', '--loglevel=error'], folder)) === 0;
		if (!isDone) {
			throw new Error(
				`npm ci did not succeed in ${folder}; see its message above. Fix that, then run the same command again.`,
			);
		}
	} finally {
		clearInterval(progress);
	}
	console.error(`${name}: installed in ${Math.round((Date.now() - started) / 1000)} s`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	await ensureInstalled(process.argv[2]).catch((error) => {
		console.error(error.message);
		process.exit(1);
	});
}
