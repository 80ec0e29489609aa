import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { createServiceConnection } from '../../shared/http/connection';
import { taxQuery } from '../../shared/http/services';
import { DAY_MS, HOUR_MS } from '../../shared/utils/durations';
import { offersQueryList } from '../client/queryList';
import { mayOmitExistingResponse, mayStillEnd } from '../client/record';
import { touchRunningExecutions, type EmitOutcome } from './emitter';
import { dispositionOf, reportUnknownRecords } from './disposition';
import type { Ledger } from './ledger';
import {
	requireCreationDates,
	isAuditDue,
	LISTING_IF_LIST_UNUSED,
	readListing,
	type TriggerListing,
} from './listing';
import { fillResponse, type QueryNotification } from './notification';
import type { PollingTrigger } from './pollingTrigger';
import {
	readUnlistedRecords,
	type RowRecordOrRefused,
	type RecordsReadById,
} from './unlistedRecords';
import {
	reportVanishedQueries,
	reportForgottenQueries,
	reportListGaps,
	reportMissingResult,
} from './reports';
import { succeededWithoutResult, type TriggerResult } from './result';
import { itemMaker, type ItemMaker } from './item';
import { readStartFrom, startFromKey } from './settings';
import { cachedCredential } from './cachedCredential';
import { isStatusHandled, planPoll, applyPlan, type PollPlan, type RowRules } from './planPoll';

/** Of a poll whose list is up to date. */
const MAX_REQUESTS = 3;
/** A pause after each request leaves the rate limit to the lookups of executions, and the process to n8n. */
const REST_PER_REQUEST_MS = 500;
const REST_PER_ROW_MS = 0.1;
/**
 * n8n writes the ledger with each result that it starts, and SQLite takes one write at a time: with hundreds in
 * turn n8n gives up, and leaves executions that it has stored.
 */
const MAX_STARTING = 50;
const REST_WHILE_FULL_MS = 3_000;
/** This many unknown IDs are a flood of forged calls, which must not use up the rate limit. */
const FLOOD = 10;
const FLOOD_REST_MS = 2_000;

const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** The progress of a query in a poll: emitted, pending or settled; or why it was not read. */
export type QueryProgressInPoll =
	Promise<EmitOutcome> | 'pending' | 'settled' | 'unknown' | 'later' | 'failed';

/** Results for notified IDs that do not exist, and seldom for real ones. */
const UNKNOWN_RESULTS: unknown[] = [undefined, 'unknown', 'later'];

export interface PollReport {
	/** The notified queries by ID; one that is not listed is missing. */
	queries: Map<string, QueryProgressInPoll>;
	/** The list was read to its end, and surely nothing is left out. */
	isWhole: boolean;
	/** Milliseconds before the next poll. */
	restMs: number;
	/** More new results are due than one poll emits. */
	isMore: boolean;
	/** Webhook calls named many IDs that the service does not know, or that the poll had no budget to read. */
	isFlood: boolean;
	/** IDs of the notified queries whose own record has brought the result: later polls can bring it again. */
	held: Set<string>;
}

/**
 * Polls once: reads what is new, applies it to the ledger, and emits it, oldest first. Throws if the service cannot
 * be reached.
 */
