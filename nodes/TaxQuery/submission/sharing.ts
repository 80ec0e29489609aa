import { DateTime } from 'luxon';
import type { Item, Run } from '../../shared/operations/operation';
import { DAY_MS, HOUR_MS } from '../../shared/utils/durations';
import type { RecordOrAcknowledgement } from '../client/model';
import { reuseStateOf } from '../client/record';
import type { QueryRequest } from '../request/queryRequest';
import type { Submission } from './submissionState';

/**
 * Who shares a query with whom. An execution is the root one, with its nodes, runs and sub-workflows. An item takes the
 * first of these; `prepare` looks for the first two, before any item sends, and `obtain` for the others.
 *
 * | Query                                                          | Taken by                                               |
 * | -------------------------------------------------------------- | ------------------------------------------------------ |
 * | its own of an earlier try, or of the execution that is retried | each item, even if it failed or may be lost            |
 * | in the service's list, created since `since`                   | each item that has `since`; after Never, only one item |
 * | accepted for an equal item of its execution (`mayShare`)       | each item, unless with Never                           |
 * | of unknown outcome, in its execution                           | the same; with Never a possible repeat (below)         |
 * | just accepted in another execution of this process             | each item that has `since`                             |
 * | of unknown outcome, in another execution of this process       | the same, and whoever may repeat another (below)       |
 * | a new one, which is sent and billed                            | whoever found none                                     |
 *
 * Own ones are equal by `journalKey`, listed ones by `matchRecord`, the others by `sharingKey`. Only its own item takes a
 * failed query, and only a retry (`isRetry`) a listed one whose status is unknown. No list shows a secret, so an
 * accepted query with a secret is taken in its own execution alone. What an execution has, its process knows; n8n keeps
 * only each node's own (`journal.ts`).
 *
 * A `ReuseScope` is what one item may take; there is none with Never.
 */
export interface ReuseScope {
	/** Takes listed queries created since then, in milliseconds by this machine's clock; undefined: none. */
	since?: number;
	/** The operator did not choose listed ones: the workflow is being built, or an execution may be a retry. */
	isByDefault: boolean;
	/**
	 * n8n's Retry: the list may hold what the execution has sent, though n8n does not remember it. The process that sent
	 * it may have crashed a moment ago, before the list showed it.
	 */
	isRetry?: boolean;
	/** Each query is for one item: the operator does not want items to share them. */
	isUnshared?: boolean;
}

/** What the operator chose under Reuse Results. */
export type ReuseChoice = 'building' | 'month' | 'never' | { hours: number };

/** The editor builds one, and so do n8n's evaluations, which run the same cases again. */
const isBuilding = (mode: Run['mode']): boolean => mode === 'manual' || mode === 'evaluation';

const startOfRun = () => ({ ms: Date.now() });

const WITHIN_EXECUTION: ReuseScope = { isByDefault: false };

/** Undefined where each item sends its own. */
export function reuseScope(run: Run, choice: ReuseChoice): ReuseScope | undefined {
	const now = run.shared(startOfRun).ms;
	const chosen = chosenScope(run, choice, now);
	return run.mode === 'retry' ? scopeOfRetry(chosen, now - DAY_MS) : chosen;
}

function chosenScope(
	{ mode, timeZone }: Run,
	choice: ReuseChoice,
	now: number,
): ReuseScope | undefined {
	if (choice === 'never') return undefined;
	if (choice === 'month') {
		const month = DateTime.fromMillis(now, { zone: timeZone }).startOf('month');
		return { since: month.toMillis(), isByDefault: false };
	}
	if (choice === 'building') {
		if (isBuilding(mode)) return { since: now - DAY_MS, isByDefault: true };
		// a sub-workflow cannot know whether its parent is retried
		if (mode === 'integrated') return { since: now - DAY_MS, isByDefault: true };
		return WITHIN_EXECUTION;
	}
	const ms = choice.hours * HOUR_MS;
	return ms === 0 ? WITHIN_EXECUTION : { since: now - ms, isByDefault: false };
}

/**
 * The journal decides first. Of an execution that was stopped n8n has none, so that a retry knows nothing of what it has
 * sent: what the list shows of the last day is therefore taken next, whatever Reuse Results says.
 */
function scopeOfRetry(chosen: ReuseScope | undefined, aDayAgo: number): ReuseScope {
	const isRetry = true;
	if (!chosen) return { since: aDayAgo, isByDefault: true, isUnshared: true, isRetry };
	const isByDefault = chosen.since === undefined || chosen.isByDefault;
	return { ...chosen, isByDefault, since: Math.min(aDayAgo, chosen.since ?? aDayAgo), isRetry };
}

/** Items of one execution share their queries. */
export const sharesEqualRequests = (reuse: ReuseScope | undefined): reuse is ReuseScope =>
	reuse !== undefined && !reuse.isUnshared;

/** An execution shares what it has sent within a day. A retry shares what n8n's journal brings, however old it is. */
export const mayShare = ({ mode }: Run, { sentAt, run }: Submission): boolean =>
	sentAt >= Date.now() - DAY_MS || (mode === 'retry' && run === undefined);

/** Sharers within this process take no failed query, and none of unknown status. */
export const areQueriesReusable = (queries: RecordOrAcknowledgement[]): boolean =>
	queries.every(
		(one) => one.kind !== 'record' || ['success', 'pending'].includes(reuseStateOf(one)),
	);

/** A sub-workflow or the call of an MCP client may repeat another one without knowing it. */
export const mayRepeatAnother = ({ mode, executionId }: Run): boolean =>
	mode === 'integrated' || executionId === undefined;

/**
 * Returns whether a call may repeat this submission without knowing it: of another call of its tool, or of another
 * execution of its parent. Items and rounds of one run differ by their places.
 */
export const isPossibleRepeat = (run: Run, sent: Submission): boolean =>
	sent.run !== run && (run.isTool || sent.executionId !== run.executionId);

/** Under this name a query is reserved below the limits. Sharers have it in common, so that they count once. */
export function reservationName(
	{ run, index }: Item,
	{ sharingKey, journalKey }: QueryRequest,
	reuse: ReuseScope | undefined,
): string {
	return sharesEqualRequests(reuse)
		? sharingKey
		: `${run.executionId ?? ''} ${run.index} ${index} ${journalKey}`;
}
