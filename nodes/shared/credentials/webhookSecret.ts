import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
	INodeProperties,
} from 'n8n-workflow';
import { textOf } from '../utils/text';
import { advanced } from './advanced';

/** In seconds. */
export const DEFAULT_TOLERANCE = 300;

const show = (...methods: string[]) => ({ displayOptions: { show: { method: methods } } });

/** The fields of the webhook credential; §6.2 of the query service's document does not show how it signs. */
export const proofFields: INodeProperties[] = [
	{
		displayName: 'Method',
		name: 'method',
		type: 'options',
		options: [
			{ name: 'Basic Auth', value: 'basic', description: 'User and password in each webhook call' },
			{
				name: 'Secret Header',
				value: 'header',
				description: 'A header with a secret value in each webhook call',
			},
			{
				name: 'Signature (HMAC)',
				value: 'signature',
				description: 'A header with a signature of the body; the secret itself is never sent',
			},
			{
				name: 'Standard Webhooks',
				value: 'standard',
				description:
					'Signed as standardwebhooks.com says, with the headers webhook-ID, webhook-timestamp and webhook-signature, or their svix- names',
			},
		],
		default: 'signature',
		description: 'How a webhook call proves that it comes from the query service',
	},
	{
		displayName: 'Secret',
		name: 'secret',
		type: 'string',
		typeOptions: { password: true },
		default: '',
		required: true,
		description:
			'The secret agreed with the service for this webhook. With Standard Webhooks it begins with whsec_.',
		...show('signature', 'header', 'standard'),
	},
	{
		displayName: 'User',
		name: 'user',
		type: 'string',
		default: '',
		required: true,
		...show('basic'),
	},
	{
		displayName: 'Password',
		name: 'password',
		type: 'string',
		typeOptions: { password: true },
		default: '',
		required: true,
		...show('basic'),
	},
	{
		displayName: 'Header',
		name: 'headerName',
		type: 'string',
		default: 'X-Webhook-Secret',
		required: true,
		description: 'Name of the header that holds the secret',
		...show('header'),
	},
	{
		displayName: 'Header',
		name: 'signatureHeader',
		type: 'string',
		default: 'X-Webhook-Signature',
		required: true,
		description: 'Name of the header that holds the signature',
		...show('signature'),
	},
	...advanced([
		{
			displayName: 'Additional Secrets',
			name: 'furtherSecrets',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'Also accepted, separated by spaces: keep the old secret here while it is being replaced',
			...show('signature', 'header', 'standard'),
		},
		{
			displayName: 'Algorithm',
			name: 'algorithm',
			type: 'options',
			options: [
				{ name: 'HMAC SHA-256', value: 'sha256' },
				{ name: 'HMAC SHA-512', value: 'sha512' },
			],
			default: 'sha256',
			...show('signature'),
		},
		{
			displayName: 'Encoding',
			name: 'encoding',
			type: 'options',
			options: [
				{ name: 'Base64', value: 'base64' },
				{ name: 'Base64 URL', value: 'base64url' },
				{ name: 'Hexadecimal', value: 'hex' },
			],
			default: 'hex',
			description: 'How the signature is written',
			...show('signature'),
		},
		{
			displayName: 'Prefix',
			name: 'prefix',
			type: 'string',
			default: '',
			placeholder: 'e.g. sha256=',
			description: 'Text before the signature in its header, if any',
			...show('signature'),
		},
		{
			displayName: 'Timestamp Header',
			name: 'timestampHeader',
			type: 'string',
			default: '',
			placeholder: 'e.g. X-Webhook-Timestamp',
			description:
				'Name of the header with the time of sending: seconds or milliseconds since 1970, or ISO 8601. Then timestamp, separator and body are signed together. Leave empty if only the body is signed.',
			...show('signature'),
		},
		{
			displayName: 'Timestamp Separator',
			name: 'separator',
			type: 'string',
			default: '.',
			description: 'Text between timestamp and body in the signed content',
			...show('signature'),
		},
		{
			displayName: 'Timestamp Tolerance (Seconds)',
			name: 'tolerance',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: DEFAULT_TOLERANCE,
			description: 'Seconds that the time of sending may differ from the clock of this n8n',
			...show('signature', 'standard'),
		},
	]),
];

/** All secrets that are accepted: the agreed one, and those that it replaces or is replaced by. */
export const secretsIn = ({ secret, furtherSecrets }: ICredentialDataDecryptedObject): string[] =>
	[secret, ...textOf(furtherSecrets).split(/\s+/)].map((one) => textOf(one).trim()).filter(Boolean);

/** The key in a secret of Standard Webhooks; undefined if it is none. */
export function standardKey(secret: string): Buffer | undefined {
	const text = secret.replace(/^whsec_/, '');
	return /^[A-Za-z0-9+/]{4,}={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

const NO_TOLERANCE = "'Timestamp Tolerance (Seconds)' must be 1 or more";
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** What is missing in a webhook credential; undefined if it can be used. */
export function validateWebhookSecret(
	credential: ICredentialDataDecryptedObject,
): string | undefined {
	const isEmpty = (name: string) => textOf(credential[name]).trim() === '';
	const isInstant = !(Number(credential.tolerance ?? DEFAULT_TOLERANCE) > 0);
	const isNoHeader = (name: string) => !HEADER_NAME.test(textOf(credential[name]).trim());
	switch (textOf(credential.method)) {
		case 'basic':
			return isEmpty('user') || isEmpty('password') ? 'User or password is missing' : undefined;
		case 'header':
			if (isEmpty('secret')) return 'The secret is missing';
			return isNoHeader('headerName') ? 'The name of the header is not valid' : undefined;
		case 'signature':
			if (isEmpty('secret')) return 'The secret is missing';
			if (isNoHeader('signatureHeader')) return 'The name of the header is not valid';
			if (isEmpty('timestampHeader')) return undefined;
			if (isNoHeader('timestampHeader')) return 'The name of the timestamp header is not valid';
			return isInstant ? NO_TOLERANCE : undefined;
		case 'standard': {
			if (isEmpty('secret')) return 'The secret is missing';
			const areKeys = secretsIn(credential).every((secret) => standardKey(secret) !== undefined);
			if (!areKeys) return 'A secret is not whsec_ followed by base64';
			return isInstant ? NO_TOLERANCE : undefined;
		}
		default:
			return 'Choose a method from the list';
	}
}

/** Tests a webhook credential offline: whether it is complete. Only a delivery shows whether it is right. */
export async function testWebhookCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const flaw = validateWebhookSecret(data);
	return flaw
		? { status: 'Error', message: flaw }
		: { status: 'OK', message: 'Complete. The first webhook call shows whether it is right.' };
}
