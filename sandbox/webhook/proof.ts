import { createHmac } from 'node:crypto';
import type { HmacSigning, Signing } from './settings';

/** The body is as it is sent; the time is in milliseconds. */
interface Message {
	body: Buffer;
	id: string;
	sentAt: number;
}

/** A header that is sent more than once has several values. */
export type ProofHeaders = Record<string, string | string[]>;

export function proofHeadersOf(signing: Signing, message: Message): ProofHeaders {
	switch (signing.type) {
		case 'none':
			return {};
		case 'header':
			return { [signing.header]: signing.secret };
		case 'basic': {
			const login = Buffer.from(`${signing.user}:${signing.password}`).toString('base64');
			return { Authorization: `Basic ${login}` };
		}
		case 'hmac':
			return hmacHeaders(signing, message);
		case 'standard': {
			const key = Buffer.from(signing.secret.replace(/^whsec_/, ''), 'base64');
			const { id, body, sentAt } = message;
			const seconds = Math.floor(sentAt / 1000);
			const signature = createHmac('sha256', key)
				.update(`${id}.${seconds}.`)
				.update(body)
				.digest('base64');
			return {
				'webhook-id': id,
				'webhook-timestamp': String(seconds),
				'webhook-signature': `v1,${signature}`,
			};
		}
	}
}

const timestampsOf: Record<HmacSigning['timestamps'], (sentAt: number) => string> = {
	seconds: (sentAt) => String(Math.floor(sentAt / 1000)),
	fractional: (sentAt) => (sentAt / 1000).toFixed(3),
	milliseconds: String,
	iso: (sentAt) => new Date(sentAt).toISOString(),
};

function signedTextOf({ signedText, timestampHeader, hasTimestampInHeader }: HmacSigning): string {
	if (signedText !== undefined) return signedText;
	return timestampHeader || hasTimestampInHeader ? '{timestamp}.{body}' : '{body}';
}

function hmacHeaders(signing: HmacSigning, { body, sentAt }: Message): ProofHeaders {
	const { algorithm, encoding, header, label, secretEncoding, timestampHeader } = signing;
	const timestamp = timestampsOf[signing.timestamps](sentAt);
	const [before, ...after] = signedTextOf(signing)
		.replaceAll('{timestamp}', timestamp)
		.split('{body}');
	const sign = (secret: string) => {
		const key =
			secretEncoding === 'text' ? secret : Buffer.from(secret, secretEncoding as BufferEncoding);
		const hmac = createHmac(algorithm, key).update(before);
		for (const text of after) hmac.update(body).update(text);
		return hmac.digest(encoding);
	};
	const { oldSecret, secret, hasTimestampInHeader } = signing;
	const signatures = (oldSecret === undefined ? [secret] : [oldSecret, secret]).map(sign);
	const parts = hasTimestampInHeader
		? [`t=${timestamp}`, ...signatures.map((one) => `${label || 'v1='}${one}`)]
		: signatures.map((one) => label + one);
	const value = {
		comma: parts.join(','),
		blank: parts.join(' '),
		header: hasTimestampInHeader ? parts.slice(1).map((part) => `${parts[0]},${part}`) : parts,
	}[signing.joinedBy] as string | string[];
	return { [header]: value, ...(timestampHeader && { [timestampHeader]: timestamp }) };
}

/** Whoever sets up the receiver reads it, with the secret that it needs. */
export function describeSigningForReceiver(signing: Signing): { signed: string; secret: string } {
	switch (signing.type) {
		case 'none':
			return { signed: 'not signed', secret: '' };
		case 'header':
			return { signed: `the secret in the header ${signing.header}`, secret: signing.secret };
		case 'basic':
			return {
				signed: `basic authentication, user "${signing.user}", the secret as password`,
				secret: signing.password,
			};
		case 'hmac':
			return { signed: explainHmac(signing), secret: signing.secret };
		case 'standard':
			return {
				signed: 'Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature',
				secret: signing.secret,
			};
	}
}

const TIMES: Record<HmacSigning['timestamps'], string> = {
	seconds: 'Unix seconds',
	fractional: 'Unix seconds with a fraction',
	milliseconds: 'Unix milliseconds',
	iso: 'ISO 8601',
};

function explainHmac(signing: HmacSigning): string {
	const { algorithm, encoding, header, timestampHeader, timestamps } = signing;
	const signedText = signedTextOf(signing);
	const isTimed = signedText.includes('{timestamp}');
	const text = signedText
		.replaceAll('{timestamp}', `<${TIMES[timestamps]}>`)
		.replaceAll('{body}', '<raw body>');
	const time = timestampHeader ? `the time in the header ${timestampHeader}` : '';
	const what = signedText === '{body}' ? 'the raw body' : `"${text}"`;
	return [
		`HMAC ${algorithm} over ${what}`,
		isTimed && time,
		`as ${encoding}`,
		`in the header ${header}`,
		signing.hasTimestampInHeader && 'with the time beside it (t=…,v1=…)',
		signing.label && `after ${signing.label}`,
		signing.secretEncoding !== 'text' && `the secret is ${signing.secretEncoding}`,
		signing.oldSecret !== undefined && 'once by the old and once by the new secret',
	]
		.filter(Boolean)
		.join(', ');
}
