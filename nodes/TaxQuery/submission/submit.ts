import type { IDataObject } from 'n8n-workflow';
import type { Item } from '../../shared/operations/operation';
import type { RequestProblem } from '../../shared/errors/requestProblem';
import { DAY_MS } from '../../shared/utils/durations';
import { suspectKeys } from '../client/names';
import { classifySubmissionResponse, mayStillEnd } from '../client/record';
import { findQueryById, sendBilledPost } from '../client/queryClient';
import type { QueryId, RecordOrAcknowledgement, SubmissionOutcome } from '../client/model';
import { QueryError, subjectOf } from '../errors/queryError';
import { bodyHasAllResultFields, isOtherRecord, type ResponseWithoutId } from '../output/rows';
import { isComparableWithList, type QueryRequest } from '../request/queryRequest';
import { accountTurns } from './account';
import {
	itemSubmissionContext,
	noteAccepted,
	sharesEqualRequests,
	reservationName,
	type ItemSubmissionContext,
	type Submitted,
	type RunSubmissionContext,
	type SubmissionOptions,
	type UncertainResponse,
} from './context';
import { LIST_LAG_MS } from './sharedList';
import { recover, type Unrecovered } from './recover';
import type { ReuseScope } from './options';
import { areQueriesReusable, type Submission } from './execution';
import {
	acceptedIdsOf,
	isUncertain,
	transition,
	uncertaintyReasonOfState,
} from './submissionState';

const aDayAgo = () => Date.now() - DAY_MS;

/** A refused one does not count. */
function ownSubmission(
	{ journal }: RunSubmissionContext,
	item: Item,
	request: QueryRequest,
): Submission | undefined {
	const own = journal.own(item, request);
	return own && own.state.status !== 'planned' && own.state.status !== 'rejected' ? own : undefined;
}

export const isSubmittedByEarlierTry = (
	context: RunSubmissionContext,
	item: Item,
	request: QueryRequest,
): boolean => ownSubmission(context, item, request) !== undefined;

/** Keeps what an item will submit below the limits. Throws a QueryError before anything is sent. */
export async function reserveSpending(
	context: RunSubmissionContext,
	item: Item,
	sending: SubmissionOptions,
	requests: QueryRequest[],
): Promise<void> {
	const { register } = context.journal;
	const needsNone = (request: QueryRequest) =>
		isSubmittedByEarlierTry(context, item, request) ||
		(sharesEqualRequests(sending.reuse) && register.isSubmitted(request.sharingKey, aDayAgo()));
	const planned = requests
		.filter((request) => !needsNone(request))
		.map((request) => ({
			name: reservationName(context, item, request, sending),
			request,
		}));
	await context.limit.plan(item, sending, planned);
}

/**
 * Obtains an item's query: its own of an earlier try, that of an equal item, one of another execution, or a new one. Equal
 * requests to an account take turns, so that each finds what the one before has sent, and a lost query has no double
 * in flight. Throws a QueryError.
 */
export async function submit(
	context: RunSubmissionContext,
	item: Item,
	request: QueryRequest,
	sending: SubmissionOptions,
): Promise<Submitted> {
	const wanted = await itemSubmissionContext(item, request, sending);
	return await accountTurns(wanted.client.accountKey).inTurn(
		request.journalKey,
		async () => await obtain(context, wanted),
	);
}

/** In this order: its own, that of the execution, an uncertain one, one of this process, a new one; `prepare` has read the list. */
async function obtain(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
): Promise<Submitted> {
	const { journal } = context;
	const { item, request, sending, client } = wanted;
	const own = ownSubmission(context, item, request);
	if (own) return context.isPreview ? planned(own) : await settleSubmission(context, wanted, own);
	const isShared = sharesEqualRequests(sending.reuse);
	const shared = isShared ? await queriesOfExecution(context, wanted) : undefined;
	if (shared) return { queries: shared, how: 'reused' };
	const uncertain = journal.register
		.uncertain(request.sharingKey)
		.find((one) => isShared || isPossibleRepeat(context, one));
	if (uncertain) {
		if (isShared) journal.join(item, uncertain);
		return await settleSubmission(context, wanted, uncertain, isLostElsewhere(context, uncertain));
	}
	const elsewhere = await obtainElsewhere(context, wanted);
	if (elsewhere) return elsewhere;
	const name = reservationName(context, item, request, sending);
	await context.limit.plan(item, sending, [{ name, request }]); // an equal one may have used up what was planned
	return await settleSubmission(context, wanted, journal.begin(item, request, client.accountKey));
}

