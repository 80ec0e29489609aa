// npm run compat [-- --host NAME …]: installs each pinned n8n from its lock and runs the package on it. It writes the
// results into the table of docs/maintainers/compatibility.md. One host renews its column.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import {
	ensureN8nInstalled,
	pinnedInstallation as demoHost,
	installationPathsIn,
	type N8nInstallation,
} from '../../demo/n8nInstallation';

const root = join(__dirname, '..', '..');
const folder = join(__dirname, 'hosts');
const document = join(root, 'docs', 'maintainers', 'compatibility.md');
const output = join(root, '.test-output');
const TABLE = /(<!-- compat: .* -->\n)([^]*?)(<!-- end of compat -->)/;
const GOOD = '✓';
const log = (line: string) => console.error(line);

/** By name, the oldest first. */
const hosts = new Map<string, N8nInstallation>([
	...readdirSync(folder)
		.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
		.map((name): [string, N8nInstallation] => [name, installationPathsIn(join(folder, name))]),
	['demo', demoHost],
]);

/** The part of jest's report that the table is made of. */
interface Report {
	testResults: Array<{
		message: string;
		assertionResults: Array<{ ancestorTitles: string[]; status: string }>;
	}>;
}

interface Column {
	head: string;
	cells: Map<string, string>;
}

const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
const isGood = ({ cells }: Column) => [...cells.values()].every((cell) => cell === GOOD);

/** The columns of the table that a document has. */
function columnsIn(text: string): Column[] {
	const [heads = [], , ...rows] = (TABLE.exec(text)?.[2] ?? '')
		.split('\n')
		.filter((row) => row.startsWith('|'))
		.map((row) => row.split('|').slice(1, -1))
		.map((row) => row.map((cell) => cell.trim()));
	return heads.slice(1).map((head, index) => ({
		head,
		cells: new Map(rows.map(([title, ...cells]) => [title, cells[index]])),
	}));
}

/** Writes these columns into the document's table, beside those of the other versions. */
async function writeTable(columns: Column[]): Promise<void> {
	const heads = [...hosts.values()].map(versionOf);
	const text = readFileSync(document, 'utf8');
	const all = [...columns, ...columnsIn(text)];
	const shown = heads.flatMap((head) => all.find((column) => column.head === head) ?? []);
	const table = [
		line(['n8n', ...shown.map(({ head }) => head)]),
		line(['---', ...shown.map(() => '---')]),
		...[...columns[0].cells.keys()].map((row) =>
			line([row, ...shown.map(({ cells }) => cells.get(row) ?? '')]),
		),
	].join('\n');
	console.log(table);
	const written = text.replace(TABLE, `$1\n${table}\n\n$3`);
	writeFileSync(
		document,
		await format(written, { ...(await resolveConfig(document)), parser: 'markdown' }),
	);
}

/** The n8n that a host's package.json pins. */
function versionOf({ folder: of }: N8nInstallation): string {
	const { dependencies } = JSON.parse(readFileSync(join(of, 'package.json'), 'utf8')) as {
		dependencies: { n8n: string };
	};
	return dependencies.n8n;
}

async function runOn(name: string, host: N8nInstallation): Promise<Column> {
	const report = join(output, `compat-${name}.json`);
	rmSync(report, { force: true });
	const jest = spawn(
		process.execPath,
		[
			join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
			...['--config', join('scripts', 'compat', 'jest.config.js')],
			...['--runInBand', '--json', '--outputFile', report],
		],
		{
			cwd: root,
			env: { ...process.env, COMPAT_HOST: host === demoHost ? '' : host.folder },
			stdio: ['ignore', 'ignore', 'inherit'],
		},
	);
	await once(jest, 'exit');
	const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
	const rows = new Map<string, { passed: number; all: number }>();
	for (const { message, assertionResults } of testResults) {
		if (assertionResults.length === 0) throw new Error(message);
		for (const { ancestorTitles, status } of assertionResults) {
			const row = rows.get(ancestorTitles[0]) ?? { passed: 0, all: 0 };
			row.all++;
			if (status === 'passed') row.passed++;
			rows.set(ancestorTitles[0], row);
		}
	}
	const cells = [...rows].map(([title, { passed, all }]): [string, string] => [
		title,
		passed === all ? GOOD : `${passed} of ${all}`,
	]);
	return { head: versionOf(host), cells: new Map(cells) };
}

function chosenHosts(): string[] {
	const { values } = parseArgs({ options: { host: { type: 'string', multiple: true } } });
	const { host: names = [...hosts.keys()] } = values;
	const unknown = names.filter((name) => !hosts.has(name));
	if (unknown.length === 0) return names;
	log(`There is no ${unknown.join(', ')}: --host ${[...hosts.keys()].join('|')}.`);
	process.exit(2);
}

async function main(): Promise<number> {
	const columns: Column[] = [];
	mkdirSync(output, { recursive: true });
	for (const name of chosenHosts()) {
		const host = hosts.get(name) as N8nInstallation;
		await ensureN8nInstalled(host);
		log(`${name}: running on n8n ${versionOf(host)} …`);
		columns.push(await runOn(name, host));
	}
	await writeTable(columns);
	return columns.every(isGood) ? 0 : 1;
}

main().then(
	(code) => (process.exitCode = code),
	(error: Error) => {
		log(error.message);
		process.exitCode = 1;
	},
);
