import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installationPathsIn, type N8nInstallation } from '../../demo/pinnedN8nInstallation';

const root = join(__dirname, '..', '..');
const folder = join(__dirname, 'nodes');
const jest = join('node_modules', 'jest', 'bin', 'jest.js');
const installAndRun = join('scripts', 'installAndRun.mjs');

/** Each Node that the repository's own tools are run on, by its major version; its folder pins it. */
export const nodeRuntimes = readdirSync(folder)
	.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
	.map((major) => ({ major, host: installationPathsIn(join(folder, major)) }));

/** Defines what is run on each: the command's arguments after `node`. */
const tools = new Map([
	['Unit tests', [jest, '--selectProjects', 'unit']],
	['Node and sandbox tests', [jest, '--selectProjects', 'nodes', 'sandbox', '--maxWorkers', '4']],
	[
		'`npx credit-profile-sandbox`',
		[
			jest,
			...['--selectProjects', 'e2e', '--testPathPatterns', 'e2e/nodes'],
			...[
				'--testNamePattern',
				'package of the sandbox.*(brings|explains|starts by npx|every flag)',
			],
		],
	],
	['`npm run demo -- --check`', [installAndRun, join('demo', 'cli.ts'), '--check']],
]);

/** Runs the repository's tools on one Node; returns for each whether it ended well. */
export async function runRepoToolsOnNode(host: N8nInstallation): Promise<Map<string, boolean>> {
	const results = new Map<string, boolean>();
	for (const [title, args] of tools) {
		const child = spawn(host.node, args, {
			cwd: root,
			env: { ...process.env, PATH: host.path },
			stdio: ['ignore', 'ignore', 'inherit'],
		});
		const [code] = (await once(child, 'exit')) as [number | null];
		results.set(title, code === 0);
	}
	return results;
}