/**
 * Returns whether a call may repeat this submission without knowing it: of another call of its tool, or of another
 * execution of its parent. Items and rounds of one run differ by their places.
 */
const isPossibleRepeat = ({ run }: RunSubmissionContext, sent: Submission): boolean =>
	sent.run !== run && (run.isTool || sent.executionId !== run.executionId);

/** It was sent so long ago that the list would show it. */
const isLostElsewhere = (
	{ run }: RunSubmissionContext,
	{ executionId, sentMoment }: Submission,
): boolean => executionId !== run.executionId && performance.now() - sentMoment >= LIST_LAG_MS;

const hasEnded = (query: RecordOrAcknowledgement) =>
	query.kind === 'record' && !mayStillEnd(query.state);

/** A query that has failed since another run saw it pending does not count. */
async function queriesOfExecution(
	{ run, journal }: RunSubmissionContext,
	wanted: ItemSubmissionContext,
): Promise<RecordOrAcknowledgement[] | undefined> {
	const accepted = journal.register.findAccepted(wanted.request.sharingKey, aDayAgo());
	if (!accepted) return undefined;
	const { queries: seen } = accepted;
	if (seen && (accepted.run === run || seen.every(hasEnded))) return seen;
	const reading = readAgain(wanted, accepted);
	const queries = await (seen ? reading.catch(() => seen) : reading);
	return areQueriesReusable(queries) ? queries : undefined;
}

