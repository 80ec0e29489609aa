/** Milliseconds until `ms` have passed since a moment; 0 or less also where the machine's clock was set back by more. */
export const msLeft = (since: number, ms: number): number => ms - Math.abs(Date.now() - since);

/** Seconds of the years 2001 to 2286, with or without a fraction, or the same in milliseconds. */
const SECONDS = /^\d{10}(\.\d+)?$/;
const MILLISECONDS = /^\d{13}(\.\d+)?$/;

/** A moment in milliseconds since the epoch, from a date or such a number, also as text; undefined if it is neither. */
export function timeOf(value: unknown): number | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim();
	if (SECONDS.test(text)) return Math.round(Number(text) * 1000);
	if (MILLISECONDS.test(text)) return Math.round(Number(text));
	const time = typeof value === 'string' ? Date.parse(text) : NaN;
	return Number.isNaN(time) ? undefined : time;
}
