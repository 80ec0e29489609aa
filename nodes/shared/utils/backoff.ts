const FIRST_MS = 400;

/**
 * Gives milliseconds after 1 or more failed attempts. The pause doubles each time up to `maxMs`, and varies by a
 * quarter, so that concurrent failures do not return together.
 */
export function backoffMs(failures: number, maxMs = 6_400): number {
	return Math.min(maxMs, FIRST_MS * 2 ** (failures - 1)) * (0.75 + Math.random() / 2);
}
