import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { propertiesOf } from '../shared/operation';
import { runItems } from '../shared/run';
import { taxQuery } from '../shared/service';
import { subtitleOf } from '../shared/subtitle';
import { testProviderLogin } from '../CreditProfile/methods';
import { resources } from './resources';

/** Checking identifiers needs no credential. */
const online = resources.filter(({ value }) => value !== 'identifier').map(({ value }) => value);

export class TaxQuery implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Tax Query',
		name: 'taxQuery',
		icon: { light: 'file:../../icons/taxQuery.svg', dark: 'file:../../icons/taxQuery.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: subtitleOf(resources),
		description:
			'Run tax and identity queries about Mexican persons and companies. Each query sent costs money; checking identifiers and reading past queries is free.',
		defaults: { name: 'Tax Query' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [
			{
				name: 'taxQueryApi',
				required: true,
				displayOptions: { show: { resource: online } },
			},
			{
				name: 'creditProfileProviderLoginApi',
				required: true,
				testedBy: 'testProviderLogin',
				displayOptions: {
					show: {
						resource: ['taxAuthority'],
						operation: ['createTaxProfile'],
						loginFrom: ['stored'],
					},
				},
			},
		],
		properties: propertiesOf(resources),
	};

	methods = { credentialTest: { testProviderLogin } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, resources, taxQuery);
	}
}
