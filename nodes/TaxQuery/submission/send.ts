import type { RequestProblem } from '../../shared/errors/requestProblem';
import { suspectKeys } from '../client/names';
import { classifySubmissionResponse } from '../client/record';
import { findQueryById, sendBilledPost } from '../client/queryClient';
import type { QueryId, RecordOrAcknowledgement, SubmissionOutcome } from '../client/model';
import { QueryError, subjectOf } from '../errors/queryError';
import { bodyHasAllResultFields, isOtherRecord, type ResponseWithoutId } from '../output/rows';
import type { QueryRequest } from '../request/queryRequest';
import {
	noteAccepted,
	type ItemSubmissionContext,
	type Submitted,
	type RunSubmissionContext,
	type UncertainResponse,
} from './context';
import { dayOf } from './limits';
import { recover, type Unrecovered } from './recover';
import { reservationName } from './sharing';
import {
	acceptedIdsOf,
	isUncertain,
	transition,
	uncertaintyReasonOfState,
	type Submission,
} from './submissionState';

/**
 * Takes a submission to its end. When is a query sent again?
 *
 * - After a 429, with a refused token that can be renewed, after a login fault that may pass, or where the request never
 *   left: it was surely not accepted, and the connection repeats it (`shared/http/retryPolicy.ts`). Any other refusal
 *   fails the item. Its next try sends it, unless the service refused the same secret in this execution or one that it
 *   retries (`lockoutGuard.ts`).
 * - What was accepted is only read again.
 * - What may have been accepted is looked up in the list (`recover.ts`). A run, of which each try of Retry On Fail is one,
 *   sends it once more for all its items, if all of these hold: the operator chose Send Again, or another execution of this
 *   process lost it more than a minute ago (`listDecides`); its response named no query, and is none that is passed on
 *   (`bodyToPassOn`); the whole list lacks it, though this process has known of it for a minute (`isProvedMissing`); the
 *   limits allow one more.
 *
 * `obtain` in `submit.ts` decides who goes on with a lost query. Throws a QueryError if the outcome stays unknown.
 */
export async function settleSubmission(
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
	const name = reservationName(item, request, sending.reuse);
	const first = isUncertain(submission.state) ? {} : await send(context, wanted, submission, name);
	if ('queries' in first) return first;
	const isOnceMore = submission.sentAgainBy !== context.run;
	const mayBeSentAgain = (sending.sendAgain || listDecides) && isOnceMore && !first.received;
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
	if (isUncertain(next)) throw uncertainError(wanted, submission, search, first);
	submission.sentAgainBy = context.run;
	const second = await send(context, wanted, submission, again).catch((error: unknown) => {
		submission.sentAgainBy = undefined; // it was refused, or never left
		throw error as Error;
	});
	if ('queries' in second) return second;
	const found = await lookUp(context, wanted, submission, second, false);
	if ('queries' in found) return found;
	context.log.uncertain(item, request.expected.length, submission);
	throw uncertainError(wanted, submission, found, second);
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

/** Sends a query. Its state is saved at each step, and counted. Throws a QueryError if the service refuses it. */
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
	const day = await dayOf(item);
	let isSent = false;
	/** It may be called again: after a 429, or with a new token. */
	const beforeSend = () => {
		[submission.sentAt, submission.endedMoment] = [Date.now(), performance.now()];
		if (!isSent) {
			limit.sending({ name: reservation, request }, day);
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
	submission.endedMoment = performance.now();
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
export function planned(submission: Submission): Submitted {
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
export async function readAgain(
	{ request: { expected }, client, known }: ItemSubmissionContext,
	submission: Submission,
): Promise<RecordOrAcknowledgement[]> {
	const ids = acceptedIdsOf(submission.state);
	for (const id of ids) known.claim(id, submission);
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

/** The next equal request of this process goes on with it, where `obtain` lets it. */
function uncertainError(
	{ request, known }: ItemSubmissionContext,
	{ endedMoment }: Submission,
	{ state, search }: Unrecovered,
	{ problem, serviceMessage }: UncertainResponse,
): QueryError {
	const { definition, expected, sharingKey } = request;
	const { sentAt } = state;
	known.lost.set(sharingKey, { sentAt, endedMoment });
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
	const { serviceMessage, repeatsSecret } = await item.connection();
	// the API reference shows no such body: one that repeats the credential is withheld whole
	const shown = repeatsSecret(body) ? undefined : body;
	return { problem, body: shown, serviceMessage: serviceMessage(body, request.secrets) };
}
