import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../../demo/installPackage';
import type { SandboxCommand } from '../../../demo/sandbox';
import { startOnFirstUsePerFile } from './shared';

export const runCommand = (command: string, args: string[], cwd: string) =>
	execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

interface SandboxPackage {
	folder: string;
	program: SandboxCommand;
	/** The same by npx, which takes a second more. */
	byNpx: SandboxCommand;
}

async function install(folder: string): Promise<SandboxPackage> {
	runCommand(
		process.execPath,
		['--import', 'tsx', join(repositoryRoot, 'release', 'bundleSandbox.ts')],
		repositoryRoot,
	);
	const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
	const [{ filename }] = JSON.parse(
		runCommand('npm', pack, join(repositoryRoot, 'sandbox')),
	) as Array<{ filename: string }>;
	await writeFile(join(folder, 'package.json'), '{"private":true}');
	runCommand('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${filename}`], folder);
	const bin = join(folder, 'node_modules', '.bin', 'credit-profile-sandbox');
	return {
		folder,
		program: { command: bin, args: [], cwd: folder },
		byNpx: {
			command: 'npm',
			args: ['exec', '--offline', '--', 'credit-profile-sandbox'],
			cwd: folder,
		},
	};
}

/** The package of the sandbox, as for publication, installed in an empty folder. */
export const installSandboxPackageOnce = startOnFirstUsePerFile(
	async () => await install(await mkdtemp(join(tmpdir(), 'credit-profile-sandbox-'))),
	async ({ folder }) => await rm(folder, { recursive: true, force: true }),
);
