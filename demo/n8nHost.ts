import { existsSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { npm } from './npm';
import type { Processes } from './processes';

const windows = process.platform === 'win32';

/** A pinned n8n and the Node it runs on. */
export interface Host {
	folder: string;
	node: string;
	n8n: string;
	/** n8n starts its task runner as `node`, so its own Node must come first. */
	path: string;
}

/** The n8n that the lock in this folder pins; see `ensureHost`. */
export function hostIn(folder: string): Host {
	const modules = join(folder, 'node_modules');
	return {
		folder,
		node: join(modules, 'node', 'bin', windows ? 'node.exe' : 'node'),
		n8n: join(modules, 'n8n', 'bin', 'n8n'),
		path: [join(modules, 'node', 'bin'), process.env.PATH].join(delimiter),
	};
}

/** The demo's n8n, which the tests run on, too. */
export const host = hostIn(join(__dirname, 'n8n-host'));

/** node-gyp would compile against the headers named in the user's npm settings, which are another Node's. */
function headers(folder: string): NodeJS.ProcessEnv {
	const modules = join(folder, 'node_modules');
	const name = `node-${windows ? 'win' : process.platform}-${process.arch}`;
	const nodedir = [join(modules, 'node', 'node_modules', name), join(modules, name)].find((path) =>
		existsSync(join(path, 'include', 'node', 'node_version.h')),
	);
	return nodedir ? { npm_config_nodedir: nodedir } : {};
}

interface Rebuild {
	processes: Processes;
	log: (line: string) => void;
	folder: string;
	/** The Node that npm runs on. */
	by: string;
	env?: NodeJS.ProcessEnv;
}

/** What building SQLite needs, which Node does not bring, and how to get it. */
export function toolchain(platform: NodeJS.Platform): string {
	const ways: Partial<Record<NodeJS.Platform, string>> = {
		darwin: 'run: xcode-select --install',
		win32:
			'install the Visual Studio Build Tools with "Desktop development with C++", and Python 3',
	};
	const way =
		ways[platform] ?? 'on Debian and Ubuntu run: sudo apt-get install build-essential python3';
	return `n8n's database, SQLite, is built on this machine; that needs a C++ compiler, make and Python 3. If they are missing, ${way}. Then run the same command again.`;
}

const works = async (processes: Processes, { folder }: Host, command: string, ...args: string[]) =>
	(await processes.start(command, args, { cwd: folder }).exited) === 0;

/** Runs a package's own install script, which `npm ci` leaves out, telling every few seconds how long it takes. */
async function rebuild(what: string, { processes, log, folder, by, env }: Rebuild): Promise<void> {
	const name = basename(folder);
	const started = Date.now();
	const seconds = () => Math.round((Date.now() - started) / 1000);
	const progress = setInterval(() => log(`${name}: ${what}, ${seconds()} s …`), 5_000);
	try {
		await processes.run(
			...npm(['rebuild', what, '--ignore-scripts=false'], { env: process.env, execPath: by }),
			{ cwd: folder, env: { ...process.env, ...env } },
		);
	} finally {
		clearInterval(progress);
	}
	log(`${name}: ${what} is ready after ${seconds()} s`);
}

/** Makes sure that the folder's packages are there, and the Node that it pins. */
export async function ensureNode(
	processes: Processes,
	log: (line: string) => void,
	host: Host,
): Promise<void> {
	const { folder, node } = host;
	await processes.run(process.execPath, [join(__dirname, 'install.mjs'), folder], { onLine: log });
	if (existsSync(node) && (await works(processes, host, node, '--version'))) return;
	log(`${basename(folder)}: fetching its Node …`);
	await rebuild('node', { processes, log, folder, by: process.execPath });
}

/**
 * Makes sure that the pinned n8n can start: its packages, its own Node, and SQLite built for that Node.
 * Each part is done only if it is missing, so an install that was cut short is completed by the next call.
 */
export async function ensureHost(
	processes: Processes,
	log: (line: string) => void,
	of: Host = host,
): Promise<void> {
	const { folder, node, path } = of;
	await ensureNode(processes, log, of);
	if (await works(processes, of, node, '-e', 'require("sqlite3")')) return;
	log(`${basename(folder)}: building SQLite (about 1 minute) …`);
	// The compiler takes 16 s instead of 48. Nobody measures SQLite in CI.
	const quick = process.env.CI ? { CFLAGS: '-O1' } : {};
	const env = { PATH: path, ...quick, ...headers(folder) };
	await rebuild('sqlite3', { processes, log, folder, by: node, env }).catch((error: Error) => {
		throw new Error(`${error.message}\n${toolchain(process.platform)}`);
	});
}
