/** The build: clean, bundle, copy icons, codex files and output schemas. */
const { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
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
 * Bundles all code into one file, so that nodes and credential types share the pace of a token, the token itself and
 * started results. Each file that n8n loads hands out one class of it.
 */
async function bundle() {
	const published = [...n8n.nodes, ...n8n.credentials];
	const source = (path) => path.replace(/^dist/, '.').replace(/\.js$/, '');
	await esbuild.build({
		stdin: {
			contents: [
				"import './nodes/shared/host/minimumVersion';",
				...published.map((path) => `export * from '${source(path)}';`),
			].join('\n'),
			resolveDir: __dirname,
		},
		outfile: join(__dirname, BUNDLE),
		bundle: true,
		packages: 'external', // n8n-workflow and luxon come from n8n
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		charset: 'utf8',
		legalComments: 'none',
		minify: true,
		lineLimit: 20_000, // a stack trace points to a place in a line
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

/** n8n drops a codex without `resources` in silence, and shows a node without one in no category. */
async function codex() {
	for (const node of n8n.nodes) {
		const path = node.replace(/\.js$/, '.json');
		const whole = read(path.replace(/^dist\//, ''));
		if (!whole.resources || !whole.categories?.length) {
			throw new Error(`${path} needs categories and resources`);
		}
		writeFileSync(join(__dirname, path), JSON.stringify(whole));
	}
}

/** The editor shows their columns before the first run. */
async function schemas() {
	for (const folder of new Set(n8n.nodes.map((path) => dirname(path)))) {
		const source = join(__dirname, folder.replace(/^dist\//, ''), '__schema__');
		for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
			if (!entry.isFile()) continue;
			const path = join(entry.parentPath, entry.name);
			const target = join(__dirname, 'dist', relative(__dirname, path));
			mkdirSync(dirname(target), { recursive: true });
			writeFileSync(target, JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))));
		}
	}
}

/** Marks dist/ as complete; the time of the mark shows whether the sources are newer. */
async function finish() {
	writeFileSync(join(__dirname, 'dist', '.built'), '');
}

exports.build = series(clean, bundle, icons, codex, schemas, finish);
exports.default = exports.build;
