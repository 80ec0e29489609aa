import type { ICredentialDataDecryptedObject, INodeProperties } from 'n8n-workflow';
import { textOf } from '../utils/primitiveText';
import { findN8nPlaceholderProblem } from './placeholders';
import { maskedField, requiredTextInput, shownFor, textInput } from './inputBuilders';

export const DEFAULT_TOLERANCE_SECONDS = 300;

const shownForMethod = (...methods: string[]) => shownFor('webhookVerification', ...methods);
const shownForFormat = (...formats: string[]) => ({
	displayOptions: { show: { webhookVerification: ['signature'], signatureFormat: formats } },
});

/** TQ §6.2 does not show how a webhook call proves its origin, so each way is a setting. */
export const webhookFields: INodeProperties[] = [
	{
		displayName: 'Webhook Verification',
		name: 'webhookVerification',
		type: 'options',
		options: [
			{ name: 'None', value: 'none', description: 'Webhook calls carry no proof' },
			{ name: 'Basic Auth', value: 'basic', description: 'User and password' },
			{ name: 'Secret Header', value: 'header', description: 'A header with a secret value' },
			{
				name: 'Signature (HMAC)',
				value: 'signature',
				description: 'A header with a signature of the body; the secret is never sent',
			},
		],
		default: 'none',
		description: 'How a webhook call proves that it comes from the query service',
	},
	maskedField(
		requiredTextInput('Webhook Secret', 'webhookSecret', {
			description: 'The secret that you agreed with the service for webhook calls',
			...shownForMethod('header', 'signature'),
		}),
	),
	requiredTextInput('Webhook User', 'webhookUser', shownForMethod('basic')),
	maskedField(requiredTextInput('Webhook Password', 'webhookPassword', shownForMethod('basic'))),
	requiredTextInput('Secret Header', 'webhookHeaderName', {
		default: 'X-Webhook-Secret',
		description: 'Name of the header that holds the secret',
		...shownForMethod('header'),
	}),
	{
		displayName: 'Signature Format',
		name: 'signatureFormat',
		type: 'options',
		options: [
			{
				name: 'Plain',
				value: 'plain',
				description: 'The body is signed. The header holds the signature, e.g. sha256=5f….',
			},
			{
				name: 'Standard Webhooks',
				value: 'standard',
				description: 'As standardwebhooks.com says, with headers that begin with webhook- or svix-',
			},
			{
				name: 'Timestamp in Header',
				value: 'timestamped',
				description:
					'The time, a dot and the body are signed. The time is in the signature header, e.g. t=1700000000,v1=5f…, or in one of its own.',
			},
		],
		default: 'plain',
		description: 'What the service signs, and where it puts the time',
		...shownForMethod('signature'),
	},
	requiredTextInput('Signature Header', 'signatureHeader', {
		default: 'X-Webhook-Signature',
		description: 'Name of the header that holds the signature',
		...shownForFormat('plain', 'timestamped'),
	}),
	textInput('Timestamp Header', 'timestampHeader', {
		placeholder: 'e.g. X-Webhook-Timestamp',
		description:
			'Name of the header that holds the time of sending. Empty: it is in the signature header.',
		...shownForFormat('timestamped'),
	}),
];

export const advancedWebhookFields: INodeProperties[] = [
	maskedField(
		textInput('Additional Webhook Secrets', 'additionalWebhookSecrets', {
			description:
				'Also accepted, separated by spaces. Keep the old secret here while you replace it.',
			...shownForMethod('header', 'signature'),
		}),
	),
	{
		displayName: 'Secret Encoding',
		name: 'keyEncoding',
		type: 'options',
		options: [
			{ name: 'Base64', value: 'base64', description: 'The secret is base64 of the key' },
			{ name: 'Hexadecimal', value: 'hex', description: 'The secret is the key in hexadecimal' },
			{ name: 'Text', value: 'text', description: 'The secret is the key as it is' },
		],
		default: 'text',
		description: 'How the secret is written. For Standard Webhooks it is always base64.',
		...shownForFormat('plain', 'timestamped'),
	},
	{
		displayName: 'Timestamp Tolerance (Seconds)',
		name: 'timestampTolerance',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_TOLERANCE_SECONDS,
		description: 'How far the time of sending may differ from the clock of this n8n',
		...shownForFormat('standard', 'timestamped'),
	},
];

/** The agreed one counts, and those that it replaces, or that replace it. */
export const acceptedSecrets = ({
	webhookSecret,
	additionalWebhookSecrets,
}: ICredentialDataDecryptedObject): string[] =>
	[webhookSecret, ...textOf(additionalWebhookSecrets).split(/\s+/)]
		.map((one) => textOf(one).trim())
		.filter(Boolean);

