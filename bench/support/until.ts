import { setTimeout as sleep } from 'node:timers/promises';

/** Less than a test may take, so that the error names what did not come. */
const SECONDS = 600;
const PAUSE_MS = 10;
/** After a long wait the pauses grow, since each check takes time from what is waited for. */
const PART = 20;
const LONGEST_PAUSE_MS = 250;

/**
 * Returns what `ask` brings, once it brings anything but false or undefined. An error names what did not come in
 * time; a function can say what had come by then.
 */
export async function until<T>(
	what: string | (() => string),
	ask: () => T | Promise<T>,
	{ seconds = SECONDS, pauseMs = PAUSE_MS } = {},
): Promise<Exclude<T, false | undefined>> {
	const begun = performance.now(); // a test may have set the clock
	for (;;) {
		const brought = await ask();
		if (brought !== false && brought !== undefined) return brought as Exclude<T, false | undefined>;
		const waitedMs = performance.now() - begun;
		if (waitedMs > 1000 * seconds)
			throw new Error(`Not within ${seconds} s: ${typeof what === 'string' ? what : what()}`);
		await sleep(Math.max(pauseMs, Math.min(waitedMs / PART, LONGEST_PAUSE_MS)));
	}
}
