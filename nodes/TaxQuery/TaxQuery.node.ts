import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import {
	propertiesOfAllResources,
	subtitleExpression,
	onlineResources,
} from '../shared/operations/operation';
import { runItems } from '../shared/operations/runItems';
import { taxQuery } from '../shared/http/services';
import { testTaxQuery } from '../shared/http/testConnection';
import { resources } from './resources';

export class TaxQuery implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Tax Query',
		name: 'taxQuery',
		icon: { light: 'file:../../icons/taxQuery.svg', dark: 'file:../../icons/taxQuery.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: subtitleExpression(resources),
		description:
			'Run tax and identity queries about Mexican persons and companies. Each query sent costs money; Query only reads, and Identifier sends nothing.',
		defaults: { name: 'Tax Query' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Each query that is sent is billed; Identifier and Query operations are not. A slow query returns its ID at once: let Tax Query Trigger start a second workflow with the result. Turn on Wait for Result only for few queries. Check identifiers first, and set Max Queries per Execution.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-credit-profile.taxQueryTrigger',
					relationHint: 'Starts a workflow once for each result of a query',
				},
			],
		},
		credentials: [
			{
				name: 'taxQueryApi',
				required: true,
				testedBy: 'testTaxQuery',
				displayOptions: onlineResources(resources),
			},
		],
		properties: propertiesOfAllResources(resources),
	};

	methods = { credentialTest: { testTaxQuery } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, resources, taxQuery);
	}
}
