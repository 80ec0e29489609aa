import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';

/** A pinned n8n and the Node it runs on. */
export interface N8nInstallation {
	folder: string;
	node: string;
	n8n: string;
	/** n8n starts its task runner as `node`, so its own Node must come first. */
	path: string;
}

/** The n8n that the lock in this folder pins; see `ensureN8nInstalled`. */
export function installationPathsIn(folder: string): N8nInstallation {
	const modules = join(folder, 'node_modules');
	return {
		folder,
		node: join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node'),
		n8n: join(modules, 'n8n', 'bin', 'n8n'),
		path: [join(modules, 'node', 'bin'), process.env.PATH].join(delimiter),
	};
}

/** The demo's n8n, which the tests run on, too. */
export const pinnedInstallation = installationPathsIn(join(__dirname, 'n8n-host'));

/** Installs what the folder's lock pins, unless it is there, and shows the progress on stderr. */
export async function ensureN8nInstalled(
	{ folder }: N8nInstallation = pinnedInstallation,
	signal?: AbortSignal,
): Promise<void> {
	const script = join(__dirname, '..', 'scripts', 'install.mjs');
	const child = spawn(process.execPath, [script, folder], {
		stdio: ['ignore', 2, 2],
		signal,
	});
	const [code] = (await once(child, 'close')) as [number | null];
	if (code !== 0) throw new Error(`The packages of ${folder} could not be installed`);
}
