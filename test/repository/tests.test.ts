import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import { filesIn } from '../support/repositoryFiles';

const root = join(__dirname, '..', '..');

interface Source {
	path: string;
	file: ts.SourceFile;
}
const sourcesIn = (...folders: string[]): Source[] =>
	folders
		.flatMap(filesIn)
		.filter((path) => path.endsWith('.ts'))
		.map((path) => {
			const text = readFileSync(join(root, path), 'utf8');
			return { path, file: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
		});

function* nodesOf(node: ts.Node): Generator<ts.Node> {
	yield node;
	for (const child of node.getChildren()) yield* nodesOf(child);
}

/** The texts of a literal, or of a regular expression between what stands for other letters; undefined for all else. */
function textsOf(node: ts.Node): string[] | undefined {
	if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
	if (ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node))
		return [node.text];
	if (!ts.isRegularExpressionLiteral(node)) return undefined;
	return node.text.replaceAll('\\', '').split(/[/^$|()[\]{}*+?]/);
}

const WORDS = 4;
const isSentence = (text: string) =>
	text.split(/\s+/).filter((word) => /\p{L}{2}/u.test(word)).length >= WORDS;
const calledName = ({ expression }: ts.CallExpression | ts.NewExpression) =>
	(ts.isPropertyAccessExpression(expression) ? expression.name : expression).getText();
const nameOf = (node: ts.Node) => (ts.isPropertyAssignment(node) ? node.name.getText() : '');

/** Returns what a test, or a group of tests, is called. */
const isTitle = ({ parent }: ts.Node): boolean =>
	parent !== undefined &&
	ts.isCallExpression(parent) &&
	/^(it|describe)\b/.test(parent.expression.getText());

/** Defines where the product writes what a person reads. */
const SPEAKS = /Error$|^(hint|sentences|warn|info|flaw)$/;
const isSpoken = ({ path }: Source, node: ts.Node): boolean => {
	if (/^nodes\/(shared\/errors|TaxQuery\/(errors|output))\//.test(path)) return true;
	for (let at = node; at.parent; at = at.parent) {
		if (['message', 'description', 'advice', 'seen'].includes(nameOf(at))) return true;
		if ((ts.isCallExpression(at) || ts.isNewExpression(at)) && SPEAKS.test(calledName(at)))
			return true;
	}
	return false;
};

const product = sourcesIn('nodes', 'credentials');
const literals = product.flatMap((source) =>
	[...nodesOf(source.file)].flatMap((node) =>
		(textsOf(node) ?? []).map((text) => ({ source, node, text })),
	),
);
const spoken = literals
	.filter(({ source, node, text }) => isSentence(text) && isSpoken(source, node))
	.map(({ text }) => text.trim());
/** Defines what fields, options and operations are called. */
const names = literals
	.filter(({ node }) => ['displayName', 'name', 'action'].includes(nameOf(node.parent)))
	.map(({ text }) => text);

const isQuoted = (text: string) =>
	isSentence(text) &&
	!names.includes(text) &&
	spoken.some((sentence) => sentence.includes(text) || text.includes(sentence));

const tests = sourcesIn('test/nodes', 'test/exhaustive', 'test/e2e');

it('the product speaks', () => {
	expect(spoken.length).toBeGreaterThan(300);
	expect(isQuoted('The query may have been accepted and billed')).toBe(true);
});

/** Tests of words, and those of the sandbox, which has words of its own. */
const ABOUT_WORDS = /Texts\.test\.ts$|^test\/sandbox\//;

it.each(tests.filter(({ path }) => !ABOUT_WORDS.test(path)).map((one) => [one.path, one] as const))(
	'%s quotes no sentence of the product: it asserts on codes and data',
	(_, { file }) => {
		const quoted = [...nodesOf(file)]
			.flatMap((node) => (isTitle(node) ? [] : (textsOf(node) ?? [])))
			.map((text) => text.trim())
			.filter(isQuoted);
		expect(quoted).toEqual([]);
	},
);

/**
 * Defines what tests may import of the product: the nodes as n8n does, what queries there are, and what a restart
 * forgets.
 */
const OUTSIDE =
	/^nodes\/(CreditProfile|TaxQuery)\/\w+\.node$|^nodes\/shared\/(queryTypes\/catalog|processStateByScope)$/;

it.each(tests.map((one) => [one.path, one] as const))(
	'%s imports nothing from the inside',
	(path, { file }) => {
		const inside = [...nodesOf(file)]
			.flatMap((node) => textsOf(node) ?? [])
			.filter((text) => /^\.\.?\//.test(text))
			.map((text) => join(path, '..', text))
			.filter((imported) => imported.startsWith('nodes/') && !OUTSIDE.test(imported));
		expect(inside).toEqual([]);
	},
);
