import type { ITriggerFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { msUntilElapsed } from '../../shared/utils/interruptibleSleep';
import { processStateOfNode } from './emitter';
import type { TriggerListing } from './readListing';
import {
	reportErrorAsFailedExecution,
	reportErrorAsFailedExecutionHourly,
	runHourly,
} from './errorReporting';
import { MAX_PENDING } from './ledger';
import type { VanishedQueriesReason } from './planPoll';
import { CodedError } from '../../shared/utils/codedError';

const LOSSES: Record<VanishedQueriesReason, string> = {
	isElsewhere:
		"The credential leads to another account, and the trigger begins anew, by 'Start From'",
	isLost: 'The service lists none of the queries so far: only newer ones start the workflow',
};

export function reportAllKnownQueriesVanished(
	context: ITriggerFunctions,
	loss?: VanishedQueriesReason,
): void {
	if (!loss) return;
	const what = `${LOSSES[loss]}. Compare the results in the service with your executions`;
	reportErrorAsFailedExecution(context, new CodedError(loss, what));
}

/** Reports rows without an ID, and logs that the list is not shown to its end, once an hour. */
export function reportListGaps(context: ITriggerFunctions, listing: TriggerListing): void {
	const { completeness, total, rows, unreadable } = listing;
	if (unreadable > 0) {
		const what = `${unreadable} rows of the list of queries have no usable ID and cannot start the workflow`;
		reportErrorAsFailedExecutionHourly(
			context,
			new CodedError('list.ids', what, { rows: unreadable }),
		);
	}
	if (completeness !== 'truncated') return;
	runHourly(context, 'cut', () =>
		context.logger.warn(
			`The service reports ${total ?? 'more'} queries but lists only ${rows.length} of them. Set list.page or list.offset, and list.limit, in API Mapping`,
		),
	);
}

/** Reports pending queries that neither the list nor a request by ID will show, and those that are forgotten. */
export function reportUntrackedPendingQueries(
	context: ITriggerFunctions,
	{ unreachable, forgotten }: { unreachable: number; forgotten: number },
): void {
	if (unreachable > 0) {
		const what = `${unreachable} queries wait for a result that the list does not show, too many to read each by ID. They start if listed or named by a webhook call`;
		reportErrorAsFailedExecutionHourly(
			context,
			new CodedError('dropped', what, { queries: unreachable }),
		);
	}
	if (forgotten > 0) {
		const what = `More than ${MAX_PENDING} queries wait for a result: the trigger no longer follows the ${forgotten} oldest. Compare their results in the service with your executions`;
		reportErrorAsFailedExecutionHourly(
			context,
			new CodedError('forgotten', what, { queries: forgotten }),
		);
	}
}

/** Limits the queries that one report names. */
const MAX_NAMED = 10;

/** Reports results that n8n could not start. */
export function reportUnstartedResults(
	context: ITriggerFunctions,
	queryIds: string[],
	error: Error,
): void {
	const queries = queryIds.length;
	const named = queryIds.slice(0, MAX_NAMED);
	const what = `Results that n8n could not start: ${queries} (queries ${named.join(', ')}). The trigger tries again each minute: ${error.message}`;
	reportErrorAsFailedExecutionHourly(
		context,
		new CodedError('notStarted', what, { queries, named }),
	);
}

/** Successes without a result: since when, how often seen, and whether a webhook call brought the result. */
const newMissing = () =>
	new BoundedMap<string, { since: number; times: number; isDelivered: boolean }>(5_000);
/** A record may get its result a while after its status. */
const MAY_TAKE_MS = 10 * 60_000;

/** Reports a success whose record has no result, from the second time on. */
export function reportMissingResult(
	context: ITriggerFunctions,
	id: string,
	isDelivered: boolean,
): void {
	const none = { since: Date.now(), times: 0, isDelivered: false };
	const known = processStateOfNode(context)
		.shared(newMissing)
		.getOrMake(id, () => none);
	known.times++;
	known.isDelivered ||= isDelivered;
	if (known.isDelivered ? known.times < 2 : msUntilElapsed(known.since, MAY_TAKE_MS) > 0) return;
	const but = known.isDelivered ? 'but a' : 'and no';
	const what = `The service's record of query ${id} has no result, ${but} webhook call brought one`;
	const error = new CodedError('noResult', what, {
		queryId: id,
		isDelivered: known.isDelivered,
		description:
			"To emit the result of a webhook call, set 'Confirm with the Service' to 'Fetch the Status Only', or 'Webhook Verification' to Credential.",
	});
	reportErrorAsFailedExecutionHourly(context, error, id);
}
