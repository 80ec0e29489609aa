import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { raceAbort } from '../../shared/utils/responseBody';
import { errorMessage, runHourly } from '../trigger/errorReporting';
import { findPublishedSession } from '../trigger/pollingSession';
import { readSettings, type TriggerSettings } from '../trigger/settings';
import { decodeBody, receiveBody, type ReceivedBody } from './body';
import { isAuthentic, readItemSettings } from './authenticity';
import { dispatch, startTest, type Call } from './dispatch';
import { limitByTrust, type AssessedNotification } from './trust';
import { parsePayload } from './payload';
import { RESPONSES, type ResponseToSender } from './response';

const RETRY_AFTER_SECONDS = 5;
/**
 * Senders give up after 3 to 5 s. Each gets a response this long after its call reached the node, at the latest, and
 * sooner in a flood, in which n8n itself needs longer before that.
 */
const RESPONSE_TIMEOUT_MS = 1_500;
const FLOOD_RESPONSE_TIMEOUT_MS = 1_000;
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
	const call: Call = { soFar: RESPONSES.notYet };
	const handling = handleCall(context, call).catch((error: unknown): ResponseToSender => {
		context.logger.error(`A webhook call could not be handled: ${errorMessage(error)}`);
		return { status: 500, message: 'The call could not be handled' };
	});
	const isFlooded = findPublishedSession(context)?.isFlooded === true;
	const signal = AbortSignal.timeout(isFlooded ? FLOOD_RESPONSE_TIMEOUT_MS : RESPONSE_TIMEOUT_MS);
	const outcome =
		context.getMode() === 'manual'
			? await handling
			: await raceAbort(handling, signal).catch(() => call.soFar);
	if (!('status' in outcome)) return outcome;
	const { status, message } = outcome;
	const response = context.getResponseObject();
	if (status === 503) response.setHeader('Retry-After', String(RETRY_AFTER_SECONDS));
	response.status(status).json({ message });
	return { noWebhookResponse: true };
}

async function handleCall(
	context: IWebhookFunctions,
	call: Call,
): Promise<ResponseToSender | IWebhookResponseData> {
	const isTest = context.getMode() === 'manual';
	const trigger = isTest ? undefined : findPublishedSession(context);
	const settings = trigger?.settings ?? readSettings(context);
	const itemSettings = await readItemSettings(context);
	// its body is gone from memory before the service is asked
	const all = await readCall(context, settings, itemSettings);
	if (Array.isArray(all)) {
		return isTest
			? await startTest(context, settings, all, itemSettings)
			: await dispatch(context, settings, all, itemSettings, call);
	}
	if (all.isUnread && trigger) {
		const warning = `The Tax Query Trigger does not understand a webhook call: ${all.message}`;
		runHourly(context, 'unread', () => context.logger.warn(warning));
		// it may announce a result as well; the session reports why a poll fails
		if (trigger.needsPolls) trigger.pollSoon().catch(() => {});
	}
	return all;
}

/** Verifies and reads a call: what it may say of each query, or the response for its sender. */
async function readCall(
	context: IWebhookFunctions,
	settings: TriggerSettings,
	{ mapping, secrets }: Awaited<ReturnType<typeof readItemSettings>>,
): Promise<AssessedNotification[] | (ResponseToSender & { isUnread?: true })> {
	const received = await receiveBody(context.getRequestObject());
	if ('status' in received) return { status: received.status, message: received.reason };
	if (settings.isAuthenticated && !(await isVerified(context, received))) {
		runHourly(context, 'refused', () => context.logger.warn(REFUSED));
		return { status: 401, message: 'Unauthorized' };
	}
	const body = await decodeBody(received);
	const payload = Buffer.isBuffer(body) ? parsePayload(body, mapping) : body;
	if (!('announced' in payload))
		return { status: payload.status, message: payload.reason, isUnread: true };
	return payload.announced.map((each) => limitByTrust(each, settings, mapping, secrets));
}

/** Some senders sign before they compress. */
async function isVerified(context: IWebhookFunctions, received: ReceivedBody): Promise<boolean> {
	if (await isAuthentic(context, received.raw)) return true;
	const body = received.coding === '' ? undefined : await decodeBody(received);
	return Buffer.isBuffer(body) && (await isAuthentic(context, body));
}
