import { createHmac } from 'node:crypto';
import type { Signing } from './config';

/** The headers that prove where a body comes from. In: the raw body, its message's ID, and the time in Unix seconds. */
export function proofOf(
	signing: Signing,
	{ body, id, seconds }: { body: string; id: string; seconds: number },
): Record<string, string> {
	switch (signing.type) {
		case 'none':
			return {};
		case 'header':
			return { [signing.header]: signing.secret };
		case 'basic': {
			const login = Buffer.from(`${signing.user}:${signing.password}`).toString('base64');
			return { Authorization: `Basic ${login}` };
		}
		case 'hmac': {
			const { secret, algorithm, encoding, header, timestampHeader } = signing;
			const signed = timestampHeader ? `${seconds}.${body}` : body;
			const signature = createHmac(algorithm, secret).update(signed).digest(encoding);
			return {
				[header]: signature,
				...(timestampHeader && { [timestampHeader]: String(seconds) }),
			};
		}
		case 'standard': {
			const key = Buffer.from(signing.secret.replace(/^whsec_/, ''), 'base64');
			const signature = createHmac('sha256', key)
				.update(`${id}.${seconds}.${body}`)
				.digest('base64');
			return {
				'webhook-id': id,
				'webhook-timestamp': String(seconds),
				'webhook-signature': `v1,${signature}`,
			};
		}
	}
}

/** The same in words, for whoever sets up the receiver, and the secret that it needs. */
export function explained(signing: Signing): { signed: string; secret: string } {
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
		case 'hmac': {
			const { algorithm, encoding, header, timestampHeader } = signing;
			const what = timestampHeader
				? `"<Unix seconds>.<raw body>", the seconds in the header ${timestampHeader}`
				: 'the raw body';
			return {
				signed: `HMAC ${algorithm} over ${what}, as ${encoding}, in the header ${header}`,
				secret: signing.secret,
			};
		}
		case 'standard':
			return {
				signed: 'Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature',
				secret: signing.secret,
			};
	}
}
