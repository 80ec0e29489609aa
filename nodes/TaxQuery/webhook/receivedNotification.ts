import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { redactValues } from '../../shared/utils/redact';
import type { Asked } from '../trigger/notification';
import { lacksResult, resultOf, type Origin, type TriggerResult } from '../trigger/triggerResult';
import type { Settings } from '../trigger/triggerSettings';
import { withoutCiec } from '../client/ciec';
import { asQueryId, readRecord } from '../client/queryRecord';
import { fromWire } from '../client/recordFieldNames';
import type { Announced } from './payload';

/** What a webhook call says of one query. */
export interface Said extends Asked {
	queryId: string;
	isSaidPending: boolean;
	/** It is believed as it is: the call is proved, nothing is to be confirmed, and it says how the query ended. */
	believed?: { result: TriggerResult; origin: Origin };
}

/** What of a call may be used by how far it is believed; of the rest of it nothing is kept. */
export function readAnnounced(
	{ queryId, record: body, event, envelope }: Announced,
	{ isAuthenticated: isProved, confirm, hasEnvelope }: Settings,
	mapping: TaxQueryMapping,
	secrets: string[],
): Said {
	const record = readRecord(body, mapping);
	const result = record && resultOf({ ...record, id: asQueryId(queryId) });
	const hasResponse = record?.hasResponse === true;
	const isUsed = isProved || confirm === 'statusOnly';
	const said: Said = {
		queryId,
		isProved,
		hasResponse,
		isSaidPending: result?.isPending === true,
		...(isUsed && { event }),
		...(isProved &&
			hasEnvelope &&
			envelope && {
				envelope: { fields: masked(envelope, body, mapping, secrets), word: result?.word ?? '' },
			}),
	};
	if (confirm === 'off' && result && saysHowItEnded(result)) {
		const origin = { confirmed: false, event, envelope: said.envelope?.fields };
		return { ...said, believed: { result, origin } };
	}
	return isUsed && hasResponse ? { ...said, detail: record } : said;
}

/** The envelope without the CIEC, which it or the record may name, and without these secrets. */
const masked = (
	envelope: IDataObject,
	record: IDataObject,
	mapping: TaxQueryMapping,
	secrets: string[],
): IDataObject =>
	redactValues(
		withoutCiec({ ...fromWire(record, mapping), envelope }, mapping).envelope as IDataObject,
		secrets,
	);

/** A status that nobody knows says so only together with a response. */
const saysHowItEnded = (result: TriggerResult): boolean =>
	result.hasStatus &&
	(result.record.state === 'unknown' ? result.record.hasResponse : !lacksResult(result));
