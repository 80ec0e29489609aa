import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { flattenParameters } from './packageClasses';

// n8n's coming rules (packages/@n8n/eslint-plugin-community-nodes/docs/rules in its repository), over a loaded
// description: properties are computed here, so n8n's linter sees few of them.

export interface Violation {
	rule:
		| 'single-credential-per-node'
		| 'hint-max-length'
		| 'no-hardcoded-ids'
		| 'valid-codex-categories'
		| 'no-builder-hint-leakage'
		| 'builder-hint-length';
	detail: string;
}

export interface Codex {
	categories?: string[];
	subcategories?: unknown;
}

const MAX_HINT = 120;
const MAX_BUILDER_WORDS = 60;
const CATEGORIES = [
	...['AI', 'Analytics', 'Communication', 'Core Nodes', 'Cybersecurity', 'Data & Storage'],
	...['Development', 'Finance & Accounting', 'HITL', 'Marketing', 'Miscellaneous', 'Productivity'],
	...['Sales', 'Utility'],
];
const FIXED_ID = /^(partner|affiliate|reseller|account|tenant|customer|client)_?id$/i;
const LEAK =
	/\{\{|\bai_(agent|chain|document|embedding|languageModel|memory|outputParser|retriever|reranker|textSplitter|tool|vectorStore)\b/;

export function findViolations(description: INodeTypeDescription, codex: Codex): Violation[] {
	const parameters = flattenParameters(description.properties);
	const violation = (rule: Violation['rule']) => (detail: string) => ({ rule, detail });
	return [
		...credentialsTogether(description).map(violation('single-credential-per-node')),
		...parameters
			.filter(({ property: { hint = '' } }) => hint.length > MAX_HINT)
			.map(({ path }) => path)
			.map(violation('hint-max-length')),
		...parameters
			.filter(({ property }) => FIXED_ID.test(property.name) && Boolean(property.default))
			.map(({ path }) => path)
			.map(violation('no-hardcoded-ids')),
		...categoryProblems(codex).map(violation('valid-codex-categories')),
		...builderHints(
			description,
			parameters.map(({ property }) => property),
		)
			.filter((text) => LEAK.test(text))
			.map(violation('no-builder-hint-leakage')),
		...[description.builderHint?.searchHint ?? '']
			.filter((text) => text.split(/\s+/).length > MAX_BUILDER_WORDS)
			.map(violation('builder-hint-length')),
	];
}

/** Such a pair has no single-value property that makes the two mutually exclusive. */
function credentialsTogether({ credentials = [], properties }: INodeTypeDescription): string[] {
	const isSingle = (name: string) =>
		properties.some((one) => one.name === name && one.type === 'options');
	return credentials.flatMap((one, index) =>
		credentials
			.slice(index + 1)
			.filter((other) => {
				const [a, b] = [one, other].map(({ displayOptions }) => displayOptions?.show ?? {});
				return !Object.keys(a).some(
					(name) =>
						isSingle(name) && b[name] && !a[name]?.some((value) => b[name]?.includes(value)),
				);
			})
			.map((other) => `${one.name}, ${other.name}`),
	);
}

const categoryProblems = ({ categories = [], subcategories }: Codex): string[] => [
	...categories.filter((category) => !CATEGORIES.includes(category)),
	...(subcategories === undefined ? [] : ['subcategories']),
];

function builderHints(description: INodeTypeDescription, properties: INodeProperties[]): string[] {
	const { searchHint = '', relatedNodes = [] } = description.builderHint ?? {};
	return [
		searchHint,
		...relatedNodes.map(({ relationHint }) => relationHint),
		...properties.map(({ builderHint }) => JSON.stringify(builderHint ?? '')),
	];
}
