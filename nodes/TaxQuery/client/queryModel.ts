import type { IDataObject } from 'n8n-workflow';
import type { Problem } from '../../shared/http/result';

/** A query's ID. Only this folder makes one, by `asQueryId`. */
export type QueryId = string & { readonly brand: 'Id' };

/** Success is SUCCESS and the API Mapping's words alone; every other word is unknown. */
export type QueryState = 'pending' | 'success' | 'failed' | 'unknown';

/** A stored query (TQ §2.1), as the list or its ID gives it. */
export interface QueryRecord {
	kind: 'record';
	id: QueryId;
	/** Says what the record calls its query type; '' if it does not say. */
	code: string;
	/** The row of the catalog that is called so; undefined if none is. */
	operation?: string;
	state: QueryState;
	/** The service's own word; undefined if there is none. */
	status?: string;
	/** Milliseconds since the epoch; undefined where there is no date with a zone. */
	createdAt?: number;
	/** Holds the request under the API reference's names; undefined if the record does not show it. */
	request?: IDataObject;
	hasResponse: boolean;
	/** Holds the record as it came, the CIEC masked. */
	raw: IDataObject;
}

/** The service took a query and has no record of it to show yet (TQ §2.5, §4.11). */
export interface Acknowledgement {
	kind: 'acknowledged';
	id: QueryId;
	/** The month that it is about (TQ §4.11). */
	period?: string;
	raw: IDataObject;
}

export type Query = QueryRecord | Acknowledgement;

/** Says why the outcome of a sent query is unknown. */
export type UncertaintyReason =
	| 'noAnswer'
	| 'status'
	| 'unreadable'
	| 'noId'
	| 'earlierTry'
	/** The response surely holds another query. */
	| 'otherQuery';

/** Describes the response to a billed POST. */
export type SubmissionResponse =
	| { kind: 'accepted'; queries: Query[] }
	| { kind: 'rejected'; problem: Problem }
	| { kind: 'uncertain'; why: UncertaintyReason; problem?: Problem; body?: IDataObject };

/**
 * Says how much of the list was read: all of it, or less than the service reports. Otherwise it is unknown whether
 * more follows.
 */
export type Completeness = 'complete' | 'truncated' | 'unknown';

/** Describes what was read of the list of queries (TQ §4.12), in the list's order. */
export interface QueryListing {
	records: QueryRecord[];
	/** Rows that show no ID. */
	unreadable: number;
	completeness: Completeness;
	/** Says how many queries the service reports, where it does. */
	total?: number;
	/** Says how many rows came at once, at most. */
	longest: number;
}
