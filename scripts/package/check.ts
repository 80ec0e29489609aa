// Checks what is published: n8n's community scanner over sources and tarball (0 errors, 0 warnings), publint, packed
// files and their size. A stack trace must be readable. Every node and credential must load with only what n8n
// supplies.
import { execFileSync, spawnSync } from 'node:child_process';
import {
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	mkdirSync,
	readdirSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ESLint } from 'eslint';
import { npmCommand as npmCommand } from '../../demo/npmCommand';

const root = join(__dirname, '..', '..');
const HOST_SUPPLIES = ['n8n-workflow', 'luxon'];
const MAY_BE_PACKED =
	/^(package\.json|(README|LICENSE)\.md|dist\/(bundle\.js|icons\/\w+(\.dark)?\.svg|(nodes|credentials)\/[\w/]+\.(node|credentials)\.(js|json)|nodes\/\w+\/__schema__\/v[\d.]+\/\w+\/\w+\.json))$/;

/** Bytes that the package may take unpacked. */
const MAX_UNPACKED = 330_000;
/** Bytes that the sandbox's package may take packed. */
const MAX_SANDBOX = 1_500_000;

const problems: string[] = [];

/** Lints a folder by the scanner's own rules, and counts warnings too, which the scanner lets pass. */
async function scan(folder: string, patterns: string[]): Promise<void> {
	const { buildScanConfig } = await import('@n8n/scan-community-package/scanner/scanner.mjs');
	const eslint = new ESLint({
		cwd: folder,
		allowInlineConfig: false,
		overrideConfigFile: true,
		overrideConfig: await buildScanConfig(),
	});
	const results = await eslint.lintFiles(patterns);
	const [errors, warnings] = [2, 1].map((wanted) =>
		results.flatMap(({ filePath, messages }) =>
			messages
				.filter(({ severity }) => severity === wanted)
				.map(({ message }) => `${filePath}: ${message}`),
		),
	);
	problems.push(...errors, ...warnings);
	console.log(
		`scanner: ${patterns.join(' ')}: ${results.length} files, ${errors.length} errors, ${warnings.length} warnings`,
	);
}

/** Packs the built package and unpacks it into `folder`, as n8n's installer does. */
function packInto(folder: string): string {
	const npm = (args: string[], cwd: string) =>
		execFileSync(...npmCommand(args), {
			cwd,
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'ignore'],
		});
	const [{ filename, files, unpackedSize }] = JSON.parse(
		npm(['pack', '--json', '--pack-destination', folder], root),
	) as Array<{ filename: string; files: Array<{ path: string }>; unpackedSize: number }>;
	const unwanted = files.map(({ path }) => path).filter((path) => !MAY_BE_PACKED.test(path));
	if (unwanted.length > 0) problems.push(`must not be packed: ${unwanted.join(', ')}`);
	if (unpackedSize > MAX_UNPACKED) problems.push(`takes ${unpackedSize} bytes unpacked`);
	execFileSync('tar', ['-xzf', filename], { cwd: folder });
	const size = `${Math.round(unpackedSize / 1000)} kB unpacked`;
	console.log(`tarball: ${files.length} files, ${unwanted.length} unwanted, ${size}`);
	return join(folder, 'package');
}

/** The sandbox's package: one file that needs no other package, not too large, and nothing that publint finds. */
async function checkSandbox(folder: string): Promise<void> {
	execFileSync(process.execPath, ['--import', 'tsx', join(root, 'release', 'bundleSandbox.ts')], {
		cwd: root,
	});
	const destination = join(folder, 'sandbox');
	mkdirSync(destination);
	const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination];
	const [{ filename, files, size }] = JSON.parse(
		execFileSync(...npmCommand(args), { cwd: join(root, 'sandbox'), encoding: 'utf8' }),
	) as Array<{ filename: string; files: Array<{ path: string }>; size: number }>;
	const packed = files.map(({ path }) => path).sort();
	const wanted = ['LICENSE.md', 'README.md', 'dist/credit-profile-sandbox.js', 'package.json'];
	if (String(packed) !== String(wanted)) problems.push(`the sandbox packs ${packed.join(', ')}`);
	if (size > MAX_SANDBOX) problems.push(`the sandbox takes ${size} bytes packed`);
	execFileSync('tar', ['-xzf', filename], { cwd: destination });
	const unpacked = join(destination, 'package');
	const [own, other] = [root, unpacked].map(
		(path) =>
			JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
				version: string;
				dependencies?: object;
			},
	);
	if (other.dependencies) problems.push('the sandbox has dependencies');
	if (own.version !== other.version) {
		problems.push(`the versions differ: ${own.version}, and ${other.version} of the sandbox`);
	}
	console.log(`sandbox: ${files.length} files, ${Math.round(size / 1000)} kB packed`);
	await lintPublished(unpacked);
	checkReadme(unpacked);
}

