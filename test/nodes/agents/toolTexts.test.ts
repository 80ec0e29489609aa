import { codeAndFieldOf } from '../../support/errorCode';
import {
	NodeHelpers,
	type INode,
	type INodeParameters,
	type INodeProperties,
	type INodeType,
} from 'n8n-workflow';
import { createSandboxNodeRunner } from '../creditProfile/support';
import { packageNodesByType } from '../../support/runNodeInEngine';
import { queryTypes } from '../../../nodes/shared/queryTypes/catalog';
import { operationParameters, taxQuerySandbox } from '../taxQuery/support';
import { sandboxForTestGroup } from '../../support/sharedSandbox';

interface Offered {
	type: string;
	resource: string;
	operation: string;
	fields: INodeProperties[];
}

/** Every operation of both nodes, with the fields that it has at first. */
const offered: Offered[] = ['taxQuery', 'creditProfile'].flatMap((type) => {
	const { properties } = packageNodesByType[type].description;
	return properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options }) =>
			(options as Array<{ value: string }>).map(({ value }): Offered => {
				const resource = displayOptions?.show?.resource?.[0] as string;
				const here = ({ displayOptions: { show = {} } = {} }: INodeProperties) =>
					Object.keys(show).length === 2 &&
					show.resource?.[0] === resource &&
					show.operation?.[0] === value;
				return { type, resource, operation: value, fields: properties.filter(here) };
			}),
		);
});

/** n8n describes a tool so to a model where it was only dragged in and set to an operation. */
function textsOf({ type, resource, operation: value }: Offered): string {
	const nodeType = packageNodesByType[type];
	const description = { ...nodeType.description, name: `${type}Tool` };
	const node = {
		id: '1',
		name: 'Tool',
		type: `n8n-nodes-credit-profile.${type}Tool`,
		typeVersion: 1,
		position: [0, 0],
		parameters: { resource, operation: value },
	} as INode;
	const filledIn = NodeHelpers.getNodeParameters(
		description.properties,
		node.parameters,
		true,
		false,
		node,
		description,
	);
	const tool = { ...node, parameters: filledIn as INodeParameters };
	return NodeHelpers.getToolDescriptionForNode(tool, { ...nodeType, description } as INodeType);
}

/** A model may fill in texts and times that are not secret, and the ID of a collection. */
const modelFields = ({ fields }: Offered) =>
	fields.filter(
		({ type, name, typeOptions }) =>
			['string', 'dateTime', 'resourceLocator'].includes(type) &&
			name !== 'toolDescription' &&
			!typeOptions?.password,
	);

describe('a tool of an AI agent', () => {
	const cases = offered.map(
		(one) => [`${one.type}: ${one.resource} ${one.operation}`, one] as const,
	);

	it('is made of each operation', () => {
		expect(offered.length).toBeGreaterThan(queryTypes.length);
	});

	it.each(cases)('describes its effect and fields to a model: %s', (_name, one) => {
		const texts = textsOf(one);
		expect(texts.split(/\s+/).length).toBeLessThanOrEqual(60);
		const missing = modelFields(one)
			.map(({ displayName }) => displayName)
			.filter((label) => !new RegExp(`${label.replace(/[()]/g, '\\$&')}: \\S`).test(texts));
		expect(missing).toEqual([]);
	});

	it('describes the cost of each billed tool, and the use of a pending result', () => {
		const texts = offered.map(textsOf);
		expect(texts.filter((text) => /Billed:|may be billed/.test(text)).length).toBe(
			queryTypes.length,
		);
		expect(texts.filter((text) => /Do not ask again/.test(text)).length).toBe(
			queryTypes.filter(({ isImmediate }) => !isImmediate).length,
		);
	});

	describe('when it runs', () => {
		const sandbox = sandboxForTestGroup(taxQuerySandbox, { documents: undefined });

		it('says in the message of an error what to do, for a model sees nothing else', async () => {
			const { error } = await sandbox.run(
				operationParameters('person', 'getCurpData', { curp: 'GOEL901331MDFDSR07' }),
				{ isTool: true },
			);
			expect(error?.message).toMatch(/cannot be right.*Nothing was sent/);
		});

		const listed = { resource: 'dataCollection', operation: 'getAll', returnAll: true };
		const empty = { name__like: '', processorKey__eq: [''] };

		it('filters by nothing where the model fills nothing in', async () => {
			const all = await createSandboxNodeRunner(sandbox)(listed);
			const found = await createSandboxNodeRunner(sandbox)(
				{ ...listed, filters: empty },
				{ isTool: true },
			);
			expect(found.error).toBeUndefined();
			expect(found.items.length).toBe(all.items.length);
		});

		it('is still refused an empty filter where a person has set it', async () => {
			const { error } = await createSandboxNodeRunner(sandbox)({ ...listed, filters: empty });
			expect(codeAndFieldOf(error)).toEqual(['filter.empty', 'Name Contains']);
		});
	});
});
