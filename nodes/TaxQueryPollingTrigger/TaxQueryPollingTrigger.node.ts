import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';
import { pollForResults } from './poll';
import { properties } from './properties';

export class TaxQueryPollingTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Tax Query Polling Trigger',
		name: 'taxQueryPollingTrigger',
		icon: { light: 'file:../../icons/taxQuery.svg', dark: 'file:../../icons/taxQuery.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{ $parameter["services"].length ? $parameter["services"].join(", ") : "On any query result" }}',
		description: 'Starts the workflow when the query service, asked at intervals, has new results',
		defaults: { name: 'Tax Query Polling Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'taxQueryApi', required: true }],
		properties,
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await pollForResults(this);
	}
}
