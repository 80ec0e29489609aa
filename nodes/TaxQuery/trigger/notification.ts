import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { mayStillEnd } from '../client/record';
import type { QueryRecord } from '../client/model';
import { succeededWithoutResult, addDeliveredResponse, type TriggerResult } from './result';
import { envelopeIfSameStatus, type WebhookDeliveryEnvelope, type ResultOrigin } from './item';

export interface QueryNotification {
	/** The call proved where it comes from. */
	isProved: boolean;
	/** The call brought a response; `detail` is that only if it may be emitted. */
	hasResponse: boolean;
	detail?: QueryRecord;
	event?: string;
	/** Only of a call that is proved, and where it is wanted. */
	envelope?: WebhookDeliveryEnvelope;
}

/** Merges what two calls report of a query. The better proof counts, then a finished result, then a newer status. */
export function mergeNotifications(
	known: QueryNotification,
	notification: QueryNotification,
): QueryNotification {
	const worth = ({ isProved, detail }: QueryNotification) =>
		4 * Number(isProved) + (detail ? (mayStillEnd(detail.state) ? 1 : 2) : 0);
	const isNewStatus = notification.detail?.status !== known.detail?.status;
	const gain = worth(notification) - worth(known);
	return {
		...(gain > 0 || (gain === 0 && isNewStatus) ? notification : known),
		hasResponse: notification.hasResponse || known.hasResponse,
		envelope: notification.envelope ?? known.envelope,
	};
}

/** A response belongs to the status that its call names: that of progress or a failure is no result of a success. */
const isAbout = ({ record }: TriggerResult, { status, state }: QueryRecord): boolean =>
	status === undefined || status === record.status || state === 'success';

/** The record, with the response of the webhook call where it has none and that may be emitted. */
export function fillResponse(
	found: TriggerResult,
	notification: Pick<QueryNotification, 'detail' | 'event' | 'envelope'> | undefined,
	mapping: TaxQueryMapping,
): { result: TriggerResult; origin: ResultOrigin } {
	const around = envelopeIfSameStatus(found, notification?.envelope);
	if (
		!succeededWithoutResult(found) ||
		!notification?.detail ||
		!isAbout(found, notification.detail)
	) {
		return { result: found, origin: { confirmed: true, ...around } };
	}
	const result = addDeliveredResponse(found, notification.detail, mapping);
	return { result, origin: { confirmed: 'status', event: notification.event, ...around } };
}
