import { Type, type Static, type TProperties } from '@sinclair/typebox';
import { closed, oneOf } from '../../contract/builders';

const probability = Type.Number({ minimum: 0, maximum: 1, default: 0 });
const withDefault = <T extends TProperties>(properties: T) =>
	Type.Object(properties, { additionalProperties: false, default: {} });

const HmacChoice = closed({
	type: Type.Literal('hmac'),
	secret: Type.Optional(Type.String({ minLength: 1 })),
	algorithm: Type.Optional(oneOf(['sha256', 'sha512'])),
	encoding: Type.Optional(Type.Union([Type.Literal('hex'), Type.Literal('base64')])),
	header: Type.Optional(Type.String({ minLength: 1 })),
	/** Written before the signature: `sha256=`, `v1=`. */
	label: Type.Optional(Type.String({ pattern: '^[!-~]*$' })),
	/** The time is sent in this header, and `<time>.<body>` is signed unless `signedText` says otherwise. */
	timestampHeader: Type.Optional(Type.String({ minLength: 1 })),
	/** The time is in the signature's header, `t=<time>,v1=<signature>`, and `<time>.<body>` is signed. */
	hasTimestampInHeader: Type.Optional(Type.Boolean()),
	/** `{timestamp}` and `{body}` are replaced. */
	signedText: Type.Optional(Type.String({ pattern: '\\{body\\}' })),
	timestamps: Type.Optional(oneOf(['seconds', 'fractional', 'milliseconds', 'iso'])),
	secretEncoding: Type.Optional(oneOf(['text', 'hex', 'base64'])),
	/** The secret that is being replaced: each call is signed by both. */
	oldSecret: Type.Optional(Type.String({ minLength: 1 })),
	/** They share one header, or come in two of one name. */
	joinedBy: Type.Optional(oneOf(['comma', 'blank', 'header'])),
});
const HeaderChoice = closed({
	type: Type.Literal('header'),
	header: Type.Optional(Type.String({ minLength: 1 })),
	secret: Type.Optional(Type.String({ minLength: 1 })),
});
const BasicChoice = closed({
	type: Type.Literal('basic'),
	user: Type.Optional(Type.String({ minLength: 1 })),
	password: Type.Optional(Type.String({ minLength: 1 })),
});

/** Standard Webhooks (standardwebhooks.com): webhook-id, webhook-timestamp, webhook-signature. */
const StandardChoice = closed({
	type: Type.Literal('standard'),
	/** Base64 after `whsec_`. */
	secret: Type.Optional(Type.String({ pattern: '^whsec_[A-Za-z0-9+/]+={0,2}$' })),
});

/** TQ §6.2 shows nothing, so a receiver can rehearse each way. */
const SigningChoice = Type.Union([
	closed({ type: Type.Literal('none') }),
	HmacChoice,
	HeaderChoice,
	BasicChoice,
	StandardChoice,
]);
type SigningChoice = Static<typeof SigningChoice>;

type Hmac = Static<typeof HmacChoice>;
type OptionalOfHmac = 'timestampHeader' | 'signedText' | 'oldSecret';
export type HmacSigning = Required<Omit<Hmac, OptionalOfHmac>> & Pick<Hmac, OptionalOfHmac>;

/** Every default is filled in. */
export type Signing =
	| { type: 'none' }
	| HmacSigning
	| Required<Static<typeof HeaderChoice>>
	| Required<Static<typeof BasicChoice>>
	| Required<Static<typeof StandardChoice>>;

/** `secret` is the sandbox's own. */
export function resolveSigning(choice: SigningChoice, secret: string): Signing {
	switch (choice.type) {
		case 'none':
			return choice;
		case 'hmac': {
			const defaults = {
				algorithm: 'sha256',
				encoding: 'hex',
				header: 'X-Webhook-Signature',
				label: '',
				hasTimestampInHeader: false,
				timestamps: 'seconds',
				secretEncoding: 'text',
				joinedBy: 'comma',
			} as const;
			const { secretEncoding = 'text' } = choice;
			const own =
				secretEncoding === 'text'
					? secret
					: Buffer.from(secret).toString(secretEncoding as BufferEncoding);
			return { ...defaults, secret: own, ...choice };
		}
		case 'header':
			return { secret, header: 'X-Webhook-Secret', ...choice };
		case 'basic':
			return { user: 'sandbox', password: secret, ...choice };
		case 'standard':
			return { secret: `whsec_${Buffer.from(secret).toString('base64')}`, ...choice };
	}
}

/** A pattern for a word in upper or lower case. */
const anyCase = (word: string) =>
	[...word].map((letter) => `[${letter}${letter.toUpperCase()}]`).join('');

const DeliveryFaults = withDefault({
	drop: Type.Optional(probability),
	duplicate: Type.Optional(probability),
	/** Milliseconds of delay for each delivery. */
	delay: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
	/** Held back until a later one has gone out. */
	reorder: Type.Optional(probability),
	/** Changed after it was signed. */
	tamper: Type.Optional(probability),
	/** Sent, beside the true one, with an invented result and without a valid signature. */
	forge: Type.Optional(probability),
});
type DeliveryFaults = Static<typeof DeliveryFaults>;

export const WebhookChanges = closed({
	url: Type.Optional(Type.String({ pattern: '^(https?://.+)?$' })),
	shape: Type.Optional(oneOf(['record', 'envelope', 'id'])),
	signing: Type.Optional(SigningChoice),
	/** A form's field `payload` holds the JSON. */
	body: Type.Optional(oneOf(['json', 'form', 'multipart'])),
	/** Content-Encoding, in any case: `gzip`, `br`, `deflate`, or a chain of them such as `gzip, br`; empty for none. */
	coding: Type.Optional(
		Type.String({
			pattern: '^(|(gzip|br|deflate)( *, *(gzip|br|deflate))*)$'.replaceAll(
				/gzip|br|deflate/g,
				anyCase,
			),
		}),
	),
	faults: Type.Optional(DeliveryFaults),
	/** Attempts until a delivery is given up, and milliseconds before the second; doubled each time. */
	attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 20 })),
	backoff: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
});
export type WebhookChanges = Static<typeof WebhookChanges>;
export type WebhookSettings = Required<Omit<Static<typeof WebhookChanges>, 'signing'>> & {
	signing: Signing;
};

export const initialSettings = (url: string, signing: Signing): WebhookSettings => ({
	url,
	shape: 'record',
	signing,
	body: 'json',
	coding: '',
	faults: {},
	attempts: 5,
	backoff: 500,
});

/** The settings as they may be shown: secrets masked. */
export function withMaskedSecrets({ signing, ...settings }: WebhookSettings) {
	const masked = Object.fromEntries(
		Object.entries(signing).map(([name, value]) => [
			name,
			['secret', 'oldSecret', 'password'].includes(name) ? '***' : value,
		]),
	);
	return { ...settings, signing: masked };
}
