import type { Look } from '../trigger/pollOnce';
import type { Watcher } from '../trigger/pollingSession';

/** What a sender is answered: a status and a reason. */
export interface Answer {
	status: 200 | 202 | 400 | 401 | 404 | 413 | 415 | 500 | 503;
	message: string;
}

/** A webhook call while it is handled. */
export interface Call {
	/** What its sender is answered if the handling takes longer than it waits; 202 if its result comes in any case. */
	answerSoFar: Answer;
}

const comeAgain = (message: string): Answer => ({ status: 503, message });

export const accepted: Answer = { status: 200, message: 'Accepted' };
export const nothingNew: Answer = { status: 200, message: 'Nothing new' };
export const later: Answer = { status: 202, message: 'The next check brings the result' };
export const tryAgain = comeAgain('The service does not show the result yet');
export const tooMany = comeAgain('Too many queries are named at once');
export const unreachable = comeAgain('The query service did not respond');
export const starting = comeAgain('The trigger is being published');
export const cannotAsk = comeAgain('The trigger has no credential to read the result');
export const notTaken = comeAgain('The result could not be taken');
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
	{ settings }: Watcher,
): Promise<Answer> {
	const notYet = settings.receiveBy === 'webhook' ? tryAgain : later;
	const answers = {
		unknown,
		later: isListed ? later : tooMany,
		settled: nothingNew,
		duplicate: nothingNew,
		pending: isSaidPending ? nothingNew : notYet,
		unlisted: isWhole ? unknown : notYet,
		failed: notTaken,
		started: accepted,
	};
	return answers[(await queries.get(queryId)) ?? 'unlisted'];
}
