import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { identity } from '../../shared/operations/commonFields';
import { readFieldsToKeep } from '../../shared/personalData/options';
import {
	personalDataHiderForMode,
	type PersonalDataHider,
} from '../../shared/personalData/redactor';
import type { Connection } from '../../shared/http/connection';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { buildProtectedRow } from '../output/simplify';
import type { TriggerResult } from './result';
import type { TriggerSettings } from './settings';

/** The credential's names for fields, and its key of pseudonyms: items are made with them. */
export type ItemSettings = Pick<Connection<TaxQueryMapping>, 'mapping' | 'pseudonymKey'>;

export interface WebhookDeliveryEnvelope {
	fields: IDataObject;
	/** The status that the call names; '' if it names none. */
	status: string;
}

/** The envelope of a result: that of a call about another status is not its own. */
export const envelopeIfSameStatus = (
	{ status }: TriggerResult,
	envelope: WebhookDeliveryEnvelope | undefined,
): { envelope?: IDataObject } =>
	envelope && ['', status].includes(envelope.status) ? { envelope: envelope.fields } : {};

export interface ResultOrigin {
	/** It was read from the service itself, or the service has confirmed its status alone. */
	confirmed: boolean | 'status';
	event?: string;
	/** The fields of the proved webhook call around the record. */
	envelope?: IDataObject;
}

export type ItemMaker = (result: TriggerResult, origin: ResultOrigin) => INodeExecutionData;

/** Throws a UserError if pseudonyms are chosen and the credential has no key. */
export function itemMaker(
	{
		simplify,
		personalData,
		options,
		hasEnvelope,
	}: Pick<TriggerSettings, 'simplify' | 'personalData' | 'options' | 'hasEnvelope'>,
	{ mapping, pseudonymKey }: ItemSettings,
): ItemMaker {
	const protection = personalDataHiderForMode(
		personalData,
		pseudonymKey,
		readFieldsToKeep(options),
	);
	const protect: PersonalDataHider['shaped'] = (row, rule, shape) =>
		protection?.shaped(row, rule, shape) ?? shape(row);
	return ({ deliveryId, record }, { confirmed, event, envelope }) => {
		const json = {
			...buildProtectedRow({ protect }, record, mapping, simplify),
			...(event !== undefined && { event: protection?.text(event) ?? event }),
			...(hasEnvelope && { envelope: envelope ? protect(envelope, 'free', identity) : null }),
		};
		return { json: { ...json, deliveryId, confirmed } };
	};
}
