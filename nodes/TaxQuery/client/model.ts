import type { IDataObject } from 'n8n-workflow';
import type { RequestProblem } from '../../shared/errors/requestProblem';

/** A query's ID. Only this folder makes one, by `asUncheckedQueryId`. */
export type QueryId = string & { readonly brand: 'Id' };

/** The meaning of a status: `success` only for SUCCESS and those of the API Mapping, `unknown` if unexplained. */
export type QueryState = 'pending' | 'success' | 'failed' | 'unknown';

/** A stored query (TQ §2.1), as the list or its ID gives it. */
export interface QueryRecord {
	kind: 'record';
	id: QueryId;
	/** The query type under its name in the record; '' if the record shows none. */
	code: string;
	operation?: string;
	state: QueryState;
	/** A failed query whose status says that nobody was found. */
	isNotFound: boolean;
	status?: string;
	/** Milliseconds since the epoch; undefined where there is no date with a zone. */
	createdAt?: number;
	/** The request under the API reference's names; undefined if the record does not show it. */
	request?: IDataObject;
	hasResponse: boolean;
	/** The record as it came, the CIEC masked. */
	raw: IDataObject;
}

/** The service accepted a query and has no record of it to show yet (TQ §2.5, §4.11). */
export interface Acknowledgement {
	kind: 'acknowledged';
	id: QueryId;
	/** The month of an invoice query (TQ §4.11). */
	period?: string;
	raw: IDataObject;
}

export type RecordOrAcknowledgement = QueryRecord | Acknowledgement;

export type UncertaintyReason = 'noAnswer' | 'status' | 'unreadable' | 'noId' | 'earlierTry';

export type SubmissionOutcome =
	| { kind: 'accepted'; queries: RecordOrAcknowledgement[] }
	| { kind: 'rejected'; problem: RequestProblem }
	| { kind: 'uncertain'; reason: UncertaintyReason; problem?: RequestProblem; body?: IDataObject };

/**
 * The part of the list that was read: all of it, or less than the service reports. With `unknown` more rows may follow.
 */
export type ListCompleteness = 'complete' | 'truncated' | 'unknown';

/** Rows keep the list's order (TQ §4.12). */
export interface CollectedQueryList {
	records: QueryRecord[];
	/** Rows that show no ID. */
	unreadable: number;
	completeness: ListCompleteness;
	total?: number;
	/** The highest number of rows in one response. */
	longest: number;
}
