// npm run compat [-- --host NAME … | --tools]: installs each pinned n8n from its lock, runs the package on it, and writes
// the table of what it saw into README.md; then the repository's own tools on each pinned Node, into CONTRIBUTING.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { ensureHost, ensureNode, host as demoHost, hostIn, type Host } from '../../demo/n8nHost';
import { Processes } from '../../demo/processes';
import { nodes, runTools } from './tools';

const root = join(__dirname, '..', '..');
const folder = join(__dirname, 'hosts');
const output = join(root, '.test-output');
const TABLE = /(<!-- compat: .* -->\n)[^]*?(<!-- end of compat -->)/;
const log = (line: string) => console.error(line);

/** By name, the oldest first. */
const hosts = new Map<string, Host>([
	...readdirSync(folder)
		.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
		.map((name): [string, Host] => [name, hostIn(join(folder, name))]),
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
	version: string;
	/** Tests passed and all tests, by the title of their group. */
	rows: Map<string, { passed: number; all: number }>;
}

/** Writes the table between its marks in the document. */
async function writeTable(document: string, table: string): Promise<void> {
	const path = join(root, document);
	const text = readFileSync(path, 'utf8').replace(TABLE, `$1\n${table}\n\n$2`);
	writeFileSync(path, await format(text, { ...(await resolveConfig(path)), parser: 'markdown' }));
}

const line = (cells: string[]) => `| ${cells.join(' | ')} |`;

/** The n8n that a host's package.json pins. */
function versionOf({ folder: of }: Host): string {
	const { dependencies } = JSON.parse(readFileSync(join(of, 'package.json'), 'utf8')) as {
		dependencies: { n8n: string };
	};
	return dependencies.n8n;
}

async function runOn(name: string, host: Host): Promise<Column> {
	const report = join(output, `compat-${name}.json`);
	rmSync(report, { force: true });
	const jest = spawn(
		process.execPath,
		[
			join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
			...['--selectProjects', 'compat', '--runInBand', '--json', '--outputFile', report],
		],
		{
			cwd: root,
			env: { ...process.env, COMPAT_HOST: host === demoHost ? '' : host.folder },
			stdio: ['ignore', 'ignore', 'inherit'],
		},
	);
	await once(jest, 'exit');
	const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
	const rows: Column['rows'] = new Map();
	for (const { message, assertionResults } of testResults) {
		if (assertionResults.length === 0) throw new Error(message);
		for (const { ancestorTitles, status } of assertionResults) {
			const row = rows.get(ancestorTitles[0]) ?? { passed: 0, all: 0 };
			row.all++;
			if (status === 'passed') row.passed++;
			rows.set(ancestorTitles[0], row);
		}
	}
	return { version: versionOf(host), rows };
}

function tableOf(columns: Column[]): string {
	const cell = ({ rows }: Column, title: string) => {
		const row = rows.get(title);
		if (!row) return '';
		return row.passed === row.all ? '✓' : `${row.passed} of ${row.all}`;
	};
	return [
		line(['n8n', ...columns.map(({ version }) => version)]),
		line(['---', ...columns.map(() => '---')]),
		...[...columns[0].rows.keys()].map((title) =>
			line([title, ...columns.map((column) => cell(column, title))]),
		),
	].join('\n');
}

function options(): { names: string[]; tools: boolean } {
	const { values } = parseArgs({
		options: { host: { type: 'string', multiple: true }, tools: { type: 'boolean' } },
	});
	const names = values.host ?? (values.tools ? [] : [...hosts.keys()]);
	const unknown = names.filter((name) => !hosts.has(name));
	if (unknown.length === 0) return { names, tools: values.tools ?? !values.host };
	log(`There is no host ${unknown.join(', ')}; there are ${[...hosts.keys()].join(', ')}.`);
	process.exit(2);
}

/** The package on each of these n8n versions; true if all is well. */
async function checkHosts(names: string[], processes: Processes): Promise<boolean> {
	const columns: Column[] = [];
	for (const name of names) {
		const host = hosts.get(name) as Host;
		await ensureHost(processes, log, host);
		log(`${name}: running on n8n ${versionOf(host)} …`);
		columns.push(await runOn(name, host));
	}
	const table = tableOf(columns);
	console.log(table);
	if (names.length === hosts.size) await writeTable('README.md', table);
	return columns.every(({ rows }) => [...rows.values()].every(({ passed, all }) => passed === all));
}

/** The repository's own tools on each pinned Node; true if all is well. */
async function checkTools(processes: Processes): Promise<boolean> {
	const columns: Array<{ major: string; results: Map<string, boolean> }> = [];
	for (const node of nodes) {
		await ensureNode(processes, log, node.host);
		log(`running the repository's tools on Node ${node.major} …`);
		columns.push({ major: node.major, results: await runTools(node) });
	}
	const table = [
		line(['Node', ...columns.map(({ major }) => major)]),
		line(['---', ...columns.map(() => '---')]),
		...[...columns[0].results.keys()].map((title) =>
			line([title, ...columns.map(({ results }) => (results.get(title) ? '✓' : 'failed'))]),
		),
	].join('\n');
	console.log(table);
	await writeTable('CONTRIBUTING.md', table);
	return columns.every(({ results }) => [...results.values()].every(Boolean));
}

async function main(): Promise<number> {
	const { names, tools } = options();
	mkdirSync(output, { recursive: true });
	const processes = new Processes();
	const hostsWork = names.length === 0 || (await checkHosts(names, processes));
	const toolsWork = !tools || (await checkTools(processes));
	return hostsWork && toolsWork ? 0 : 1;
}

main().then(
	(code) => (process.exitCode = code),
	(error: Error) => {
		log(error.message);
		process.exitCode = 1;
	},
);
