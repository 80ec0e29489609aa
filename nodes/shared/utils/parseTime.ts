import { textOf } from './primitiveText';

/** These are seconds of the years 2001 to 2286, with or without a fraction. */
const SECONDS = /^\d{10}(\.\d+)?$/;
const MILLISECONDS = /^\d{13}(\.\d+)?$/;
/** ISO 8601 without a zone, which would be read in that of n8n's process. */
const ZONELESS = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(:\d\d(\.\d+)?)?)$/;
/** The order of day and month is ambiguous. */
const AMBIGUOUS_DATE = /^\d{1,2}[/.-]\d{1,2}[/.-]\d/;

/**
 * Gives milliseconds since the epoch, from a date or such a number, also as text. A date without a zone is in UTC.
 * Undefined if the value is neither.
 */
export function timeOf(value: unknown): number | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim();
	if (SECONDS.test(text)) return Math.round(Number(text) * 1000);
	if (MILLISECONDS.test(text)) return Math.round(Number(text));
	if (AMBIGUOUS_DATE.test(text)) return undefined;
	const time = typeof value === 'string' ? Date.parse(text.replace(ZONELESS, '$1T$2Z')) : NaN;
	return Number.isNaN(time) ? undefined : time;
}

/** A time of day with a zone behind it. */
const ZONED = /:\d\d\S*\s*(Z|UTC|GMT|[+-]\d\d:?(\d\d)?)$/i;

/** It names a moment, whatever the zone. */
export const isUnambiguousTime = (value: unknown): boolean =>
	[SECONDS, MILLISECONDS, ZONED].some((form) => form.test(textOf(value).trim().slice(-40)));
