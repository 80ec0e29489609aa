import type { OperationItemContext } from '../../shared/operations/operation';
import type { QueryRequest } from '../request/queryRequest';
import { queryClientOfItem } from '../client/queryClient';
import type { QueryId, RecordOrAcknowledgement, QueryRecord } from '../client/queryModel';
import { QueryError } from '../errors/queryError';
import { buildRecordMismatchProblem, type ObtainedQuery } from '../output/outcomeRows';
import {
	isOtherQuery,
	createItemSubmissionContext,
	type SpendingAndReuseOptions,
	type RunSubmissionContext,
} from './runSubmissionContext';
import { billedQueryRegistryOfClient } from './billedQueryRegistry';
import { recoverSubmission, acceptWantedQueriesOfResponse } from './recoverSubmission';
import { areQueriesReusable, type Submission } from './submissionRegister';

/**
 * Accepts the records read for an item's queries if none of them is surely another query. Else the submission is
 * uncertain again, and recovered. Throws a QueryError if that fails.
 */
export async function recoverIfRecordsMismatch(
	context: RunSubmissionContext,
	item: OperationItemContext,
	request: QueryRequest,
	sending: SpendingAndReuseOptions,
	read: ObtainedQuery[],
): Promise<ObtainedQuery[]> {
	const { journal } = context;
	const { register } = journal;
	const { expected, sharingKey } = request;
	const submission = journal.own(item, request) ?? register.findByShare(sharingKey, idsIn(read));
	const queries = queriesIn(read);
	if (queries.every((query) => !isOtherQuery(query, expected))) {
		if (submission && queries.length > 0) submission.queries = queries;
		if (!areQueriesReusable(queries)) {
			billedQueryRegistryOfClient((await queryClientOfItem(item)).clientKey).lastAccepted.delete(
				sharingKey,
			);
		}
		return read;
	}
	if (!submission || submission.sentAt === 0) return read;
	return await register.locks.exclusive(`own ${sharingKey}`, async () => {
		const { state } = submission;
		const isKnown =
			state.status !== 'accepted' || !state.ids.every((id) => idsIn(read).includes(id));
		if (isKnown && submission.queries) return recovered(submission.queries);
		return await replaceOther(context, item, request, sending, submission, read);
	});
}

/** Recovers the queries of a submission whose IDs lead to other ones. */
async function replaceOther(
	context: RunSubmissionContext,
	item: OperationItemContext,
	request: QueryRequest,
	sending: SpendingAndReuseOptions,
	submission: Submission,
	read: ObtainedQuery[],
): Promise<ObtainedQuery[]> {
	const wanted = await createItemSubmissionContext(item, request, sending);
	const { definition, expected, contentHash, sharingKey } = request;
	const { client, known } = wanted;
	const received = queriesIn(read);
	const { sentAt } = submission;
	const ids = received.map(({ id }) => id);
	context.journal.register.release(client.accountKey, ids);
	for (const id of ids) known.release(id);
	known.lastAccepted.delete(sharingKey);
	submission.queries = undefined;
	submission.save({
		status: 'uncertain',
		sentAt,
		contentHash: submission.contentHash || contentHash,
		reason: 'otherQuery',
	});
	const recovery = await recoverSubmission(context, wanted, submission, false);
	if ('queries' in recovery) return recovered(recovery.queries);
	if (await acceptWantedQueriesOfResponse(context, wanted, submission, received)) return read;
	context.log.uncertain(item, expected.length);
	known.uncertainSince.set(sharingKey, sentAt);
	const other = received.find((query) => isOtherQuery(query, expected)) as QueryRecord;
	const problem = buildRecordMismatchProblem(other, { definition, expected });
	throw new QueryError({ ...problem, search: recovery.search });
}

const queriesIn = (outcomes: ObtainedQuery[]): RecordOrAcknowledgement[] =>
	outcomes.flatMap(({ query }) => (query.kind === 'withoutId' ? [] : [query]));

const idsIn = (outcomes: ObtainedQuery[]): QueryId[] => queriesIn(outcomes).map(({ id }) => id);

const recovered = (queries: RecordOrAcknowledgement[]): ObtainedQuery[] =>
	queries.map((query) => ({ query, how: 'recovered' }));
