import type { IDataObject } from 'n8n-workflow';
import type { Problem } from '../../shared/http/result';

/** A query's ID; only the door makes one. */
export type QueryId = string & { readonly brand: 'Id' };

/** Success is SUCCESS and the API Mapping's words alone; every other word is unknown. */
export type QueryState = 'pending' | 'success' | 'failed' | 'unknown';

/** A stored query (TQ §2.1), as the list or its ID gives it. */
export interface QueryRecord {
	kind: 'record';
	id: QueryId;
	/** What the record calls its query type; '' if it does not say. */
	code: string;
	/** The row of the catalog that is called so; undefined if none is. */
	operation?: string;
	state: QueryState;
	/** The service's own word; undefined if there is none. */
	status?: string;
	/** Milliseconds since the epoch; undefined where there is no date with a zone. */
	createdAt?: number;
	/** What was asked, under the API reference's names; undefined if the record does not say. */
	request?: IDataObject;
	hasResponse: boolean;
	/** As it came, the CIEC masked. */
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

/** Why nobody knows what became of a query that was sent. */
export type UncertaintyReason =
	| 'noAnswer'
	| 'status'
	| 'unreadable'
	| 'noId'
	| 'earlierTry'
	/** What came is surely another query. */
	| 'otherQuery';

/** What the response to a paid POST says. */
export type SubmissionResponse =
	| { kind: 'accepted'; queries: Query[] }
	| { kind: 'rejected'; problem: Problem }
	| { kind: 'uncertain'; why: UncertaintyReason; problem?: Problem; body?: IDataObject };

/**
 * How much of the list was read: all of it; less than the service reports; or all that came, of which nobody knows
 * whether more follow.
 */
export type Completeness = 'complete' | 'truncated' | 'unknown';

/** What was read of the list of queries (TQ §4.12), in the list's order. */
export interface QueryListing {
	records: QueryRecord[];
	/** Rows that show no ID. */
	unreadable: number;
	completeness: Completeness;
	/** How many queries the service reports, where it does. */
	total?: number;
	/** How many rows came at once, at most. */
	longest: number;
}
