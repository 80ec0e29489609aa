import { createHmac } from 'node:crypto';
import { DateTime } from 'luxon';

/** HMAC algorithms by the length of their signatures in bytes, so that nobody has to choose one. */
const ALGORITHMS: Record<number, string> = { 32: 'sha256', 48: 'sha384', 64: 'sha512' };
const MAX_PARTS = 50;
const MAX_TIMESTAMPS = 5;

export interface ParsedSignatureHeader {
	signatures: Buffer[];
	timestamps: string[];
}

/** Separates the parts of a signature header. None of these occurs within a signature or a timestamp. */
const SEPARATOR = /[\s,;&|]+/;
/** Matches one part: the text with or without a label (`sha256=`, `v1:`) and quotes. */
const PART = /^(?:[\w.-]*[=:])?"?([\w+/-]+={0,2})"?$/;

/**
 * Reads a signature header in whatever way its parts are labelled and joined, also if it was sent more than once. A
 * label proves nothing, so it decides nothing.
 */
export function parseSignatureHeader(values: string[]): ParsedSignatureHeader {
	const parts = values
		.flatMap((value) => value.split(SEPARATOR))
		.filter(Boolean)
		.slice(0, MAX_PARTS);
	return {
		signatures: parts.flatMap((part) => decodeSignature(PART.exec(part)?.[1] ?? '') ?? []),
		timestamps: parts.flatMap(timestampIn),
	};
}

/** Standard Webhooks: signatures separated by blanks, each after its version; only v1 is an HMAC. */
export const parseStandardSignatures = (value: string): Buffer[] =>
	value
		.split(/\s+/, MAX_PARTS)
		.flatMap((part) => decodeSignature(/^v1,([A-Za-z0-9+/]+={0,2})$/.exec(part)?.[1] ?? '') ?? []);

/** Signatures are in hexadecimal, base64 or base64url; undefined if the length is that of none. */
function decodeSignature(text: string): Buffer | undefined {
	const encodings = /^[0-9a-f]+$/i.test(text)
		? (['hex', 'base64'] as const)
		: (['base64'] as const);
	return encodings
		.map((encoding) => Buffer.from(text, encoding))
		.find(({ length }) => Object.hasOwn(ALGORITHMS, length));
}

/** It may be `t=1700000000`, `1700000000` or `1700000000:<signature>`. */
function timestampIn(part: string): string[] {
	const at = part.search(/[=:]/);
	const candidates = at < 0 ? [part] : [part, part.slice(at + 1), part.slice(0, at)];
	const found = candidates.find((text) => !Number.isNaN(parseTimestamp(text)));
	return found === undefined ? [] : [found];
}

/** Signs the body behind each of these texts, by each algorithm that a call uses. */
export function expectedSignatures(
	body: Buffer,
	prefixes: string[],
	keys: Buffer[],
	lengths: number[],
): Buffer[] {
	const algorithms = [...new Set(lengths)].map((length) => ALGORITHMS[length]);
	return [...new Set(prefixes)]
		.slice(0, MAX_TIMESTAMPS)
		.flatMap((prefix) =>
			algorithms.flatMap((algorithm) =>
				keys.map((key) =>
					createHmac(algorithm, key).update(Buffer.from(prefix, 'latin1')).update(body).digest(),
				),
			),
		);
}

/** Below these a number counts seconds, milliseconds, microseconds or nanoseconds since 1970. */
const LIMITS = [1e11, 1e14, 1e17, 1e20];

/** Gives milliseconds since 1970 for a number of any unit, or an ISO date; NaN for others. No zone means UTC. */
export function parseTimestamp(text: string): number {
	if (/^\d{1,20}(\.\d{1,9})?$/.test(text)) {
		const value = Number(text);
		const unit = LIMITS.findIndex((limit) => value < limit);
		return unit < 0 ? NaN : (value * 1000) / 1000 ** unit;
	}
	if (!/^[\w:.+-]{10,40}$/.test(text)) return NaN;
	return DateTime.fromISO(text, { zone: 'utc' }).toMillis();
}
