import type { BrowserContext } from 'playwright-core';

/** Counts a person's clicks in every page of a context: a double click is two, keys are none. */
export async function countUserClicks(context: BrowserContext): Promise<() => number> {
	let clicks = 0;
	await context.exposeBinding('countClick', () => void clicks++);
	await context.addInitScript(
		"addEventListener('pointerdown', ({ isTrusted }) => isTrusted && countClick(), true)",
	);
	return () => clicks;
}
