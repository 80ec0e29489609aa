import { OperationalError, type ITriggerFunctions } from 'n8n-workflow';
import { saveFailure } from '../../shared/host/trigger';
import { toN8nNodeError, type N8nNodeError } from '../../shared/operations/n8nNodeError';
import { maskIdentifiersInText } from '../../shared/personalData/redactor';
import { RequestError } from '../../shared/http/requestError';
import { BoundedMap } from '../../shared/utils/boundedMap';
import type { CodedError } from '../../shared/utils/codedError';
import { msUntilElapsed } from '../../shared/utils/sleep';
import { HOUR_MS } from '../../shared/utils/durations';
import { processStateOfNode, type NodeIdentity } from './emitter';

const OUTAGE = 'outage';

/**
 * Reports that checks fail: at once if only the operator can change that, else from the second time on; then hourly until
 * they work again.
 */
export function newOutageReporter() {
	let failures = 0;
	return {
		isOn: () => failures > 0,

		count(context: ITriggerFunctions, error: unknown): void {
			failures++;
			context.logger.warn(
				`The Tax Query Trigger could not check for new results: ${errorMessage(error)}`,
			);
			if (failures > 1 || !mayPass(error)) reportOutageHourly(context, error);
		},

		end(context: ITriggerFunctions): void {
			if (failures > 1) context.logger.info('The Tax Query Trigger can check for results again');
			failures = 0;
			forgetReportedOutage(context);
		},
	};
}

/** Lets the next outage be reported at once. */
export const forgetReportedOutage = (context: NodeIdentity): void =>
	void reportTimes(context).delete(OUTAGE);

/** Reports what keeps a published trigger from checking, once an hour. */
export const reportOutageHourly = (context: ITriggerFunctions, error: unknown): void =>
	runHourly(context, OUTAGE, () => reportFailure(context, error));

const PASSING_STATUSES = [408, 425, 429];

/** Nobody has to change anything for that. */
function mayPass(error: unknown): boolean {
	if (!(error instanceof RequestError)) return error instanceof OperationalError;
	const { problem } = error;
	if (problem.kind === 'status')
		return problem.status >= 500 || PASSING_STATUSES.includes(problem.status);
	return problem.kind === 'login' ? problem.isPassing : problem.kind !== 'shape';
}

export const errorMessage = (error: unknown): string =>
	error instanceof Error ? error.message : 'for an unknown reason';

/** Reports an error in n8n's list of executions, which starts the error workflow. */
export const reportFailure = (context: ITriggerFunctions, error: unknown): void =>
	saveFailure(context, toTriggerError(context, error));

/** Names in it are masked, because n8n stores it whatever the trigger emits. */
export const toTriggerError = (
	context: Pick<ITriggerFunctions, 'getNode'>,
	error: unknown,
): N8nNodeError => toN8nNodeError(context.getNode(), error, { hide: maskIdentifiersInText });

const MAX_REPORTED = 1_000;
const newReportTimes = () => new BoundedMap<string, number>(MAX_REPORTED);
const reportTimes = (context: NodeIdentity) => processStateOfNode(context).shared(newReportTimes);

/** `what` names the report. */
export function runHourly(context: NodeIdentity, what: string, report: () => void): void {
	const reportedAt = reportTimes(context);
	if (msUntilElapsed(reportedAt.get(what) ?? -Infinity, HOUR_MS) > 0) return;
	reportedAt.set(what, Date.now());
	report();
}

/** Reports an error with this code once an hour; `about` distinguishes several subjects. */
export const reportFailureHourly = (
	context: ITriggerFunctions,
	error: CodedError,
	about = '',
): void => runHourly(context, error.code + about, () => reportFailure(context, error));
