import type { ITriggerFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { msUntilElapsed } from '../../shared/utils/sleep';
import { processStateOfNode } from './emitter';
import type { TriggerListing } from './listing';
import { reportFailure, reportFailureHourly, runHourly } from './errorReporting';
import { MAX_PENDING } from './ledger';
import type { VanishedQueriesReason } from './planPoll';
import { CodedError } from '../../shared/utils/codedError';

const LOSSES: Record<VanishedQueriesReason, string> = {
	isElsewhere:
		"The credential leads to another account, and the trigger begins anew, by 'Start From'",
	isLost: 'The service lists none of the queries so far: only newer ones start the workflow',
};

export function reportVanishedQueries(
	context: ITriggerFunctions,
	loss?: VanishedQueriesReason,
): void {
	if (!loss) return;
	const what = `${LOSSES[loss]}. Compare the results in the service with your executions`;
	reportFailure(context, new CodedError(loss, what));
}

/** Reports rows without an ID, and logs that the list is not shown to its end, once an hour. */
export function reportListGaps(context: ITriggerFunctions, listing: TriggerListing): void {
	const { completeness, total, rows, unreadable } = listing;
	if (unreadable > 0) {
		const what = `${unreadable} rows of the list of queries have no usable ID and cannot start the workflow`;
		reportFailureHourly(context, new CodedError('list.ids', what, { rows: unreadable }));
	}
	if (completeness !== 'truncated') return;
	runHourly(context, 'cut', () =>
		context.logger.warn(
			`The service reports ${total ?? 'more'} queries but lists only ${rows.length} of them. Set list.page or list.offset, and list.limit, in API Mapping`,
		),
	);
}

export function reportForgottenQueries(context: ITriggerFunctions, queries: number): void {
	if (queries === 0) return;
	const what = `More than ${MAX_PENDING} queries wait for a result: the trigger no longer follows the ${queries} oldest. Compare their results in the service with your executions`;
	reportFailureHourly(context, new CodedError('forgotten', what, { queries }));
}

export function reportUnstartedResult(
	context: ITriggerFunctions,
	queryId: string,
	{ message }: Error,
): void {
	const what = `n8n could not start the result of query ${queryId}, and perhaps of others. The next check or webhook call tries again: ${message}`;
	reportFailureHourly(context, new CodedError('notStarted', what, { queryId }));
}

/** Reports a result that n8n could not start and has stored nevertheless: only its own start begins that execution. */
export function reportStoredResult(context: ITriggerFunctions, queryId: string): void {
	const what = `n8n has stored an execution of the result of query ${queryId}, and may not have begun it`;
	const description =
		'Look for it in the list of executions, and for others of that time. If they do not begin, restart n8n: it begins what it had stored.';
	reportFailureHourly(context, new CodedError('notBegun', what, { description, queryId }));
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
			"To emit the result of a webhook call, set 'Confirm with the Service' to 'Fetch the Status Only', or 'Webhook Verification' to Credential. Other queries may have none, too: this comes once an hour.",
	});
	reportFailureHourly(context, error);
}
