// npm run docs:architecture: draws the rooms of nodes/ and who imports whom into docs/architecture.md, from the code.
// With --check it only says whether the picture there is current.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');
const document = join(root, 'docs', 'architecture.md');
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

/** A room is a folder with files in it. */
const roomOf = (path: string) =>
	/^(nodes|credentials|contract)\//.test(path)
		? path
				.replace(/^contract\/.*/, 'contract/')
				.replace(/[^/]*$/, '')
				.slice(0, -1)
		: undefined;

/** Returns who imports whom, but for what a family takes from nodes/shared: that is all of it. */
function arrows(all: Module[]): Array<[from: string, to: string]> {
	const shared = (room: string) => room.startsWith('nodes/shared/');
	const found = new Set<string>();
	for (const { source, dependencies } of all) {
		for (const { resolved } of dependencies) {
			const [from, to] = [roomOf(source), roomOf(resolved)];
			if (!from || !to || from === to) continue;
			if (from.startsWith('nodes/') && shared(to) && !shared(from)) continue;
			found.add(`${from} ${to}`);
		}
	}
	return [...found].sort().map((arrow) => arrow.split(' ') as [string, string]);
}

/** Mermaid's text: one box for each room, one frame for each folder of nodes/, one arrow for "imports". */
function draw(rooms: string[], pairs: Array<[string, string]>): string {
	const id = (room: string) => room.replace(/\W/g, '_');
	const box = (room: string) => {
		const [, family, name = `the files of nodes/${family}`] = room.split('/');
		return `${id(room)}["${family ? name : room}"]`;
	};
	const inNodes = rooms.filter((room) => room.startsWith('nodes/'));
	const frames = [...new Set(inNodes.map((room) => room.split('/')[1]))];
	return [
		'flowchart TD',
		...rooms.filter((room) => !inNodes.includes(room)).map((room) => `  ${box(room)}`),
		...frames.flatMap((frame) => [
			`  subgraph ${frame}_frame["nodes/${frame}"]`,
			...inNodes.filter((room) => room.split('/')[1] === frame).map((room) => `    ${box(room)}`),
			'  end',
		]),
		...pairs.map(([from, to]) => `  ${id(from)} --> ${id(to)}`),
	].join('\n');
}

const all = modules();
const rooms = new Set(all.flatMap(({ source }) => roomOf(source) ?? []));
const picture = `\n\`\`\`mermaid\n${draw([...rooms].sort(), arrows(all))}\n\`\`\`\n\n`;
const before = readFileSync(document, 'utf8');
if (!PICTURE.test(before)) throw new Error(`${document} has no place for the picture`);
const after = before.replace(PICTURE, () => picture);
if (after !== before) {
	if (process.argv.includes('--check')) {
		console.error('docs/architecture.md shows another house: npm run docs:architecture');
		process.exitCode = 1;
	} else writeFileSync(document, after);
}
