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

	switch (String(credential.method)) {
		case 'basic': {
			const login = `${String(credential.user)}:${String(credential.password)}`;
			const [, sent] = /^Basic +(\S+)$/i.exec(header('Authorization') ?? '') ?? [];
			const bytes = Buffer.from(sent ?? '', 'base64');
			return anyOf([equals(bytes, Buffer.from(login)), equals(bytes, inLatin1(login))]);
		}
		case 'header': {
			const sent = Buffer.from(header(credential.headerName) ?? '', 'latin1'); // as Node reads headers
			return anyOf(
				secrets
					.flatMap((secret) => [Buffer.from(secret), inLatin1(secret)])
					.map((secret) => equals(sent, secret)),
			);
		}
		case 'standard':
			return isStandard(
				header,
				body,
				secrets,
				Number(credential.tolerance ?? DEFAULT_TOLERANCE),
				now,
			);
		default: {
			const signature = decode(header(credential.signatureHeader), credential);
			const signed = signedBy(header, body, credential, now);
			if (!signature || !signed) return false;
			return anyOf(
				secrets.map((secret) => {
					const hmac = createHmac(String(credential.algorithm ?? 'sha256'), secret);
					return equals(signature, hmac.update(signed).digest());
				}),
			);
		}
	}
}

/** How older senders write it; in UTF-8 where a letter has no place there. */
const inLatin1 = (text: string): Buffer =>
	Buffer.from(text, /^[\0-\xff]*$/.test(text) ? 'latin1' : 'utf8');

/** Of one delivery. */
const MAX_SIGNATURES = 20;
const STANDARD_NAMES = ['webhook', 'svix'];

/** The ID that Standard Webhooks gives a message, the same each time it is sent; undefined if there is none. */
export function messageIdOf({ rawHeaders }: Pick<Received, 'rawHeaders'>): string | undefined {
	return STANDARD_NAMES.map((name) => onlyValue(rawHeaders, `${name}-id`)).find(Boolean);
}

/** standardwebhooks.com: ID, time and body signed together; any of several signatures by any of several secrets. */
function isStandard(
	header: (name: string) => string | undefined,
	body: Buffer,
	secrets: string[],
	tolerance: number,
	now: number,
): boolean {
	const name = STANDARD_NAMES.find((each) => header(`${each}-id`) !== undefined);
	const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
		(part) => header(`${name}-${part}`) ?? '',
	);
	const isInTime =
		/^\d{1,11}$/.test(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= tolerance;
	if (!id || !isInTime) return false;
	const sent = signatures
		.split(/\s+/)
		.slice(0, MAX_SIGNATURES)
		.filter((one) => /^v1,[A-Za-z0-9+/]+={0,2}$/.test(one))
		.map((one) => Buffer.from(one.slice('v1,'.length), 'base64'));
	const expected = secrets.map((secret) =>
		createHmac('sha256', standardKey(secret) ?? randomBytes(32))
			.update(`${id}.${timestamp}.`)
			.update(body)
			.digest(),
	);
	return anyOf(sent.flatMap((signature) => expected.map((one) => equals(signature, one))));
}

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

/** What must have been signed; undefined if the timestamp is missing, unreadable, too old or of the future. */
function signedBy(
	header: (name: unknown) => string | undefined,
	body: Buffer,
	{ timestampHeader, separator, tolerance = DEFAULT_TOLERANCE }: ICredentialDataDecryptedObject,
	now: number,
): Buffer | undefined {
	if (String(timestampHeader ?? '').trim() === '') return body;
	const timestamp = header(timestampHeader) ?? '';
	const sentAt = /^\d{1,11}$/.test(timestamp)
		? Number(timestamp) * 1000
		: /^\d{12,16}$/.test(timestamp)
			? Number(timestamp)
			: Date.parse(timestamp);
	if (!(Math.abs(now - sentAt) <= Number(tolerance) * 1000)) return undefined;
	return Buffer.concat([Buffer.from(timestamp + String(separator ?? '.')), body]);
}

const key = randomBytes(32);

/** Compares in constant time, whatever the lengths are. */
function equals(sent: Buffer, expected: Buffer): boolean {
	const digest = (value: Buffer) => createHmac('sha256', key).update(value).digest();
	return timingSafeEqual(digest(sent), digest(expected));
}

/** Whether any holds, with all of them looked at. */
const anyOf = (checks: boolean[]) => checks.filter(Boolean).length > 0;
