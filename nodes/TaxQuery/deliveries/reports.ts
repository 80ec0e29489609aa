import type { ITriggerFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { msLeft } from '../../shared/utils/time';
import { nodeKey } from './emitter';
import type { Listing } from './listing';
import { report, reportHourly, tellHourly } from './outage';
import type { Loss } from './survey';
import { CodedError } from '../../shared/utils/codedError';

const LOSSES: Record<Loss, string> = {
	isElsewhere:
		"The credential leads to another account, and the trigger begins anew, by 'Start From'",
	isLost: 'The service lists none of the queries so far: only newer ones start the workflow',
};

export function reportLoss(context: ITriggerFunctions, loss?: Loss): void {
	if (!loss) return;
	const what = `${LOSSES[loss]}. Compare the results in the service with your executions`;
	report(context, new CodedError(loss, what));
}

/** Reports rows without an ID, and logs that the list is not shown to its end, once an hour. */
export function reportListing(context: ITriggerFunctions, listing: Listing): void {
	const { extent, total, rows, unreadable } = listing;
	if (unreadable > 0) {
		const what = `${unreadable} rows of the list of queries have no usable ID and cannot start the workflow`;
		reportHourly(context, new CodedError('list.ids', what, { rows: unreadable }));
	}
	if (extent !== 'cut') return;
	tellHourly(context, 'cut', () =>
		context.logger.warn(
			`The service reports ${total ?? 'more'} queries but lists only ${rows.length} of them. Set list.page or list.offset, and list.limit, in API Mapping`,
		),
	);
}

/** Reports queries that are not awaited any more. */
export function reportDropped(context: ITriggerFunctions, [queryId, ...others]: string[]): void {
	if (queryId === undefined) return;
	const queries = others.length + 1;
	const what = `Too many queries wait for a result: ${queries} are no longer read by ID, from ${queryId} on. They start if listed or named by a webhook call`;
	reportHourly(context, new CodedError('dropped', what, { queries, queryId }));
}

/** Successes without a result: since when, how often seen, and whether a webhook call brought the result. */
const missing = new BoundedMap<string, { since: number; times: number; isDelivered: boolean }>(
	5_000,
);
/** A record may get its result a while after its status. */
const MAY_TAKE_MS = 10 * 60_000;

/** Reports a success whose record has no result, from the second time on. */
export function reportMissing(context: ITriggerFunctions, id: string, isDelivered: boolean): void {
	const none = { since: Date.now(), times: 0, isDelivered: false };
	const known = missing.getOrMake(`${nodeKey(context)} ${id}`, () => none);
	known.times++;
	known.isDelivered ||= isDelivered;
	if (known.isDelivered ? known.times < 2 : msLeft(known.since, MAY_TAKE_MS) > 0) return;
	const but = known.isDelivered ? 'but a' : 'and no';
	const what = `The service's record of query ${id} has no result, ${but} webhook call brought one`;
	const error = new CodedError('noResult', what, {
		queryId: id,
		isDelivered: known.isDelivered,
		description:
			"To emit the result of a webhook call, set 'Confirm with the Service' to Status Only, or 'Webhook Verification' to a webhook credential.",
	});
	reportHourly(context, error, id);
}
