/** The build: clean, bundle, copy icons and codex files, check that every node's codex is whole. */
const { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { basename, dirname, join, relative } = require('node:path');
const esbuild = require('esbuild');
const { dest, series, src } = require('gulp');

const read = (path) => JSON.parse(readFileSync(join(__dirname, path), 'utf8'));
const { n8n } = read('package.json');
const BUNDLE = 'dist/bundle.js';

async function clean() {
	rmSync(join(__dirname, 'dist'), { recursive: true, force: true });
}

/**
 * All code goes into one file, so that what nodes and credential types remember together (the pace of a token, the
 * token itself, what was delivered) exists once. The files that n8n loads hand out one class of it each. Functions keep their
 * names, and lines stay short, for stack traces.
 */
async function bundle() {
	const published = [...n8n.nodes, ...n8n.credentials];
	const source = (path) => path.replace(/^dist/, '.').replace(/\.js$/, '');
	await esbuild.build({
		stdin: {
			contents: [
				"import './nodes/shared/utils/supportedHost';",
				...published.map((path) => `export * from '${source(path)}';`),
			].join('\n'),
			resolveDir: __dirname,
		},
		outfile: join(__dirname, BUNDLE),
		bundle: true,
		packages: 'external',
		format: 'cjs',
		platform: 'node',
		target: 'node20',
		minify: true,
		keepNames: true,
		lineLimit: 120,
		legalComments: 'none',
		logLevel: 'warning',
	});
	for (const path of published) {
		const name = basename(path).split('.')[0];
		const folder = dirname(path);
		const bundlePath = relative(folder, BUNDLE).replaceAll('\\', '/');
		mkdirSync(join(__dirname, folder), { recursive: true });
		writeFileSync(join(__dirname, path), `exports.${name} = require('${bundlePath}').${name};\n`);
	}
}

function icons() {
	return src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
}

function codex() {
	return src('nodes/*/*.node.json').pipe(dest('dist/nodes'));
}

/** n8n drops a codex without `resources` in silence, and shows a node without one in no category. */
async function checkCodex() {
	for (const node of n8n.nodes) {
		const path = node.replace(/\.js$/, '.json');
		if (!existsSync(join(__dirname, path))) throw new Error(`${path} is missing`);
		const { resources, categories } = read(path);
		if (!resources || !categories?.length) {
			throw new Error(`${path} needs categories and resources`);
		}
	}
}

/** Says that dist/ is whole; its time tells whether the sources are newer. */
async function finish() {
	writeFileSync(join(__dirname, 'dist', '.built'), '');
}

exports.build = series(clean, bundle, icons, codex, checkCodex, finish);
exports.default = exports.build;
