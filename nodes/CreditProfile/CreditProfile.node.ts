import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { propertiesOf } from '../shared/operation';
import { runItems } from '../shared/run';
import { creditProfile } from '../shared/service';
import { credential } from './credential';

const resources = [credential];

export class CreditProfile implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Credit Profile',
		name: 'creditProfile',
		icon: {
			light: 'file:../../icons/creditProfile.svg',
			dark: 'file:../../icons/creditProfile.dark.svg',
		},
		group: ['input'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Keep the provider credentials of the Credit Profile Service current',
		defaults: { name: 'Credit Profile' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'creditProfileApi', required: true }],
		properties: propertiesOf(resources),
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, resources, creditProfile);
	}
}