/** Loads every node and credential in a process of its own that finds only what the host supplies. */
function load(packed: string, folder: string): void {
	const { n8n, dependencies } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8')) as {
		n8n: { nodes: string[]; credentials: string[] };
		dependencies?: object;
	};
	if (Object.keys(dependencies ?? {}).length > 0) problems.push('has run-time dependencies');
	const host = join(folder, 'node_modules');
	mkdirSync(host);
	for (const name of HOST_SUPPLIES) {
		symlinkSync(dirname(require.resolve(`${name}/package.json`)), join(host, name), 'junction');
	}
	const program = `
		for (const path of process.argv.slice(1)) {
			const name = path.split('/').pop().split('.')[0];
			const type = new (require(path)[name])();
			if (!(type.description ?? type).displayName) throw new Error(path + ' has no display name');
		}`;
	const paths = [...n8n.nodes, ...n8n.credentials];
	execFileSync(process.execPath, ['-e', program, ...paths.map((path) => join(packed, path))], {
		stdio: 'inherit',
	});
	const built = (kind: string) =>
		readdirSync(join(packed, 'dist', kind), { recursive: true })
			.map(String)
			.filter((path) => /\.(node|credentials)\.js$/.test(path)).length;
	const count = built('nodes') + built('credentials');
	if (count !== paths.length) problems.push(`${count} built, but ${paths.length} registered`);
	console.log(`loads: ${n8n.nodes.length} nodes, ${n8n.credentials.length} credential types`);
}

/** Returns what npm's users would stumble over, by publint. */
async function lintPublished(packed: string): Promise<void> {
	const { publint } = await import('publint');
	const { formatMessage } = await import('publint/utils');
	const { messages, pkg } = await publint({ pkgDir: packed, pack: false });
	problems.push(...messages.map((each) => `publint: ${formatMessage(each, pkg) ?? each.code}`));
	console.log(`publint: ${messages.length} messages`);
}

/** Returns what an operator reads whose n8n is too old. */
function loadOnOldHost(packed: string, folder: string): void {
	const old = join(folder, 'node_modules', 'n8n-workflow');
	rmSync(old);
	mkdirSync(old);
	writeFileSync(join(old, 'index.js'), 'exports.UserError = Error;');
	const { nodes } = (
		JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8')) as { n8n: { nodes: string[] } }
	).n8n;
	const { status, stderr } = spawnSync(
		process.execPath,
		['-e', `require(process.argv[1])`, join(packed, nodes[0])],
		{
			encoding: 'utf8',
		},
	);
	if (status === 0 || !stderr.includes('needs n8n 1.123 or newer')) {
		problems.push(`an old n8n shows: ${stderr}`);
	}
}

/** README's links and pictures must work on npm and in n8n, too, which do not know where its folder is. */
function checkReadme(packed: string): void {
	const readme = readFileSync(join(packed, 'README.md'), 'utf8');
	const targets = [...readme.matchAll(/\]\(([^)\s]+)/g)].map(([, target]) => target);
	const relative = targets.filter((target) => !/^(https:|#)/.test(target));
	if (relative.length > 0) problems.push(`README.md: not absolute: ${relative.join(', ')}`);
	console.log(`README: ${targets.length} links, ${relative.length} not absolute`);
}

async function main(): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), 'packed-'));
	try {
		const { SOURCE_FILE_PATTERNS } =
			await import('@n8n/scan-community-package/scanner/scanner.mjs');
		await scan(root, SOURCE_FILE_PATTERNS);
		const packed = packInto(folder);
		await scan(packed, ['**/*.js', 'package.json']);
		await lintPublished(packed);
		checkReadme(packed);
		load(packed, folder);
		loadOnOldHost(packed, folder);
		await checkSandbox(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
	if (problems.length > 0) {
		console.error(problems.join('\n'));
		process.exitCode = 1;
	}
}

void main();
