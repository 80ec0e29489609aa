import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { raceAbort } from '../../shared/utils/responseBody';
import type { TaxQueryMapping } from '../../shared/credentials/apiPathAndFieldMapping';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { textOf } from '../../shared/utils/primitiveText';
import { processStateOfNode } from '../trigger/emitter';
import { storeNotificationsUntilPublished } from '../trigger/triggerProcessMemory';
import { errorMessage, runHourly } from '../trigger/errorReporting';
import { readSettings, type TriggerSettings } from '../trigger/triggerSettings';
import { findPublishedSession, type PollingSession } from '../trigger/pollingSession';
import { offersQueryList } from '../client/queryList';
import {
	noQueryCredential,
	resultByNextPoll,
	triggerBeingPublished,
	resultNotYetAtServiceRetryLater,
	combineResponsesToSender,
	type ResponseToSender,
	type ResponseOnTimeout,
} from './responses';
import {
	readItemMakerCredentialSettings,
	checkDeliveryAuthenticity,
} from './checkDeliveryAuthenticity';
import { startWithoutSession, type WebhookOutcome } from './startWithoutSession';
import { parsePayload, type AnnouncedQuery } from './payload';
import { decodeBody, receiveBody } from './body';
import {
	isTriggerBeingRepublished,
	pollAndRespond,
	emitTrusted,
	waitForSession,
} from './emitTrustedOrPoll';
import {
	limitNotificationByTrustSettings,
	type AssessedNotification,
} from './limitNotificationByTrustSettings';

const RETRY_AFTER_SECONDS = 5;
/**
 * Senders give up after 3 to 5 s. Each gets a response within 2 s: this long after its call came, and the time to read
 * it.
 */
const RESPONSE_TIMEOUT_MS = 1_500;
const MAX_TAKEN = 5_000;
const REFUSED =
	'The Tax Query Trigger refuses webhook calls (401): if the service sent them, compare method, header names and secret with it';

/**
 * Handles one webhook call. Unless it is proved and confirmation is off, none of its data is trusted; it makes the
 * published trigger poll now. The sender gets a response by the outcome, or in time by what is known. It never throws,
 * because that would start a failed execution for each call.
 */
export async function receiveWebhookCall(
	context: IWebhookFunctions,
): Promise<IWebhookResponseData> {
	const call: ResponseOnTimeout = { responseSoFar: resultNotYetAtServiceRetryLater };
	const taking = handleCall(context, call).catch((error: unknown): ResponseToSender => {
		context.logger.error(`A webhook call could not be handled: ${errorMessage(error)}`);
		return { status: 500, message: 'The call could not be handled' };
	});
	const isTest = context.getMode() === 'manual';
	const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
	const outcome = isTest ? await taking : await raceAbort(taking, signal).catch(() => undefined);
	if (outcome === undefined) {
		send(context, call.responseSoFar);
		return startOnce(context, await taking); // the work goes on without the sender
	}
	if (!('status' in outcome)) return outcome;
	send(context, outcome);
	return { noWebhookResponse: true };
}

function send(context: IWebhookFunctions, { status, message }: ResponseToSender): void {
	const response = context.getResponseObject();
	if (status === 503) response.setHeader('Retry-After', String(RETRY_AFTER_SECONDS));
	response.status(status).json({ message });
}

/** Results that this process had n8n start after the response to their senders, who may send them again. */
const newStartedLate = () => new BoundedMap<string, true>(MAX_TAKEN);

/** Has n8n start the outcome of a call whose sender has its response, unless a copy has been started so. */
function startOnce(context: IWebhookFunctions, outcome: WebhookOutcome): IWebhookResponseData {
	if ('status' in outcome) return { noWebhookResponse: true };
	const startedLate = processStateOfNode(context).shared(newStartedLate);
	const items = (outcome.workflowData?.[0] ?? []).filter(({ json }) => {
		const key = textOf(json.deliveryId);
		const isNew = !startedLate.has(key);
		startedLate.set(key, true);
		return isNew;
	});
	return { noWebhookResponse: true, ...(items.length > 0 && { workflowData: [items] }) };
}

