/** The build: clean, bundle, copy icons, codex files and output schemas. */
const { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { basename, dirname, join, relative } = require('node:path');
const swc = require('@swc/core');
const esbuild = require('esbuild');
const { dest, series, src } = require('gulp');
const ts = require('typescript');

const read = (path) => JSON.parse(readFileSync(join(__dirname, path), 'utf8'));
const { n8n } = read('package.json');
const BUNDLE = 'dist/bundle.js';

async function clean() {
	rmSync(join(__dirname, 'dist'), { recursive: true, force: true });
}

/** What n8n and Node supply. Each is required once for the whole bundle, and its exports are variables there. */
const SUPPLIED = {
	'n8n-workflow': [
		...['NodeApiError', 'NodeConnectionTypes', 'NodeOperationError', 'OperationalError'],
		...['sleep', 'UserError'],
	],
	luxon: ['DateTime'],
	'node:crypto': ['createHash', 'createHmac', 'Hash', 'randomBytes', 'timingSafeEqual'],
};

const requireOnce = {
	name: 'require once',
	setup({ onLoad, onResolve }) {
		onResolve({ filter: /^[^./]/ }, ({ path, namespace }) => {
			if (path in SUPPLIED && namespace === 'file') return { path, namespace: 'supplied' };
			return { path, external: true };
		});
		onLoad({ filter: /^/, namespace: 'supplied' }, ({ path }) => ({
			contents: `export const { ${SUPPLIED[path]} } = require('${path}');`,
		}));
	},
};

/** Whether a function throws or waits itself: then a stack trace may show it. */
const isTraced = (node) =>
	ts.isThrowStatement(node) ||
	ts.isAwaitExpression(node) ||
	ts.forEachChild(node, (child) => !ts.isFunctionLike(child) && isTraced(child));

/** The classes and traced functions that a statement at the top of a script declares. */
function namesIn(statement) {
	if (ts.isFunctionDeclaration(statement)) return isTraced(statement) ? [statement.name.text] : [];
	if (!ts.isVariableStatement(statement)) return [];
	return statement.declarationList.declarations
		.filter(({ initializer: value }) => {
			if (!value) return false;
			return ts.isClassExpression(value) || (ts.isArrowFunction(value) && isTraced(value));
		})
		.map(({ name }) => name.text);
}

/** Ends a script with a table of names that survive when its identifiers are shortened: of classes, and of functions that throw or wait. */
function withNames(script) {
	const { statements } = ts.createSourceFile('bundle.js', script, ts.ScriptTarget.ES2022);
	const names = statements.flatMap(namesIn).filter((name) => !name.startsWith('__')); // esbuild's own
	return `${script}
		'${names.join(' ')}'.split(' ').forEach((value, at) =>
			Object.defineProperty([${names}][at], 'name', { value }));`;
}

/**
 * All code goes into one file, so that what nodes and credential types remember together (the pace of a token, the
 * token itself, what was delivered) exists once. The files that n8n loads hand out one class of it each. For stack
 * traces, lines stay short, and classes and functions that throw or wait keep their names.
 */
async function bundle() {
	const published = [...n8n.nodes, ...n8n.credentials];
	const source = (path) => path.replace(/^dist/, '.').replace(/\.js$/, '');
	const options = { charset: 'utf8', format: 'cjs', legalComments: 'none', target: 'node20' };
	const { outputFiles } = await esbuild.build({
		...options,
		stdin: {
			contents: [
				"import './nodes/shared/utils/supportedHost';",
				...published.map((path) => `export * from '${source(path)}';`),
			].join('\n'),
			resolveDir: __dirname,
		},
		write: false,
		bundle: true,
		plugins: [requireOnce],
		logLevel: 'warning',
	});
	// swc inlines more than esbuild, which alone keeps lines short.
	const small = await swc.minify(withNames(outputFiles[0].text), {
		ecma: 2022,
		compress: { passes: 3, toplevel: true, keep_fargs: false },
		mangle: { topLevel: true },
		toplevel: true,
	});
	const { code } = await esbuild.transform(small.code, {
		...options,
		minify: true,
		lineLimit: 400,
	});
	mkdirSync(join(__dirname, 'dist'), { recursive: true });
	writeFileSync(join(__dirname, BUNDLE), code);
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

/** Says that dist/ is whole; its time tells whether the sources are newer. */
async function finish() {
	writeFileSync(join(__dirname, 'dist', '.built'), '');
}

exports.build = series(clean, bundle, icons, codex, schemas, finish);
exports.default = exports.build;
