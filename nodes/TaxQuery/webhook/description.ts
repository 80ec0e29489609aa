import type {
	INodeParameters,
	INodeProperties,
	INodeTypeDescription,
	IWebhookDescription,
} from 'n8n-workflow';
import { filterOptions, statusesField, triggerOnField } from '../deliveries/choice';
import { credentialsHere } from '../../shared/operations/operation';
import { simplifyField } from '../../shared/operations/fields';
import { fieldsToKeepOption, personalDataOption } from '../../shared/personalData/personalData';

const byWebhook = { displayOptions: { show: { receiveBy: ['both', 'webhook'] } } };

const options: INodeProperties[] = [
	...filterOptions,
	simplifyField,
	personalDataOption,
	fieldsToKeepOption,
	{
		displayName: 'After a Crash',
		name: 'afterCrash',
		type: 'options',
		options: [
			{
				name: 'Leave It to Retry',
				value: 'leave',
				description: 'The execution is listed as crashed, to be retried by hand',
			},
			{
				name: 'Start Once More',
				value: 'once',
				description:
					'A result whose execution may not have ended starts once more, with the same deliveryId, never a third time',
			},
		],
		default: 'once',
		description: 'What to do when n8n was killed while executions ran',
	},
	{
		displayName: 'Check Every (Seconds)',
		name: 'checkEvery',
		type: 'number',
		typeOptions: { minValue: 5 },
		default: 30,
		description:
			'How often the trigger checks the list of queries. After a new result it checks six times as often, at most every 5 seconds. A check is free by the API reference and usually takes one request.',
		displayOptions: { show: { '/receiveBy': ['both', 'asking'] } },
	},
	{
		displayName: 'Include Envelope',
		name: 'includeEnvelope',
		type: 'boolean',
		default: true,
		description:
			'Whether to add the fields around the record in a verified webhook call (event, attempt, timestamp) under "envelope". Null where no verified call named the result.',
		displayOptions: {
			show: { '/receiveBy': ['both', 'webhook'], '/authenticity': ['credential'] },
		},
	},
	{
		displayName: 'Max Results per Check',
		name: 'maxResults',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 100,
		description: 'The oldest come first. The next check, a second later, brings the others.',
	},
];

/** Under this key n8n 2.x looks for what spares a webhook call the expression engine, an isolate of its own each time. */
const RESOLVERS = Symbol.for('n8n.webhookDescriptionResolvers');
/** No webhook where the trigger only checks. */
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
	"Waiting for the query service, or the sandbox's page, to send a result to the test URL";

const whileBuilding =
	'<b>While you build the workflow</b>: click the button, register the <b>test URL</b> with the query service, and let it send a result. It shows up in the editor. With <b>Checks Only</b>, the button fetches the latest result instead.';

/** The words beside the node's panel in the editor. */
export const triggerPanel: INodeTypeDescription['triggerPanel'] = {
	header: 'Listen for a result',
	executionsHelp: {
		inactive: `${whileBuilding}<br /><br /><b>To run the workflow by itself</b>: publish it and register the <b>production URL</b>. These executions show up in the executions list, not in the editor.`,
		active: `${whileBuilding} Put the production URL back afterwards, where the service keeps a single one.<br /><br /><b>The workflow runs by itself</b> with each new result. These executions show up in the <a data-key="executions">executions list</a>, not in the editor.`,
	},
	activationHint:
		'Once the workflow is built, publish it. Unless it is Checks Only, also register the production URL. Results then start it without a click.',
};

const byProof = { receiveBy: ['both', 'webhook'], authenticity: ['credential'] };

const byList = { receiveBy: ['both', 'asking'] };

export const properties: INodeProperties[] = [
	{ ...credentialsHere, displayOptions: { hide: { authenticity: ['credential'] } } },
	{
		displayName: 'Receive Results By',
		name: 'receiveBy',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Checks Only',
				value: 'asking',
				description: 'For an n8n without a public address',
			},
			{
				name: 'Webhook and Checks',
				value: 'both',
				description: 'At once by webhook. Missed results arrive with the next check.',
			},
			{
				name: 'Webhook Only',
				value: 'webhook',
				description: 'The list of queries is never read. Missed results do not arrive.',
			},
		],
		default: 'both',
		description: 'How the trigger learns that a query has its result',
	},
	{
		displayName:
			"Register the <b>production</b> webhook URL above with the query service, and publish the workflow. To test: click <b>Execute step</b>, then let the service, or the sandbox's page, send a result to the <b>test URL</b>. If the service keeps a single URL, put the production URL back after a test.",
		name: 'registrationNotice',
		type: 'notice',
		default: '',
		...byWebhook,
	},
	triggerOnField,
	statusesField,
	{
		displayName: 'Start From',
		name: 'startFrom',
		type: 'options',
		options: [
			{
				name: 'Date',
				value: 'date',
				description: 'Also results of queries made since a date',
			},
			{
				name: 'Last Hours',
				value: 'hours',
				description: 'Also results of queries made in the hours before publishing',
			},
			{
				name: 'Publishing',
				value: 'activation',
				description: 'Results that come after the workflow is published',
			},
		],
		default: 'activation',
		description: 'From when on results start the workflow',
		displayOptions: { show: byList },
	},
	{
		displayName: 'Hours',
		name: 'hours',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 24,
		description: 'How far back, counted from when the workflow is published',
		displayOptions: { show: { ...byList, startFrom: ['hours'] } },
	},
	{
		displayName: 'Date',
		name: 'date',
		type: 'dateTime',
		default: '',
		required: true,
		description: 'Queries made from this moment on',
		displayOptions: { show: { ...byList, startFrom: ['date'] } },
	},
	{
		displayName: 'Webhook Verification',
		name: 'authenticity',
		type: 'options',
		options: [
			{
				name: 'None',
				value: 'none',
				description: 'Anyone can call the webhook. The service confirms each result.',
			},
			{
				name: 'Webhook Credential',
				value: 'credential',
				description: 'A call must carry a signature, a secret header or basic auth',
			},
		],
		default: 'none',
		description: 'How a webhook call proves that it comes from the query service',
		...byWebhook,
	},
	{ ...credentialsHere, displayOptions: { show: byProof } },
	{
		displayName: 'Confirm with the Service',
		name: 'confirm',
		type: 'options',
		options: [
			{
				name: 'Off',
				value: 'off',
				description:
					'Nothing: the webhook body is the result. Anyone with the secret can inject results.',
				displayOptions: { show: { '/authenticity': ['credential'] } },
			},
			{
				name: 'Result',
				value: 'result',
				description: "The result: the service's record is emitted, not the webhook body",
			},
			{
				name: 'Status Only',
				value: 'statusOnly',
				description:
					'The status: if the record has no result, the one in the webhook body is emitted. Without a webhook credential, anyone who knows a query ID can inject it.',
			},
		],
		default: 'result',
		description: 'What the trigger fetches instead of trusting the webhook body',
		...byWebhook,
	},
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
