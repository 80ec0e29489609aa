import type { Item } from '../shared/operation';
import { queryIdOf, readQueryRecord, stateOf } from '../shared/queries';
import type { Outcome } from './output';

const BACKOFF = 1.5;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Asks for a pending query (§4.13) until it has ended or the time is over; then what is known of it comes back, never
 * an error, because asking again costs money. Throws only if the execution is cancelled.
 */
export async function waitForResult(
	item: Item,
	outcome: Outcome,
	{ maxMs, intervalMs }: { maxMs: number; intervalMs: number },
): Promise<Outcome> {
	const path = `/query/${encodeURIComponent(String(queryIdOf(outcome.query)))}`;
	const deadline = Date.now() + maxMs;
	let { query } = outcome;
	let problem: string | undefined;
	for (let pause = intervalMs; ; pause = Math.min(pause * BACKOFF, LONGEST_PAUSE_MS)) {
		const leftMs = deadline - Date.now();
		if (leftMs <= 0) return { ...outcome, query, overdue: { problem } };
		await item.wait(Math.min(pause, leftMs));
		const look = await item
			.request({ method: 'GET', path, patienceMs: Math.max(deadline - Date.now(), intervalMs) })
			.then(readQueryRecord)
			.then(
				(record) => ({ record }),
				({ message }: Error) => ({ message }),
			);
		problem = 'message' in look ? look.message : undefined;
		if ('record' in look) query = look.record;
		if (stateOf(query) !== 'pending') return { ...outcome, query };
	}
}