async function handleCall(
	context: IWebhookFunctions,
	call: ResponseOnTimeout,
): Promise<WebhookOutcome> {
	const isTest = context.getMode() === 'manual';
	const published = isTest ? undefined : findPublishedSession(context);
	const settings = published?.settings ?? readSettings(context);
	const request = context.getRequestObject();
	const read = await receiveBody(request);
	if ('status' in read) return { status: read.status, message: read.reason };
	const body = await decodeBody(read);
	const takeBody = async (secrets: string[]): Promise<WebhookOutcome> => {
		const payload = Buffer.isBuffer(body) ? parsePayload(body, await namesFor(context)) : body;
		if ('announced' in payload) {
			return await handleNotifications(context, settings, payload.announced, secrets, call);
		}
		const { status, reason } = payload;
		const trigger = findPublishedSession(context);
		if (trigger && !isTest) pollForUnknown(trigger, reason);
		return { status, message: reason };
	};
	if (!settings.isAuthenticated) return await takeBody([]);
	// some senders sign before they compress, some after
	const signedBytes = Buffer.isBuffer(body) && body !== read.raw ? [read.raw, body] : [read.raw];
	const { isAuthentic, secrets } = await checkDeliveryAuthenticity(context, signedBytes);
	if (isAuthentic) return await takeBody(secrets);
	runHourly(context, 'refused', () => context.logger.warn(REFUSED));
	return { status: 401, message: 'Unauthorized' };
}

type Names = Pick<TaxQueryMapping, 'record'>;

const named = (all: AssessedNotification[]): Array<[string, AssessedNotification]> =>
	all.map((notification) => [notification.queryId, notification]);

/** The environment's names; without a credential that can be read, those of the API reference. */
const namesFor = async (context: IWebhookFunctions): Promise<Names> =>
	await readItemMakerCredentialSettings(context).then(
		({ mapping }) => mapping,
		() => ({ record: {} }),
	);

async function handleNotifications(
	context: IWebhookFunctions,
	settings: TriggerSettings,
	announced: AnnouncedQuery[],
	secrets: string[],
	call: ResponseOnTimeout,
): Promise<WebhookOutcome> {
	const itemSettings = await readItemMakerCredentialSettings(context);
	const { mapping } = itemSettings;
	const hidden = [...secrets, ...itemSettings.secrets];
	const all = announced.map((each) =>
		limitNotificationByTrustSettings(each, settings, mapping, hidden),
	);
	const withoutSession = async () =>
		await startWithoutSession(context, settings, all, itemSettings);
	if (context.getMode() === 'manual') return await withoutSession();
	const published = findPublishedSession(context);
	const isListed = settings.receiveBy !== 'webhook' && offersQueryList(mapping);
	const storeForLater = () =>
		storeNotificationsUntilPublished(context, named(all))
			? resultByNextPoll
			: triggerBeingPublished;
	if (!published && isListed) return storeForLater(); // this process has no trigger yet
	const isRemembered = isTriggerBeingRepublished(context) && !all.some(({ trusted }) => trusted);
	if (isListed || isRemembered) call.responseSoFar = resultByNextPoll;
	const trigger = published ?? (await waitForSession(context));
	if (!trigger) {
		if (!isTriggerBeingRepublished(context)) return await withoutSession();
		return all.some(({ trusted }) => trusted) ? triggerBeingPublished : storeForLater();
	}
	if (!isListed) call.responseSoFar = resultNotYetAtServiceRetryLater;

	const trusted = all.filter((each) => each.trusted);
	const unconfirmed = all.filter((each) => !each.trusted);
	if (unconfirmed.length === 0) call.responseSoFar = resultByNextPoll; // n8n is being given the results
	const responses: Array<Promise<ResponseToSender>> = [];
	if (trusted.length > 0) responses.push(emitTrusted(trigger, trusted, itemSettings, isListed));
	if (unconfirmed.length > 0) {
		const hasCredential = context.getNode().credentials?.taxQueryApi !== undefined;
		responses.push(
			hasCredential
				? pollAndRespond(trigger, unconfirmed, call)
				: Promise.resolve(noQueryCredential),
		);
	}
	return Promise.all(responses).then(combineResponsesToSender); // not awaited here, or the body would stay in memory as long
}

/** Makes the trigger poll for an unreadable call, since it may announce a result as well. */
function pollForUnknown(trigger: PollingSession, reason: string): void {
	const { context, needsPolls } = trigger;
	const warning = `The Tax Query Trigger does not understand a webhook call: ${reason}`;
	runHourly(context, 'unread', () => context.logger.warn(warning));
	if (needsPolls) trigger.pollSoon().catch(() => {}); // the session reports why
}
