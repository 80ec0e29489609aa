import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import {
	NodeHelpers,
	type INode,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';
import { TaxQuery } from '../../../../nodes/TaxQuery/TaxQuery.node';
import { TaxQueryTrigger } from '../../../../nodes/TaxQuery/TaxQueryTrigger.node';
import { queryTypes } from '../../../../nodes/shared/queryTypes/catalog';

const { description } = new TaxQueryTrigger();
const { properties } = description;
const nodeWith = (parameters: object): INode => ({
	id: '1',
	name: 'Trigger',
	type: 'n8n-nodes-credit-profile.taxQueryTrigger',
	typeVersion: 1,
	position: [0, 0],
	parameters: {
		...Object.fromEntries(properties.map(({ name, default: value }) => [name, value])),
		...parameters,
	} as INode['parameters'],
});
/** Options are left out. */
const fields = (parameters: object = {}) => {
	const node = nodeWith(parameters);
	const isShown = (property: INodeProperties) =>
		NodeHelpers.displayParameter(node.parameters, property, node, null);
	return properties
		.filter(({ type }) => !['credentials', 'notice', 'hidden', 'collection'].includes(type))
		.filter(isShown)
		.map(({ displayName }) => displayName);
};
const valueOf = (name: string) => properties.find((property) => property.name === name);

describe("the trigger's icon", () => {
	it.each(['light', 'dark'] as const)("differs from the action's: %s", (theme) => {
		const action = new TaxQuery().description.icon as Record<typeof theme, string>;
		const own = description.icon as Record<typeof theme, string>;
		const read = (icon: string) =>
			readFileSync(join(__dirname, '../../../../icons', basename(icon)), 'utf8');
		expect(read(own[theme])).not.toBe(read(action[theme]));
	});
});

describe("the trigger's panel", () => {
	it('names a status that the API reference does not show', () => {
		const options = valueOf('statuses')?.options as INodePropertyOptions[];
		expect(options.find(({ value }) => value === 'unknown')?.name).toBe(
			'Status That the API Reference Does Not Show',
		);
	});

	it('shows six fields at first sight', () => {
		expect(fields()).toEqual([
			'Receive Results By',
			'Trigger On',
			'Statuses',
			'Start From',
			'Webhook Verification',
			'Confirm with the Service',
		]);
	});

	it.each([
		['asking', ['Receive Results By', 'Trigger On', 'Statuses', 'Start From']],
		[
			'webhook',
			[
				'Receive Results By',
				'Trigger On',
				'Statuses',
				'Webhook Verification',
				'Confirm with the Service',
			],
		],
	])('shows what matters with %s', (receiveBy, expected) => {
		expect(fields({ receiveBy })).toEqual(expected);
	});

	it('starts with the query types whose results come by webhook (TQ §6.1)', () => {
		const delivered = queryTypes.filter(({ isDelivered }) => isDelivered);
		const chosen = valueOf('services')?.default as string[];
		expect([...chosen].sort()).toEqual(delivered.map(({ operation }) => operation).sort());
		expect(chosen).toHaveLength(6);
	});

	it('shows all that is chosen: no choice is empty', () => {
		const chosen = ['services', 'statuses'].map((name) => valueOf(name)?.default);
		expect(chosen).toEqual([expect.any(Array), ['failed', 'success', 'unknown']]);
	});

	it('offers any result first, and describes each entry in its own words', () => {
		const entries = valueOf('services')?.options as INodePropertyOptions[];
		const descriptions = entries.map(({ description = '' }) => description);
		expect(entries[0]).toMatchObject({ value: 'any', action: 'On any query result' });
		expect(new Set(descriptions).size).toBe(entries.length);
		expect(descriptions).not.toContain(description.description);
	});

	const states = (...statuses: string[]) => ({ statuses });
	it.each<[object, string]>([
		[{}, 'On 6 query types'],
		[{ services: ['any'] }, 'On any query result'],
		[{ services: ['any', 'getCrf'] }, 'On any query result'],
		[{ services: ['getCrf'] }, 'On CRF'],
		[{ services: ['getShareholders'] }, 'On company shareholders'],
		[{ services: ['getCrf'], settings: { otherServices: 'CONSTANCIA' } }, 'On 2 query types'],
		[{ services: [], settings: { otherServices: 'CONSTANCIA' } }, 'On CONSTANCIA'],
		[{ services: ['any'], ...states('failed') }, 'Failed: any query type'],
		[{ services: ['getCrf'], ...states('success', 'pending') }, '2 statuses: CRF'],
		[states('success'), 'Success: 6 query types'],
		[states('unknown', 'failed', 'success'), 'On 6 query types'],
	])('says on the canvas what starts the workflow: %j', (parameters, expected) => {
		const expression = String(description.subtitle).replace(/^=\{\{|\}\}$/g, '');
		const $parameter = nodeWith(parameters).parameters;
		expect(runInNewContext(expression, { $parameter })).toBe(expected);
		expect(expected.length).toBeLessThanOrEqual(26);
	});

	it('confirms by default, and trusts a call only with webhook verification', () => {
		const { default: value, options = [] } = valueOf('confirm') ?? {};
		const off = options.find((option) => 'value' in option && option.value === 'off');
		expect([value, options.map(({ name }) => name), off]).toEqual([
			'result',
			['Fetch the Result from the Service', 'Fetch the Status Only', 'Trust the Webhook Call'],
			expect.objectContaining({ displayOptions: { show: { '/authenticity': ['credential'] } } }),
		]);
	});
});
