import { createHash } from 'node:crypto';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { identity } from '../../shared/operations/commonFields';
import { readFieldsToKeep } from '../../shared/personalData/personalDataOptions';
import {
	personalDataHiderFor,
	type PersonalDataHider,
} from '../../shared/personalData/personalDataHider';
import { queryTypes } from '../../shared/queryTypes/catalog';
import type { Connection } from '../../shared/http/connection';
import { textOf } from '../../shared/utils/primitiveText';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { buildProtectedRow } from '../output/simplify';
import { mayStillEnd, recordFromReferenceFields } from '../client/queryRecord';
import type { QueryRecord } from '../client/queryModel';
import type { TriggerSettings } from './triggerSettings';
import type { ListedQuery } from './planPoll';

/** A query in one state: what must start one execution only. */
export interface QuerySnapshot extends ListedQuery {
	record: QueryRecord;
	/** Identifies a query in one status, wherever it was read. */
	deliveryId: string;
}

/** Returns the status in upper case, or ''. */
const statusOf = (status: string | undefined): string => textOf(status).trim().toUpperCase();

export function toQuerySnapshot(record: QueryRecord): QuerySnapshot {
	const { id: queryId, status, state, createdAt } = record;
	const upperStatus = statusOf(status);
	return {
		queryId,
		status: upperStatus,
		deliveryId: createHash('sha256')
			.update(`${queryId}\n${upperStatus}`)
			.digest('hex')
			.slice(0, 32),
		isPending: state === 'pending',
		isOpen: mayStillEnd(state),
		hasStatus: status !== undefined,
		...(createdAt !== undefined && { createdAt }),
		record,
	};
}

const isDelivered = ({ operation }: QueryRecord) =>
	queryTypes.find((queryType) => queryType.operation === operation)?.isDelivered ?? !operation;

/** Returns whether a successful query lacks its result. It may come by webhook alone (TQ §6.1, §4.13). */
export const succeededWithoutResult = ({ record }: QuerySnapshot): boolean =>
	record.state === 'success' && !record.hasResponse && isDelivered(record);

/** The record of the service with the response that a webhook call brought. */
export const addDeliveredResponse = (
	{ record }: QuerySnapshot,
	delivered: QueryRecord,
	mapping: TaxQueryMapping,
): QuerySnapshot => {
	const whole = recordFromReferenceFields(
		{ ...record.raw, response: delivered.raw.response },
		mapping,
	);
	return toQuerySnapshot({ ...record, ...whole, id: record.id });
};

/** The credential's names for fields, and its key of pseudonyms: items are made with them. */
export type ItemMakerCredentialSettings = Pick<
	Connection<TaxQueryMapping>,
	'mapping' | 'pseudonymKey'
>;

/** The fields of a webhook call around a record. */
export interface PayloadEnvelope {
	fields: IDataObject;
	/** The status that the call names; '' if it names none. */
	status: string;
}

/** The envelope of a result: that of a call about another status is not its own. */
export const envelopeIfSameStatus = (
	{ status }: QuerySnapshot,
	envelope: PayloadEnvelope | undefined,
): { envelope?: IDataObject } =>
	envelope && ['', status].includes(envelope.status) ? { envelope: envelope.fields } : {};

export interface SnapshotOrigin {
	/** It was read from the service itself, or the service has confirmed its status alone. */
	confirmed: boolean | 'status';
	/** The kind of event that the webhook call named. */
	event?: string;
	/** The fields of the proved webhook call around the record. */
	envelope?: IDataObject;
}

/** Makes the item that goes into the workflow. */
export type ItemMaker = (result: QuerySnapshot, origin: SnapshotOrigin) => INodeExecutionData;

/**
 * Returns a function that makes items by the parameters. Throws a UserError if pseudonyms are chosen and the
 * credential has no key.
 */
export function itemMaker(
	{
		simplify,
		personalData,
		options,
		hasEnvelope,
	}: Pick<TriggerSettings, 'simplify' | 'personalData' | 'options' | 'hasEnvelope'>,
	{ mapping, pseudonymKey }: ItemMakerCredentialSettings,
): ItemMaker {
	const protection = personalDataHiderFor(personalData, pseudonymKey, readFieldsToKeep(options));
	const protect: PersonalDataHider['shaped'] = (row, rule, shape) =>
		protection?.shaped(row, rule, shape) ?? shape(row);
	return ({ deliveryId, record }, { confirmed, event, envelope }) => {
		const json = {
			...buildProtectedRow({ protect }, record, mapping, simplify),
			...(record.state === 'unknown' && { statusUnknown: true }),
			...(event !== undefined && { event: protection?.text(event) ?? event }),
			...(hasEnvelope && { envelope: envelope ? protect(envelope, 'free', identity) : null }),
		};
		return { json: { ...json, deliveryId, confirmed } };
	};
}
