import type { OperationItemContext } from '../../shared/operations/operation';
import { isComparableWithList, type QueryRequest } from '../request/queryRequest';
import { findQueryById } from '../client/queryClient';
import { mayStillEnd } from '../client/parseQueryRecord';
import type { RecordOrAcknowledgement, QueryId } from '../client/queryModel';
import {
	sharesEqualRequests,
	spendingReservationName,
	createItemSubmissionContext,
	type ReuseOrSubmitResult,
	type SpendingAndReuseOptions,
	type RunSubmissionContext,
	type ItemSubmissionContext,
} from './runSubmissionContext';
import type { ReuseScope } from './submissionOptions';
import { areQueriesReusable, type Submission } from './submissionRegister';
import { LIST_LAG_MS } from './pastQueryListReader';
import { submitAndRecover, rereadAcceptedQueries } from './submitAndRecover';

const DAY_MS = 24 * 3_600_000;
const aDayAgo = () => Date.now() - DAY_MS;

/** Returns the submission of an item's query that an earlier try of this execution has left, unless it was refused. */
function ownSubmission(
	{ journal }: RunSubmissionContext,
	item: OperationItemContext,
	request: QueryRequest,
): Submission | undefined {
	const own = journal.own(item, request);
	return own && own.state.status !== 'planned' && own.state.status !== 'rejected' ? own : undefined;
}

/** Returns whether an earlier try of this execution has submitted an item's query. */
export const isSubmittedByEarlierTry = (
	context: RunSubmissionContext,
	item: OperationItemContext,
	request: QueryRequest,
): boolean => ownSubmission(context, item, request) !== undefined;

/** Keeps what an item will submit below the limits. Throws a QueryError before anything is sent. */
export async function reserveSpending(
	context: RunSubmissionContext,
	item: OperationItemContext,
	sending: SpendingAndReuseOptions,
	requests: QueryRequest[],
): Promise<void> {
	const { register } = context.journal;
	const needsNone = (request: QueryRequest) =>
		isSubmittedByEarlierTry(context, item, request) ||
		(sharesEqualRequests(sending.reuse) && register.isSubmitted(request.sharingKey, aDayAgo()));
	const planned = requests
		.filter((request) => !needsNone(request))
		.map((request) => ({
			name: spendingReservationName(context, item, request, sending),
			request,
		}));
	await context.limit.plan(item, sending, planned);
}

/** Obtains an item's query: from an earlier try, from another item or execution, or by a submission of its own. */
export async function reuseOrSubmit(
	context: RunSubmissionContext,
	item: OperationItemContext,
	request: QueryRequest,
	sending: SpendingAndReuseOptions,
): Promise<ReuseOrSubmitResult> {
	const { locks } = context.journal.register;
	const wanted = await createItemSubmissionContext(item, request, sending);
	const own = ownSubmission(context, item, request);
	if (own) return await submitAndRecover(context, wanted, own);
	const { reuse } = sending;
	if (sharesEqualRequests(reuse)) {
		const sharing = async () => await reuseOfExecution(context, wanted, reuse);
		return await locks.exclusive(request.sharingKey, sharing);
	}
	const obtain = async () =>
		sending.reuse || context.mayRepeat
			? await reuseOfProcess(context, wanted)
			: await submit(context, wanted);
	if (!earlierTry(context, request)) return await obtain();
	return await locks.exclusive(`try ${request.subjectKey}`, async () => {
		const tried = earlierTry(context, request);
		return tried
			? await submitAndRecover(context, wanted, tried, { listDecides: isOthers(context, tried) })
			: await obtain();
	});
}

/**
 * Returns the uncertain submission that a call may repeat: of another call of this tool, or of another execution of the
 * same parent. Items and rounds of one run differ by their places.
 */
function earlierTry({ run, journal }: RunSubmissionContext, request: QueryRequest) {
	const mayBeIt = ({ run: sentBy, executionId }: Submission) =>
		sentBy !== run && (run.isTool || executionId !== run.executionId);
	return journal.register.uncertain(request).find(mayBeIt);
}

/** Returns whether another execution has lost a query, so long ago that the list would show it. */
const isOthers = (
	{ run }: RunSubmissionContext,
	{ executionId, sentMoment }: Submission,
): boolean => executionId !== run.executionId && performance.now() - sentMoment >= LIST_LAG_MS;

