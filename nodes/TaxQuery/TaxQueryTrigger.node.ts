import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type IHookFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type ITriggerFunctions,
	type ITriggerResponse,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { testTaxQuery } from '../shared/http/testConnection';
import { executeTrigger } from './trigger/execute';
import { subtitle } from './trigger/filters';
import { openTrigger } from './trigger/open';
import {
	waitingForEventText,
	properties,
	triggerPanel,
	webhookDescription,
} from './trigger/description';
import { receiveWebhookCall } from './webhook/receive';

export class TaxQueryTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Tax Query Trigger',
		name: 'taxQueryTrigger',
		icon: {
			light: 'file:../../icons/taxQueryTrigger.svg',
			dark: 'file:../../icons/taxQueryTrigger.dark.svg',
		},
		group: ['trigger'],
		version: 1, // not more: see the hidden field "options"
		subtitle,
		description:
			'Mexican tax and identity queries (RFC, CURP, CSF, 32D, CFDI), and a trigger that starts a workflow once for each result',
		eventTriggerDescription: waitingForEventText,
		defaults: { name: 'Tax Query Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'taxQueryApi', required: true, testedBy: 'testTaxQuery' }],
		builderHint: {
			searchHint:
				'Starts a workflow once for each result of a Tax Query, by webhook and by checks of the list; nothing of it is billed. Use it for every query that is sent without Wait for Result. Match results by queryId. Choose Checks Only if n8n has no public address.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-credit-profile.taxQuery',
					relationHint: 'Sends the queries whose results this trigger receives',
				},
			],
		},
		webhooks: [webhookDescription],
		triggerPanel,
		properties,
	};

	methods = { credentialTest: { testTaxQuery } };

	// TQ §6.2 shows no endpoint for registration: the operator gives the URL to the service
	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return true;
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return true;
			},
		},
	};

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await openTrigger(this);
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receiveWebhookCall(this);
	}

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await executeTrigger(this);
	}
}
