const FIRST_MS = 400;

/**
 * Milliseconds to wait after so many failed attempts (1 or more): doubled each time up to `maxMs`, and spread by a
 * quarter, so that those who failed together do not come back together.
 */
export function backoffMs(failures: number, maxMs = 6_400): number {
	return Math.min(maxMs, FIRST_MS * 2 ** (failures - 1)) * (0.75 + Math.random() / 2);
}