export const webhookSecretsToMask = (credential: ICredentialDataDecryptedObject): string[] =>
	[...acceptedSecrets(credential), textOf(credential.webhookPassword)].filter(Boolean);

type KeyEncoding = 'text' | 'hex' | 'base64' | 'standard';

const decodeKey: Record<KeyEncoding, (secret: string) => Buffer | undefined> = {
	text: (secret) => Buffer.from(secret),
	hex: (secret) => (/^([0-9a-f]{2})+$/i.test(secret) ? Buffer.from(secret, 'hex') : undefined),
	base64: (secret) =>
		/^[\w+/-]{4,}={0,2}$/.test(secret) ? Buffer.from(secret, 'base64') : undefined,
	standard: (secret) => decodeKey.base64(secret.replace(/^whsec_/, '')),
};

/** A saved template of the same text counts as the format that replaced it. */
export function signatureFormatOf({
	signatureFormat,
	signedText,
}: ICredentialDataDecryptedObject): string {
	const format = textOf(signatureFormat ?? 'plain');
	const sameAs: Record<string, string> = { '{body}': 'plain', '{timestamp}.{body}': 'timestamped' };
	return format === 'template' ? (sameAs[textOf(signedText)] ?? format) : format;
}

const encodingOf = ({ signatureFormat, keyEncoding }: ICredentialDataDecryptedObject): string =>
	signatureFormat === 'standard' ? 'standard' : textOf(keyEncoding ?? 'text');

/** A secret that is not written in the chosen encoding gives undefined. */
export function signingKeys(credential: ICredentialDataDecryptedObject): Array<Buffer | undefined> {
	const encoding = encodingOf(credential);
	const decode = Object.hasOwn(decodeKey, encoding)
		? decodeKey[encoding as KeyEncoding]
		: () => undefined;
	return acceptedSecrets(credential).map(decode);
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

const ENCODED: Record<string, string> = {
	standard: 'whsec_ followed by base64',
	hex: 'hexadecimal',
	base64: 'base64',
};

/** Is undefined if the fields can be used. */
export function findVerificationProblem(
	credential: ICredentialDataDecryptedObject,
): string | undefined {
	const textIn = (name: string) => textOf(credential[name]).trim();
	const blank = findN8nPlaceholderProblem(credential);
	if (blank !== undefined) return blank;
	const header = (name: string, label: string) =>
		HEADER_NAME.test(textIn(name)) ? undefined : `'${label}' is not the name of a header`;
	const secret = textIn('webhookSecret') === '' ? "'Webhook Secret' is empty" : undefined;
	switch (textIn('webhookVerification')) {
		case 'basic':
			return textIn('webhookUser') === '' || textIn('webhookPassword') === ''
				? "'Webhook User' or 'Webhook Password' is empty"
				: undefined;
		case 'header':
			return secret ?? header('webhookHeaderName', 'Secret Header');
		case 'signature':
			return secret ?? validateKeys(credential) ?? validateFormat(credential, header);
		default:
			return "Choose a method in 'Webhook Verification'";
	}
}

function validateKeys(credential: ICredentialDataDecryptedObject): string | undefined {
	if (signingKeys(credential).every((key) => key !== undefined)) return undefined;
	const expected = ENCODED[encodingOf(credential)];
	return expected
		? `A webhook secret is not ${expected}`
		: "Choose a 'Secret Encoding' from the list";
}

function validateFormat(
	credential: ICredentialDataDecryptedObject,
	header: (name: string, label: string) => string | undefined,
): string | undefined {
	const tolerance =
		Number(credential.timestampTolerance ?? DEFAULT_TOLERANCE_SECONDS) > 0
			? undefined
			: "'Timestamp Tolerance (Seconds)' must be 1 or more";
	const signatureHeader = header('signatureHeader', 'Signature Header');
	const hasTimeHeader = textOf(credential.timestampHeader).trim() !== '';
	switch (signatureFormatOf(credential)) {
		case 'plain':
			return signatureHeader;
		case 'standard':
			return tolerance;
		case 'timestamped':
			return (
				signatureHeader ??
				(hasTimeHeader ? header('timestampHeader', 'Timestamp Header') : undefined) ??
				tolerance
			);
		default:
			return "Choose a 'Signature Format' from the list";
	}
}

/** Only a call shows whether the rest is right. */
export const findEnabledVerificationProblem = (
	credential: ICredentialDataDecryptedObject,
): string | undefined =>
	['', 'none'].includes(textOf(credential.webhookVerification))
		? undefined
		: findVerificationProblem(credential);
