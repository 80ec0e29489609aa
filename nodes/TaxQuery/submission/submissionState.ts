import type {
	UncertaintyReason,
	ListCompleteness,
	QueryId,
	RecordOrAcknowledgement,
	SubmissionOutcome,
} from '../client/model';

/**
 * The state of a billed query. An uncertain one is sent again only after the whole list has shown that it is missing, and
 * if the operator allows that, or another execution lost it a minute ago; once in each run, and within the limits.
 */
export type SubmissionState =
	| { status: 'planned' }
	/** Surely not accepted, and not billed. */
	| { status: 'rejected' }
	| { status: 'accepted'; ids: QueryId[] }
	/** The request was sent at `sentAt`, in milliseconds by this machine's clock. */
	| { status: 'inFlight'; sentAt: number }
	| { status: 'uncertain'; sentAt: number; reason: UncertaintyReason }
	/** Uncertain, and the whole list surely does not have it. */
	| { status: 'missing'; sentAt: number; reason: UncertaintyReason };

/** One submission of a request. Items with an equal request may share it. */
export interface Submission {
	state: SubmissionState;
	/** Identifies the request and its client, additional fields and secrets included. */
	sharingKey: string;
	accountKey: string;
	/** The item that it is for, the same in each retry of its execution. */
	owner: string;
	/** The time of sending, in milliseconds by this machine's clock; 0 where that is not known. */
	sentAt: number;
	/** When its request ended, or this process learned of it, by a monotonic clock: the list shows it a minute later. */
	endedMoment: number;
	/** The run that sent it; undefined for one that n8n's journal brought. */
	run?: object;
	/** The run that has sent it again: none of its items does so once more. */
	sentAgainBy?: object;
	/** n8n's execution in which it was sent, or that retries it. */
	executionId?: string;
	/** Its queries, as they were seen last. */
	queries?: RecordOrAcknowledgement[];
	/** Writes its state into n8n's journal. */
	save(state: SubmissionState): void;
}

export type SubmissionEvent =
	| { type: 'response'; posted: SubmissionOutcome }
	/** The list was searched: it holds queries that surely match the request, and some that may. */
	| { type: 'search'; found: QueryId[]; possible: QueryId[]; completeness: ListCompleteness }
	/** The operator and the limits allow the node to send a missing query again. */
	| { type: 'sendAgain' };

/**
 * `count` is the number of queries that the request is billed as. An impossible event leaves the state unchanged.
 */
export function transition(
	state: SubmissionState,
	event: SubmissionEvent,
	count: number,
): SubmissionState {
	switch (event.type) {
		case 'response':
			return state.status === 'inFlight' ? afterResponse(state, event.posted) : state;
		case 'search':
			return isUncertain(state) ? afterSearch(state, event, count) : state;
		case 'sendAgain':
			return state.status === 'missing' ? { status: 'planned' } : state;
	}
}

/** The states of a query that was sent and whose outcome is unknown. */
export type Uncertain = Extract<SubmissionState, { sentAt: number }>;
export const isUncertain = (state: SubmissionState): state is Uncertain => 'sentAt' in state;

export const acceptedIdsOf = (state: SubmissionState): QueryId[] =>
	state.status === 'accepted' ? state.ids : [];

/**
 * Accepted queries count, with a result, pending or failed; refused and unsent ones do not. Undefined where the
 * outcome of any is unknown.
 */
export const countBilledQueries = (states: SubmissionState[]): number | undefined =>
	states.some(isUncertain) ? undefined : states.flatMap(acceptedIdsOf).length;

function afterResponse(sent: Uncertain, posted: SubmissionOutcome): SubmissionState {
	if (posted.kind === 'uncertain') return { ...sent, status: 'uncertain', reason: posted.reason };
	if (posted.kind === 'rejected') return { status: 'rejected' };
	return { status: 'accepted', ids: posted.queries.map(({ id }) => id) };
}

/** One of an earlier try that left no trace stays in flight. */
export const uncertaintyReasonOfState = (state: Uncertain): UncertaintyReason =>
	state.status === 'inFlight' ? 'earlierTry' : state.reason;

function afterSearch(
	state: Uncertain,
	{ found, possible, completeness }: Extract<SubmissionEvent, { type: 'search' }>,
	count: number,
): SubmissionState {
	if (found.length >= count) return { status: 'accepted', ids: found };
	const isMissing = found.length + possible.length === 0 && completeness === 'complete';
	return {
		...state,
		status: isMissing ? 'missing' : 'uncertain',
		reason: uncertaintyReasonOfState(state),
	};
}
