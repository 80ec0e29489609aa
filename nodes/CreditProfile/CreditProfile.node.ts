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
import { subtitleOf } from '../shared/subtitle';
import { collection } from './collection';
import { credential } from './credential';
import { document } from './document';
import { getCollectionTags, searchCollections, testProviderLogin } from './methods';

const resources = [credential, collection, document];

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
		subtitle: subtitleOf(resources),
		description: 'Keep provider credentials current; read data collections and documents',
		defaults: { name: 'Credit Profile' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [
			{ name: 'creditProfileApi', required: true },
			{
				name: 'creditProfileProviderLoginApi',
				required: true,
				testedBy: 'testProviderLogin',
				displayOptions: {
					show: { resource: ['credential'], operation: ['upsert'], loginFrom: ['stored'] },
				},
			},
		],
		properties: propertiesOf(resources),
	};

	methods = {
		listSearch: { searchCollections },
		loadOptions: { getCollectionTags },
		credentialTest: { testProviderLogin },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, resources, creditProfile);
	}
}
