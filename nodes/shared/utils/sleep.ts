import { sleep, OperationalError } from 'n8n-workflow';

const SLICE_MS = 200;

/** Waits `ms` milliseconds; throws an OperationalError soon after the execution was cancelled. */
export async function sleepFor(ms: number, signal?: AbortSignal): Promise<void> {
	for (let left = ms; left > 0; left -= SLICE_MS) {
		if (signal?.aborted) throw new OperationalError('The execution was cancelled');
		await sleep(Math.min(left, SLICE_MS));
	}
}
