import type { Item } from '../../shared/operations/operation';
import type { PaidQueryDefinition } from '../request/queryRequest';
import { getQuery, detachedClient } from '../client/queryClient';
import { mayOmitExistingResponse, mayStillEnd } from '../client/record';
import type { RecordOrAcknowledgement, QueryRecord } from '../client/model';
import { describeReadFailure } from '../errors/queryError';
import type { ObtainedQuery } from '../output/rows';
import { resultPollerOf } from './poller';

/** A result that is ready at once is not waited for. */
const FIRST_PAUSE_MS = 500;
/** A pending query comes out this long before the workflow's timeout, which would drop it. */
const BEFORE_TIMEOUT_MS = 3000;

/** It was only acknowledged, or nothing is known of its end. */
export const mayBeWaitedFor = ({ query }: ObtainedQuery): boolean =>
	query.kind === 'acknowledged' || (query.kind === 'record' && mayStillEnd(query.state));

/**
 * Waits until a query has ended or the time is over. Then it returns what is known, never an error, because a new
 * query is billed. Throws only if the execution is cancelled.
 */
export async function waitForResult(
	item: Item,
	outcome: ObtainedQuery,
	maxMs: number,
): Promise<ObtainedQuery> {
	const { query } = outcome;
	if (query.kind === 'withoutId' || !mayBeWaitedFor(outcome)) return outcome;
	const client = await detachedClient(item); // one that failed must not blind the others
	const now = performance.now();
	const waitMs = Math.max(0, Math.min(maxMs, item.run.timeoutAt - now - BEFORE_TIMEOUT_MS));
	const seen = await resultPollerOf(client).wait({
		query,
		client,
		deadline: now + waitMs,
		pauseMs: Math.min(FIRST_PAUSE_MS, waitMs / 2),
		cancelled: item.run.cancelled,
	});
	return { ...outcome, ...seen };
}

/** Items with Reuse share accepted queries that were read by ID. */
const newReads = () => new WeakMap<RecordOrAcknowledgement, Promise<QueryRecord>>();

/**
 * A success without a result is read by ID once, and so is an acknowledgement whose record the API reference shows
 * at once. If that fails, the query comes back with the reason.
 */
export async function readByIdIfResultMissing(
	item: Item,
	outcome: ObtainedQuery,
	{ queryType: { isImmediate }, hasNoResult }: PaidQueryDefinition,
): Promise<ObtainedQuery> {
	const { query, how } = outcome;
	const isNew = how === 'sent' || how === 'reused'; // the others were read
	if (!isNew || query.kind === 'withoutId' || hasNoResult) return outcome;
	const lacks =
		query.kind === 'record' && query.state === 'success' && mayOmitExistingResponse(query);
	if (!lacks && (query.kind === 'record' || !isImmediate)) return outcome;
	const reads = item.run.execution.shared(newReads);
	const client = await detachedClient(item);
	const reading = reads.get(query) ?? getQuery(client, query.id);
	reads.set(query, reading);
	return await reading.then(
		(record) => ({ ...outcome, query: record }),
		(error: unknown) => {
			reads.delete(query);
			return lacks ? { ...outcome, unread: describeReadFailure(error) } : outcome;
		},
	);
}
