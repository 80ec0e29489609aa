import { textOf } from './text';

/** Milliseconds until `ms` have passed since a moment; 0 or less also where the machine's clock was set back by more. */
export const msLeft = (since: number, ms: number): number => ms - Math.abs(Date.now() - since);

/** Seconds of the years 2001 to 2286, with or without a fraction, or the same in milliseconds. */
const SECONDS = /^\d{10}(\.\d+)?$/;
const MILLISECONDS = /^\d{13}(\.\d+)?$/;
/** ISO 8601 without a zone, which would be read in that of n8n's process. */
const ZONELESS = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(:\d\d(\.\d+)?)?)$/;
/** Of day and month nobody can tell which comes first. */
const AMBIGUOUS = /^\d{1,2}[/.-]\d{1,2}[/.-]\d/;

/**
 * A moment in milliseconds since the epoch, from a date (in UTC where it names no zone) or such a number, also as text;
 * undefined if it is neither.
 */
export function timeOf(value: unknown): number | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim();
	if (SECONDS.test(text)) return Math.round(Number(text) * 1000);
	if (MILLISECONDS.test(text)) return Math.round(Number(text));
	if (AMBIGUOUS.test(text)) return undefined;
	const time = typeof value === 'string' ? Date.parse(text.replace(ZONELESS, '$1T$2Z')) : NaN;
	return Number.isNaN(time) ? undefined : time;
}

/** A time of day with a zone behind it. */
const ZONED = /:\d\d\S*\s*(Z|UTC|GMT|[+-]\d\d:?(\d\d)?)$/i;

/** Whether a date names a moment, whatever the zone. */
export const isZoned = (value: unknown): boolean =>
	[SECONDS, MILLISECONDS, ZONED].some((form) => form.test(textOf(value).trim().slice(-40)));
