import { createHash } from 'node:crypto';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { queryIdOf, simplifyRecord, stateOf, type QueryState } from '../queries';

/** The state in which a query has one result: what must start one execution only. */
export interface Result {
	/** The same for the same query, status and time of update, wherever it was read. */
	deliveryId: string;
	/** Milliseconds since the epoch; undefined if the record has no date. */
	updatedAt: number | undefined;
	record: IDataObject;
	/** By the words of the deployment. */
	state: QueryState;
}

/** Reads a query record (TQ §2.1). Dates may be written in different ways for the same moment. */
export function resultOf(record: IDataObject, mapping: TaxQueryMapping): Result {
	const updatedAt = timeOf(record.updatedAt) ?? timeOf(record.createdAt);
	const status = typeof record.status === 'string' ? record.status : '';
	const parts = [queryIdOf(record) ?? '', status, String(updatedAt ?? '')];
	return {
		deliveryId: createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32),
		updatedAt,
		record,
		state: stateOf(record, mapping),
	};
}

/** Whether the query has no result yet. */
export const isPending = ({ state }: Result): boolean => state === 'pending';

interface ItemOptions {
	simplify: boolean;
	mapping: TaxQueryMapping;
	/** It was read from the service itself. */
	confirmed: boolean;
	/** The kind of event that the delivery named. */
	event?: string;
}

/** The item that goes into the workflow. */
export function toItem(
	{ deliveryId, record, state }: Result,
	{ simplify, mapping, confirmed, event }: ItemOptions,
): INodeExecutionData {
	return {
		json: {
			...(simplify ? simplifyRecord(record, mapping) : record),
			...(state === 'unknown' && { statusUnknown: true }),
			...(event !== undefined && { event }),
			deliveryId,
			confirmed,
		},
	};
}

function timeOf(value: unknown): number | undefined {
	const time = typeof value === 'string' ? Date.parse(value) : NaN;
	return Number.isNaN(time) ? undefined : time;
}

/** The latest time of update among results; 0 if there is none. */
export function newestOf(results: Result[]): number {
	return results.reduce((newest, { updatedAt = 0 }) => Math.max(newest, updatedAt), 0);
}
