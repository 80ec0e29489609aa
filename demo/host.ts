import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Processes } from './processes';

const folder = join(__dirname, 'n8n-host');
const modules = join(folder, 'node_modules');
const windows = process.platform === 'win32';

/** The pinned n8n and the Node it runs on; see `ensureHost`. */
export const host = {
	folder,
	node: join(modules, 'node', 'bin', windows ? 'node.exe' : 'node'),
	n8n: join(modules, 'n8n', 'bin', 'n8n'),
	/** n8n starts its task runner as `node`, so its own Node must come first. */
	path: [join(modules, 'node', 'bin'), process.env.PATH].join(delimiter),
};

/** node-gyp would compile against the headers named in the user's npm settings, which are another Node's. */
function headers(): NodeJS.ProcessEnv {
	const name = `node-${windows ? 'win' : process.platform}-${process.arch}`;
	const nodedir = [join(modules, 'node', 'node_modules', name), join(modules, name)].find((path) =>
		existsSync(join(path, 'include', 'node', 'node_version.h')),
	);
	return nodedir ? { npm_config_nodedir: nodedir } : {};
}

/**
 * Makes sure that the pinned n8n can start: its packages, its own Node, and SQLite built for that Node.
 * Each part is done only if it is missing, so an install that was cut short is completed by the next call.
 */
export async function ensureHost(processes: Processes, log: (line: string) => void): Promise<void> {
	const works = async (command: string, ...args: string[]) =>
		(await processes.start(command, args, { cwd: folder }).exited) === 0;

	await processes.run(process.execPath, [join(__dirname, 'install.mjs'), folder], { onLine: log });
	const rebuild = async (name: string, env: NodeJS.ProcessEnv) => {
		const started = Date.now();
		const seconds = () => Math.round((Date.now() - started) / 1000);
		const progress = setInterval(() => log(`n8n-host: ${name}, ${seconds()} s …`), 5_000);
		try {
			await processes.run('npm', ['rebuild', name, '--ignore-scripts=false'], {
				cwd: folder,
				env: { ...process.env, ...env },
			});
		} finally {
			clearInterval(progress);
		}
		log(`n8n-host: ${name} is ready after ${seconds()} s`);
	};
	if (!existsSync(host.node) || !(await works(host.node, '--version'))) {
		log('n8n-host: fetching the Node that n8n runs on …');
		await rebuild('node', {});
	}
	if (!(await works(host.node, '-e', 'require("sqlite3")'))) {
		log('n8n-host: building SQLite (about 1 minute) …');
		await rebuild('sqlite3', { PATH: host.path, ...headers() });
	}
}
