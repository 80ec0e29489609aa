import type { IDataObject } from 'n8n-workflow';
import type { Item } from '../../shared/operations/operation';
import { DAY_MS } from '../../shared/utils/durations';
import { getQuery, findQueryById, itemClient, type QueryClient } from '../client/queryClient';
import type { QueryId, QueryRecord, RecordOrAcknowledgement } from '../client/model';
import { mayStillEnd } from '../client/record';
import {
	buildQueryRequest,
	isComparableWithList,
	type QueryRequest,
	type ValidatedQueryInput,
} from '../request/queryRequest';
import { accountTurns } from './account';
import {
	itemSubmissionContext,
	type ItemSubmissionContext,
	type RunSubmissionContext,
	type SubmissionOptions,
	type Submitted,
} from './context';
import { planned, readAgain, settleSubmission } from './send';
import { LIST_LAG_MS } from './sharedList';
import {
	areQueriesReusable,
	isPossibleRepeat,
	mayRepeatAnother,
	reservationName,
	sharesEqualRequests,
	type ReuseScope,
} from './sharing';
import type { Submission } from './submissionState';

interface RequestOptions extends SubmissionOptions, QueryClient {
	additionalBodyFields: IDataObject;
}

/**
 * The first half of an item's way, before anything is sent: its own query of an earlier try, else what the service's list
 * has for it; the rest is reserved below the limits. Throws a QueryError.
 */
export async function prepare(
	context: RunSubmissionContext,
	item: Item,
	whole: QueryRequest,
	input: ValidatedQueryInput,
	target: RequestOptions,
): Promise<{ reused: QueryRecord[]; parts: QueryRequest[] }> {
	const reusable = ownSubmission(context, item, whole)
		? []
		: await findReusable(item, context, whole, target.reuse);
	const missing = missingParts(input, reusable);
	const reused = missing.includes(input) ? [] : reusable.filter((one) => one !== undefined);
	const parts = missing.map((part) => buildQueryRequest(whole.definition, part, target));
	if (reused.length > 0 && parts.length > 0) {
		const ids = reusable.map((one) => one?.id ?? null);
		context.journal.reuse(item, whole.journalKey, ids);
	}
	await reserve(context, item, target, parts);
	return { reused, parts };
}

/** What an earlier try of this item has sent, or the execution that is retried; a refused one does not count. */
function ownSubmission(
	{ journal }: Pick<RunSubmissionContext, 'journal'>,
	item: Item,
	request: QueryRequest,
): Submission | undefined {
	const own = journal.own(item, request);
	return own && own.state.status !== 'planned' && own.state.status !== 'rejected' ? own : undefined;
}

/** There is one for each expected record; a further try takes those of the first. */
async function findReusable(
	item: Item,
	{ journal, past }: RunSubmissionContext,
	request: QueryRequest,
	reuse: ReuseScope | undefined,
): Promise<Array<QueryRecord | undefined>> {
	if (!isComparableWithList(request)) return [];
	const before = journal.reusedOf(item, request.journalKey);
	if (before) {
		const client = await itemClient(item);
		return await Promise.all(
			before.map(async (id) => (id === null ? undefined : await getQuery(client, id))),
		);
	}
	if (!reuse) return [];
	return await past.findReusable(item, request, reuse, reuse.isRetry === true && journal.isEmpty);
}

/** These are all of the input, or what no reusable record covers. */
function missingParts(
	input: ValidatedQueryInput,
	reusable: Array<QueryRecord | undefined>,
): ValidatedQueryInput[] {
	const { records, only } = input;
	if (records && only) return only(records.filter((_, index) => !reusable[index]));
	return reusable.length > 0 && reusable.every(Boolean) ? [] : [input];
}

/** Throws a QueryError where they are too many. */
async function reserve(
	{ journal, limit }: RunSubmissionContext,
	item: Item,
	sending: SubmissionOptions,
	requests: QueryRequest[],
): Promise<void> {
	const isShared = sharesEqualRequests(sending.reuse);
	const needsNone = (request: QueryRequest) =>
		ownSubmission({ journal }, item, request) !== undefined ||
		(isShared && journal.register.isSubmitted(request.sharingKey, item.run));
	const planned = requests
		.filter((request) => !needsNone(request))
		.map((request) => ({ name: reservationName(item, request, sending.reuse), request }));
	await limit.plan(item, sending, planned);
}

/**
 * The second half: obtains an item's query as `obtain` says. Equal requests to an account take turns, so that each finds
 * what the one before has sent, and a lost query has no double in flight. Throws a QueryError.
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

/**
 * The first of these: its own, that of its execution, a lost one of its execution, one of another execution of this
 * process, a new one. `sharing.ts` says who takes which; `settleSubmission` sends, and sends again.
 */
async function obtain(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
): Promise<Submitted> {
	const { run, journal, limit } = context;
	const { item, request, sending, client } = wanted;
	const own = ownSubmission(context, item, request);
	if (own) return context.isPreview ? planned(own) : await settleSubmission(context, wanted, own);
	const isShared = sharesEqualRequests(sending.reuse);
	const shared = isShared ? await queriesOfExecution(context, wanted) : undefined;
	if (shared) return { queries: shared, how: 'reused' };
	const lost = journal.register
		.uncertain(request.sharingKey)
		.find((one) => isShared || isPossibleRepeat(run, one));
	if (lost) {
		if (isShared) journal.join(item, lost);
		return await settleSubmission(context, wanted, lost, isLostElsewhere(context, lost));
	}
	const elsewhere = await obtainElsewhere(context, wanted);
	if (elsewhere) return elsewhere;
	const name = reservationName(item, request, sending.reuse);
	await limit.plan(item, sending, [{ name, request }]); // an equal one may have used up what was planned
	return await settleSubmission(context, wanted, journal.begin(item, request, client.accountKey));
}

/** Its request ended so long ago that the list would show it. */
const isLostElsewhere = (
	{ run }: RunSubmissionContext,
	{ executionId, endedMoment }: Submission,
): boolean => executionId !== run.executionId && performance.now() - endedMoment >= LIST_LAG_MS;

const aDayAgo = () => Date.now() - DAY_MS;

const hasEnded = (query: RecordOrAcknowledgement) =>
	query.kind === 'record' && !mayStillEnd(query.state);

/** A query that has failed since another run saw it pending does not count. */
async function queriesOfExecution(
	{ run, journal }: RunSubmissionContext,
	wanted: ItemSubmissionContext,
): Promise<RecordOrAcknowledgement[] | undefined> {
	const accepted = journal.register.findAccepted(wanted.request.sharingKey, run);
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
	if (reuse?.since === undefined && !mayRepeatAnother(context.run)) return undefined;
	const accepted = reuse && (await acceptedElsewhere(context, wanted, reuse));
	if (accepted) return { queries: accepted, how: 'reused' };
	const lost = known.lost.get(request.sharingKey);
	if (!lost || lost.sentAt < (reuse?.since ?? aDayAgo())) return undefined;
	if (context.isPreview) return { queries: [], how: 'lost' }; // to find it is for the run that needs it
	const submission = context.journal.begin(item, request, client.accountKey);
	Object.assign(submission, lost);
	submission.save({ status: 'inFlight', sentAt: lost.sentAt });
	const listDecides = performance.now() - lost.endedMoment >= LIST_LAG_MS;
	return await settleSubmission(context, wanted, submission, listDecides);
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
