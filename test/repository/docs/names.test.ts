import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from '../../support/repositoryFiles';

const root = join(__dirname, '..', '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const pages = [
	'CONTRIBUTING.md',
	...readdirSync(join(root, 'docs', 'maintainers'))
		.filter((name) => name.endsWith('.md'))
		.map((name) => `docs/maintainers/${name}`),
];

const folders = ['bench', 'contract', 'credentials', 'demo', 'docs', 'examples', 'icons', 'nodes'];
const files = [
	...[...folders, 'release', 'sandbox', 'scripts', 'test', '.github', '.ci'].flatMap(filesIn),
	...readdirSync(root),
].map((path) => path.replaceAll('\\', '/'));
const sources = files
	.filter((path) => /\.(ts|mjs|cjs)$/.test(path) && !path.startsWith('.'))
	.map(read)
	.join('\n');
const words = new Set(sources.match(/\w+/g));
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** A run makes it. */
const GENERATED = ['.test-output/e2e'];
const isPath = (text: string) =>
	/^[\w.-]+(\/[\w.-]+)*\/?$/.test(text) && (text.includes('/') || /\.(ts|js|cjs|md)$/.test(text));
/** A page may leave out the folder that it is about, and the ending of a file. */
const isFound = (path: string) => {
	const part = `/${path.replace(/\/$/, '')}`;
	return files.some((file) => {
		const at = `/${file}`;
		return at.endsWith(part) || at.endsWith(`${part}.ts`) || at.includes(`${part}/`);
	});
};

describe.each(pages)('%s', (page) => {
	const text = read(page);
	const marked = [...text.replace(/```.*?```/gs, '').matchAll(/`([^`\n]+)`/g)].map(
		([, code]) => code,
	);

	it('names files and folders that there are', () => {
		const paths = marked.filter((code) => isPath(code) && !GENERATED.includes(code));
		expect(paths.filter((path) => !isFound(path))).toEqual([]);
	});

	it('names symbols that the sources have', () => {
		const symbols = marked.flatMap(
			(code) => /^([a-z]\w*[A-Z]\w*|[A-Z][a-z]\w*)(\(|$)/.exec(code)?.[1] ?? [],
		);
		expect(symbols.filter((symbol) => !words.has(symbol))).toEqual([]);
	});

	it('names commands that there are', () => {
		const commands = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
		expect(commands.filter((name) => !(name in scripts))).toEqual([]);
		const tests = [...text.matchAll(/npx jest (?!-)([\w/.]+)/g)].map(([, path]) => path);
		const all = files.filter((file) => file.endsWith('.test.ts'));
		expect(tests.filter((path) => !all.some((file) => file.includes(path)))).toEqual([]);
	});
});
