import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import {
	DEFAULT_TOLERANCE,
	secretsIn,
	standardKey,
	validateWebhookSecret,
} from '../../shared/credentials/webhookSecret';

/** What of a request is checked. */
interface Received {
	/** Name, value, name, value …, as they came: a header sent twice is there twice. */
	rawHeaders: string[];
	body: Buffer;
}

/**
 * Whether a request proves that it comes from the service, by the webhook credential (§6.2: the scheme is not
 * shown). A credential that is not complete accepts nothing. `now` is in milliseconds since the epoch.
 */
export function verifyDelivery(
	{ rawHeaders, body }: Received,
	credential: ICredentialDataDecryptedObject,
	now: number,
): boolean {
	if (validateWebhookSecret(credential)) return false;
	const header = (name: unknown) => onlyValue(rawHeaders, String(name));
	const secrets = secretsIn(credential);
	const tolerance = Number(credential.tolerance ?? DEFAULT_TOLERANCE);
	const inTime = (timestamp: string) => Math.abs(now - sentAt(timestamp)) <= tolerance * 1000;

	switch (String(credential.method)) {
		case 'basic': {
			const login = `${String(credential.user)}:${String(credential.password)}`;
			const [, sent = ''] = /^Basic +(\S+)$/i.exec(header('Authorization') ?? '') ?? [];
			return isAnyOf([Buffer.from(sent, 'base64')], written(login));
		}
		case 'header': {
			const sent = header(credential.headerName) ?? '';
			return isAnyOf([Buffer.from(sent, 'latin1')], secrets.flatMap(written)); // as Node reads headers
		}
		case 'standard': {
			const name = STANDARD_NAMES.find((each) => header(`${each}-id`) !== undefined);
			const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
				(part) => header(`${name}-${part}`) ?? '',
			);
			if (!id || !inTime(timestamp)) return false;
			const keys = secrets.map((secret) => standardKey(secret) ?? randomBytes(32));
			return isAnyOf(
				standardSignatures(signatures),
				hmacs('sha256', keys, `${id}.${timestamp}.`, body),
			);
		}
		default: {
			const signature = decode(header(credential.signatureHeader), credential);
			const { algorithm, timestampHeader, separator } = credential;
			const hasTime = String(timestampHeader ?? '').trim() !== '';
			const timestamp = (hasTime && header(timestampHeader)) || '';
			if (!signature || (hasTime && !inTime(timestamp))) return false;
			const before = hasTime ? timestamp + String(separator ?? '.') : '';
			return isAnyOf([signature], hmacs(String(algorithm ?? 'sha256'), secrets, before, body));
		}
	}
}

/** Text and body signed together, with each of these keys. */
const hmacs = (algorithm: string, keys: Array<string | Buffer>, before: string, body: Buffer) =>
	keys.map((one) => createHmac(algorithm, one).update(before).update(body).digest());

/** In UTF-8, and as older senders write it where Latin-1 has all its letters. */
const written = (text: string): Buffer[] => [
	Buffer.from(text),
	...(/^[\0-\xff]*$/.test(text) ? [Buffer.from(text, 'latin1')] : []),
];

/** Of one delivery. */
const MAX_SIGNATURES = 20;
const STANDARD_NAMES = ['webhook', 'svix'];

/** The ID that Standard Webhooks gives a message, the same each time it is sent; undefined if there is none. */
export function messageIdOf({ rawHeaders }: Pick<Received, 'rawHeaders'>): string | undefined {
	return STANDARD_NAMES.map((name) => onlyValue(rawHeaders, `${name}-id`)).find(Boolean);
}

/** standardwebhooks.com: several signatures in one header, any of which may be by any of several secrets. */
const standardSignatures = (header: string): Buffer[] =>
	header
		.split(/\s+/)
		.slice(0, MAX_SIGNATURES)
		.filter((one) => /^v1,[A-Za-z0-9+/]+={0,2}$/.test(one))
		.map((one) => Buffer.from(one.slice('v1,'.length), 'base64'));

/** A header's value; undefined if it is not there, or there more than once. */
function onlyValue(rawHeaders: string[], name: string): string | undefined {
	const wanted = name.trim().toLowerCase();
	const values = rawHeaders.filter(
		(_, index) => index % 2 === 1 && rawHeaders[index - 1].toLowerCase() === wanted,
	);
	// only blanks: a UTF-8 letter may end with the byte that Latin-1 takes for another kind of blank
	return values.length === 1 ? values[0].replace(/^[ \t]+|[ \t]+$/g, '') : undefined;
}

/** The bytes of a signature; undefined if it is not written in the agreed way. */
function decode(
	value: string | undefined,
	{ prefix, encoding = 'hex' }: ICredentialDataDecryptedObject,
): Buffer | undefined {
	const before = String(prefix ?? '').trim();
	if (!value?.startsWith(before)) return undefined;
	const text = value.slice(before.length).trim();
	const alphabet =
		{ hex: /^[0-9a-f]+$/i, base64: /^[A-Za-z0-9+/]+={0,2}$/, base64url: /^[\w-]+={0,2}$/ }[
			String(encoding)
		] ?? /^$/;
	return alphabet.test(text) ? Buffer.from(text, encoding as BufferEncoding) : undefined;
}

/** Milliseconds since 1970, of a timestamp in seconds, in milliseconds or by ISO 8601; NaN if it is none. */
function sentAt(timestamp: string): number {
	if (/^\d{1,11}$/.test(timestamp)) return Number(timestamp) * 1000;
	return /^\d{12,16}$/.test(timestamp) ? Number(timestamp) : Date.parse(timestamp);
}

const key = randomBytes(32);

/** Compares in constant time, whatever the lengths are. */
function equals(sent: Buffer, expected: Buffer): boolean {
	const digest = (value: Buffer) => createHmac('sha256', key).update(value).digest();
	return timingSafeEqual(digest(sent), digest(expected));
}

/** Whether any that was sent is one of those that are expected, with all of them looked at. */
const isAnyOf = (sent: Buffer[], expected: Buffer[]): boolean =>
	sent.flatMap((each) => expected.map((one) => equals(each, one))).filter(Boolean).length > 0;
