import { createHmac } from 'node:crypto';
import type { Signing } from './config';

/** The headers that prove where a body comes from. In: the raw body, and the time in Unix seconds. */
export function proofOf(signing: Signing, body: string, seconds: number): Record<string, string> {
	switch (signing.type) {
		case 'none':
			return {};
		case 'header':
			return { [signing.header ?? 'X-Webhook-Secret']: signing.secret };
		case 'basic': {
			const login = Buffer.from(`${signing.user}:${signing.password}`).toString('base64');
			return { Authorization: `Basic ${login}` };
		}
		case 'hmac': {
			const { secret, algorithm = 'sha256', encoding = 'hex', timestampHeader } = signing;
			const signed = timestampHeader ? `${seconds}.${body}` : body;
			const signature = createHmac(algorithm, secret).update(signed).digest(encoding);
			return {
				[signing.header ?? 'X-Webhook-Signature']: signature,
				...(timestampHeader && { [timestampHeader]: String(seconds) }),
			};
		}
	}
}
