import { join } from 'node:path';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import vocabulary from '../../eslint/vocabulary.cjs';

const root = join(__dirname, '..', '..');

/** Lints a text with one rule of the vocabulary, and returns what it refuses. */
function lint(rule: string, code: string, ...options: unknown[]): string[] {
	const linter = new Linter({ cwd: root });
	const config = {
		files: ['**/*.ts'],
		plugins: { vocabulary },
		languageOptions: { parser: tseslint.parser as Linter.Parser },
		rules: { [`vocabulary/${rule}`]: ['error', ...options] as Linter.RuleEntry },
	};
	return linter
		.verify(code, config, join(root, 'nodes', 'shared', 'sample.ts'))
		.map(({ message }) => message);
}

it.each([
	['a function', 'export function tellBeginning() {}'],
	['a parameter', 'export const read = (asked: string) => asked;'],
	['a destructured variable', 'export const read = ({ said }: Row) => said;'],
	['a key of an object', 'export const row = { asked: 1 };'],
	['a label of a tuple', 'export type Row = [told: string];'],
	['a property of a type', 'interface Row { isLean: boolean }'],
	['a type', 'type QueryFate = string;'],
	['a whole name', 'class Watcher {}'],
	['a comment', '/** Looks at what was told. */\nexport const row = 1;'],
])('refuses a banned word in %s', (_, code) => {
	expect(lint('no-banned-words', code)).toHaveLength(1);
});

it.each([
	['standard terms', 'export const poll = (request: string) => request;'],
	['quoted keys of wire objects', "export const body = { 'x-asked': 'x' };"],
	[
		'quotations in comments',
		'/** The service answers "as told" and `asked`. */\nexport const row = 1;',
	],
	[
		'longer words',
		'const taskedWith = 1; const cleanOutlook = taskedWith; export { cleanOutlook };',
	],
])('accepts %s', (_, code) => {
	expect(lint('no-banned-words', code)).toEqual([]);
});

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');

it('refuses a sentence of more than 25 words in a comment', () => {
	expect(lint('sentence-length', `/** ${words(26)}. */`)).toHaveLength(1);
	expect(lint('sentence-length', `// ${words(14)}\n// ${words(14)}`)).toHaveLength(1);
	expect(lint('sentence-length', `/** ${words(25)}. ${words(25)}. */`)).toEqual([]);
});

it('refuses a type name that another file exports', () => {
	const folders = { folders: ['nodes', 'credentials'] };
	const twice = 'export interface RateLimiter {}\nexport type OnlyHere = string;';
	expect(lint('unique-type-names', twice, folders)).toEqual([
		expect.stringContaining(join('nodes', 'shared', 'rateLimit', 'rateLimiter.ts')),
	]);
});

it('refuses a test title of more than 80 characters or with a banned word', () => {
	expect(lint('test-titles', `it('${'x'.repeat(81)}', () => {});`)).toHaveLength(1);
	expect(lint('test-titles', `it.each([1])('${'x'.repeat(81)}', () => {});`)).toHaveLength(1);
	expect(lint('test-titles', "describe('what is asked', () => {});")).toHaveLength(1);
	expect(lint('test-titles', `it('${'x'.repeat(80)}', () => {});`)).toEqual([]);
});
