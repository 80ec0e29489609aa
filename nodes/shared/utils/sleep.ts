import { sleep, OperationalError } from 'n8n-workflow';

const SLEEP_SLICE_MS = 200;

/** Milliseconds until `ms` have passed since a moment; 0 or less also where the machine's clock was set back by more. */
export const msUntilElapsed = (since: number, ms: number): number =>
	ms - Math.abs(Date.now() - since);

/** Waits `ms` milliseconds; throws an OperationalError soon after the execution was cancelled. */
export async function sleepUnlessCancelled(ms: number, signal?: AbortSignal): Promise<void> {
	const ended = new AbortController();
	const aborted = new Promise<void>((resolve) => {
		signal?.addEventListener('abort', () => resolve(), { once: true, signal: ended.signal });
	});
	for (let left = ms; left > 0; left -= SLEEP_SLICE_MS) {
		if (signal?.aborted) throw new OperationalError('The execution was cancelled');
		await Promise.race([sleep(Math.min(left, SLEEP_SLICE_MS)), aborted]);
	}
	ended.abort();
}

/** Waits until `ms` have passed since a moment, or until it is not wanted any more. */
export async function sleepUntil(since: number, ms: number, isOver: () => boolean): Promise<void> {
	for (
		let left = msUntilElapsed(since, ms);
		left > 0 && !isOver();
		left = msUntilElapsed(since, ms)
	)
		await sleep(Math.min(SLEEP_SLICE_MS, left));
}
