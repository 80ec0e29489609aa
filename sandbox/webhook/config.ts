import { Type, type Static, type TProperties } from '@sinclair/typebox';
import { closed, oneOf } from '../../contract/shared';

const probability = Type.Number({ minimum: 0, maximum: 1, default: 0 });
const withDefault = <T extends TProperties>(properties: T) =>
	Type.Object(properties, { additionalProperties: false, default: {} });

const HmacChoice = closed({
	type: Type.Literal('hmac'),
	secret: Type.Optional(Type.String({ minLength: 1 })),
	algorithm: Type.Optional(oneOf(['sha256', 'sha512'])),
	encoding: Type.Optional(Type.Union([Type.Literal('hex'), Type.Literal('base64')])),
	header: Type.Optional(Type.String({ minLength: 1 })),
	/** With it, `<unix seconds>.<body>` is signed, and the seconds are sent in this header. */
	timestampHeader: Type.Optional(Type.String({ minLength: 1 })),
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

/** How deliveries are signed; TQ §6.2 shows nothing, so a receiver can rehearse each way. */
const SigningChoice = Type.Union([
	closed({ type: Type.Literal('none') }),
	HmacChoice,
	HeaderChoice,
	BasicChoice,
	StandardChoice,
]);
type SigningChoice = Static<typeof SigningChoice>;

type Hmac = Static<typeof HmacChoice>;

/** The same with nothing left open but the timestamp. */
export type Signing =
	| { type: 'none' }
	| (Required<Omit<Hmac, 'timestampHeader'>> & Pick<Hmac, 'timestampHeader'>)
	| Required<Static<typeof HeaderChoice>>
	| Required<Static<typeof BasicChoice>>
	| Required<Static<typeof StandardChoice>>;

/** Fills in what a choice leaves open; `secret` is the sandbox's own. */
export function signingOf(choice: SigningChoice, secret: string): Signing {
	switch (choice.type) {
		case 'none':
			return choice;
		case 'hmac': {
			const standard = { algorithm: 'sha256', encoding: 'hex' } as const;
			return { ...standard, secret, header: 'X-Webhook-Signature', ...choice };
		}
		case 'header':
			return { secret, header: 'X-Webhook-Secret', ...choice };
		case 'basic':
			return { user: 'sandbox', password: secret, ...choice };
		case 'standard':
			return { secret: `whsec_${Buffer.from(secret).toString('base64')}`, ...choice };
	}
}

/** How likely each delivery meets what. */
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

export const WebhookSettings = closed({
	url: Type.Optional(Type.String({ pattern: '^(https?://.+)?$' })),
	shape: Type.Optional(oneOf(['record', 'envelope', 'id'])),
	signing: Type.Optional(SigningChoice),
	faults: Type.Optional(DeliveryFaults),
	/** Attempts until a delivery is given up, and milliseconds before the second; doubled each time. */
	attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 20 })),
	backoff: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
});
export type WebhookSettings = Required<Omit<Static<typeof WebhookSettings>, 'signing'>> & {
	signing: Signing;
};

export const initialSettings = (url: string, signing: Signing): WebhookSettings => ({
	url,
	shape: 'record',
	signing,
	faults: {},
	attempts: 5,
	backoff: 500,
});

/** The settings as they may be shown: secrets masked. */
export function shown({ signing, ...settings }: WebhookSettings) {
	const masked = Object.fromEntries(
		Object.entries(signing).map(([name, value]) => [
			name,
			['secret', 'password'].includes(name) ? '***' : value,
		]),
	);
	return { ...settings, signing: masked };
}