/** Takes what another execution has obtained since the list of queries was read, or goes on with what it has lost. */
async function obtainElsewhere(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
): Promise<Submitted | undefined> {
	const { item, request, sending, client, known } = wanted;
	const { reuse } = sending;
	if (reuse?.since === undefined && !context.mayRepeat) return undefined;
	const accepted = reuse && (await acceptedElsewhere(context, wanted, reuse));
	if (accepted) return { queries: accepted, how: 'reused' };
	const sentAt = known.uncertainSince.get(request.sharingKey);
	if (sentAt === undefined || sentAt < (reuse?.since ?? aDayAgo())) return undefined;
	if (context.isPreview) return { queries: [], how: 'lost' }; // to find it is for the run that needs it
	const submission = context.journal.begin(item, request, client.accountKey);
	const agoMs = Date.now() - sentAt;
	submission.sentAt = sentAt;
	submission.sentMoment = performance.now() - agoMs;
	submission.save({ status: 'inFlight', sentAt });
	return await settleSubmission(context, wanted, submission, agoMs >= LIST_LAG_MS);
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

/**
 * Takes a submission to its end: what was accepted is read again; what was not sent is sent; what is uncertain is searched
 * in the list. What the whole list surely lacks is sent once more in this try where the operator allows that, or where
 * another execution lost it so long ago that the list decides. Throws a QueryError if the outcome stays uncertain.
 */
async function settleSubmission(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
	submission: Submission,
	listDecides = false,
): Promise<Submitted> {
	const { item, request, sending } = wanted;
	if (submission.state.status === 'accepted') {
		context.log.accepted(item, submission.state.ids, submission, true);
		return { queries: await readAgain(wanted, submission), how: 'resumed' };
	}
	const name = reservationName(context, item, request, sending);
	const first = isUncertain(submission.state) ? {} : await send(context, wanted, submission, name);
	if ('queries' in first) return first;
	const mayBeSentAgain = (sending.sendAgain || listDecides) && !first.received;
	const search = await lookUp(context, wanted, submission, first, mayBeSentAgain);
	if ('queries' in search) return search;
	// and stays so, whatever is sent after it; another execution's is not this one's
	if (!listDecides || !search.isProvedMissing)
		context.log.uncertain(item, request.expected.length, submission);
	const again = `${name} again`;
	const isAllowed =
		mayBeSentAgain && search.isProvedMissing && (await reserveIfAllowed(context, wanted, again));
	const next = isAllowed
		? transition(search.state, { type: 'sendAgain' }, request.expected.length)
		: search.state;
	if (isUncertain(next)) throw uncertainError(wanted, search, first);
	const second = await send(context, wanted, submission, again);
	if ('queries' in second) return second;
	const found = await lookUp(context, wanted, submission, second, false);
	if ('queries' in found) return found;
	context.log.uncertain(item, request.expected.length, submission);
	throw uncertainError(wanted, found, second);
}

/** Searches the list for what a response leaves open; otherwise takes what the response has. */
async function lookUp(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
	submission: Submission,
	response: UncertainResponse,
	mayBeSentAgain: boolean,
): Promise<Submitted | Unrecovered> {
	const search = await recover(context, wanted, submission, mayBeSentAgain);
	if ('queries' in search) return search;
	if (response.received) return await acceptFewer(context, wanted, submission, response.received);
	const body = bodyToPassOn(wanted, search, response);
	return body
		? { queries: [body], how: 'serviceMessage' in response ? 'sent' : 'resumed' }
		: search;
}

/** Is false where the limits do not allow it, or cannot be counted. */
const reserveIfAllowed = async (
	{ limit }: RunSubmissionContext,
	{ item, request, sending }: ItemSubmissionContext,
	name: string,
): Promise<boolean> =>
	await limit.plan(item, sending, [{ name, request }]).then(
		() => true,
		() => false,
	);

/**
 * Sends a query; `shared/http/retryPolicy.ts` decides when a request that surely was not accepted is repeated. Its state is saved at
 * each step, and counted. Throws a QueryError if the service refuses it.
 */
async function send(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
	submission: Submission,
	reservation: string,
): Promise<Submitted | UncertainResponse> {
	const { journal, limit, isPreview } = context;
	if (isPreview) return planned(submission);
	const { item, request, client } = wanted;
	const { definition, journalKey, path, body, secrets, expected } = request;
	const count = expected.length;
	const before = submission.state;
	let isSent = false;
	/** It may be called again: after a 429, or with a new token. */
	const beforeSend = () => {
		[submission.sentAt, submission.sentMoment] = [Date.now(), performance.now()];
		if (!isSent) {
			limit.sending(reservation);
			journal.count(count);
		}
		isSent = true;
		submission.save({ status: 'inFlight', sentAt: submission.sentAt });
	};
	const takeBack = async () => {
		if (isSent) journal.count(-count);
		const rejected = { status: 'rejected' } as const;
		// a first sending may yet be listed
		if (isUncertain(before)) submission.sentAt = before.sentAt;
		submission.save(isUncertain(before) ? before : rejected);
		await limit.ended(item, reservation, request, { ...submission, state: rejected });
	};
	const emptyAs = definition.hasNoResult ? { message: '' } : undefined;
	const httpRequest = { method: 'POST' as const, path, body, secrets, beforeSend, emptyAs };
	const result = await sendBilledPost(item, { ...httpRequest, secretOf: journalKey }).catch(
		async (error: unknown) => {
			await takeBack();
			throw error;
		},
	);
	const response = classifySubmissionResponse(result, client.mapping, count);
	if (response.kind === 'rejected') {
		await takeBack();
		throw refusal(request, response.problem);
	}
	// the list may have the months that the response does not name (TQ §4.11)
	const received = response.kind === 'accepted' ? response.queries : [];
	const isPart = received.length > 0 && received.length < count;
	const posted: SubmissionOutcome = isPart ? { kind: 'uncertain', reason: 'unreadable' } : response;
	submission.save(transition(submission.state, { type: 'response', posted }, count));
	await limit.ended(item, reservation, request, submission);
	if (isPart) return { received };
	if (posted.kind === 'uncertain') return await describeUncertainty(wanted, posted);
	noteAccepted(context, wanted, submission, received);
	return { queries: received, how: 'sent' };
}

/** Marks it as if it were accepted, so that equal requests of the preview share it; its queries have no IDs. */
function planned(submission: Submission): Submitted {
	Object.assign(submission, { sentAt: Date.now(), queries: [] });
	submission.save({ status: 'accepted', ids: [] });
	return { queries: [], how: 'planned' };
}

/** Takes the queries of a response that names fewer than were requested, where the list has no more either. */
async function acceptFewer(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
	submission: Submission,
	queries: RecordOrAcknowledgement[],
): Promise<Submitted> {
	const ids = queries.map(({ id }) => id);
	submission.save({ status: 'accepted', ids });
	await context.limit.found(wanted.item, wanted.request, submission, ids);
	noteAccepted(context, wanted, submission, queries);
	return { queries, how: 'sent' };
}

/** The service may show it otherwise now. */
async function readAgain(
	{ request: { expected }, client, known }: ItemSubmissionContext,
	submission: Submission,
): Promise<RecordOrAcknowledgement[]> {
	const ids = acceptedIdsOf(submission.state);
	for (const id of ids) known.claim(id);
	const missing = (id: QueryId): RecordOrAcknowledgement => ({
		kind: 'acknowledged',
		id,
		raw: { queryId: id },
	}); // not there yet
	const queries = await Promise.all(
		ids.map(async (id) => (await findQueryById(client, id)) ?? missing(id)),
	);
	const isOther = (query: RecordOrAcknowledgement) =>
		query.kind === 'record' && isOtherRecord(query, expected);
	if (!queries.some(isOther)) submission.queries = queries;
	return queries;
}

/**
 * Returns the body of a 2xx without an ID that the list does not explain. Undefined where it is no response to the query:
 * neither is its response undocumented, nor has it the documented fields.
 */
function bodyToPassOn(
	{ request: { definition, journalKey }, known: { lastBodies } }: ItemSubmissionContext,
	{ state }: Unrecovered,
	response: UncertainResponse,
): ResponseWithoutId | undefined {
	if (uncertaintyReasonOfState(state) !== 'noId') return undefined;
	const body = response.body ?? lastBodies.get(journalKey) ?? {};
	const isResponse =
		definition.hasNoShownResponse ?? bodyHasAllResultFields(body, definition.queryType);
	if (!isResponse) return undefined;
	lastBodies.set(journalKey, body);
	return { kind: 'withoutId', raw: body };
}

/** The next equal request goes on with it. */
function uncertainError(
	{ request, known }: ItemSubmissionContext,
	{ state, search }: Unrecovered,
	{ problem, serviceMessage }: UncertainResponse,
): QueryError {
	const { definition, expected, sharingKey } = request;
	const { sentAt } = state;
	known.uncertainSince.set(sharingKey, sentAt);
	const [reason, count] = [uncertaintyReasonOfState(state), expected.length];
	const response = { problem, serviceMessage };
	return new QueryError({ kind: 'unsure', definition, reason, count, sentAt, search, ...response });
}

function refusal(request: QueryRequest, problem: RequestProblem): QueryError {
	const { definition, fields } = request;
	const status = problem.kind === 'status' && !problem.isTokenRefused ? problem.status : 0;
	const about = subjectOf(fields);
	const mappingKeys = suspectKeys(status, definition.queryType);
	return new QueryError({ kind: 'refused', problem, definition, about, mappingKeys });
}

async function describeUncertainty(
	{ item, request }: ItemSubmissionContext,
	{ problem, body }: Extract<SubmissionOutcome, { kind: 'uncertain' }>,
): Promise<UncertainResponse> {
	if (!body) return { problem };
	const { serviceMessage } = await item.connection();
	// the API reference shows no such body: one that repeats the credential is withheld whole
	const shown: IDataObject | undefined = serviceMessage([body]).isWithheld ? undefined : body;
	return { problem, body: shown, serviceMessage: serviceMessage(body, request.secrets) };
}
