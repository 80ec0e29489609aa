import { createHash } from 'node:crypto';
import { queryTypes } from '../../shared/queryTypes/catalog';
import { textOf } from '../../shared/utils/primitiveText';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { mayStillEnd, recordFromDocumentedFields } from '../client/record';
import type { QueryRecord } from '../client/model';
import type { ListedQuery } from './planPoll';

/** A query in one state: what must start one execution only. */
export interface TriggerResult extends ListedQuery {
	record: QueryRecord;
	/** Identifies a query in one status, wherever it was read. */
	deliveryId: string;
}

const statusOf = (status: string | undefined): string => textOf(status).trim().toUpperCase();

export function toResult(record: QueryRecord): TriggerResult {
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

/** The result may come by webhook alone (TQ §6.1, §4.13). */
export const succeededWithoutResult = ({ record }: TriggerResult): boolean =>
	record.state === 'success' && !record.hasResponse && isDelivered(record);

export const addDeliveredResponse = (
	{ record }: TriggerResult,
	delivered: QueryRecord,
	mapping: TaxQueryMapping,
): TriggerResult => {
	const whole = recordFromDocumentedFields(
		{ ...record.raw, response: delivered.raw.response },
		mapping,
	);
	return toResult({ ...record, ...whole, id: record.id });
};
