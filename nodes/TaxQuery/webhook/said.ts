import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { Asked } from '../deliveries/published';
import { lacksResult, resultOf, type TriggerResult } from '../deliveries/result';
import type { Settings } from '../deliveries/settings';
import { idOf, readRecord } from '../service/record';
import type { Announced } from './payload';

/** What a webhook call says of one query. */
export interface Said extends Asked {
	queryId: string;
	isSaidPending: boolean;
	/** It is believed as it is: the call is proved, nothing is to be confirmed, and it says how the query ended. */
	believed?: TriggerResult;
}

/** What of a call may be used by how far it is believed; of the rest of it nothing is kept. */
export function readAnnounced(
	{ queryId, record: body, event }: Announced,
	{ isAuthenticated: isProved, confirm }: Settings,
	mapping: TaxQueryMapping,
): Said {
	const record = readRecord(body, mapping);
	const result = record && resultOf({ ...record, id: idOf(queryId) });
	const hasResponse = record?.hasResponse === true;
	const said = {
		queryId,
		isProved,
		hasResponse,
		isSaidPending: result?.isPending === true,
		...(event !== undefined && (isProved || confirm === 'statusOnly') && { event }),
	};
	if (confirm === 'off' && result && saysHowItEnded(result)) return { ...said, believed: result };
	const isDetail = hasResponse && (isProved || confirm === 'statusOnly');
	return isDetail ? { ...said, detail: record } : said;
}

/** A status that nobody knows says so only together with a response. */
const saysHowItEnded = (result: TriggerResult): boolean =>
	result.hasStatus &&
	(result.record.state === 'unknown' ? result.record.hasResponse : !lacksResult(result));
