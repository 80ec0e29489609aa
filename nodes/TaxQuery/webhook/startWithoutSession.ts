import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { getNodeStaticValue } from '../../shared/operations/staticDataByNodeId';
import { createServiceConnection } from '../../shared/http/retryingServiceConnection';
import { taxQuery } from '../../shared/http/serviceDefinitions';
import { readQueriesByIdThrottled, type ReadByIdResult } from '../trigger/readQueriesByIdThrottled';
import { processStateOfNode } from '../trigger/emitter';
import { dispositionOf } from '../trigger/disposition';
import { Ledger } from '../trigger/ledger';
import { LEDGER_STATIC_DATA_KEY } from '../trigger/triggerProcessMemory';
import { fillMissingResponseFromDelivery } from '../trigger/queryNotification';
import { succeededWithoutResult } from '../trigger/recordWithDeliveryId';
import { itemMaker, type ItemMakerCredentialSettings } from '../trigger/triggerItemMaker';
import type { TriggerSettings } from '../trigger/triggerSettings';
import {
	accepted,
	noQueryCredential,
	nothingNew,
	overloadedRetryLater,
	resultNotYetAtServiceRetryLater,
	unknownToService,
	unreachable,
	combineResponsesToSender,
	type ResponseToSender,
} from './responses';
import type { AssessedNotification } from './limitNotificationByTrustSettings';

/** The outcome of a webhook call: the sender's response, or what n8n is to start and respond. */
export type WebhookOutcome = ResponseToSender | IWebhookResponseData;

/**
 * Has n8n start the execution itself: in a test, and in a process that has no published trigger, where a copy may start
 * another one.
 */
export async function startWithoutSession(
	context: IWebhookFunctions,
	settings: TriggerSettings,
	all: AssessedNotification[],
	itemSettings: ItemMakerCredentialSettings,
): Promise<WebhookOutcome> {
	const isTest = context.getMode() === 'manual';
	const toRead = all.filter(({ trusted }) => !trusted).map(({ queryId }) => queryId);
	if (toRead.length > 0 && context.getNode().credentials?.taxQueryApi === undefined)
		return noQueryCredential;
	const isProved = isTest || settings.isAuthenticated;
	const read =
		toRead.length === 0
			? new Map<string, ReadByIdResult>()
			: await readQueriesByIdThrottled(
					processStateOfNode(context),
					await createServiceConnection(context, taxQuery),
					toRead,
					() => isProved,
				).catch(() => undefined);
	if (!read) return unreachable;
	const ledger = new Ledger(isTest ? {} : getNodeStaticValue(context, LEDGER_STATIC_DATA_KEY));
	const toItem = itemMaker(settings, itemSettings);
	const resolveNotification = (notification: AssessedNotification) => {
		const { queryId, trusted, isReportedPending } = notification;
		if (trusted) return ifDue(trusted);
		const found = read.get(queryId);
		if (found === 'later') return overloadedRetryLater;
		if (typeof found !== 'object') return found === 'unknown' ? unknownToService : unreachable;
		const brought = fillMissingResponseFromDelivery(found, notification, itemSettings.mapping);
		const { result } = brought;
		const isWaiting = dispositionOf(result, settings.choice) === 'wait' && !isReportedPending;
		return isWaiting || succeededWithoutResult(result)
			? resultNotYetAtServiceRetryLater
			: ifDue(brought);
	};
	const ifDue = (brought: NonNullable<AssessedNotification['trusted']>) =>
		dispositionOf(brought.result, settings.choice) === 'emit' && !ledger.isSettled(brought.result)
			? brought
			: nothingNew;
	const brought = all.map(resolveNotification);
	const responses = brought.filter((each) => 'status' in each);
	const items = brought.flatMap((each) =>
		'result' in each ? [toItem(each.result, each.origin)] : [],
	);
	const response = combineResponsesToSender(responses);
	// the sender comes again for the rest, and with it for these
	if (items.length === 0 || response.status === 503) return response;
	return { workflowData: [items], webhookResponse: { message: accepted.message } };
}
