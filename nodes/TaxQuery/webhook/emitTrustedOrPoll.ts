import { sleep, type IWebhookFunctions } from 'n8n-workflow';
import { raceAbort } from '../../shared/utils/responseBody';
import { processStartedAt, getProcessState } from '../../shared/processStateByScope';
import { msUntilElapsed } from '../../shared/utils/interruptibleSleep';
import { wasUnpublishedSince } from '../trigger/triggerProcessMemory';
import { itemMaker, type ItemMakerCredentialSettings } from '../trigger/triggerItemMaker';
import { dispositionOf, reportRecordsExcludedAsUnknown } from '../trigger/disposition';
import { findPublishedSession, type PollingSession } from '../trigger/pollingSession';
import {
	accepted,
	chooseResponseToSender,
	resultByNextPoll,
	failed,
	nothingNew,
	triggerBeingPublished,
	overloadedRetryLater,
	unreachable,
	combineResponsesToSender,
	type ResponseToSender,
	type ResponseOnTimeout,
} from './responses';
import type { AssessedNotification } from './limitNotificationByTrustSettings';

/** n8n has started its triggers within this time, or one that is being published again. */
const START_MS = 60_000;
/** Limits how long a sender waits in a webhook processor, where no trigger opens. */
const START_TIMEOUT_MS = 5_000;
/** Limits the wait for a trigger that is being published again. After that, notifications are stored for it. */
const PUBLISHING_TIMEOUT_MS = 1_000;
const SLICE_MS = 100;

/** Returns whether the trigger is surely coming: this process does not have it, but had it until a moment ago. */
export const isTriggerBeingRepublished = (context: IWebhookFunctions): boolean =>
	!findPublishedSession(context) && wasUnpublishedSince(context, Date.now() - START_MS);

/**
 * Returns the published trigger, or undefined if this process has none. n8n accepts calls before it starts its
 * triggers, and while it publishes one again. Then the call waits for the trigger, which knows what was started
 * before.
 */
export async function waitForSession(
	context: IWebhookFunctions,
): Promise<PollingSession | undefined> {
	const since = Date.now();
	const isComing = () =>
		msUntilElapsed(processStartedAt(), START_MS) > 0 || isTriggerBeingRepublished(context);
	const timeoutMs = isTriggerBeingRepublished(context) ? PUBLISHING_TIMEOUT_MS : START_TIMEOUT_MS;
	while (!findPublishedSession(context) && isComing() && msUntilElapsed(since, timeoutMs) > 0)
		await sleep(SLICE_MS);
	return findPublishedSession(context);
}

/** Limits the wait for a response. After that, the result is on its way, but not known to have started. */
const RESPONSE_TIMEOUT_MS = 8_000;
/** Limits the wait for a start where the trigger also reads the list, which brings what n8n could not start. */
const HANDED_OVER_MS = 5;
/** Limits how many senders wait at the same time. */
const MAX_WAITING = 200;

/** Returns the response, or another one after the time limit. */
const inTime = async (
	responding: Promise<ResponseToSender>,
	otherwise: () => ResponseToSender,
	timeoutMs = RESPONSE_TIMEOUT_MS,
): Promise<ResponseToSender> =>
	await raceAbort(responding, AbortSignal.timeout(timeoutMs)).catch(() => otherwise());

/** Starts the results of a trusted webhook call as they were delivered. */
export async function emitTrusted(
	trigger: PollingSession,
	all: AssessedNotification[],
	itemSettings: ItemMakerCredentialSettings,
	isListed: boolean,
): Promise<ResponseToSender> {
	const { context, settings } = trigger;
	const toItem = itemMaker(settings, itemSettings);
	const results = all.flatMap(({ trusted }) => trusted ?? []);
	const records = results.map(({ result }) => result.record);
	reportRecordsExcludedAsUnknown(context, settings.choice, itemSettings.mapping, records);
	const due = results.filter(({ result }) => dispositionOf(result, settings.choice) === 'emit');
	const outcomes = Promise.all(
		due.map(async ({ result, origin }) => await trigger.emitOnce(result, toItem(result, origin))),
	).then((ends) => {
		if (ends.includes('failed')) return failed;
		return ends.includes('started') ? accepted : nothingNew;
	});
	return isListed
		? await inTime(outcomes, () => accepted, HANDED_OVER_MS)
		: await inTime(outcomes, () => resultByNextPoll);
}

/** Returns how many senders wait for their responses. */
const newSenders = () => ({ waiting: 0 });

/** Makes the trigger poll, and responds by what it shows of the notified queries. */
export async function pollAndRespond(
	trigger: PollingSession,
	all: AssessedNotification[],
	call: ResponseOnTimeout,
): Promise<ResponseToSender> {
	const { ledger } = trigger;
	const isOver = ({ queryId, reportedEnd }: AssessedNotification) =>
		reportedEnd !== '' && ledger.isSettled({ queryId, status: reportedEnd });
	if (all.every(isOver)) return nothingNew; // a poll would show nothing else, and may have to wait
	const senders = getProcessState().shared(newSenders);
	if (senders.waiting >= MAX_WAITING)
		return call.responseSoFar === resultByNextPoll ? resultByNextPoll : overloadedRetryLater;
	const polling = trigger
		.pollSoon(all.map((notification) => [notification.queryId, notification]))
		.then(async (seen) => {
			const responses = all.map(async (each) => await chooseResponseToSender(each, seen, trigger));
			call.responseSoFar = resultByNextPoll; // n8n has been given it
			return combineResponsesToSender(await Promise.all(responses));
		})
		// the session has reported why; if it was unpublished meanwhile, it has stored what the call names
		.catch(() => {
			if (!trigger.isClosed) return unreachable;
			return trigger.hasDroppedCalls ? triggerBeingPublished : resultByNextPoll;
		});
	senders.waiting++;
	return await inTime(polling, () => call.responseSoFar).finally(() => {
		senders.waiting--;
	});
}
