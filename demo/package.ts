import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Processes } from './processes';

export const root = join(__dirname, '..');

/**
 * Builds the package, packs it as for publication, and unpacks it where n8n's own installer puts a community
 * package: `<userFolder>/.n8n/nodes/node_modules/<name>`, without its development and peer dependencies.
 * What it needs at run time comes from n8n itself.
 */
export async function installPackage(processes: Processes, userFolder: string): Promise<void> {
	await processes.run('npm', ['run', 'build', '--silent'], { cwd: root });

	const nodes = join(userFolder, '.n8n', 'nodes');
	await mkdir(nodes, { recursive: true });
	const packed = await processes.run('npm', ['pack', '--silent', '--pack-destination', nodes], {
		cwd: root,
	});
	const tarball = join(nodes, packed.trim().split('\n').at(-1) ?? '');

	const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
	const target = join(nodes, 'node_modules', name);
	await mkdir(target, { recursive: true });
	await processes.run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
	await rm(tarball);

	const manifest = join(target, 'package.json');
	const published = JSON.parse(await readFile(manifest, 'utf8'));
	delete published.devDependencies;
	delete published.peerDependencies;
	await writeFile(manifest, JSON.stringify(published, null, 2));
	await writeFile(
		join(nodes, 'package.json'),
		JSON.stringify({ name: 'installed-nodes', private: true, dependencies: { [name]: version } }),
	);
}
