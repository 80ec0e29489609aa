import type {
	INodeParameters,
	INodeProperties,
	INodeTypeDescription,
	IWebhookDescription,
} from 'n8n-workflow';
import { additionalQueryTypesField, statusesField, queryTypesField } from './filters';
import { webhookResolvers } from '../../shared/host/trigger';
import { simplifyProperty } from '../../shared/operations/commonFields';
import { unmaskedFieldsOption, personalDataOption } from '../../shared/personalData/options';

const withWebhook = ['both', 'webhook'];
const withList = ['both', 'asking'];
const authenticity = ['credential'];
const shownWithReceiveBy = (receiveBy: string[], more: Record<string, string[]> = {}) => ({
	displayOptions: { show: { receiveBy, ...more } },
});

/** `more` says where the entry is shown. */
const optionEntry = (name: string, value: string, description: string, more: object = {}) => ({
	name,
	value,
	description,
	...more,
});

/** In a collection, a slash leads to the fields beside it. */
const options: INodeProperties[] = [
	additionalQueryTypesField,
	simplifyProperty,
	personalDataOption,
	unmaskedFieldsOption,
	{
		displayName: 'Check Every (Seconds)',
		name: 'checkEvery',
		type: 'number',
		typeOptions: { minValue: 5 },
		default: 30,
		description:
			'How often the trigger checks the list of queries, which the API reference does not bill',
		displayOptions: { show: { '/receiveBy': withList } },
	},
	{
		displayName: 'Include Envelope',
		name: 'includeEnvelope',
		type: 'boolean',
		default: true,
		description:
			'Whether to add the fields around the record in a verified webhook call as "envelope"; null without such a call',
		displayOptions: { show: { '/receiveBy': withWebhook, '/authenticity': authenticity } },
	},
	{
		displayName: 'Max Results per Check',
		name: 'maxResults',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 100,
		description: 'The oldest come first; the next check brings the others',
	},
];

/** Registers no webhook if the trigger only polls. */
const httpMethod = {
	template: '={{ $parameter["receiveBy"] === "asking" ? "" : "POST" }}',
	resolve: ({ receiveBy }: INodeParameters) => (receiveBy === 'asking' ? '' : 'POST'),
};

/** The editor alone reads it. */
const ndvHideUrl = {
	template: '={{ $parameter["receiveBy"] === "asking" }}',
	resolve: ({ receiveBy }: INodeParameters) => receiveBy === 'asking',
};

export const webhookDescription: IWebhookDescription = {
	name: 'default',
	httpMethod: httpMethod.template,
	responseMode: 'onReceived',
	responseData: '', // else n8n sends the text "firstEntryJson" in place of the node's response
	path: 'tax-query',
	ndvHideUrl: ndvHideUrl.template,
	...webhookResolvers({ httpMethod, ndvHideUrl }),
};

export const waitingForEventText =
	"Waiting for the query service, or the sandbox's page, to send a result to the test URL";

export const triggerPanel: INodeTypeDescription['triggerPanel'] = {
	header: 'Listen for a result',
	executionsHelp:
		'<b>While you build the workflow</b>: click the button, and let the query service send a result to the <b>test URL</b>. With <b>Checks Only</b>, the button fetches the latest result.<br /><br /><b>To run the workflow by itself</b>: publish it and register the <b>production URL</b>. Executions are in the <a data-key="executions">executions list</a>.',
	activationHint:
		'Publish the workflow and register the production URL with the query service. <b>Checks Only</b> needs no URL.',
};

export const properties: INodeProperties[] = [
	{
		displayName: 'Receive Results By',
		name: 'receiveBy',
		type: 'options',
		noDataExpression: true,
		options: [
			optionEntry('Checks Only', 'asking', 'For an n8n without a public address'),
			optionEntry(
				'Webhook and Checks',
				'both',
				'Results arrive at once by webhook, and missed ones with the next check',
			),
			optionEntry(
				'Webhook Only',
				'webhook',
				'The trigger never reads the list of queries, so missed results do not arrive',
			),
		],
		default: 'both',
		description: 'How the trigger learns of results',
	},
	{
		displayName:
			'Register the <b>production</b> webhook URL above with the query service, and publish the workflow. To test: click <b>Execute step</b>, then let the service send a result to the <b>test URL</b>. If the service keeps a single URL, put the production URL back after a test.',
		name: 'registrationNotice',
		type: 'notice',
		default: '',
		...shownWithReceiveBy(withWebhook),
	},
	queryTypesField,
	statusesField,
	{
		displayName: 'Start From',
		name: 'startFrom',
		type: 'options',
		options: [
			optionEntry('Date', 'date', 'Also results of queries made since that date'),
			optionEntry('Last Hours', 'hours', 'Also results of queries made in the hours before'),
			optionEntry('Publishing', 'activation', 'Results that come after publishing'),
		],
		default: 'activation',
		description: 'From when on results start the workflow',
		...shownWithReceiveBy(withList),
	},
	{
		displayName: 'Hours',
		name: 'hours',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 24,
		description: 'How many hours before publishing',
		...shownWithReceiveBy(withList, { startFrom: ['hours'] }),
	},
	{
		displayName: 'Date',
		name: 'date',
		type: 'dateTime',
		default: '',
		required: true,
		description: 'Queries made from this moment on',
		...shownWithReceiveBy(withList, { startFrom: ['date'] }),
	},
	{
		displayName: 'Webhook Verification',
		name: 'authenticity',
		type: 'options',
		options: [
			optionEntry(
				'None',
				'none',
				'Anyone can call the webhook, and the service confirms each result',
			),
			optionEntry(
				'Credential',
				'credential',
				"A call carries the proof that 'Webhook Verification' of the credential sets",
			),
		],
		default: 'none',
		description: 'How a webhook call proves where it comes from',
		...shownWithReceiveBy(withWebhook),
	},
	{
		displayName: 'Confirm with the Service',
		name: 'confirm',
		type: 'options',
		options: [
			optionEntry(
				'Fetch the Result from the Service',
				'result',
				"The service's record is the result, not the webhook body",
			),
			optionEntry(
				'Fetch the Status Only',
				'statusOnly',
				'The webhook body brings a result that the record lacks, which only a verified call protects from forgery',
			),
			optionEntry(
				'Trust the Webhook Call',
				'off',
				'The webhook body is the result, so anyone with the secret can inject results',
				{ displayOptions: { show: { '/authenticity': authenticity } } },
			),
		],
		default: 'result',
		description: 'What the trigger fetches from the service before a result starts the workflow',
		...shownWithReceiveBy(withWebhook),
	},
	{
		// For a node of version 1, n8n leaves the body alone if its "options" say so: signatures are over its bytes.
		// For any other version it would parse any sender's body: 16 MB, forms, XML. Some calls would never get a
		// response.
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
