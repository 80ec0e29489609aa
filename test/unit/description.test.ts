import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type {
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
} from 'n8n-workflow';
import {
	instantiateFromSource,
	flattenParameters,
	published as n8n,
	sourcePathOfBuilt,
	type ParameterWithPath,
} from '../support/packageClasses';

/** A list is sorted by its entries' shown names. */
const shown = (option: INodePropertyOptions | INodeProperties | INodePropertyCollection) =>
	'displayName' in option ? option.displayName : option.name;

const SMALL = [
	'a',
	'an',
	'and',
	'as',
	'at',
	'by',
	'for',
	'from',
	'if',
	'in',
	'of',
	'on',
	'or',
	'per',
	'the',
	'this',
	'to',
	'with',
];
const isTitleCase = (text: string) =>
	text
		.split(/[\s/()"-]+/)
		.filter((word) => word !== '')
		.every((word, index) => /^([A-Z0-9]|n8n$)/.test(word) || (index > 0 && SMALL.includes(word)));

const BOOLEAN = /^Whether /;
/** It does not fit the name of a field that is secret. */
const SECRET = /(password|secret|token|ciec|apiKey|privateKey)(?!.*Name$)/i;

describe.each(n8n.nodes)('the description of %s', (built) => {
	let node: INodeType;
	let all: ParameterWithPath[];
	beforeAll(async () => {
		node = await instantiateFromSource<INodeType>(built);
		all = flattenParameters(node.description.properties);
	});
	/** Paths of the parameters that are not as they should be. */
	const failing = (isFine: (property: INodeProperties) => boolean) =>
		all.filter(({ property }) => !isFine(property)).map(({ path }) => path);
	const operations = () =>
		all
			.filter(({ property }) => property.name === 'operation')
			.flatMap(({ property }) => property.options as INodePropertyOptions[]);

	/** The node panel lists operations, or what a trigger starts on. */
	const actions = () =>
		all
			.flatMap(({ property }) => (property.options ?? []) as INodePropertyOptions[])
			.flatMap(({ action }) => action ?? []);

	it('gives each parameter a default', () => {
		expect(failing(({ type, default: value }) => type === 'notice' || value !== undefined)).toEqual(
			[],
		);
	});

	it('gives each selector a default that is one of its options', () => {
		const isFine = ({ type, options, default: value, typeOptions }: INodeProperties) =>
			type !== 'options' ||
			typeOptions?.loadOptionsMethod !== undefined ||
			(options as INodePropertyOptions[]).some((option) => option.value === value);
		expect(failing(isFine)).toEqual([]);
	});

	it('makes no credential depend on a selector at all of its options', () => {
		const named = (name: string, value: unknown) =>
			(node.description.credentials ?? []).some(({ displayOptions }) =>
				displayOptions?.show?.[name]?.some((one) => one === value),
			);
		const isFine = ({ name, options = [], type }: INodeProperties) =>
			type !== 'options' ||
			options.length === 0 ||
			!(options as INodePropertyOptions[]).every(({ value }) => named(name, value));
		expect(failing(isFine)).toEqual([]);
	});

	it('names each parameter in Title Case', () => {
		expect(
			failing(({ displayName, type }) => type === 'notice' || isTitleCase(displayName)),
		).toEqual([]);
	});

	it('names each option in Title Case', () => {
		const isFine = ({ options = [] }: INodeProperties) =>
			options.every((option) => isTitleCase(shown(option)));
		expect(failing(isFine)).toEqual([]);
	});

	it('sorts each list of five options or more by what is shown', () => {
		const isFine = ({ name, options = [] }: INodeProperties) => {
			const names = options.map(shown);
			return (
				name === 'options' ||
				names.length < 5 ||
				names.join() === [...names].sort((a, b) => a.localeCompare(b)).join()
			);
		};
		expect(failing(isFine)).toEqual([]);
	});

	it('offers what has to do with the business before the timeout', () => {
		const isFine = ({ options = [] }: INodeProperties) =>
			[-1, options.length - 1].includes(options.findIndex(({ name }) => name === 'timeout'));
		expect(failing(isFine)).toEqual([]);
	});

	it('has no two options of the same value', () => {
		const isFine = ({ options = [] }: INodeProperties) =>
			new Set(options.map((option) => ('value' in option ? option.value : option.name))).size ===
			options.length;
		expect(failing(isFine)).toEqual([]);
	});

	it('lets resource and operation be chosen, not computed', () => {
		const isFine = ({ name, noDataExpression }: INodeProperties) =>
			!['resource', 'operation'].includes(name) || noDataExpression === true;
		expect(failing(isFine)).toEqual([]);
	});

	it('describes each operation by an action and a description', () => {
		const poor = operations().filter(
			({ name, action, description }) => !action || !description || description === name,
		);
		expect(poor).toEqual([]);
	});

	const toolDescriptions = () =>
		all
			.filter(({ property }) => property.name === 'toolDescription')
			.map(({ property }) => property.default as string);

	it('describes each operation to a language model in at most 60 words', () => {
		const wrong = toolDescriptions().filter((text) => {
			const { length } = text.split(/\s+/);
			return length < 10 || length > 60;
		});
		expect([wrong, toolDescriptions().length]).toEqual([[], operations().length]);
	});

	const offered = () =>
		node.description.properties
			.filter(({ name, type }) => type === 'collection' && ['options', 'settings'].includes(name))
			.map((property) => {
				const [operation = node.description.name] = (property.displayOptions?.show?.operation ??
					[]) as string[];
				const first = (property.options as INodeProperties[]).filter(
					({ displayOptions }) => !displayOptions?.show?.personalData,
				);
				return { operation, count: first.length, names: first.map(({ name }) => name) };
			});

	it('offers few options at first: what a query costs needs two of eight', () => {
		const isTrigger = node.description.group.includes('trigger');
		const most = isTrigger ? 7 : node.description.name === 'creditProfile' ? 6 : 8;
		expect(offered().filter(({ count }) => count > most)).toEqual([]);
	});

	it('has Simplify among the options, never beside them', () => {
		const beside = node.description.properties.filter(({ name }) => name === 'simplify');
		expect(beside).toEqual([]);
		expect(offered().some(({ names }) => names.includes('simplify'))).toBe(true);
	});

	it('puts Max Queries per Day first among the spending limits', () => {
		const groups = all.filter(({ property }) => property.name === 'spendingLimits');
		const firsts = groups.map(({ property }) => property.options?.[0].name);
		expect(new Set(firsts)).toEqual(
			new Set(node.description.name === 'taxQuery' ? ['maxQueriesPerDay'] : []),
		);
	});

	it('has no article in an action', () => {
		expect(actions().filter((action) => /\b(an?|the)\b/i.test(action))).toEqual([]);
	});

	it('names other parameters in single quotes', () => {
		const labels = [...new Set(all.map(({ property }) => property.displayName))].filter((label) =>
			/ [A-Z]/.test(label),
		);
		const bare = all.flatMap(({ path, property: { description = '', displayName, hint = '' } }) => {
			const text = `${description} ${hint}`;
			return labels
				.filter((label) => label !== displayName && text.includes(label))
				.filter((label) => !text.includes(`'${label}`))
				.map((label) => `${path}: ${label}`);
		});
		expect([...new Set(bare)]).toEqual([]);
	});

	it('writes below a node on the canvas what fits there, and not its name again', () => {
		const { subtitle = '', defaults } = node.description;
		const texts = [...subtitle.matchAll(/"[^"]+":"([^"]+)"/g)].map(([, text]) => text);
		const wrong = texts.filter((text) => text.length > 26 || text.includes(String(defaults.name)));
		const named = actions().filter((action) => action !== 'On any query result');
		expect([wrong, texts.length]).toEqual([[], named.length]);
	});

	it('writes each action in sentence case', () => {
		const wrong = actions().filter(
			(action) => !/^[A-Z][^A-Z]/.test(action) || /\W[A-Z][a-z]|\.$/.test(action),
		);
		expect([wrong, actions().length > 0]).toEqual([[], true]);
	});

	it('has no two operations with the same action', () => {
		expect(actions()).toEqual([...new Set(actions())]);
	});

	it('begins the description of each switch with "Whether"', () => {
		expect(
			failing(({ type, description }) => type !== 'boolean' || BOOLEAN.test(description ?? '')),
		).toEqual([]);
	});

	it('masks each parameter that holds a secret', () => {
		const isFine = ({ name, type, typeOptions }: INodeProperties) =>
			type !== 'string' || !SECRET.test(name) || typeOptions?.password === true;
		expect(failing(isFine)).toEqual([]);
	});

	it('names only methods that the node has', () => {
		const has = (kind: 'loadOptions' | 'listSearch', name: string | undefined) =>
			name === undefined || name in (node.methods?.[kind] ?? {});
		const isFine = ({ typeOptions, modes }: INodeProperties) =>
			has('loadOptions', typeOptions?.loadOptionsMethod) &&
			(modes ?? []).every((mode) => has('listSearch', mode.typeOptions?.searchListMethod));
		expect(failing(isFine)).toEqual([]);
	});

	it('shows each parameter only under values that its governing parameter can have', () => {
		const isFine = ({ displayOptions }: INodeProperties) =>
			Object.entries(displayOptions?.show ?? {}).every(([governing, values]) => {
				if (governing === '@tool') return true; // n8n's own: whether an AI agent uses the node
				const selectors = all.filter(
					({ property }) => property.name === governing.replace('/', ''),
				);
				const possible = selectors.flatMap(({ property }) =>
					property.type === 'boolean'
						? [true, false]
						: (property.options as INodePropertyOptions[]).map(({ value }) => value),
				);
				return (values ?? []).every((value) => possible.includes(value as string));
			});
		expect(failing(isFine)).toEqual([]);
	});

	it('has icons for light and dark that exist', () => {
		const icon = node.description.icon as { light: string; dark: string };
		const folder = join(sourcePathOfBuilt(built), '..');
		const missing = [icon.light, icon.dark].filter(
			(file) => !existsSync(join(folder, file.replace('file:', ''))),
		);
		expect(missing).toEqual([]);
	});

	it('can be used as a tool, unless it is a trigger', () => {
		const { usableAsTool, group } = node.description;
		expect(usableAsTool === true).toBe(!group.includes('trigger'));
	});
});

describe.each(n8n.credentials)('the description of %s', (built) => {
	let displayName: string;
	let properties: ParameterWithPath[];
	beforeAll(async () => {
		const type = await instantiateFromSource<{
			displayName: string;
			properties: INodeProperties[];
		}>(built);
		displayName = type.displayName;
		properties = flattenParameters(type.properties);
	});
	const failing = (isFine: (property: INodeProperties) => boolean) =>
		properties.filter(({ property }) => !isFine(property)).map(({ path }) => path);

	it('has a name that fits behind "Credential for"', () => {
		expect(displayName.length).toBeLessThanOrEqual(22);
	});

	it('gives each field a default', () => {
		expect(failing(({ type, default: value }) => type === 'notice' || value !== undefined)).toEqual(
			[],
		);
	});

	it('names each field in Title Case', () => {
		expect(
			failing(({ displayName, type }) => type === 'notice' || isTitleCase(displayName)),
		).toEqual([]);
	});

	it('masks each field that holds a secret', () => {
		const isFine = ({ name, typeOptions, type }: INodeProperties) =>
			!['string', 'hidden'].includes(type) || !SECRET.test(name) || typeOptions?.password === true;
		expect(failing(isFine)).toEqual([]);
	});
});
