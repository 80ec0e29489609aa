// Runs `npm ci` in each folder that has no packages yet. Plain JavaScript, because it also installs the tools that run
// TypeScript.
//   node scripts/install.mjs . demo/n8n-host
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const TOOLCHAIN = `Compiling needs a C++ compiler, make and Python 3.
  Debian, Ubuntu: sudo apt-get install build-essential python3
  macOS: xcode-select --install
  Windows: Visual Studio Build Tools with "Desktop development with C++", and Python 3`;

/** Packages with an install script, which .npmrc forbids in general, and a file that the script makes. */
const SCRIPTS = [
	{
		name: 'node',
		makes: `bin/${process.platform === 'win32' ? 'node.exe' : 'node'}`,
		does: "download of n8n's own Node (seconds)",
	},
	{
		name: 'sqlite3',
		makes: 'build/Release/node_sqlite3.node',
		does: "compiling SQLite, n8n's database (one to two minutes)",
		help: TOOLCHAIN,
	},
];

/** Runs npm, which prints to the terminal; throws if it fails. */
function runNpm(folder, does, args, help = '') {
	console.error(`${basename(resolve(folder))}: ${does}`);
	const shell = process.platform === 'win32'; // npm is a script there
	const { status } = spawnSync('npm', args, { cwd: folder, shell, stdio: ['ignore', 2, 2] });
	if (status !== 0) throw new Error(`npm ${args.join(' ')} failed in ${folder}\n${help}`);
}

/** Installs the packages that the folder's lock names, unless they are there. */
export function install(folder) {
	// npm writes its hidden lock last, so an interrupted install counts as missing
	if (!existsSync(join(folder, 'node_modules', '.package-lock.json'))) {
		runNpm(folder, 'npm ci (one to three minutes)', ['ci', '--no-progress', '--loglevel=error']);
	}
	for (const { name, makes, does, help } of SCRIPTS) {
		const modules = join(folder, 'node_modules', name);
		if (!existsSync(modules) || existsSync(join(modules, makes))) continue;
		runNpm(folder, does, ['rebuild', name, '--ignore-scripts=false'], help);
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	try {
		for (const folder of process.argv.slice(2)) install(folder);
	} catch (error) {
		console.error(error.message);
		process.exitCode = 1;
	}
}
