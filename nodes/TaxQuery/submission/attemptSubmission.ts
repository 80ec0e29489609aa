import { momentGetterDespiteClockChange } from '../../shared/http/clockOffset';
import type { RequestProblem } from '../../shared/http/requestErrorAndResultTypes';
import type { QueryRequest } from '../request/queryRequest';
import { sendBilledPost } from '../client/queryClient';
import { suspectMappingKeysOfRefusal } from '../client/applyApiMappingToQueries';
import { classifySubmissionResponse } from '../client/parseQueryRecord';
import type { SubmissionOutcome, RecordOrAcknowledgement } from '../client/queryModel';
import { QueryError } from '../errors/queryError';
import {
	isOtherQuery,
	type RunSubmissionContext,
	type UncertainResponse,
	type ItemSubmissionContext,
} from './runSubmissionContext';
import { isAcceptanceUnknown, transition } from './submissionState';
import { billedQueryRegistryOfClient } from './billedQueryRegistry';
import type { Submission } from './submissionRegister';

/**
 * Makes one submission, while nobody recovers one like it. Its request repeats only while the service surely has not
 * accepted it. Its state is saved at each step, and counted. Throws a QueryError if the service refuses it.
 */
export async function attemptSubmission(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
	submission: Submission,
	reservation: string,
): Promise<{ queries: RecordOrAcknowledgement[] } | UncertainResponse> {
	const { sendLocks } = billedQueryRegistryOfClient(wanted.client.accountKey);
	const sending = async () => {
		submission.isInFlight = true;
		try {
			return await send(context, wanted, submission, reservation);
		} finally {
			submission.isInFlight = false;
		}
	};
	return await sendLocks.shared(wanted.request.journalKey, sending);
}

async function send(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
	submission: Submission,
	reservation: string,
): Promise<{ queries: RecordOrAcknowledgement[] } | UncertainResponse> {
	const { item, request, client } = wanted;
	const { definition, journalKey: key, path, body, secrets, expected } = request;
	const count = expected.length;
	const tracked = trackSending(context, request, submission, reservation);
	const takeBack = async () => {
		tracked.undo();
		const refused = { ...submission, state: { status: 'rejected' } as const };
		await context.limit.ended(item, reservation, request, refused);
	};
	const emptyAs = definition.hasNoResult ? { message: '' } : undefined;
	const { beforeSend } = tracked;
	const httpRequest = { method: 'POST' as const, path, body, secrets, beforeSend, emptyAs };
	const result = await sendBilledPost(item, { ...httpRequest, secretOf: key }).catch(
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
	tracked.save();
	const received = response.kind === 'accepted' ? response.queries : [];
	const isOwn = received.every((query) => !isOtherQuery(query, expected));
	const isWhole = received.length === 0 || received.length === count;
	const posted: SubmissionOutcome =
		isOwn && isWhole ? response : { kind: 'uncertain', reason: 'otherQuery' };
	submission.save(transition(submission.state, { type: 'response', posted }, count));
	await context.limit.ended(item, reservation, request, submission);
	if (posted.kind === 'uncertain') {
		return {
			...(await describeUncertainty(wanted, posted)),
			...(posted !== response && { received }),
		};
	}
	registerAcceptedQueries(
		context,
		wanted,
		submission,
		received as RecordOrAcknowledgement[],
		tracked.sentAt(),
	);
	return { queries: received as RecordOrAcknowledgement[] };
}

/** Saves when a query goes to its socket, which may happen again: after a 429, or with a new token. */
function trackSending(
	{ journal, limit }: RunSubmissionContext,
	{ expected, contentHash }: QueryRequest,
	submission: Submission,
	reservation: string,
) {
	const count = expected.length;
	const before = submission.state;
	let isSent = false;
	/** Uses the current clock, in case it was set meanwhile. */
	let sentAt = momentGetterDespiteClockChange();
	const save = () => {
		submission.sentAt = sentAt();
		submission.save({ status: 'inFlight', sentAt: sentAt(), contentHash });
	};
	return {
		sentAt: () => sentAt(),
		save,

		beforeSend() {
			sentAt = momentGetterDespiteClockChange();
			submission.sentMoment = performance.now();
			if (!isSent) {
				limit.sending(reservation);
				journal.count(count);
			}
			isSent = true;
			save();
		},

		/** Restores the state before, because the request was surely not accepted. */
		undo() {
			if (isSent) journal.count(-count);
			submission.save(isAcceptanceUnknown(before) ? before : { status: 'rejected' });
		},
	};
}

/** Notes the queries of a submission: for its item, its execution and this process. */
export function registerAcceptedQueries(
	{ journal, log }: RunSubmissionContext,
	{ item, request, client, known }: ItemSubmissionContext,
	submission: Submission,
	queries: RecordOrAcknowledgement[],
	sentAt: number,
): void {
	const ids = queries.map(({ id }) => id);
	for (const id of ids) known.claim(id, sentAt);
	journal.register.claim(client.accountKey, ids);
	submission.queries = queries;
	log.accepted(item, ids);
	known.lastAccepted.set(request.sharingKey, {
		at: performance.now(),
		atClock: Date.now(),
		queries,
	});
	known.uncertainSince.delete(request.sharingKey);
}

function refusal(request: QueryRequest, problem: RequestProblem): QueryError {
	const { definition, fields } = request;
	const about = (['curp', 'rfc'] as const).find((name) => name in fields);
	const status = problem.kind === 'status' && !problem.isTokenRefused ? problem.status : 0;
	const mappingKeys = suspectMappingKeysOfRefusal(status, definition.queryType);
	return new QueryError({ kind: 'refused', problem, definition, about, mappingKeys });
}

async function describeUncertainty(
	{ item, request }: ItemSubmissionContext,
	{ problem, body }: Extract<SubmissionOutcome, { kind: 'uncertain' }>,
): Promise<UncertainResponse> {
	if (!body) return { problem };
	const { serviceMessage } = await item.connection();
	// the API reference shows no such body: one that repeats the credential is withheld whole
	const shown = serviceMessage([body]).isWithheld ? undefined : body;
	return { problem, body: shown, serviceMessage: serviceMessage(body, request.secrets) };
}
