import { DateTime } from 'luxon';

/** Keeps dates within what a Date can hold, whatever a header claims. */
const MAX_RETRY_AFTER_MS = 1e11;
/** Exceeds any real limit per second, and keeps the bookkeeping small whatever a header claims. */
const MAX_LIMIT = 10_000;
/** Earlier resets are no epoch time in milliseconds; in seconds, it would say too little. */
const EPOCH_MS_SINCE = Date.UTC(2000);

/** The parts of a response on which the pace depends. Times are milliseconds by the rate limiter's clock. */
export interface TimedResponse {
	status: number;
	/** The headers by lower-case name. */
	headers: Record<string, unknown>;
	sentAt: number;
	receivedAt: number;
}

/** CP §8.4. A missing or senseless value is undefined. */
export function parseLimitHeaders({ headers }: TimedResponse): {
	limit?: number;
	remaining?: number;
	reset?: number;
} {
	const limit = readCount(headers['x-ratelimit-limit']);
	const reset = readCount(headers['x-ratelimit-reset']);
	return {
		limit: limit ? Math.min(limit, MAX_LIMIT) : undefined,
		remaining: readCount(headers['x-ratelimit-remaining']),
		reset: reset !== undefined && reset >= EPOCH_MS_SINCE ? reset : undefined,
	};
}

/**
 * The header holds seconds, with or without a fraction, or an HTTP date by the service's clock. Of several values
 * the latest counts; undefined if it makes no sense or has passed.
 */
export function retryAt({ headers, receivedAt }: TimedResponse): number | undefined {
	const texts = [headers['retry-after']].flat().map((one) => headerText(one) ?? '');
	const serviceNow = readDate(headerText(headers.date)) ?? receivedAt;
	const waits = texts.flatMap((text) => {
		const date = readDate(text);
		return date === undefined ? text.split(',').map(readSeconds) : [date - serviceNow];
	});
	const wait = Math.max(...waits);
	return wait > 0 ? receivedAt + Math.min(wait, MAX_RETRY_AFTER_MS) : undefined;
}

/** Seconds in milliseconds; 0 for anything else. */
const readSeconds = (text: string): number =>
	/^\d+(\.\d+)?$/.test(text.trim()) ? Math.ceil(Number(text) * 1000) : 0;

/** A header's value as a whole number from 0 on; undefined if it is anything else. */
function readCount(value: unknown): number | undefined {
	const text = headerText(value);
	return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function readDate(text: string | undefined): number | undefined {
	const date = DateTime.fromHTTP(text ?? '');
	return date.isValid ? date.toMillis() : undefined;
}

function headerText(value: unknown): string | undefined {
	const first: unknown = Array.isArray(value) ? value[0] : value;
	return typeof first === 'string' || typeof first === 'number' ? String(first).trim() : undefined;
}
