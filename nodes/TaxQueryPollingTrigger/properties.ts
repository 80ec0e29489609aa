import type { INodeProperties } from 'n8n-workflow';
import { filterFields, filterOptions } from '../shared/deliveries/filter';
import { simplifyField } from '../shared/fields';

const options: INodeProperties[] = [
	...filterOptions,
	{
		displayName: 'Include Immediate Answers',
		name: 'includeImmediate',
		type: 'boolean',
		default: false,
		description:
			'Whether to emit also what the action node gets at once (CURP data, RFC calculation) while no service is chosen in Trigger On',
	},
	{
		displayName: 'Max Results per Poll',
		name: 'maxResults',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 100,
		description: 'The oldest come first; what is left over comes with the next poll',
	},
];

export const properties: INodeProperties[] = [
	{
		displayName:
			'Asks the query service for new results at the poll times. Use it where this n8n has no public address, or beside the Tax Query Trigger in the same workflow as its safety net: each result then starts the workflow once, whichever of the two brings it.',
		name: 'purposeNotice',
		type: 'notice',
		default: '',
	},
	...filterFields,
	{
		displayName: 'Start From',
		name: 'startFrom',
		type: 'options',
		options: [
			{
				name: 'Activation',
				value: 'activation',
				description: 'Results that come after the workflow was activated (published)',
			},
			{
				name: 'Date',
				value: 'date',
				description: 'Results since a date',
			},
			{
				name: 'Last Hours',
				value: 'hours',
				description: 'Also the results of the hours before the activation',
			},
		],
		default: 'activation',
		description: 'From when on results are emitted',
	},
	{
		displayName: 'Hours',
		name: 'hours',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 24,
		displayOptions: { show: { startFrom: ['hours'] } },
	},
	{
		displayName: 'Date',
		name: 'date',
		type: 'dateTime',
		default: '',
		required: true,
		displayOptions: { show: { startFrom: ['date'] } },
	},
	simplifyField,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: options.sort((a, b) => a.displayName.localeCompare(b.displayName)),
	},
];
