import { Type, type Static, type TProperties } from '@sinclair/typebox';
import { closed, oneOf } from '../../contract/shared';

const probability = Type.Number({ minimum: 0, maximum: 1, default: 0 });
const withDefault = <T extends TProperties>(properties: T) =>
	Type.Object(properties, { additionalProperties: false, default: {} });

/** How deliveries are signed; §6.2 shows nothing, so a receiver can rehearse each way. */
export const Signing = Type.Union([
	closed({ type: Type.Literal('none') }),
	closed({
		type: Type.Literal('hmac'),
		secret: Type.String({ minLength: 1 }),
		algorithm: Type.Optional(oneOf(['sha256', 'sha512'])),
		encoding: Type.Optional(Type.Union([Type.Literal('hex'), Type.Literal('base64')])),
		header: Type.Optional(Type.String({ minLength: 1 })),
		/** With it, `<unix seconds>.<body>` is signed, and the seconds are sent in this header. */
		timestampHeader: Type.Optional(Type.String({ minLength: 1 })),
	}),
	closed({
		type: Type.Literal('header'),
		header: Type.Optional(Type.String({ minLength: 1 })),
		secret: Type.String({ minLength: 1 }),
	}),
	closed({
		type: Type.Literal('basic'),
		user: Type.String({ minLength: 1 }),
		password: Type.String({ minLength: 1 }),
	}),
]);
export type Signing = Static<typeof Signing>;

/** How likely each delivery meets what. */
export const DeliveryFaults = withDefault({
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
export type DeliveryFaults = Static<typeof DeliveryFaults>;

export const WebhookSettings = closed({
	url: Type.Optional(Type.String({ pattern: '^(https?://.+)?$' })),
	shape: Type.Optional(oneOf(['record', 'envelope', 'id'])),
	signing: Type.Optional(Signing),
	faults: Type.Optional(DeliveryFaults),
	/** Attempts until a delivery is given up, and milliseconds before the second; doubled each time. */
	attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 20 })),
	backoff: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
});
export type WebhookSettings = Required<Static<typeof WebhookSettings>>;

export const initialSettings = (url: string): WebhookSettings => ({
	url,
	shape: 'record',
	signing: { type: 'none' },
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
