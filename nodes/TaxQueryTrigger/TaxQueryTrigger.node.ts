import {
	NodeConnectionTypes,
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { properties, triggerPanel } from './properties';
import { testWebhookCredential } from './proof';
import { receive } from './receive';
import { isRegistered, register, unregister } from './registration';

export class TaxQueryTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Tax Query Trigger',
		name: 'taxQueryTrigger',
		icon: { light: 'file:../../icons/taxQuery.svg', dark: 'file:../../icons/taxQuery.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{ $parameter["services"].length ? $parameter["services"].join(", ") : "On any query result" }}',
		description: 'Starts the workflow when the query service delivers the result of a query',
		defaults: { name: 'Tax Query Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'taxQueryApi', required: false },
			{
				name: 'taxQueryWebhookApi',
				required: true,
				testedBy: 'testWebhookCredential',
				displayOptions: { show: { authenticity: ['credential'] } },
			},
		],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				responseData: '', // else n8n sends the text "firstEntryJson" in place of the node's answer
				path: 'tax-query',
			},
		],
		triggerPanel,
		properties,
	};

	methods = { credentialTest: { testWebhookCredential } };

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				if (this.getNodeParameter('confirm')) await this.getCredentials('taxQueryApi');
				return await isRegistered(this);
			},
			async create(this: IHookFunctions): Promise<boolean> {
				await register(this);
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				await unregister(this);
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this);
	}
}
