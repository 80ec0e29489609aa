import { createHash } from 'node:crypto';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { queryIdOf, simplifyRecord, stateOf } from '../queries';

/** The state in which a query has one result: what must start one execution only. */
export interface Result {
	/** The same for the same query, status and time of update, wherever it was read. */
	deliveryId: string;
	/** Milliseconds since the epoch; undefined if the record has no date. */
	updatedAt: number | undefined;
	record: IDataObject;
}

/** Reads a query record (§2.1). Dates may be written in different ways for the same moment. */
export function resultOf(record: IDataObject): Result {
	const updatedAt = timeOf(record.updatedAt) ?? timeOf(record.createdAt);
	const state = [queryIdOf(record), record.status, updatedAt].map((part) => String(part ?? ''));
	return {
		deliveryId: createHash('sha256').update(state.join('\n')).digest('hex').slice(0, 32),
		updatedAt,
		record,
	};
}

/** Whether the query has no result yet. */
export const isPending = (record: IDataObject): boolean => stateOf(record) === 'pending';

/** The item that goes into the workflow. `confirmed`: it was read from the service itself. */
export function toItem(
	{ deliveryId, record }: Result,
	{ confirmed, simplify, event }: { confirmed: boolean; simplify: boolean; event?: string },
): INodeExecutionData {
	return {
		json: {
			...(simplify ? simplifyRecord(record) : record),
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
