import type { IDataObject } from 'n8n-workflow';

/** A result that is started: its query ID, and how often it was. */
export type CutOff = [queryId: string, times: number];

/** What is saved in the workflow's static data. */
export interface SavedCursor extends IDataObject {
	updatedAt: number;
	deliveryId: string;
	/** What has settled behind the place, by short deliveryId: its time of update; 0 for what has no date. */
	settled: Record<string, number>;
	/** IDs of queries without a result. Whether a result renews `updatedAt` is not shown (TQ §2.1). */
	pending: string[];
	/** Results whose execution is not known to have ended, by deliveryId: query ID, and how often it was started. */
	started: Record<string, CutOff>;
	/** The parameters that it began with: a workflow published with others begins anew. */
	startedFrom: string;
	/** When it began. */
	beganAt?: number;
	/** ID of a query that has settled: a service that has it is the same one. */
	landmark?: string;
	/** The account of the service whose results these are; '' if that was not noted. */
	account: string;
	/** When the list was last read to its end. */
	readWholeAt: number;
	/** Rows without a date that have settled, saved or not. */
	undated: number;
	/** Pending queries that are not saved, because they are too many. */
	unsaved: number;
	/** Executions run in another process (queue mode), so the end of this one cuts none off. Unknown until one has begun. */
	runsElsewhere?: boolean;
}

/** Behind every deliveryId, which are hexadecimal. */
export const LAST = '~';

/** Before anything is known. */
export const nothingSaved = (): SavedCursor => ({
	updatedAt: 0,
	deliveryId: LAST,
	settled: {},
	pending: [],
	started: {},
	startedFrom: '',
	account: '',
	readWholeAt: 0,
	undated: 0,
	unsaved: 0,
});
