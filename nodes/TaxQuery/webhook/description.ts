import type {
	INodeParameters,
	INodeProperties,
	INodeTypeDescription,
	IWebhookDescription,
} from 'n8n-workflow';
import { filterFields, filterOptions } from '../deliveries/filter';
import { credentialsHere } from '../../shared/operations/credentialsHere';
import { simplifyField } from '../../shared/operations/fields';
import { personalDataOption } from '../../shared/personalData/personalData';
import { registrationFields } from './registration';

const byWebhook = { displayOptions: { show: { receiveBy: ['both', 'webhook'] } } };

const options: INodeProperties[] = [
	...filterOptions,
	personalDataOption,
	{
		displayName: 'After a Crash',
		name: 'afterCrash',
		type: 'options',
		options: [
			{
				name: 'Leave It to Retry',
				value: 'leave',
				description:
					'An execution that was cut off stands as crashed in the list, to be retried by hand',
			},
			{
				name: 'Start Once More',
				value: 'once',
				description:
					'A result whose execution is not known to have ended is started once more, with the same deliveryId, never a third time',
			},
		],
		default: 'once',
		description: 'What to do when n8n was killed while executions ran',
	},
	{
		displayName: 'Emit Unrecognized',
		name: 'emitUnrecognized',
		type: 'boolean',
		default: false,
		displayOptions: { show: { '/authenticity': ['credential'] } },
		description:
			'Whether to start the workflow also with a body that names no query, as an item with the fields unrecognized, reason and body, instead of answering 400. Where personal data is masked, a body without named fields is not shown.',
	},
	{
		displayName: 'Max Results per Look',
		name: 'maxResults',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 100,
		description: 'The oldest come first; the next look, a second later, brings what is left over',
	},
];

/** Under this key n8n 2.x looks for what spares a delivery the expression engine, an isolate of its own each time. */
const RESOLVERS = Symbol.for('n8n.webhookDescriptionResolvers');
/** No webhook where the trigger only asks. */
const httpMethod = {
	template: '={{ $parameter["receiveBy"] === "asking" ? "" : "POST" }}',
	resolve: ({ receiveBy }: INodeParameters) => (receiveBy === 'asking' ? '' : 'POST'),
};

/** By the editor alone. */
const ndvHideUrl = {
	template: '={{ $parameter["receiveBy"] === "asking" }}',
	resolve: ({ receiveBy }: INodeParameters) => receiveBy === 'asking',
};

export const webhookDescription: IWebhookDescription = {
	name: 'default',
	httpMethod: httpMethod.template,
	responseMode: 'onReceived',
	responseData: '', // else n8n sends the text "firstEntryJson" in place of the node's answer
	path: 'tax-query',
	ndvHideUrl: ndvHideUrl.template,
	...({ [RESOLVERS]: { httpMethod, ndvHideUrl } } as object),
};

/** What the editor says while it waits. */
export const eventTriggerDescription =
	'Waiting for the query service, or the page of the sandbox, to deliver a result to the test URL';

const whileBuilding =
	'<b>While you build the workflow</b>: click the button, register the <b>test URL</b> with the query service, and let it deliver a result. It shows up in the editor. Without a delivery: choose <b>Asking Only</b>, and the button fetches the latest result.';

/** The words beside the node's panel in the editor. */
export const triggerPanel: INodeTypeDescription['triggerPanel'] = {
	header: 'Listen for a result',
	executionsHelp: {
		inactive: `${whileBuilding}<br /><br /><b>To run the workflow by itself</b>: publish it and register the <b>production URL</b>. These executions show up in the executions list, not in the editor.`,
		active: `${whileBuilding} Put the production URL back afterwards, where the service keeps a single one.<br /><br /><b>The workflow runs by itself</b> with each new result. These executions show up in the <a data-key="executions">executions list</a>, not in the editor.`,
	},
	activationHint:
		'Once the workflow is built, publish it; unless it is Asking Only, register the production URL, too: results then start it without a click.',
};

const byProof = { receiveBy: ['both', 'webhook'], authenticity: ['credential'] };

export const properties: INodeProperties[] = [
	{ ...credentialsHere, displayOptions: { hide: { authenticity: ['credential'] } } },
	{
		displayName: 'Receive Results By',
		name: 'receiveBy',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Asking Only',
				value: 'asking',
				description: 'For an n8n without a public address',
			},
			{
				name: 'Webhook and Asking',
				value: 'both',
				description: 'At once by webhook; what the webhook misses is brought by asking',
			},
			{
				name: 'Webhook Only',
				value: 'webhook',
				description: 'What is not delivered comes with the next delivery',
			},
		],
		default: 'both',
		description: 'How the trigger learns that a query has its result',
	},
	{
		displayName:
			'Register the <b>production</b> webhook URL above with the query service, and publish the workflow. The test URL is another one, for building the workflow: where the service keeps a single URL, registering the test URL displaces production, so put the production URL back afterwards.',
		name: 'registrationNotice',
		type: 'notice',
		default: '',
		...byWebhook,
	},
	{
		displayName: 'Ask Every (Seconds)',
		name: 'askEvery',
		type: 'number',
		typeOptions: { minValue: 5 },
		default: 30,
		description:
			'How often the service is asked for new results; while it has some, six times as often, but at most every 5 seconds. It reads only, usually by one request.',
		displayOptions: { show: { receiveBy: ['both', 'asking'] } },
	},
	...filterFields,
	{
		displayName: 'Start From',
		name: 'startFrom',
		type: 'options',
		options: [
			{
				name: 'Date',
				value: 'date',
				description: 'Results since a date',
			},
			{
				name: 'Last Hours',
				value: 'hours',
				description: 'Also the results of the hours before the workflow is published',
			},
			{
				name: 'Publishing',
				value: 'activation',
				description: 'Results that come after the workflow is published',
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
		description: 'How far back results are emitted, counted from when the workflow is published',
		displayOptions: { show: { startFrom: ['hours'] } },
	},
	{
		displayName: 'Date',
		name: 'date',
		type: 'dateTime',
		default: '',
		required: true,
		description: 'Results from this moment on are emitted',
		displayOptions: { show: { startFrom: ['date'] } },
	},
	simplifyField,
	{
		displayName: 'Authenticity',
		name: 'authenticity',
		type: 'options',
		options: [
			{
				name: 'None',
				value: 'none',
				description:
					'Nothing of a delivery is believed: it makes the trigger ask the service, and the record that the service has is emitted',
			},
			{
				name: 'Webhook Credential',
				value: 'credential',
				description: 'A delivery must carry a signature, a secret header or basic auth',
			},
		],
		default: 'none',
		description: 'How a delivery proves that it comes from the query service',
		...byWebhook,
	},
	{ ...credentialsHere, displayOptions: { show: byProof } },
	{
		displayName: 'Confirm with the Service',
		name: 'confirm',
		type: 'boolean',
		default: true,
		description:
			'Whether to ask the service, and emit the record that it has instead of what was delivered. Off, whoever has the secret can start the workflow with an invented result; what holds less than a record with its date is asked for anyway, except with Webhook Only.',
		displayOptions: { show: byProof },
	},
	...registrationFields,
	{
		// n8n leaves the body of a node of version 1 alone where its "options" say so: signatures are over its bytes. Of
		// any other version it would parse what a stranger sends: 16 MB, forms, XML; some would never be answered.
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
		options: options.sort((a, b) => a.displayName.localeCompare(b.displayName)),
	},
];
