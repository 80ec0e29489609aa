export interface ResponseToSender {
	status: 200 | 202 | 400 | 401 | 404 | 413 | 500 | 503;
	message: string;
}

/** What becomes of a query that a webhook call names. */
export type Fate =
	| 'started'
	| 'nothingNew'
	/** A later check brings the result, whatever happens to this call. */
	| 'onList'
	| 'unknown'
	/** Only a repeated call brings the result. */
	| 'notYet'
	| 'busy'
	| 'unreachable'
	| 'notStarted'
	| 'noTrigger'
	| 'noCredential';

/** A 2xx means that the result is durable: n8n has it, or the list brings it. After a 503 the sender repeats the call. */
export const RESPONSES: Record<Fate, ResponseToSender> = {
	started: { status: 200, message: 'Accepted' },
	nothingNew: { status: 200, message: 'Nothing new' },
	onList: { status: 202, message: 'The next check brings the result' },
	unknown: { status: 404, message: 'The query service does not know this query' },
	notYet: { status: 503, message: 'The service does not show the result yet' },
	busy: { status: 503, message: 'Too many queries are named at once' },
	unreachable: { status: 503, message: 'The query service did not respond' },
	notStarted: { status: 503, message: 'The result could not be taken' },
	noTrigger: { status: 503, message: 'No published trigger takes the result in this process' },
	noCredential: { status: 503, message: 'The trigger has no credential to read the result' },
};

/** The sender is to retry if any query needs it. 404 means that all are unknown. */
export function respond(fates: Fate[]): ResponseToSender {
	const known = fates.filter((fate) => fate !== 'unknown');
	const [worst = RESPONSES.nothingNew] = (known.length > 0 ? known : fates)
		.map((fate) => RESPONSES[fate])
		.sort(
			(a, b) =>
				b.status - a.status || Number(b === RESPONSES.started) - Number(a === RESPONSES.started),
		);
	return worst;
}
