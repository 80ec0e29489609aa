import type { Look } from '../deliveries/look';
import type { ResultWatcher } from '../deliveries/watcher';

/** What a sender is answered: a status and a reason. */
export interface Answer {
	status: 200 | 202 | 400 | 401 | 404 | 413 | 500 | 503;
	message: string;
}
export const accepted: Answer = { status: 200, message: 'Accepted' };
export const nothingNew: Answer = { status: 200, message: 'Nothing new' };
export const later: Answer = { status: 202, message: 'The result will be taken from the service' };
export const tryAgain: Answer = {
	status: 503,
	message: 'The service does not show the result yet',
};
export const tooMany: Answer = { status: 503, message: 'Too many queries are named at once' };
export const unreachable: Answer = { status: 503, message: 'The query service did not respond' };
export const starting: Answer = { status: 503, message: 'The trigger is being published' };
export const cannotAsk: Answer = {
	status: 503,
	message: 'The trigger has no credential to read the result',
};
export const notTaken: Answer = { status: 503, message: 'The result could not be taken' };
export const unknown: Answer = {
	status: 404,
	message: 'The query service does not know this query',
};

/** One answer for all: to come again if any should, else that they are taken; 404 only where all are unknown. */
export function worstOf(answers: Answer[]): Answer {
	const known = answers.filter(({ status }) => status !== 404);
	const [worst = nothingNew] = (known.length > 0 ? known : answers).sort(
		(a, b) => b.status - a.status || Number(b === accepted) - Number(a === accepted),
	);
	return worst;
}

/** What to answer about a query by what a look showed of it. */
export async function answerFor(
	{ queryId, isSaidPending }: { queryId: string; isSaidPending: boolean },
	{ queries, isListed, isWhole }: Look,
	{ settings }: ResultWatcher,
): Promise<Answer> {
	const notYet = settings.receiveBy === 'webhook' ? tryAgain : later;
	const shown = queries.get(queryId);
	if (shown === undefined) return isWhole ? unknown : notYet;
	if (shown === 'unknown') return unknown;
	if (shown === 'later') return isListed ? later : tooMany;
	if (shown === 'settled') return nothingNew;
	if (shown === 'pending') return isSaidPending ? nothingNew : notYet;
	const outcome = await shown;
	if (outcome === 'failed') return notTaken;
	return outcome === 'started' ? accepted : nothingNew;
}
