import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { propertiesOfAllResources, subtitleExpression } from '../shared/operations/operation';
import { runItems } from '../shared/operations/runItems';
import { creditProfile } from '../shared/http/services';
import { testCreditProfile } from '../shared/http/testConnection';
import { connection } from './resources/diagnose/connection';
import { dataCollection } from './resources/dataCollection';
import { dataDocument } from './resources/dataDocument';
import { providerLogin } from './resources/providerLogin';
import { getCollectionTags, searchCollections } from './methods';

const resources = [providerLogin, dataCollection, dataDocument, connection];

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
		subtitle: subtitleExpression(resources),
		description: 'Keep provider logins current; read data collections and documents',
		defaults: { name: 'Credit Profile' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Stores provider logins, and lists data collections, their versions and documents. Nothing arrives later, so no trigger belongs to it. For billed tax and identity queries use Tax Query.',
		},
		// n8n's linter reads the names and tests here, so they are written out.
		credentials: [{ name: 'creditProfileApi', required: true, testedBy: 'testCreditProfile' }],
		properties: propertiesOfAllResources(resources),
	};

	methods = {
		listSearch: { searchCollections },
		loadOptions: { getCollectionTags },
		credentialTest: { testCreditProfile },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, resources, creditProfile);
	}
}
