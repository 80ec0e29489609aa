import { NodeHelpers, type INode, type INodeProperties } from 'n8n-workflow';
import { TaxQueryTrigger } from '../../../../nodes/TaxQuery/TaxQueryTrigger.node';
import { queryServices } from '../../../../nodes/TaxQuery/service/names';

const { properties } = new TaxQueryTrigger().description;
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
/** What an operator can fill in, beside the options. */
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

describe("the trigger's panel", () => {
	it('shows six fields at first sight', () => {
		expect(fields()).toEqual([
			'Receive Results By',
			'Trigger On',
			'Start From',
			'Simplify',
			'Webhook Verification',
			'Confirm with the Service',
		]);
	});

	it.each([
		['asking', ['Receive Results By', 'Trigger On', 'Start From', 'Simplify']],
		[
			'webhook',
			[
				'Receive Results By',
				'Trigger On',
				'Simplify',
				'Webhook Verification',
				'Confirm with the Service',
			],
		],
	])('shows what matters with %s', (receiveBy, expected) => {
		expect(fields({ receiveBy })).toEqual(expected);
	});

	it('starts with the query types whose results come by webhook (TQ §6.1)', () => {
		const delivered = queryServices.filter(({ isDelivered }) => isDelivered);
		const chosen = valueOf('services')?.default as string[];
		expect([...chosen].sort()).toEqual(delivered.map(({ operation }) => operation).sort());
		expect(chosen).toHaveLength(6);
	});

	it('confirms the result by default, and offers Off with a webhook credential alone', () => {
		const { default: value, options = [] } = valueOf('confirm') ?? {};
		const off = options.find((option) => 'value' in option && option.value === 'off');
		expect([value, options.map(({ name }) => name), off]).toEqual([
			'result',
			['Off', 'Result', 'Status Only'],
			expect.objectContaining({ displayOptions: { show: { '/authenticity': ['credential'] } } }),
		]);
	});
});
