import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from '../../support/repositoryFiles';
import { instantiateFromSource } from '../../support/packageClasses';
import type { INodeProperties, INodeType } from 'n8n-workflow';
import {
	CREDIT_PROFILE_KEYS,
	readCreditProfileApiMapping,
	readTaxQueryApiMapping,
	TAX_QUERY_KEYS,
} from '../../../nodes/shared/credentials/apiMapping';
import type { MappingShape } from '../../../nodes/shared/credentials/parseMapping';
import { People } from '../../../sandbox/data/people/people';
import { addReservedIdentities } from '../../../sandbox/data/people/reserved';

const root = join(__dirname, '..', '..', '..');
const rowsOf = (page: string) =>
	readFileSync(join(root, 'docs', page), 'utf8')
		.split('\n')
		.filter((line) => line.startsWith('| '))
		.map((line) =>
			line
				.split('|')
				.slice(1, -1)
				.map((cell) => cell.trim()),
		);

describe('links to a part of a page', () => {
	const anchorsOf = (page: string) =>
		[...readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
			heading
				.toLowerCase()
				.replace(/[^\w\s-]/g, '')
				.replaceAll(' ', '-'),
		);
	const texts = ['nodes', 'credentials', 'examples', 'docs', 'sandbox', '.github', 'SECURITY.md']
		.flatMap((path) => (path.endsWith('.md') ? [path] : filesIn(path)))
		.filter((path) => /\.(ts|json|md|yml|html)$/.test(path))
		.map((path) => readFileSync(join(root, path), 'utf8'))
		.join('\n');
	const links = [...texts.matchAll(/\b(docs\/[\w/-]+\.md)#([\w-]+)/g)];

	it('lead to a heading', () => {
		expect(links.length).toBeGreaterThan(4);
		const broken = links.filter(([, page, anchor]) => !anchorsOf(page).includes(anchor));
		expect(broken.map(([link]) => link)).toEqual([]);
	});
});

describe('lists in the documents are whole', () => {
	it('docs/sandbox.md has the reserved people', () => {
		const reserved = addReservedIdentities(new People(1));
		expect(reserved.length).toBeGreaterThan(4);
		expect(rowsOf('sandbox.md')).toEqual(
			expect.arrayContaining(
				reserved.map(({ effect, rfc, curp, companyRfc }) => [effect, rfc, curp, companyRfc]),
			),
		);
	});

	it('docs/examples.md has every example', () => {
		const named = rowsOf('examples.md').flatMap(([cell]) => /^\[([\w-]+)\]/.exec(cell)?.[1] ?? []);
		const files = readdirSync(join(root, 'examples')).map((file) => file.replace('.json', ''));
		expect(named.sort()).toEqual(files.sort());
	});

	it('docs/trigger-settings.md has every field of the trigger', async () => {
		const path = 'dist/nodes/TaxQuery/TaxQueryTrigger.node.js';
		const { properties } = (await instantiateFromSource<INodeType>(path)).description;
		const shown = properties.filter(
			({ type, displayOptions }) =>
				!['hidden', 'notice', 'callout'].includes(type) && !displayOptions?.show?.startFrom,
		);
		const fields = shown.flatMap(({ type, displayName, options }) =>
			type === 'collection'
				? (options as INodeProperties[]).map((option) => option.displayName)
				: [displayName],
		);
		const named = rowsOf('trigger-settings.md').map(([cell]) => cell.replaceAll('_', ''));
		expect(fields.filter((field) => !named.includes(field))).toEqual([]);
	});

	it('docs/api-mapping.md has every key', () => {
		const keysOf = (shape: MappingShape): string[] =>
			Object.entries(shape).flatMap(([key, value]) => [
				key,
				...(typeof value === 'object' && !Array.isArray(value) ? keysOf(value) : []),
			]);
		const page = readFileSync(join(root, 'docs', 'api-mapping.md'), 'utf8');
		const named = new Set(page.match(/[\w/-]+/g));
		const keys = [...keysOf(TAX_QUERY_KEYS), ...keysOf(CREDIT_PROFILE_KEYS)];
		expect(keys.filter((key) => !named.has(key))).toEqual([]);
	});
});

describe('docs/unspecified.md', () => {
	const points = readFileSync(join(root, 'docs', 'unspecified.md'), 'utf8')
		.split('\n### ')
		.slice(1);

	it('names keys that the API Mapping has', () => {
		const settings = points.flatMap((point) => /^- \*\*Setting:\*\* (.*)$/m.exec(point)?.[1] ?? []);
		const keys = settings.flatMap((setting) => [...setting.matchAll(/`(\w+)[\w.]*`/g)]);
		const known = [readTaxQueryApiMapping({}), readCreditProfileApiMapping({})].flatMap(
			Object.keys,
		);
		expect(keys.length).toBeGreaterThan(12);
		expect(keys.map(([, key]) => key).filter((key) => !known.includes(key))).toEqual([]);
	});
});

describe('the forms for issues', () => {
	const folder = join(root, '.github', 'ISSUE_TEMPLATE');
	const entries = readdirSync(folder).flatMap((file) =>
		[...readFileSync(join(folder, file), 'utf8').matchAll(/^ +- ([^:\n]+)$/gm)].map(
			([, entry]) => entry,
		),
	);

	it('offer texts, which GitHub does not read as yes, no or a number', () => {
		expect(entries).toContain("'No'");
		const others = /^(y|yes|n|no|on|off|true|false|null|~|[\d.+-]+)$/i;
		expect(entries.filter((entry) => others.test(entry))).toEqual([]);
	});
});
