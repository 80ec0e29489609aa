import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { WebhookSettings } from './settings';

/** The body of a webhook call as it is sent, with the headers that say what it is. */
export interface EncodedWebhookBody {
	bytes: Buffer;
	headers: Record<string, string>;
}

const BOUNDARY = 'sandbox-form-7d1b9a52c0e84f36';
const FIELD = 'payload';

const written: Record<WebhookSettings['body'], (json: string) => { text: string; type: string }> = {
	json: (json) => ({ text: json, type: 'application/json' }),
	form: (json) => ({
		text: new URLSearchParams({ [FIELD]: json }).toString(),
		type: 'application/x-www-form-urlencoded',
	}),
	multipart: (json) => ({
		text: `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${FIELD}"\r\n\r\n${json}\r\n--${BOUNDARY}--\r\n`,
		type: `multipart/form-data; boundary=${BOUNDARY}`,
	}),
};

const encoders: Record<string, (bytes: Buffer) => Buffer> = {
	gzip: (bytes) => gzipSync(bytes),
	deflate: (bytes) => deflateSync(bytes),
	br: (bytes) => brotliCompressSync(bytes),
};

/** Writes a JSON text as the settings say. */
export function encodeWebhookBody(
	json: string,
	{ body, coding }: Pick<WebhookSettings, 'body' | 'coding'>,
): EncodedWebhookBody {
	const { text, type } = written[body](json);
	const codings = coding.toLowerCase().split(/[ ,]+/).filter(Boolean);
	return {
		bytes: codings.reduce((bytes, one) => encoders[one](bytes), Buffer.from(text)),
		headers: { 'Content-Type': type, ...(coding !== '' && { 'Content-Encoding': coding }) },
	};
}
