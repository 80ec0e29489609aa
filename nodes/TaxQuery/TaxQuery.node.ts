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
import { person } from './person';
import { query } from './query';
import { taxpayer } from './taxpayer';

const resources = [taxpayer, person, query];

export class TaxQuery implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Tax Query',
		name: 'taxQuery',
		icon: { light: 'file:../../icons/taxQuery.svg', dark: 'file:../../icons/taxQuery.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: subtitleOf(resources),
		description:
			'Run tax and identity queries about Mexican persons and companies. Each query may cost money.',
		defaults: { name: 'Tax Query' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'taxQueryApi', required: true }],
		properties: propertiesOf(resources),
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, resources, taxQuery);
	}
}
