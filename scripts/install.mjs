// Runs `npm ci` in each folder that has no packages yet, side by side. Plain JavaScript, because it also installs the
// tools that run TypeScript.
//   node scripts/install.mjs . demo/n8n-host
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
async function runNpm(folder, does, args, help = '') {
	console.error(`${basename(resolve(folder))}: ${does} …`);
	const shell = process.platform === 'win32'; // npm is a script there
	const [code] = await once(
		spawn('npm', args, { cwd: folder, shell, stdio: ['ignore', 2, 2] }),
		'close',
	);
	if (code !== 0) throw new Error(`npm ${args.join(' ')} failed in ${folder}\n${help}`);
}

/** Installs the packages that the folder's lock names, unless they are there. */
async function installFolder(folder) {
	// npm writes its hidden lock last, so an interrupted install counts as missing
	if (!existsSync(join(folder, 'node_modules', '.package-lock.json'))) {
		const takes = existsSync(join(folder, 'jest.config.js'))
			? 'one minute'
			: 'two to three minutes';
		const args = ['ci', '--no-progress', '--loglevel=error'];
		await runNpm(folder, `npm ci (${takes})`, args);
	}
	const due = SCRIPTS.filter(({ name, makes }) => {
		const modules = join(folder, 'node_modules', name);
		return existsSync(modules) && !existsSync(join(modules, makes));
	});
	await Promise.all(
		due.map(async ({ name, does, help }) => {
			await runNpm(folder, does, ['rebuild', name, '--ignore-scripts=false'], help);
		}),
	);
}

/** Installs the folders side by side. */
export const install = async (...folders) => await Promise.all(folders.map(installFolder));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	try {
		await install(...process.argv.slice(2));
	} catch (error) {
		console.error(error.message);
		process.exit(1);
	}
}
