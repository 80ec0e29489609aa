// npm run docs:architecture: draws the modules of nodes/ and who imports whom into docs/maintainers/architecture.md, from the code.
// With --check it only says whether the picture there is current.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');
const document = join(root, 'docs', 'maintainers', 'architecture.md');
const PICTURE = /(?<=<!-- picture -->\n)[\s\S]*(?=<!-- \/picture -->)/;

interface Module {
	source: string;
	dependencies: Array<{ resolved: string }>;
}

function modules(): Module[] {
	const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
	const { stdout, stderr } = spawnSync(
		process.execPath,
		[cruiser, 'nodes', 'credentials', '--output-type', 'json'],
		{ cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 },
	);
	if (!stdout) throw new Error(stderr);
	return (JSON.parse(stdout) as { modules: Module[] }).modules;
}

/** Returns the module of a file: a folder with files in it. */
const folderOf = (path: string) =>
	/^(nodes|credentials|contract)\//.test(path)
		? path
				.replace(/^contract\/.*/, 'contract/')
				.replace(/[^/]*$/, '')
				.slice(0, -1)
		: undefined;

/** Returns who imports whom, but for what a family takes from nodes/shared: that is all of it. */
function arrows(all: Module[]): Array<[from: string, to: string]> {
	const shared = (folder: string) => folder.startsWith('nodes/shared/');
	const found = new Set<string>();
	for (const { source, dependencies } of all) {
		for (const { resolved } of dependencies) {
			const [from, to] = [folderOf(source), folderOf(resolved)];
			if (!from || !to || from === to) continue;
			if (from.startsWith('nodes/') && shared(to) && !shared(from)) continue;
			found.add(`${from} ${to}`);
		}
	}
	return [...found].sort().map((arrow) => arrow.split(' ') as [string, string]);
}

/** Mermaid's text: one box for each module, one frame for each folder of nodes/, one arrow for "imports". */
function draw(folders: string[], pairs: Array<[string, string]>): string {
	const id = (folder: string) => folder.replace(/\W/g, '_');
	const box = (folder: string) => {
		const [, family, name = `the files of nodes/${family}`] = folder.split('/');
		return `${id(folder)}["${family ? name : folder}"]`;
	};
	const inNodes = folders.filter((folder) => folder.startsWith('nodes/'));
	const frames = [...new Set(inNodes.map((folder) => folder.split('/')[1]))];
	return [
		'flowchart TD',
		...folders.filter((folder) => !inNodes.includes(folder)).map((folder) => `  ${box(folder)}`),
		...frames.flatMap((frame) => [
			`  subgraph ${frame}_frame["nodes/${frame}"]`,
			...inNodes
				.filter((folder) => folder.split('/')[1] === frame)
				.map((folder) => `    ${box(folder)}`),
			'  end',
		]),
		...pairs.map(([from, to]) => `  ${id(from)} --> ${id(to)}`),
	].join('\n');
}

const all = modules();
const folders = new Set(all.flatMap(({ source }) => folderOf(source) ?? []));
const picture = `\n\`\`\`mermaid\n${draw([...folders].sort(), arrows(all))}\n\`\`\`\n\n`;
const before = readFileSync(document, 'utf8');
if (!PICTURE.test(before)) throw new Error(`${document} has no place for the picture`);
const after = before.replace(PICTURE, () => picture);
if (after !== before) {
	if (process.argv.includes('--check')) {
		console.error('docs/maintainers/architecture.md is out of date: npm run docs:architecture');
		process.exitCode = 1;
	} else writeFileSync(document, after);
}
