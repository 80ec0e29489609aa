import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ICredentialType, INodeProperties, INodeType } from 'n8n-workflow';
import ts from 'typescript';
import { filesIn } from '../../support/repositoryFiles';
import {
	instantiateFromSource,
	flattenParameters,
	published,
} from '../../support/loadPackageClassesAndParameters';

// What operators read outside the docs. Panels are loaded as n8n loads them. Of sources, the literals are read by
// TypeScript's own parser: each text of the program, never a comment or a name.

const root = join(__dirname, '..', '..', '..');
const SHOWN = [
	...['displayName', 'description', 'hint', 'placeholder', 'action'],
	...['header', 'executionsHelp', 'eventTriggerDescription'],
];

/** Every text below a value that the editor shows. */
function shownIn(value: unknown, key = ''): string[] {
	if (typeof value === 'string') return SHOWN.includes(key) ? [value] : [];
	if (Array.isArray(value)) return value.flatMap((one) => shownIn(one, key));
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, one]) => shownIn(one, name));
}

/** Of a parameter: what a model reads of a tool, and the names of its choices. */
const choicesOf = ({ name, options = [], default: value }: INodeProperties): string[] => [
	...options.flatMap((option) => ('value' in option ? [option.name] : [])),
	...(name === 'toolDescription' ? [String(value)] : []),
];

/** A text without its tags and styles, with "…" for each expression. */
const withoutTags = (text: string) =>
	text
		.replace(/<style>[\s\S]*?<\/style>/g, '')
		.replace(/\{\{[\s\S]*?\}\}/g, '…')
		.replace(/<(br|title|h\d|p|li|label|option|button|th|dt|header)\b[^>]*>/g, '\n\n')
		.replace(/<[^>]*>/g, '');

/** Returns what the panel of each node and credential shows, by its name. */
export async function textsOfPanels(): Promise<Map<string, string[]>> {
	const descriptions = [
		...(await Promise.all(
			published.nodes.map(async (one) => (await instantiateFromSource<INodeType>(one)).description),
		)),
		...(await Promise.all(
			published.credentials.map(async (one) => await instantiateFromSource<ICredentialType>(one)),
		)),
	];
	return new Map(
		descriptions.map(({ displayName, ...more }) => [
			displayName,
			[
				displayName,
				...shownIn(more),
				...flattenParameters(more.properties).flatMap(({ property }) => choicesOf(property)),
			].map(withoutTags),
		]),
	);
}

/** The labels of all parameters, which texts put in single quotes. */
export async function parameterLabels(): Promise<string[]> {
	const all = await Promise.all([
		...published.nodes.map(
			async (one) => (await instantiateFromSource<INodeType>(one)).description.properties,
		),
		...published.credentials.map(
			async (one) => (await instantiateFromSource<ICredentialType>(one)).properties,
		),
	]);
	const labels = all
		.flatMap((properties) => flattenParameters(properties))
		.flatMap(({ property: { type, displayName } }) => (type === 'notice' ? [] : [displayName]));
	return [...new Set(labels)];
}

/** The sentences and labels among the literals of a source, with "…" for what is filled in. */
function literalsOf(source: string): string[] {
	const texts: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isImportDeclaration(node)) return;
		if (ts.isStringLiteralLike(node)) texts.push(node.text);
		if (ts.isTemplateExpression(node)) {
			texts.push(
				[node.head, ...node.templateSpans.map(({ literal }) => literal)]
					.map(({ text }) => text)
					.join('…'),
			);
		}
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true));
	const shown = texts.filter((text) => !text.includes('$parameter['));
	return shown.filter((text) => /\p{L}.* .*\p{L}/u.test(text) || /^\p{Lu}\p{Ll}+$/u.test(text));
}

/** The texts that the sources of a folder hold, by file. */
export const textsOfSources = (...folders: string[]): Map<string, string[]> =>
	new Map(
		folders
			.flatMap(filesIn)
			.filter((file) => /\.(ts|m?js)$/.test(file))
			.map((file) => [file, literalsOf(readFileSync(join(root, file), 'utf8'))]),
	);

interface Workflow {
	name: string;
	nodes: Array<{ name: string; type: string; parameters: Record<string, unknown> }>;
}

/** Returns what the example workflows show: notes, and the texts of forms and pages. */
export const textsOfExamples = (): Map<string, string[]> =>
	new Map(
		readdirSync(join(root, 'examples')).map((file) => {
			const { name, nodes } = JSON.parse(
				readFileSync(join(root, 'examples', file), 'utf8'),
			) as Workflow;
			const texts = nodes.flatMap(({ type, parameters }) => {
				if (type.endsWith('.stickyNote')) return [String(parameters.content)];
				return /\.(form|formTrigger|stopAndError)$/.test(type) ? formTextsIn(parameters) : [];
			});
			return [file, [name, ...nodes.map((node) => node.name), ...texts]];
		}),
	);

const formTextsIn = (value: unknown, key = ''): string[] => {
	if (typeof value === 'string')
		return /(title|description|message|label|text|option|html)$/i.test(key)
			? [withoutTags(value)]
			: [];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, one]) =>
		formTextsIn(one, Array.isArray(value) ? key : name),
	);
};

/** The page of the sandbox, without its tags. */
export const textOfSandboxPage = (): string =>
	withoutTags(readFileSync(join(root, 'sandbox', 'control', 'page', 'index.html'), 'utf8'));
