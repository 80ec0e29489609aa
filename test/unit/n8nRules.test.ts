import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeProperties, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { instantiateFromSource, published, sourcePathOfBuilt } from '../support/packageClasses';
import { findViolations, type Codex, type Violation } from '../support/n8nRules';

describe.each(published.nodes)("%s keeps n8n's coming rules", (built) => {
	let node: INodeType;
	let codex: Codex;
	beforeAll(async () => {
		node = await instantiateFromSource<INodeType>(built);
		codex = JSON.parse(readFileSync(`${sourcePathOfBuilt(built)}.json`, 'utf8')) as Codex;
	});

	it('over its loaded description', () => {
		expect(findViolations(node.description, codex)).toEqual([]);
	});

	it('has optional fields outside collections only as the page on verification says', () => {
		const page = readFileSync(
			join(__dirname, '..', '..', 'docs', 'maintainers', 'verification.md'),
			'utf8',
		);
		const [, section] = page.split('### Optional fields outside collections');
		const [table] = section.split('\n## ');
		const isInput = ({ type, name, required }: INodeProperties) =>
			required !== true &&
			!['notice', 'credentials', 'collection', 'hidden', 'button'].includes(type) &&
			!['resource', 'operation', 'toolDescription'].includes(name);
		const names = node.description.properties.filter(isInput).map((one) => one.displayName);
		expect(names.length).toBeGreaterThan(0);
		expect([...new Set(names)].filter((name) => !table.includes(`_${name}_`))).toEqual([]);
	});

	it("has a hint for n8n's AI builder that says what is billed", () => {
		expect(node.description.builderHint?.searchHint).toMatch(/billed/);
	});
});

describe('the check of a description', () => {
	const property = (fields: Partial<INodeProperties>): INodeProperties => ({
		displayName: 'Field',
		name: 'field',
		type: 'string',
		default: '',
		...fields,
	});
	const shown = (method: string) => ({ displayOptions: { show: { method: [method] } } });
	const method = (type: 'options' | 'multiOptions') => property({ name: 'method', type });
	const cases: Array<[string, Violation['rule'] | undefined, Partial<INodeTypeDescription>, Codex?]> =
		[
			['a hint of 120 characters', undefined, { properties: [property({ hint: 'x'.repeat(120) })] }],
			['a hint of 121', 'hint-max-length', { properties: [property({ hint: 'x'.repeat(121) })] }],
			['a hint in a collection', 'hint-max-length', { properties: [property({ type: 'collection', options: [property({ hint: 'x'.repeat(121) })] })] }],
			['two credentials', 'single-credential-per-node', { credentials: [{ name: 'a' }, { name: 'b' }] }],
			['two credentials, one at a time', undefined, { properties: [method('options')], credentials: [{ name: 'a', ...shown('x') }, { name: 'b', ...shown('y') }] }],
			['two credentials by a list of several values', 'single-credential-per-node', { properties: [method('multiOptions')], credentials: [{ name: 'a', ...shown('x') }, { name: 'b', ...shown('y') }] }],
			['two credentials at the same value', 'single-credential-per-node', { properties: [method('options')], credentials: [{ name: 'a', ...shown('x') }, { name: 'b', ...shown('x') }] }],
			['an ID of a partner', 'no-hardcoded-ids', { properties: [property({ name: 'partnerId', default: 'p-1' })] }],
			['an empty ID of a client', undefined, { properties: [property({ name: 'clientId' })] }],
			['an unknown category', 'valid-codex-categories', {}, { categories: ['Finance'] }],
			['an expression in a builder hint', 'no-builder-hint-leakage', { builderHint: { searchHint: 'Set ={{ $json.x }}' } }],
			['a connection in a builder hint', 'no-builder-hint-leakage', { builderHint: { searchHint: 'Connect an ai_tool.' } }],
			['a builder hint of 61 words', 'builder-hint-length', { builderHint: { searchHint: 'word '.repeat(60) + 'word' } }],
		]; // prettier-ignore

	it.each(cases)('finds: %s', (_, rule, fields, ...[codex]) => {
		const description = { properties: [], ...fields } as unknown as INodeTypeDescription;
		const found = findViolations(description, typeof codex === 'object' ? codex : {});
		expect(found.map((one) => one.rule)).toEqual(rule ? [rule] : []);
	});
});
