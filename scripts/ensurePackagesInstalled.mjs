// Runs `npm ci` in each folder whose lock is newer than what is installed there. Plain JavaScript, because it also
// installs the tools that run TypeScript.
//   node scripts/ensurePackagesInstalled.mjs . demo/n8n-host
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const TOOLCHAIN = `Compiling needs a C++ compiler, make and Python 3.
  Debian, Ubuntu: sudo apt-get install build-essential python3
  macOS: xcode-select --install
  Windows: Visual Studio Build Tools with "Desktop development with C++", and Python 3`;

/** Packages with an install script, which .npmrc forbids in general, and a file that the script makes. */
const SCRIPTS = [
	{
		name: 'node',
		makes: `bin/${process.platform === 'win32' ? 'node.exe' : 'node'}`,
		why: "downloading n8n's own Node",
	},
	{
		name: 'sqlite3',
		makes: 'build/Release/node_sqlite3.node',
		why: "compiling SQLite, n8n's database (about a minute)",
		help: TOOLCHAIN,
	},
];

/** npm writes its hidden lock last, so an interrupted install counts as missing. */
function isInstalled(folder) {
	const [lock, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map((name) =>
		statSync(join(folder, name), { throwIfNoEntry: false }),
	);
	return installed !== undefined && installed.mtimeMs >= lock.mtimeMs;
}

/** Returns the reason for an install, as the end of "npm ci". */
const reasonFor = (folder) =>
	existsSync(join(folder, 'node_modules'))
		? ', since package-lock.json is newer than node_modules'
		: '';

function formatDuration(ms) {
	const seconds = Math.round(ms / 1000);
	const minutes = Math.floor(seconds / 60);
	return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

/** Shows on stderr how long a task takes: on a terminal in one line that is updated, elsewhere twice a minute. */
async function showProgress(text, task) {
	const started = Date.now();
	const { isTTY } = process.stderr;
	const write = (end) => {
		const line = `${text}, ${formatDuration(Date.now() - started)}${end}`;
		process.stderr.write(isTTY ? `\r${line}` : `${line}\n`);
	};
	process.stderr.write(isTTY ? text : `${text}\n`);
	const timer = setInterval(() => write(' …'), isTTY ? 1_000 : 30_000);
	try {
		await task;
	} finally {
		clearInterval(timer);
		write(isTTY ? '  \n' : '');
	}
}

/** Runs npm; rejects with what it printed if it fails. A signal to this process ends npm, too. */
async function runNpm(args, folder) {
	const child = spawn('npm', args, {
		cwd: folder,
		stdio: ['ignore', 'pipe', 'pipe'],
		shell: process.platform === 'win32', // npm is a script there
	});
	const output = [];
	for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => output.push(data));
	const stop = () => {
		child.kill('SIGKILL');
		process.exit(130);
	};
	for (const signal of SIGNALS) process.once(signal, stop);
	const code = await new Promise((done, fail) => child.on('error', fail).on('close', done));
	for (const signal of SIGNALS) process.off(signal, stop);
	if (code !== 0) {
		throw new Error(`${Buffer.concat(output)}\nnpm ${args.join(' ')} failed in ${folder}`);
	}
}

/** Installs the packages that the folder's lock names, unless they are there. */
export async function ensurePackagesInstalled(folder) {
	const name = basename(resolve(folder));
	if (!isInstalled(folder)) {
		await showProgress(
			`${name}: npm ci${reasonFor(folder)} (takes minutes)`,
			runNpm(['ci', '--no-progress', '--loglevel=error'], folder),
		);
	}
	for (const script of SCRIPTS) {
		const modules = join(folder, 'node_modules', script.name);
		if (!existsSync(modules) || existsSync(join(modules, script.makes))) continue;
		await showProgress(
			`${name}: ${script.why}`,
			runNpm(['rebuild', script.name, '--ignore-scripts=false'], folder),
		).catch((error) => {
			throw new Error([error.message, script.help].filter(Boolean).join('\n'));
		});
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	try {
		for (const folder of process.argv.slice(2)) await ensurePackagesInstalled(folder);
	} catch (error) {
		console.error(error.message);
		process.exitCode = 1;
	}
}
