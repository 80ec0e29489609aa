import type { IDataObject } from 'n8n-workflow';
import type { QueryRequest } from '../request/queryRequest';
import { findQueryById } from '../client/queryClient';
import type { QueryId, RecordOrAcknowledgement } from '../client/queryModel';
import { QueryError, type RecoverySearchResult } from '../errors/queryError';
import {
	bodyHasAllResultFields,
	buildRecordMismatchProblem,
	type ResponseWithoutId,
} from '../output/outcomeRows';
import {
	isOtherQuery,
	spendingReservationName,
	type ReuseOrSubmitResult,
	type RunSubmissionContext,
	type UncertainResponse,
	type ItemSubmissionContext,
} from './runSubmissionContext';
import {
	uncertaintyReasonOfState,
	acceptedIdsOf,
	isAcceptanceUnknown,
	transition,
	type AcceptanceUnknownState,
} from './submissionState';
import { recoverSubmission, acceptWantedQueriesOfResponse } from './recoverSubmission';
import type { Submission } from './submissionRegister';
import { attemptSubmission } from './attemptSubmission';

/** Who may send a query of uncertain outcome again once the whole list surely lacks it. */
export interface ResendRights {
	/** The query was lost by another execution, long enough ago for the list to show it. */
	listDecides?: boolean;
}

/** A round sends the query, or takes up an earlier sending, and then searches the list for it. */
const MAX_ROUNDS = 3;

/**
 * Takes a submission to its end: sent once, and recovered from the list where nobody knows whether it was accepted. It
 * is sent again only where the operator allows that. Within one sending, `retryPolicy.ts` decides when a request that
 * surely was not accepted is repeated. Throws a QueryError if the outcome stays uncertain.
 */
export async function submitAndRecover(
	context: RunSubmissionContext,
	wanted: ItemSubmissionContext,
	submission: Submission,
	{ listDecides = false }: ResendRights = {},
): Promise<ReuseOrSubmitResult> {
	const { item, request, sending } = wanted;
	if (submission.state.status === 'accepted') {
		context.log.accepted(item, submission.state.ids, true);
		return { queries: await rereadAcceptedQueries(wanted, submission), how: 'resumed' };
	}
	const isEarlier = isAcceptanceUnknown(submission.state);
	const name = spendingReservationName(context, item, request, sending);
	let uncertainty: UncertainResponse | undefined = isEarlier ? {} : undefined;
	for (let round = 1; ; round++) {
		if (!uncertainty) {
			const reservation = round === 1 ? name : `${name} ${round - 1}`;
			const posted = await attemptSubmission(context, wanted, submission, reservation);
			if ('queries' in posted) return { queries: posted.queries, how: 'sent' };
			uncertainty = posted;
		}
		const isOthers = listDecides && round === 1;
		const isAllowed = sending.sendAgain || isOthers;
		const mayBeSentAgain = isAllowed && round < MAX_ROUNDS && !uncertainty.received;
		const recovery = await recoverSubmission(context, wanted, submission, mayBeSentAgain);
		if ('queries' in recovery) return { queries: recovery.queries, how: 'recovered' };
		const { state, search, isProvedMissing } = recovery;
		const body = bodyToPassOn(wanted, state, uncertainty);
		if (body) return { queries: [body], how: isEarlier ? 'resumed' : 'sent' };
		const own = await acceptWantedQueriesOfResponse(
			context,
			wanted,
			submission,
			uncertainty.received,
		);
		if (own) return { queries: own, how: 'sent' };
		// and stays so, whatever is sent after it; another execution's is not this one's
		if (!isOthers || !isProvedMissing) context.log.uncertain(item, request.expected.length);
		const isPlanned =
			mayBeSentAgain &&
			isProvedMissing &&
			(await reserveAnotherSend(context, wanted, `${name} ${round}`));
		const next = isPlanned
			? transition(state, { type: 'sendAgain' }, request.expected.length)
			: state;
		if (isAcceptanceUnknown(next)) {
			wanted.known.uncertainSince.set(request.sharingKey, state.sentAt);
			throw uncertainError(request, state, search, uncertainty);
		}
		if (!isOthers) saveUncertainStateBesideNext(context, wanted, submission, state, round);
		uncertainty = undefined;
	}
}

/** Reserves a further sending, if the limits allow it. */
const reserveAnotherSend = async (
	{ limit }: RunSubmissionContext,
	{ item, request, sending }: ItemSubmissionContext,
	name: string,
): Promise<boolean> =>
	await limit.plan(item, sending, [{ name, request }]).then(
		() => true,
		() => false,
	);

/** Saves the uncertain state beside that of the next sending. */
function saveUncertainStateBesideNext(
	{ journal }: RunSubmissionContext,
	{ item, request, client }: ItemSubmissionContext,
	{ sentAt }: Submission,
	state: AcceptanceUnknownState,
	round: number,
): void {
	const beside = journal.begin(item, request, client.accountKey, ` ${round}`);
	beside.sentAt = sentAt;
	beside.save(state);
}

/** Reads what was accepted before, as the service shows it now. */
export async function rereadAcceptedQueries(
	{ request: { expected }, client, known }: ItemSubmissionContext,
	submission: Submission,
): Promise<RecordOrAcknowledgement[]> {
	const ids = acceptedIdsOf(submission.state);
	for (const id of ids) known.claim(id, 0);
	const missing = (id: QueryId): RecordOrAcknowledgement => ({
		kind: 'acknowledged',
		id,
		raw: { queryId: id },
	}); // not there yet
	const queries = await Promise.all(
		ids.map(async (id) => (await findQueryById(client, id)) ?? missing(id)),
	);
	if (queries.every((query) => !isOtherQuery(query, expected))) submission.queries = queries;
	return queries;
}

/**
 * Returns the body of a 2xx without an ID that the list does not explain. Undefined where it is no response to the query:
 * neither is its response undocumented, nor has it the documented fields.
 */
function bodyToPassOn(
	{ request: { definition, journalKey: key }, known: { lastBodies } }: ItemSubmissionContext,
	state: AcceptanceUnknownState,
	{ body }: UncertainResponse,
): ResponseWithoutId | undefined {
	if (uncertaintyReasonOfState(state) !== 'noId') return undefined;
	const raw: IDataObject = body ?? lastBodies.get(key) ?? {};
	if (!definition.hasNoShownResponse && !bodyHasAllResultFields(raw, definition.queryType))
		return undefined;
	lastBodies.set(key, raw);
	return { kind: 'withoutId', raw };
}

function uncertainError(
	{ definition, expected }: QueryRequest,
	state: AcceptanceUnknownState,
	search: RecoverySearchResult,
	{ received, problem, serviceMessage }: UncertainResponse,
): QueryError {
	const other = received?.find((query) => isOtherQuery(query, expected));
	if (other?.kind === 'record') {
		return new QueryError({
			...buildRecordMismatchProblem(other, { definition, expected }),
			search,
		});
	}
	const [why, count, sentAt] = [uncertaintyReasonOfState(state), expected.length, state.sentAt];
	return new QueryError({
		kind: 'unsure',
		definition,
		reason: why,
		count,
		sentAt,
		search,
		problem,
		serviceMessage,
	});
}
