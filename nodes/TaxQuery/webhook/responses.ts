import type { PollResult } from '../trigger/pollOnce';
import type { PollingSession } from '../trigger/pollingSession';

export interface WebhookResponse {
	status: 200 | 202 | 400 | 401 | 404 | 413 | 415 | 500 | 503;
	message: string;
}

/** A webhook call while it is handled. */
export interface ProvisionalResponse {
	/** The response if handling takes longer than the sender waits; 202 if its result comes in any case. */
	responseSoFar: WebhookResponse;
}

const retryResponse = (message: string): WebhookResponse => ({ status: 503, message });

export const accepted: WebhookResponse = { status: 200, message: 'Accepted' };
export const nothingNew: WebhookResponse = { status: 200, message: 'Nothing new' };
export const resultByNextPoll: WebhookResponse = {
	status: 202,
	message: 'The next check brings the result',
};
export const notShownYet = retryResponse('The service does not show the result yet');
export const tooMany = retryResponse('Too many queries are named at once');
export const unreachable = retryResponse('The query service did not respond');
export const starting = retryResponse('The trigger is being published');
export const noCredential = retryResponse('The trigger has no credential to read the result');
export const failed = retryResponse('The result could not be taken');
export const unknownToService: WebhookResponse = {
	status: 404,
	message: 'The query service does not know this query',
};

/** Returns one response for all: retry if any should, otherwise accepted. 404 only if all are unknown. */
export function combineResponses(responses: WebhookResponse[]): WebhookResponse {
	const known = responses.filter(({ status }) => status !== 404);
	const [worst = nothingNew] = (known.length > 0 ? known : responses).sort(
		(a, b) => b.status - a.status || Number(b === accepted) - Number(a === accepted),
	);
	return worst;
}

/** Returns the response about a query, by its progress in a poll. */
export async function responseForQuery(
	{ queryId, isReportedPending }: { queryId: string; isReportedPending: boolean },
	{ queries, isListed, isWhole }: PollResult,
	{ settings }: PollingSession,
): Promise<WebhookResponse> {
	const notYet = settings.receiveBy === 'webhook' ? notShownYet : resultByNextPoll;
	const responses = {
		unknown: unknownToService,
		later: isListed ? resultByNextPoll : tooMany,
		settled: nothingNew,
		duplicate: nothingNew,
		pending: isReportedPending ? nothingNew : notYet,
		unlisted: isWhole ? unknownToService : notYet,
		failed: failed,
		started: accepted,
	};
	return responses[(await queries.get(queryId)) ?? 'unlisted'];
}
