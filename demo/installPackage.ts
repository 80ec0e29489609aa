import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Processes } from './processes';

export const repositoryRoot = join(__dirname, '..');

/** Sources that are newer than dist/ make it stale. */
async function isBuilt(): Promise<boolean> {
	const built = await stat(join(repositoryRoot, 'dist', '.built')).catch(() => undefined);
	if (!built) return false;
	const sources = await Promise.all(
		['credentials', 'icons', 'nodes'].map(async (folder) =>
			(await readdir(join(repositoryRoot, folder), { recursive: true })).map((name) =>
				join(folder, name),
			),
		),
	);
	const files = [...sources.flat(), 'gulpfile.js', 'package.json'];
	const stats = await Promise.all(
		files.map(async (file) => await stat(join(repositoryRoot, file))),
	);
	return stats.every(({ mtimeMs }) => mtimeMs <= built.mtimeMs);
}

/** Builds the package unless dist/ is current. */
export async function ensurePackageBuilt(processes: Processes): Promise<void> {
	if (!(await isBuilt()))
		await processes.run('npm', ['run', 'build', '--silent'], { cwd: repositoryRoot });
}

/** The archive of the package as for publication, made once for each build. */
async function packed(processes: Processes): Promise<string> {
	await ensurePackageBuilt(processes);
	const folder = join(repositoryRoot, 'dist', '.packed');
	const archive = async () => (await readdir(folder).catch(() => [])).at(0);
	if ((await archive()) === undefined) {
		const fresh = await mkdtemp(join(repositoryRoot, 'dist', '.packing-'));
		const destination = relative(repositoryRoot, fresh); // without spaces, whatever the path of the clone
		await processes.run('npm', ['pack', '--silent', '--pack-destination', destination], {
			cwd: repositoryRoot,
		});
		// Another process may have been quicker.
		await rename(fresh, folder).catch(async () => await rm(fresh, { recursive: true }));
	}
	return join(folder, (await archive()) as string);
}

const { repository } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as {
	repository: { url: string };
};
/** The address of the documentation in the published package. */
export const PUBLISHED_DOCS_URL = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/`;

/** Replaces the address of the documentation, in a folder's files. */
async function relink(folder: string, documentation: string): Promise<void> {
	for (const name of await readdir(folder, { recursive: true })) {
		if (!/\.js(on)?$/.test(name)) continue;
		const path = join(folder, name);
		const text = await readFile(path, 'utf8');
		if (!text.includes(PUBLISHED_DOCS_URL)) continue;
		await writeFile(path, text.replaceAll(PUBLISHED_DOCS_URL, documentation));
	}
}

/**
 * Builds the package if that is due, packs it as for publication, and unpacks it where n8n's own installer puts a
 * community package. That is `<userFolder>/.n8n/nodes/node_modules/<name>`, without development and peer
 * dependencies. n8n itself provides the run-time dependencies. Its links lead to the pages at `documentation`, if given.
 */
export async function installPackage(
	processes: Processes,
	userFolder: string,
	documentation?: string,
): Promise<void> {
	const archive = await packed(processes);
	const nodes = join(userFolder, '.n8n', 'nodes');

	const { name, version } = JSON.parse(
		await readFile(join(repositoryRoot, 'package.json'), 'utf8'),
	);
	const target = join(nodes, 'node_modules', name);
	await mkdir(target, { recursive: true });
	await processes.run('tar', ['-xzf', archive, '-C', target, '--strip-components=1']);

	if (documentation !== undefined) await relink(join(target, 'dist'), documentation);

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
