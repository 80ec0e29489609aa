import type { IDataObject } from 'n8n-workflow';

/** What became of an item, in one word; docs/output.md says which operation can give which. */
export type Outcome =
	| 'ready'
	| 'warning'
	| 'notReady'
	| 'result'
	| 'pending'
	| 'notFound'
	| 'failed'
	| 'uncertain'
	| 'notSent'
	| 'overLimit'
	| 'wouldSend'
	| 'wouldReuse';

/** The outcome of a row, and one sentence why it is not simply a result; `null` where there is nothing to say. */
export interface OutcomeColumns {
	outcome: Outcome;
	reason: string | null;
}

/** Outcomes of a step that has sent nothing for an item. */
const WITHOUT_QUERY: unknown[] = [
	...(['ready', 'warning', 'notReady', 'notSent'] satisfies Outcome[]),
	...(['overLimit', 'wouldSend', 'wouldReuse'] satisfies Outcome[]),
];

/** Returns whether a row comes from a step that has sent nothing for it, so that the next step's account replaces its own. */
export const hasNotBeenSent = ({ outcome }: IDataObject): boolean =>
	WITHOUT_QUERY.includes(outcome);

/** Columns of a failed item that no other has. */
export const FAILURE_COLUMNS = ['error', 'errorCode', 'errorDetail'];
