import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { propertiesOf, subtitleOf, whereServiceIsAsked } from '../shared/operations/operation';
import { runItems } from '../shared/operations/runItems';
import { taxQuery } from '../shared/transport/service';
import { testTaxQuery } from '../shared/transport/testConnection';
import { resources } from './resources';

export class TaxQuery implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Tax Query',
		name: 'taxQuery',
		icon: { light: 'file:../../icons/taxQuery.svg', dark: 'file:../../icons/taxQuery.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: subtitleOf(resources),
		description:
			'Run tax and identity queries about Mexican persons and companies. Each query sent costs money; Query only reads, and Identifier sends nothing.',
		defaults: { name: 'Tax Query' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [
			{
				name: 'taxQueryApi',
				required: true,
				testedBy: 'testTaxQuery',
				displayOptions: whereServiceIsAsked(resources),
			},
		],
		properties: propertiesOf(resources),
	};

	methods = { credentialTest: { testTaxQuery } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, resources, taxQuery);
	}
}
