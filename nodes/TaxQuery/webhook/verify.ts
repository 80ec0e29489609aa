import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import {
	acceptedSecrets,
	DEFAULT_TOLERANCE_SECONDS,
	findVerificationProblem,
	signatureFormatOf,
	signingKeys,
} from '../../shared/credentials/webhookFields';
import { textOf } from '../../shared/utils/primitiveText';
import {
	expectedSignatures,
	parseSignatureHeader,
	parseStandardSignatures,
	parseTimestamp,
} from './signature';

interface Received {
	/** Name, value, name, value …, as they came: a header sent twice is there twice. */
	rawHeaders: string[];
	body: Buffer;
}

/**
 * TQ §6.2 does not show how a request proves its origin. Fields that are not complete accept nothing. `now` is in
 * milliseconds since the epoch.
 */
export function verify(
	received: Received,
	credential: ICredentialDataDecryptedObject,
	now: number,
): boolean {
	if (findVerificationProblem(credential)) return false;
	const header = (name: unknown) => onlyValue(received.rawHeaders, textOf(name));
	switch (textOf(credential.webhookVerification)) {
		case 'basic': {
			const login = `${textOf(credential.webhookUser)}:${textOf(credential.webhookPassword)}`;
			const [, sent = ''] = /^Basic +(\S+)$/i.exec(header('Authorization') ?? '') ?? [];
			return isAnyOf([Buffer.from(sent, 'base64')], written(login));
		}
		case 'header': {
			const sent = header(credential.webhookHeaderName) ?? '';
			const secrets = acceptedSecrets(credential);
			return isAnyOf([Buffer.from(sent, 'latin1')], secrets.flatMap(written)); // as Node reads headers
		}
		default:
			return verifySignature(received, credential, now);
	}
}

/** What a call carries to prove itself: signatures, and what was signed before the body, with its time. */
interface SignatureProof {
	signatures: Buffer[];
	/** The time is undefined where none is signed. */
	prefixes: Array<{ text: string; time?: string }>;
}

function verifySignature(
	{ rawHeaders, body }: Received,
	credential: ICredentialDataDecryptedObject,
	now: number,
): boolean {
	const { signatures, prefixes } = readProof(rawHeaders, credential);
	const toleranceMs = Number(credential.timestampTolerance ?? DEFAULT_TOLERANCE_SECONDS) * 1000;
	const isInTime = (time: string) => Math.abs(now - parseTimestamp(time)) <= toleranceMs;
	const expected = expectedSignatures(
		body,
		prefixes.filter(({ time }) => time === undefined || isInTime(time)).map(({ text }) => text),
		signingKeys(credential).filter((key) => key !== undefined),
		signatures.map(({ length }) => length),
	);
	return isAnyOf(signatures, expected);
}

function readProof(
	rawHeaders: string[],
	credential: ICredentialDataDecryptedObject,
): SignatureProof {
	const valuesOf = (name: string) =>
		[onlyValue(rawHeaders, name)].filter((one) => one !== undefined);
	const format = signatureFormatOf(credential);
	if (format === 'standard') {
		const name = STANDARD_NAMES.find((one) => onlyValue(rawHeaders, `${one}-id`)) ?? '';
		const [id] = valuesOf(`${name}-id`);
		return {
			signatures: parseStandardSignatures(onlyValue(rawHeaders, `${name}-signature`) ?? ''),
			prefixes: id
				? valuesOf(`${name}-timestamp`).map((time) => ({ text: `${id}.${time}.`, time }))
				: [],
		};
	}
	const found = parseSignatureHeader(allValues(rawHeaders, textOf(credential.signatureHeader)));
	const { signatures } = found;
	if (format === 'plain') return { signatures, prefixes: [{ text: '' }] };
	const timeHeader = textOf(credential.timestampHeader).trim();
	const times = timeHeader === '' ? found.timestamps : valuesOf(timeHeader);
	return { signatures, prefixes: times.map((time) => ({ text: `${time}.`, time })) };
}

const STANDARD_NAMES = ['webhook', 'svix'];

/** Older senders write Latin-1, which counts if it has all letters of the text. */
const written = (text: string): Buffer[] => [
	Buffer.from(text),
	...(/^[\0-\xff]*$/.test(text) ? [Buffer.from(text, 'latin1')] : []),
];

function allValues(rawHeaders: string[], name: string): string[] {
	const wanted = name.trim().toLowerCase();
	return rawHeaders
		.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1].toLowerCase() === wanted)
		.map((value) => value.replace(/^[ \t]+|[ \t]+$/g, '')); // the last byte of a UTF-8 letter may equal a blank
}

/** Is undefined if it was sent not at all or more than once. */
function onlyValue(rawHeaders: string[], name: string): string | undefined {
	const values = allValues(rawHeaders, name);
	return values.length === 1 ? values[0] : undefined;
}

const key = randomBytes(32);

/** Compares in constant time, whatever the lengths are. */
function equals(sent: Buffer, expected: Buffer): boolean {
	const digest = (value: Buffer) => createHmac('sha256', key).update(value).digest();
	return timingSafeEqual(digest(sent), digest(expected));
}

/** Compares all of them, so that the time taken reveals nothing. */
const isAnyOf = (sent: Buffer[], expected: Buffer[]): boolean =>
	sent.flatMap((each) => expected.map((one) => equals(each, one))).filter(Boolean).length > 0;