export async function pollOnce(
	trigger: PollingTrigger,
	notifications: Map<string, QueryNotification>,
): Promise<PollReport> {
	const { context, ledger, settings, reader, mustBegin } = trigger;
	const { state } = ledger;

	// reads what it needs, and does not change the ledger
	// webhook calls are confirmed by the credential that has just verified them
	const credential = notifications.size > 0 ? await cachedCredential(context) : undefined;
	const connection = await createServiceConnection(context, taxQuery, credential);
	const { mapping } = connection;
	const toItem = itemMaker(settings, connection);
	const rules: RowRules<TriggerResult> = {
		dispositionOf: (result) => dispositionOf(result, settings.choice),
		isRunning: (result) => trigger.isRunning(result),
		triesOf: ({ queryId }) => reader.failedTimes(queryId),
		maxResults: Math.max(0, Math.min(settings.maxResults, MAX_STARTING - trigger.startingCount)),
	};
	const isListed = settings.receiveBy !== 'webhook' && offersQueryList(mapping);
	const accountKey = isListed ? connection.accountKey : state.account;
	const isMoved = mustBegin || accountKey !== state.account;
	const startAt = isMoved && isListed ? readStartFrom(context) : undefined;
	const isAudit = isMoved || isAuditDue(ledger, trigger.unlisted);
	const ids = newestFirst(notifications);

	const listing = isListed
		? await readListing(connection, ledger, { notifiedIds: ids, mustBeWhole: isAudit })
		: LISTING_IF_LIST_UNUSED;
	const maxPendingReads = Math.max(1, MAX_REQUESTS - listing.requests);
	const { waitsSince } = trigger;
	// what came while it could not begin is new; the service's clock may differ
	const oldUntil =
		startAt ?? (waitsSince === undefined ? Infinity : waitsSince - CLOCK_TOLERANCE_MS);
	const pollContext = {
		...{ account: accountKey, mustBegin, oldUntil, maxPendingReads },
		now: Date.now(),
		notifiedIds: ids,
	};
	const plan = planPoll(ledger, listing, pollContext, rules);
	if (plan.isNewStart && startAt !== undefined) requireCreationDates(listing.rows);
	const read = await readUnlistedRecords(trigger, connection, plan, listing, notifications);

	const poll = { trigger, mapping, toItem, notifications, listing, plan, rules, read };
	return applyPoll({ ...poll, isListed, isAudit, unresolved: new Set(), held: new Set() });
}

/** A repeated call does not wait behind a flood. */
const newestFirst = (notifications: Map<string, QueryNotification>): string[] =>
	[...notifications.keys()].reverse();

/** Everything that a poll has read, its plan, and its outcome so far. */
interface Poll {
	readonly trigger: PollingTrigger;
	readonly mapping: TaxQueryMapping;
	readonly toItem: ItemMaker;
	readonly notifications: Map<string, QueryNotification>;
	readonly listing: TriggerListing;
	readonly plan: PollPlan<TriggerResult>;
	readonly rules: RowRules<TriggerResult>;
	readonly read: RecordsReadById;
	readonly isListed: boolean;
	readonly isAudit: boolean;
	/** IDs of due queries that have no result yet. */
	readonly unresolved: Set<string>;
	/** IDs of queries whose own record holds the result. */
	readonly held: Set<string>;
}

/**
 * Writes the ledger and emits the results. It is synchronous, with all that it calls, so that no other poll or webhook
 * call can come between. Throws if the workflow was unpublished meanwhile.
 */
function applyPoll(poll: Poll): PollReport {
	const { trigger, plan, read } = poll;
	const { ledger } = trigger;
	trigger.mustBeOpen();
	recordListing(poll);
	touchRunningExecutions();
	for (const row of plan.due)
		processResult(
			poll,
			row,
			mayOmitExistingResponse(row.record) ? read.rows.get(row.queryId) : row,
		);
	for (const result of read.others) processResult(poll, result, result);
	for (const id of read.refused) ledger.drop(id);
	ledger.addPending(plan.pendingIds.filter((id) => ledger.isPending(id))); // had their turn
	return outcomeOf(poll);
}

/** Writes into the ledger what the list shows, and reports what is wrong with it. */
function recordListing({
	trigger,
	mapping,
	listing,
	plan,
	rules,
	read,
	isListed,
	isAudit,
}: Poll): void {
	const { context, ledger, settings } = trigger;
	const { state } = ledger;
	reportVanishedQueries(context, plan.loss);
	reportListGaps(context, listing);
	const records = [...listing.rows, ...read.others].map(({ record }) => record);
	reportUnknownRecords(context, settings.choice, mapping, records);
	const forgotten = applyPlan(ledger, plan, rules, startFromKey(context));
	if (listing.order) state.order = listing.order;
	trigger.unlisted.last = plan.unlisted;
	if (isListed && isAudit) {
		state.auditedAt = Date.now() - (listing.completeness === 'truncated' ? DAY_MS - HOUR_MS : 0);
		state.auditRequests = listing.requests;
		trigger.unlisted.afterAudit = plan.unlisted;
	}
	reportForgottenQueries(context, forgotten);
}