/** Takes what another item of the execution has obtained, or goes on with its uncertain submission. */
async function reuseOfExecution(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
	{ since }: ReuseScope,
): Promise<ReuseOrSubmitResult> {
	const { item, request } = wanted;
	const { register } = context.journal;
	const accepted = register.findAccepted(request.sharingKey, aDayAgo());
	const queries = accepted && (await currentQueries(context, wanted, accepted));
	if (queries) return { queries, how: 'reused' };
	const uncertain =
		register.uncertain(request).find(({ sharingKey }) => sharingKey === request.sharingKey) ??
		earlierTry(context, request);
	if (uncertain) {
		context.journal.join(item, uncertain);
		const rights = { listDecides: isOthers(context, uncertain) };
		return await submitAndRecover(context, wanted, uncertain, rights);
	}
	if (since === undefined && !context.mayRepeat) return await submit(context, wanted);
	return await reuseOfProcess(context, wanted);
}

const hasEnded = (query: RecordOrAcknowledgement) =>
	query.kind === 'record' && !mayStillEnd(query.state);

/** Returns the queries of an accepted submission, unless one has failed since another run saw it pending. */
async function currentQueries(
	{ run }: RunSubmissionContext,
	wanted: ItemSubmissionContext,
	accepted: Submission,
): Promise<RecordOrAcknowledgement[] | undefined> {
	const { queries: seen } = accepted;
	if (seen && (accepted.run === run || seen.every(hasEnded))) return seen;
	const reading = rereadAcceptedQueries(wanted, accepted);
	const queries = await (seen ? reading.catch(() => seen) : reading);
	return areQueriesReusable(queries) ? queries : undefined;
}

/** Takes what another execution has obtained since the list of queries was read, or recovers what it has lost. */
async function reuseOfProcess(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
): Promise<ReuseOrSubmitResult> {
	const { item, request, sending, client, known } = wanted;
	return await known.reuseLocks.exclusive(request.sharingKey, async () => {
		const { reuse } = sending;
		const accepted = reuse && (await acceptedElsewhere(context, wanted, reuse));
		if (accepted) return { queries: accepted, how: 'reused' };
		const sentAt = known.uncertainSince.get(request.sharingKey);
		if (sentAt === undefined || sentAt < (reuse?.since ?? aDayAgo())) {
			return await submit(context, wanted);
		}
		const submission = context.journal.begin(item, request, client.accountKey);
		submission.sentAt = sentAt;
		const agoMs = Date.now() - sentAt;
		submission.sentMoment = performance.now() - agoMs;
		submission.save({ status: 'inFlight', sentAt, contentHash: request.contentHash });
		return await submitAndRecover(context, wanted, submission, {
			listDecides: agoMs >= LIST_LAG_MS,
		});
	});
}

async function acceptedElsewhere(
	{ past, journal }: RunSubmissionContext,
	{ item, request, client, known }: ItemSubmissionContext,
	reuse: ReuseScope,
): Promise<RecordOrAcknowledgement[] | undefined> {
	const { since, isUnshared } = reuse;
	if (since === undefined || !isComparableWithList(request)) return undefined;
	const readAt = await past.readAt(item);
	const before = known.lastAccepted.get(request.sharingKey);
	/** Queries that the list does not show: not yet, or not while they are pending. */
	const unlisted = async ({ at, queries }: { at: number; queries: RecordOrAcknowledgement[] }) => {
		if (readAt <= at) return queries;
		if (await past.shows(item, since, queries)) return undefined;
		if (readAt - at <= LIST_LAG_MS) return queries;
		const read = await Promise.all(queries.map(async ({ id }) => await findQueryById(client, id)));
		return read.every((query) => query !== undefined) ? read : undefined;
	};
	const isFresh = before && (before.atClock >= aDayAgo() || before.queries.every(hasEnded));
	if (before && isFresh && before.atClock >= since && areQueriesReusable(before.queries)) {
		const queries = await unlisted(before);
		const isOwn = (ids: QueryId[]) => !isUnshared || journal.register.claim(client.accountKey, ids);
		if (queries && areQueriesReusable(queries) && isOwn(queries.map(({ id }) => id)))
			return queries;
	}
	if (before || !known.hasForgottenSince(readAt)) return undefined;
	past.renew(client);
	const found = await past.findReusable(item, request, reuse);
	const queries = found.filter((one) => one !== undefined);
	return queries.length > 0 && queries.length === found.length ? queries : undefined;
}

/** Makes a submission of its own, if the limits allow that. */
async function submit(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
): Promise<ReuseOrSubmitResult> {
	const { item, request, sending, client } = wanted;
	const name = spendingReservationName(context, item, request, sending);
	await context.limit.plan(item, sending, [{ name, request }]); // an equal one may have used up what was planned
	const submission = context.journal.begin(item, request, client.accountKey);
	return await submitAndRecover(context, wanted, submission);
}
