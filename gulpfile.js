/** The build: clean, compile, copy the icons, check that every node's codex reached dist. */
const { execFile } = require('node:child_process');
const { existsSync, readFileSync, rmSync } = require('node:fs');
const { join } = require('node:path');
const { promisify } = require('node:util');
const { dest, series, src } = require('gulp');

const read = (path) => JSON.parse(readFileSync(join(__dirname, path), 'utf8'));

async function clean() {
	rmSync(join(__dirname, 'dist'), { recursive: true, force: true });
}

async function compile() {
	const tsc = require.resolve('typescript/bin/tsc');
	await promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
		cwd: __dirname,
	}).catch((error) => {
		throw new Error(error.stdout || error.message);
	});
}

function icons() {
	return src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
}

/** n8n drops a codex without `resources` in silence, and shows a node without one in no category. */
async function checkCodex() {
	for (const node of read('package.json').n8n.nodes) {
		const path = node.replace(/\.js$/, '.json');
		if (!existsSync(join(__dirname, node))) throw new Error(`${node} was not built`);
		if (!existsSync(join(__dirname, path))) throw new Error(`${path} is missing`);
		const codex = read(path);
		if (!codex.resources || !codex.categories?.length) {
			throw new Error(`${path} needs categories and resources`);
		}
	}
}

exports.build = series(clean, compile, icons, checkCodex);
exports.default = exports.build;