/** Emits, settles or postpones the result of a row: its record, or why there is none. */
function processResult(poll: Poll, row: TriggerResult, found: RowRecordOrRefused): void {
	const { trigger, mapping, toItem, notifications, rules, unresolved } = poll;
	const { context, ledger, reader } = trigger;
	const { queryId } = row;
	if (found === undefined) return void unresolved.add(queryId);
	if (found === 'refused') {
		ledger.settle(row);
		return ledger.drop(queryId);
	}
	const notification = notifications.get(queryId) ?? notifications.get(namedAs(poll, queryId));
	const { result, origin } = fillResponse(found, notification, mapping);
	const disposition = rules.dispositionOf(result);
	if (disposition === 'ignore' || isStatusHandled(ledger, result) || trigger.isOver(result))
		return settleResult(ledger, result, row);
	ledger.addPending([queryId]); // the others first, the next time
	if (origin.confirmed === true && result.record.hasResponse) poll.held.add(queryId);
	if (trigger.isRunning(result)) return;
	if (disposition === 'wait' || succeededWithoutResult(result)) {
		unresolved.add(queryId);
		reader.noteFailure(queryId);
		if (disposition === 'emit')
			reportMissingResult(context, queryId, notification?.hasResponse === true);
		return;
	}
	reader.noteRead(queryId);
	void trigger.emitOnce(result, toItem(result, origin)).then((outcome) => {
		if (outcome !== 'failed') settleResult(ledger, result, row);
	});
}

/** The ID comes out as a webhook call spelled it. */
const namedAs = ({ read }: Poll, queryId: string): string =>
	[...read.ownIds].find(([, own]) => own === queryId)?.[0] ?? queryId;

function outcomeOf(poll: Poll): PollReport {
	const { trigger, notifications, listing, plan, read, isAudit } = poll;
	const { ledger } = trigger;
	const progressOf = (result: TriggerResult): QueryProgressInPoll => {
		const isOver =
			!poll.unresolved.has(result.queryId) &&
			(isStatusHandled(ledger, result) || trigger.isOver(result));
		return trigger.outcomeOf(result) ?? (isOver ? 'settled' : 'pending');
	};
	const ids = newestFirst(notifications);
	const listed = ids.flatMap((id) => plan.listed.get(id) ?? []);
	const known = [...listed, ...read.others].map(
		(result) => [result.queryId, progressOf(result)] as const,
	);
	// the last of a query stands: its row, then its record, then why there is none
	const queries = new Map<string, QueryProgressInPoll>([...known, ...read.missing]);
	for (const [id, own] of read.ownIds) queries.set(id, queries.get(own) ?? 'pending');
	const unknownIds = ids.filter((id) => UNKNOWN_RESULTS.includes(queries.get(id)));
	const isFlood = unknownIds.length > FLOOD;
	// an audit is rare, so the next poll needs one request for the list
	const requests = read.requests + (isAudit ? Math.min(1, listing.requests) : listing.requests);
	return {
		queries,
		isWhole: listing.isWhole,
		restMs: Math.max(
			requests * REST_PER_REQUEST_MS,
			listing.rows.length * REST_PER_ROW_MS,
			isFlood ? FLOOD_REST_MS : 0,
			trigger.startingCount >= MAX_STARTING ? REST_WHILE_FULL_MS : 0,
		),
		isMore: plan.isMore,
		isFlood,
		held: new Set(ids.filter((id) => poll.held.has(read.ownIds.get(id) ?? id))),
	};
}

/** Settles a query in this state, in which it has come through; a row of the list may show another status. */
function settleResult(ledger: Ledger, result: TriggerResult, row: TriggerResult): void {
	const isStillPending = mayStillEnd(result.record.state);
	if (isStillPending && ledger.isPending(result.queryId)) ledger.addPending([result.queryId]);
	ledger.settle(result, isStillPending);
	if (row.hasStatus && row.status !== result.status) ledger.settle(row, isStillPending);
}
