import { setTimeout as sleep } from 'node:timers/promises';

const SECONDS = 60;
const PAUSE_MS = 10;

/** What `ask` brings, once it brings anything but false or undefined. An error names what did not come in time. */
export async function until<T>(
	what: string,
	ask: () => T | Promise<T>,
	{ seconds = SECONDS, pauseMs = PAUSE_MS } = {},
): Promise<Exclude<T, false | undefined>> {
	const deadline = performance.now() + 1000 * seconds; // a test may have set the clock
	for (;;) {
		const brought = await ask();
		if (brought !== false && brought !== undefined) return brought as Exclude<T, false | undefined>;
		if (performance.now() > deadline) throw new Error(`Not within ${seconds} s: ${what}`);
		await sleep(pauseMs);
	}
}
