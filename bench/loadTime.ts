import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureN8nInstalled, pinnedInstallation } from '../demo/n8nInstallation';
import { repositoryRoot } from '../demo/installPackage';
import { median, round, type BenchOptions, type BenchResult } from './support/result';

const RUNS_PER_ROUND = 4;

/** Loads every node and credential type in a process that has n8n-workflow and luxon loaded, as n8n has. */
const PROGRAM = `
	require('n8n-workflow');
	require('luxon');
	const cpu = process.cpuUsage();
	for (const path of process.argv.slice(1)) new (require(path)[path.split('/').pop().split('.')[0]])();
	const { user, system } = process.cpuUsage(cpu);
	console.log((user + system) / 1000);`;

/**
 * Measures the CPU time in which n8n's Node loads the built package. Wall time depends more on the machine's other
 * work.
 */
export async function run({ rounds, log }: BenchOptions): Promise<BenchResult> {
	await ensureN8nInstalled();
	log('building');
	execFileSync('npm', ['run', '--silent', 'build'], {
		cwd: repositoryRoot,
		stdio: 'ignore',
		shell: process.platform === 'win32',
	});
	const { n8n } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as {
		n8n: { nodes: string[]; credentials: string[] };
	};
	const milliseconds = (paths: string[]) => {
		const files = paths.map((path) => join(repositoryRoot, path).replaceAll('\\', '/'));
		const runs = Array.from({ length: rounds * RUNS_PER_ROUND }, () =>
			Number(
				execFileSync(pinnedInstallation.node, ['-e', PROGRAM, ...files], { cwd: repositoryRoot }),
			),
		);
		return round(median(runs), 1);
	};
	const version = execFileSync(pinnedInstallation.node, ['--version'], { encoding: 'utf8' }).trim();
	const nodes = milliseconds(n8n.nodes);
	const all = milliseconds([...n8n.nodes, ...n8n.credentials]);
	return {
		name: 'load',
		setting: `Median of ${rounds * RUNS_PER_ROUND} fresh processes, Node ${version}.`,
		rows: [
			{ what: 'all nodes', 'CPU ms': nodes },
			{ what: 'all nodes and credential types', 'CPU ms': all },
		],
		verdicts: [{ what: 'CPU ms to load all nodes', value: nodes, atMost: 40 }],
	};
}
