import type { PollReport } from '../trigger/pollOnce';
import type { PollingSession } from '../trigger/pollingSession';

export interface ResponseToSender {
	status: 200 | 202 | 400 | 401 | 404 | 413 | 500 | 503;
	message: string;
}

/** A webhook call while it is handled. */
export interface ResponseOnTimeout {
	/** The response if handling takes longer than the sender waits; 202 if its result comes in any case. */
	responseSoFar: ResponseToSender;
}

const retryResponse = (message: string): ResponseToSender => ({ status: 503, message });

export const accepted: ResponseToSender = { status: 200, message: 'Accepted' };
export const nothingNew: ResponseToSender = { status: 200, message: 'Nothing new' };
export const resultByNextPoll: ResponseToSender = {
	status: 202,
	message: 'The next check brings the result',
};
export const resultNotYetAtServiceRetryLater = retryResponse(
	'The service does not show the result yet',
);
export const overloadedRetryLater = retryResponse('Too many queries are named at once');
export const unreachable = retryResponse('The query service did not respond');
export const triggerBeingPublished = retryResponse('The trigger is being published');
export const noQueryCredential = retryResponse('The trigger has no credential to read the result');
export const failed = retryResponse('The result could not be taken');
export const unknownToService: ResponseToSender = {
	status: 404,
	message: 'The query service does not know this query',
};

/** Returns one response for all: retry if any should, otherwise accepted. 404 only if all are unknown. */
export function combineResponsesToSender(responses: ResponseToSender[]): ResponseToSender {
	const known = responses.filter(({ status }) => status !== 404);
	const [worst = nothingNew] = (known.length > 0 ? known : responses).sort(
		(a, b) => b.status - a.status || Number(b === accepted) - Number(a === accepted),
	);
	return worst;
}

/** Returns the response about a query, by its progress in a poll. */
export async function chooseResponseToSender(
	{ queryId, isReportedPending }: { queryId: string; isReportedPending: boolean },
	{ queries, isListed, isWhole }: PollReport,
	{ settings }: PollingSession,
): Promise<ResponseToSender> {
	const notYet =
		settings.receiveBy === 'webhook' ? resultNotYetAtServiceRetryLater : resultByNextPoll;
	const responses = {
		unknown: unknownToService,
		later: isListed ? resultByNextPoll : overloadedRetryLater,
		settled: nothingNew,
		duplicate: nothingNew,
		pending: isReportedPending ? nothingNew : notYet,
		unlisted: isWhole ? unknownToService : notYet,
		failed: failed,
		started: accepted,
	};
	return responses[(await queries.get(queryId)) ?? 'unlisted'];
}
