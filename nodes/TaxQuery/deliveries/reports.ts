import type { ITriggerFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { msLeft } from '../../shared/utils/time';
import { nodeKey } from './emitter';
import type { Listing } from './listing';
import { report, reportHourly, tellHourly } from './outage';
import type { Course } from './survey';
import { CodedError } from '../../shared/utils/codedError';

const COURSES: Partial<Record<Course, string>> = {
	isElsewhere:
		"The credential leads to another account, without the queries so far. The trigger begins anew, by 'Start From'. Compare the results in the service with your executions",
	isLost:
		'The service lists none of the queries so far: only those created since the last one start the workflow. Compare the results in the service with your executions',
};

export function reportCourse(context: ITriggerFunctions, course: Course): void {
	const what = COURSES[course];
	if (what) report(context, new CodedError(course, what));
}

/** Reports rows without an ID, and logs that the list is not shown to its end, once an hour. */
export function reportListing(context: ITriggerFunctions, listing: Listing): void {
	const { extent, total, rows, unreadable } = listing;
	if (unreadable > 0) {
		const what = `${unreadable} rows of the list of queries have no ID that JSON holds exactly: their results cannot start the workflow`;
		const error = new CodedError('list.ids', what, { rows: unreadable });
		reportHourly(context, 'nameless', error);
	}
	if (extent !== 'cut') return;
	tellHourly(context, 'cut', () =>
		context.logger.warn(
			`The service reports ${total ?? 'more'} queries but lists only ${rows.length} of them. Set list.page or list.offset, and list.limit, in the credential's API Mapping`,
		),
	);
}

/** Reports queries that are not awaited any more. */
export function reportDropped(context: ITriggerFunctions, ids: string[]): void {
	if (ids.length === 0) return;
	const what = `Too many queries wait for a result: ${ids.length} are not read by their ID any more, from ${ids[0]} on. Their results start the workflow if the list shows them or a webhook call names them`;
	const error = new CodedError('dropped', what, { queries: ids.length, queryId: ids[0] });
	reportHourly(context, 'dropped', error);
}

/** How often a success without a result was seen. */
interface Missing {
	since: number;
	times: number;
	isDelivered: boolean;
}
const missing = new BoundedMap<string, Missing>(5_000);
/** A record may get its result a while after its status. */
const MAY_TAKE_MS = 10 * 60_000;

/** Reports a success whose record has no result, from the second time on. */
export function reportMissing(context: ITriggerFunctions, id: string, isDelivered: boolean): void {
	const known = missing.getOrMake(`${nodeKey(context)} ${id}`, () => ({
		since: Date.now(),
		times: 0,
		isDelivered: false,
	}));
	known.times++;
	known.isDelivered ||= isDelivered;
	const isLate = known.isDelivered ? known.times > 1 : msLeft(known.since, MAY_TAKE_MS) <= 0;
	if (!isLate) return;
	const what = known.isDelivered
		? `The service's record of query ${id} has no result, but a webhook call brought one`
		: `The service's record of query ${id} has no result, and no webhook call brought one`;
	const error = new CodedError('noResult', what, {
		...{ queryId: id, isDelivered: known.isDelivered },
		description: MISSING,
	});
	reportHourly(context, `missing ${id}`, error);
}
const MISSING =
	"Set 'Confirm with the Service' to Status Only, or 'Webhook Verification' to a webhook credential. The trigger then emits the result of the webhook call.";
