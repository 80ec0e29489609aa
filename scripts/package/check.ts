// Checks what is published: n8n's community scanner over sources and tarball, publint over both packages, README's
// links. Every node and credential must load with only what n8n supplies, and an older n8n must say what it needs.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(__dirname, '..', '..');
const HOST_SUPPLIES = ['n8n-workflow', 'luxon'];
const publint = join(root, 'node_modules', 'publint', 'src', 'cli.js');

const problems: string[] = [];

/** Applies the scanner's own rules; its command scans only what is on npm already. */
async function scan(folder: string, patterns?: string[]): Promise<void> {
	const { analyzePackage } = await import('@n8n/scan-community-package/scanner/scanner.mjs');
	const { passed, message, details } = await analyzePackage(folder, patterns);
	if (!passed) problems.push(`scanner: ${message}\n${details}`);
}

/** Packs a package as npm publishes it, lints the archive, and returns the folder that n8n's installer makes of it. */
function pack(from: string, folder: string): string {
	mkdirSync(folder);
	const [{ filename, files, size, unpackedSize }] = JSON.parse(
		execFileSync('npm', ['pack', '--json', '--ignore-scripts=false'], {
			cwd: from,
			encoding: 'utf8',
			shell: process.platform === 'win32', // npm is a script there
			stdio: ['ignore', 'pipe', 'ignore'],
		}),
	) as Array<{ filename: string; files: unknown[]; size: number; unpackedSize: number }>;
	const archive = join(from, filename);
	const { status } = spawnSync(process.execPath, [publint, 'run', '--strict', archive], {
		stdio: 'inherit',
	});
	if (status !== 0) problems.push(`publint: ${filename}`);
	execFileSync('tar', ['-xzf', archive, '-C', folder]);
	rmSync(archive);
	const kB = (bytes: number) => `${Math.round(bytes / 1000)} kB`;
	console.log(`${filename}: ${files.length} files, ${kB(size)}, ${kB(unpackedSize)} unpacked`);
	return join(folder, 'package');
}

/** README's links and pictures must work on npm and in n8n, too, which do not know where its folder is. */
function checkReadme(packed: string): void {
	const readme = readFileSync(join(packed, 'README.md'), 'utf8');
	const targets = [...readme.matchAll(/(?:\]\(|(?:href|src)=")([^)"\s]+)/g)].map(
		([, target]) => target,
	);
	const relative = targets.filter((target) => !/^(https:|#)/.test(target));
	if (relative.length > 0) problems.push(`README.md: not absolute: ${relative.join(', ')}`);
}

const LOAD = `
	for (const path of process.argv.slice(1)) {
		const name = path.split('/').pop().split('.')[0];
		const type = new (require(path)[name])();
		if (!(type.description ?? type).displayName) throw new Error(path + ' has no display name');
	}`;

/** Loads every node and credential in a process of its own that finds only what the host supplies. */
function load(packed: string, host: string): void {
	const { n8n } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8')) as {
		n8n: { nodes: string[]; credentials: string[] };
	};
	const paths = [...n8n.nodes, ...n8n.credentials].map((path) => join(packed, path));
	const run = () => spawnSync(process.execPath, ['-e', LOAD, ...paths], { encoding: 'utf8' });
	mkdirSync(host);
	for (const name of HOST_SUPPLIES) {
		symlinkSync(dirname(require.resolve(`${name}/package.json`)), join(host, name), 'junction');
	}
	const current = run();
	if (current.status !== 0) problems.push(current.stderr);
	rmSync(join(host, 'n8n-workflow'));
	mkdirSync(join(host, 'n8n-workflow'));
	writeFileSync(join(host, 'n8n-workflow', 'index.js'), 'exports.UserError = Error;');
	const old = run();
	if (!old.stderr.includes('needs n8n 1.123 or newer')) problems.push(`old n8n: ${old.stderr}`);
}

async function main(): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), 'packed-'));
	try {
		const { SOURCE_FILE_PATTERNS } =
			await import('@n8n/scan-community-package/scanner/scanner.mjs');
		await scan(root, SOURCE_FILE_PATTERNS);
		const packed = pack(root, join(folder, 'own'));
		await scan(packed, ['**/*.js', 'package.json']);
		load(packed, join(folder, 'node_modules'));
		checkReadme(packed);
		checkReadme(pack(join(root, 'sandbox'), join(folder, 'sandbox')));
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
	if (problems.length > 0) {
		console.error(problems.join('\n'));
		process.exitCode = 1;
	}
}

void main();
