import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { hasEntries } from '../../shared/utils/json';
import { mapValues } from '../../shared/utils/objects';
import { redactLongSecretsInValue, redactSecretsInValue } from '../../shared/utils/redact';
import type { QueryNotification } from '../trigger/notification';
import { succeededWithoutResult, toResult, type TriggerResult } from '../trigger/result';
import type { ResultOrigin } from '../trigger/item';
import type { TriggerSettings } from '../trigger/settings';
import { maskCiecInRecord } from '../client/ciec';
import { asUncheckedQueryId, parseRecord } from '../client/record';
import { fromRecordWireNames } from '../client/recordNames';
import type { AnnouncedQuery } from './payload';

export interface AssessedNotification extends QueryNotification {
	queryId: string;
	isReportedPending: boolean;
	/** The final status that the call reports, not verified. */
	reported?: Pick<TriggerResult, 'queryId' | 'status' | 'deliveryId'>;
	/**
	 * Set if no confirmation is needed: the call is proved, nothing is to be confirmed, and it shows how the query
	 * ended.
	 */
	trusted?: { result: TriggerResult; origin: ResultOrigin };
}

/** What is not trusted is dropped. */
export function limitByTrust(
	{ queryId, envelope, ...announced }: AnnouncedQuery,
	{ isAuthenticated: isProved, confirm, hasEnvelope }: TriggerSettings,
	mapping: TaxQueryMapping,
	secrets: string[],
): AssessedNotification {
	const isUsed = isProved || confirm === 'statusOnly';
	const { record: body, event } = isUsed
		? redactLongSecretsInValue(announced, secrets)
		: { ...announced, record: outlineOf(announced.record) };
	const record = parseRecord(body, mapping);
	const result = record && toResult({ ...record, id: asUncheckedQueryId(queryId) });
	const hasResponse = record?.hasResponse === true;
	const notification: AssessedNotification = {
		queryId,
		isProved,
		hasResponse,
		isReportedPending: result?.isPending === true,
		...(result?.isOpen === false && {
			reported: { queryId, status: result.status, deliveryId: result.deliveryId },
		}),
		...(isUsed && { event }),
		...(isProved &&
			hasEnvelope &&
			envelope && {
				envelope: {
					fields: maskEnvelope(envelope, body, mapping, secrets),
					status: result?.status ?? '',
				},
			}),
	};
	if (confirm === 'off' && result && isFinalStatus(result)) {
		const origin = { confirmed: false, event, envelope: notification.envelope?.fields };
		return { ...notification, trusted: { result, origin } };
	}
	return isUsed && hasResponse ? { ...notification, detail: record } : notification;
}

/** A record without the contents of its objects and lists, which anybody may have made as large as a call may be. */
const outlineOf = (record: IDataObject): IDataObject =>
	mapValues(record, (value) => (Array.isArray(value) || hasEntries(value) ? [] : value));

/** The envelope without the CIEC, which it or the record may name, and without these secrets. */
const maskEnvelope = (
	envelope: IDataObject,
	record: IDataObject,
	mapping: TaxQueryMapping,
	secrets: string[],
): IDataObject =>
	redactSecretsInValue(
		maskCiecInRecord({ ...fromRecordWireNames(record, mapping), envelope }, mapping)
			.envelope as IDataObject,
		secrets,
	);

/** An unknown one is final only with a response. */
const isFinalStatus = (result: TriggerResult): boolean =>
	result.hasStatus &&
	(result.record.state === 'unknown' ? result.record.hasResponse : !succeededWithoutResult(result));
