import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import { filterFields, filterOptions } from '../shared/deliveries/filter';
import { simplifyField } from '../shared/fields';
import { registrationFields } from './registration';

const emitUnrecognized: INodeProperties = {
	displayName: 'Emit Unrecognized',
	name: 'emitUnrecognized',
	type: 'boolean',
	default: false,
	description:
		'Whether to start the workflow also with a body that names no query, as an item with the fields unrecognized, reason and body, instead of answering 400. Nothing of it is confirmed.',
};

const whileBuilding =
	'<b>While you build the workflow</b>: click the button, register the <b>test URL</b> with the query service, and let it deliver a result. It shows up in the editor.';

/** The words beside the node's panel in the editor. */
export const triggerPanel: INodeTypeDescription['triggerPanel'] = {
	header: 'Listen for a result',
	executionsHelp: {
		inactive: `${whileBuilding}<br /><br /><b>To run the workflow by itself</b>: publish it and register the <b>production URL</b>. These executions show up in the executions list, not in the editor.`,
		active: `${whileBuilding} Put the production URL back afterwards, where the service keeps a single one.<br /><br /><b>The workflow runs by itself</b> with each result that is delivered to the <b>production URL</b>. These executions show up in the <a data-key="executions">executions list</a>, not in the editor.`,
	},
	activationHint:
		'Once the workflow is built, publish it and register the production URL: results then start it without a click.',
};

export const properties: INodeProperties[] = [
	{
		displayName:
			'Register the <b>production</b> webhook URL above with the query service, and publish the workflow. The test URL is another one, for building the workflow: where the service keeps a single URL, registering the test URL displaces production, so put the production URL back afterwards.',
		name: 'registrationNotice',
		type: 'notice',
		default: '',
	},
	...filterFields,
	simplifyField,
	{
		displayName: 'Authenticity',
		name: 'authenticity',
		type: 'options',
		options: [
			{
				name: 'None',
				value: 'none',
				description: 'Anyone who knows the URL may deliver',
			},
			{
				name: 'Webhook Credential',
				value: 'credential',
				description: 'A delivery must carry a signature, a secret header or basic auth',
			},
		],
		default: 'none',
		description: 'How a delivery proves that it comes from the query service',
	},
	{
		displayName: 'Confirm with the Service',
		name: 'confirm',
		type: 'boolean',
		default: true,
		description:
			'Whether to fetch each query from the service by its ID and emit that record instead of what was delivered, so that a forged delivery cannot enter the workflow. Needs a Tax Query credential.',
	},
	{
		displayName:
			'Warning: deliveries are neither authenticated nor confirmed. Anyone who knows the URL can start this workflow with an invented result. Turn on Confirm with the Service, or choose a webhook credential.',
		name: 'unsafeNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { authenticity: ['none'], confirm: [false] } },
	},
	...registrationFields,
	{
		// n8n leaves the body of a node of version 1 alone where its "options" say so: signatures are over its bytes.
		displayName: 'Raw Body',
		name: 'options',
		type: 'hidden',
		default: { binaryData: true },
	},
	{
		displayName: 'Options',
		name: 'settings',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [emitUnrecognized, ...filterOptions],
	},
];
