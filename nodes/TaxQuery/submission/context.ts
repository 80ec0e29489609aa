import type { IDataObject } from 'n8n-workflow';
import type { Item, Run } from '../../shared/operations/operation';
import type { ServiceMessage, RequestProblem } from '../../shared/errors/requestProblem';
import { ScopeState } from '../../shared/processState';
import type { QueryRequest } from '../request/queryRequest';
import { itemClient, type QueryClient } from '../client/queryClient';
import type { QueryId, RecordOrAcknowledgement } from '../client/model';
import { isOtherRecord, type ObtainedQuery, type SubmittedQuery } from '../output/rows';
import { clientAccount, type Account } from './account';
import { Journal } from './journal';
import { SpendingLimit, type Limits } from './limits';
import { PastQueries } from './reuse';
import { areQueriesReusable, type ReuseScope } from './sharing';
import type { Submission } from './submissionState';

export interface SubmissionOptions extends Limits {
	sendAgain: boolean;
	reuse: ReuseScope | undefined;
}

/** Is told what is billed, or may be, as soon as that is known. */
export interface SpendingLog {
	accepted(item: Item, ids: QueryId[], submission: Submission, isByEarlierTry?: boolean): void;
	/** Records `count` queries of an item whose acceptance is unknown. */
	uncertain(item: Item, count: number, submission: Submission): void;
}

export interface RunSubmissionContext {
	run: Run;
	journal: Journal;
	past: PastQueries;
	limit: SpendingLimit;
	log: SpendingLog;
	/** Everything happens but the sending. */
	isPreview: boolean;
}

export interface ItemSubmissionContext {
	item: Item;
	request: QueryRequest;
	sending: SubmissionOptions;
	client: QueryClient;
	known: Account;
}

/** The queries that an item gets, or a body without an ID where that is all there is. */
export type Submitted = {
	/** In a preview: it would be sent, or a run would look for one that was lost. Neither has queries. */
	how: ObtainedQuery['how'] | 'planned' | 'lost';
	queries: SubmittedQuery[];
};

export interface UncertainResponse {
	problem?: RequestProblem;
	/** A response without a query ID; `serviceMessage` is its message. */
	body?: IDataObject;
	serviceMessage?: ServiceMessage;
	/** Fewer queries than the request makes. */
	received?: RecordOrAcknowledgement[];
}

export function newSubmissionContext(run: Run, log: SpendingLog): RunSubmissionContext {
	return contextOf(run, log, false);
}

/** What it plans, only other previews of its execution know. */
export function newPreviewContext(run: Run): RunSubmissionContext {
	const execution = run.execution.shared(newPreviewState);
	const log = { accepted: nothing, uncertain: nothing };
	return contextOf({ ...run, execution, memory: {} }, log, true);
}

const newPreviewState = () => new ScopeState();
const nothing = () => undefined;

function contextOf(run: Run, log: SpendingLog, isPreview: boolean): RunSubmissionContext {
	const journal = new Journal(run);
	const past = new PastQueries(run, journal.register);
	return {
		run,
		journal,
		past,
		limit: new SpendingLimit(run, past, isPreview),
		log,
		isPreview,
	};
}

export async function itemSubmissionContext(
	item: Item,
	request: QueryRequest,
	sending: SubmissionOptions,
): Promise<ItemSubmissionContext> {
	const client = await itemClient(item);
	return { item, request, sending, client, known: clientAccount(client.clientKey) };
}

const isOthersQuery = (query: SubmittedQuery, expected: QueryRequest['expected']): boolean =>
	query.kind === 'record' && isOtherRecord(query, expected);

/**
 * Notes what reading an item's queries has shown: nobody is to reuse a failed one, and one of somebody else, by which the
 * item fails, is free for its owner.
 */
export async function noteRead(
	{ journal }: RunSubmissionContext,
	item: Item,
	{ sharingKey, expected }: QueryRequest,
	queries: SubmittedQuery[],
): Promise<void> {
	const { clientKey, accountKey } = await itemClient(item);
	const known = clientAccount(clientKey);
	const read = queries.filter((query) => query.kind !== 'withoutId');
	const others = read.filter((query) => isOthersQuery(query, expected));
	for (const { id } of others) {
		known.release(id);
		journal.register.release(accountKey, id);
	}
	if (others.length > 0 || !areQueriesReusable(read)) known.lastAccepted.delete(sharingKey);
}

/** The item, its execution and this process get to know them. */
export function noteAccepted(
	{ journal, log }: RunSubmissionContext,
	{ item, request, client, known }: ItemSubmissionContext,
	submission: Submission,
	queries: RecordOrAcknowledgement[],
): void {
	const { sharingKey, expected } = request;
	const own = queries.filter((query) => !isOthersQuery(query, expected)).map(({ id }) => id);
	for (const id of own) known.claim(id, submission);
	journal.register.claim(client.accountKey, own);
	submission.queries = queries;
	log.accepted(
		item,
		queries.map(({ id }) => id),
		submission,
	);
	known.lost.delete(sharingKey);
	if (own.length < queries.length) return;
	known.lastAccepted.set(sharingKey, { at: performance.now(), atClock: Date.now(), queries });
}
