import type { QueryId, RecordOrAcknowledgement } from '../client/queryModel';
import { extractTextOfAnyError, type RecoverySearchResult } from '../errors/queryError';
import {
	isOtherQuery,
	type RunSubmissionContext,
	type ItemSubmissionContext,
} from './runSubmissionContext';
import { isAcceptanceUnknown, transition, type AcceptanceUnknownState } from './submissionState';
import { billedQueryRegistryOfClient } from './billedQueryRegistry';
import { findLostQueries } from './findLostQueries';
import type { Submission } from './submissionRegister';
import { LIST_LAG_MS } from './pastQueryListReader';
import { registerAcceptedQueries } from './attemptSubmission';

/** The result of a recovery: the queries, or why they were not found. */
export type Recovery = { queries: RecordOrAcknowledgement[] } | Unrecovered;

interface Unrecovered {
	state: AcceptanceUnknownState;
	search: RecoverySearchResult;
	/** The list would surely show the query if it were accepted. */
	isProvedMissing: boolean;
}

/** Limits how long to wait before each reading of the list: what was just accepted may not be listed yet. */
const READING_DELAYS_MS = [0, 1000, 3000];
/** Delays further searches until the list would surely show the query. */
const LATER_READING_DELAY_MS = 5000;

/** Recovers an uncertain submission from the service's list while no equal request is in flight. */
export async function recoverSubmission(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
	submission: Submission,
	mayBeSentAgain: boolean,
): Promise<Recovery> {
	const { request, client, known } = wanted;
	const state = submission.state as AcceptanceUnknownState;
	const { sendLocks } = billedQueryRegistryOfClient(client.accountKey);
	submission.isInFlight = true;
	let isStopped = true;
	try {
		const recovering = async () =>
			await recover(context, wanted, submission, state, mayBeSentAgain);
		const recovery = await sendLocks.exclusive(request.journalKey, recovering);
		isStopped = false;
		return recovery;
	} finally {
		submission.isInFlight = false;
		// the next equal request continues the recovery
		if (isStopped) known.uncertainSince.set(request.sharingKey, state.sentAt);
	}
}

async function recover(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
	submission: Submission,
	state: AcceptanceUnknownState,
	mayBeSentAgain: boolean,
): Promise<Recovery> {
	const { item, request } = wanted;
	// where no response is documented, one reading is enough: the response itself is passed on
	const isBodyEnough =
		request.definition.hasNoResult === true &&
		state.status === 'uncertain' &&
		state.reason === 'noId';
	for (let number = 0; ; number++) {
		await item.wait(READING_DELAYS_MS[number] ?? LATER_READING_DELAY_MS);
		const read = await readOnce(context, wanted, submission, state);
		if ('queries' in read) return read;
		const { next, search, isProvedMissing } = read;
		const mayWait = mayBeSentAgain && next.status === 'missing' && !isProvedMissing;
		const isEnough = isBodyEnough && !('unlisted' in search);
		if (!isEnough && (number + 1 < READING_DELAYS_MS.length || mayWait)) continue;
		submission.save(next);
		return { state: isAcceptanceUnknown(next) ? next : state, search, isProvedMissing };
	}
}

/** Reads the list once. Takes the queries if all of them are there. */
async function readOnce(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
	submission: Submission,
	state: AcceptanceUnknownState,
): Promise<
	| { queries: RecordOrAcknowledgement[] }
	| { next: Submission['state']; search: RecoverySearchResult; isProvedMissing: boolean }
> {
	const { item, request } = wanted;
	const { sentAt, contentHash } = state;
	const isFree = async (id: QueryId) => await isUnclaimed(context, wanted, id, sentAt);
	const lost = { expected: request.expectedOf(contentHash), sentAt, isFree };
	const listed = await findLostQueries(item, lost).catch((error: unknown) => ({
		unlisted: extractTextOfAnyError(error),
	}));
	if ('unlisted' in listed) return { next: state, search: listed, isProvedMissing: false };
	const { found: queries, isLater, ...read } = listed;
	const found = queries.map(({ id }) => id);
	const search = { ...read, found };
	const next = transition(state, { type: 'search', ...search }, request.expected.length);
	if (next.status === 'accepted') {
		submission.save(next);
		await context.limit.found(item, submission, found);
		registerAcceptedQueries(context, wanted, submission, queries, sentAt);
		return { queries };
	}
	const hadTime = performance.now() - submission.sentMoment >= LIST_LAG_MS;
	return { next, search, isProvedMissing: next.status === 'missing' && (isLater || hadTime) };
}

/** Returns whether no other item has a query, and no list showed it before this one was sent. */
async function isUnclaimed(
	{ journal, past }: RunSubmissionContext,
	{ item, client, known }: ItemSubmissionContext,
	id: QueryId,
	since: number,
): Promise<boolean> {
	const isClaimed = journal.register.isClaimed(client.accountKey, id) || known.isClaimed(id);
	return !isClaimed && !(await past.wasListed(item, id, since));
}

/** Takes the wanted ones of several queries in a response, where the list does not show the others either. */
export async function acceptWantedQueriesOfResponse(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
	submission: Submission,
	received: RecordOrAcknowledgement[] = [],
): Promise<RecordOrAcknowledgement[] | undefined> {
	const { item, request } = wanted;
	const { expected } = request;
	const own = received.filter((query) => !isOtherQuery(query, expected));
	if (own.length === 0 || expected.length === 1) return undefined;
	const ids = own.map(({ id }) => id);
	submission.save({ status: 'accepted', ids });
	await context.limit.found(item, submission, ids);
	registerAcceptedQueries(context, wanted, submission, own, submission.sentAt);
	return received;
}
