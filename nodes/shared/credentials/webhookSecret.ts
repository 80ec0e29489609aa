import type { ICredentialDataDecryptedObject, INodeProperties } from 'n8n-workflow';
import { textOf } from '../utils/text';
import { advanced } from './advanced';
import { masked, needed, shownFor, text } from './inputs';
import { offlineTest } from './offlineTest';

/** In seconds. */
export const DEFAULT_TOLERANCE = 300;

const show = (...methods: string[]) => shownFor('method', ...methods);
const header = (name: string, usual: string, holds: string, method: string) =>
	needed('Header', name, {
		default: usual,
		description: `Name of the header that holds the ${holds}`,
		...show(method),
	});

/** The fields of the webhook credential; TQ §6.2 does not show how the service signs. */
export const proofFields: INodeProperties[] = [
	{
		displayName: 'Method',
		name: 'method',
		type: 'options',
		options: [
			{ name: 'Basic Auth', value: 'basic', description: 'User and password' },
			{ name: 'Secret Header', value: 'header', description: 'A header with a secret value' },
			{
				name: 'Signature (HMAC)',
				value: 'signature',
				description: 'A header with a signature of the body; the secret is never sent',
			},
			{
				name: 'Standard Webhooks',
				value: 'standard',
				description:
					'Signed as standardwebhooks.com says, with headers that begin with webhook- or svix-',
			},
		],
		default: 'signature',
		description: 'How a webhook call proves that it comes from the query service',
	},
	masked(
		needed('Secret', 'secret', {
			description: 'Agreed with the service; for Standard Webhooks it begins with whsec_',
			...show('signature', 'header', 'standard'),
		}),
	),
	needed('User', 'user', show('basic')),
	masked(needed('Password', 'password', show('basic'))),
	header('headerName', 'X-Webhook-Secret', 'secret', 'header'),
	header('signatureHeader', 'X-Webhook-Signature', 'signature', 'signature'),
	...advanced([
		masked(
			text('Additional Secrets', 'furtherSecrets', {
				description:
					'Also accepted, separated by spaces: keep the old secret here while you replace it',
				...show('signature', 'header', 'standard'),
			}),
		),
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
		text('Prefix', 'prefix', {
			placeholder: 'e.g. sha256=',
			description: 'Text before the signature in its header, if any',
			...show('signature'),
		}),
		text('Timestamp Header', 'timestampHeader', {
			placeholder: 'e.g. X-Webhook-Timestamp',
			description:
				'Header with the time of sending: seconds or milliseconds since 1970, or ISO 8601. Empty: only the body is signed.',
			...show('signature'),
		}),
		text('Timestamp Separator', 'separator', {
			default: '.',
			description: 'Text between timestamp and body',
			...show('signature'),
		}),
		{
			displayName: 'Timestamp Tolerance (Seconds)',
			name: 'tolerance',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: DEFAULT_TOLERANCE,
			description: 'How far the time of sending may differ from the clock of this n8n',
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

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

const unless = (isFine: boolean, flaw: string) => (isFine ? undefined : flaw);

/** What is missing in a webhook credential; undefined if it can be used. */
export function validateWebhookSecret(
	credential: ICredentialDataDecryptedObject,
): string | undefined {
	const textIn = (name: string) => textOf(credential[name]).trim();
	const secret = unless(textIn('secret') !== '', 'The secret is missing');
	const header = (name: string, which = 'header') =>
		unless(HEADER_NAME.test(textIn(name)), `The name of the ${which} is not valid`);
	const tolerance = unless(
		Number(credential.tolerance ?? DEFAULT_TOLERANCE) > 0,
		"'Timestamp Tolerance (Seconds)' must be 1 or more",
	);
	switch (textOf(credential.method)) {
		case 'basic':
			return unless(
				textIn('user') !== '' && textIn('password') !== '',
				'User or password is missing',
			);
		case 'header':
			return secret ?? header('headerName');
		case 'signature': {
			const flaw = secret ?? header('signatureHeader');
			if (flaw || textIn('timestampHeader') === '') return flaw;
			return header('timestampHeader', 'timestamp header') ?? tolerance;
		}
		case 'standard': {
			const areKeys = secretsIn(credential).every(standardKey);
			return secret ?? unless(areKeys, 'A secret is not whsec_ followed by base64') ?? tolerance;
		}
		default:
			return 'Choose a method from the list';
	}
}

/** Whether it is complete. Only a webhook call shows whether it is right. */
export const testWebhookCredential = offlineTest(
	validateWebhookSecret,
	'Complete. The first webhook call shows whether it is right.',
);
