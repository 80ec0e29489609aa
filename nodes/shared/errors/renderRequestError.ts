import { describeFault, isTlsFault, wasNeverSent, type NetworkFault } from './networkFault';
import type { Acceptance, RequestProblem, StatusProblem } from './requestProblem';
import { joinSentences } from '../utils/joinSentences';
import { ADVICE, OPERATION_PROBLEM_MEANINGS, type OperationErrorAdvice } from './advice';
import { renderLoginError } from './renderLoginError';
import { mappingHint, quoteServiceMessage, type ErrorText } from './sentences';

export interface ServiceHints {
	displayName: string;
	tokenHint: string;
	/** Advice for when nobody knows whether a POST was accepted. */
	uncertainHint: string;
}

export interface RequestFailure {
	problem: RequestProblem;
	accepted: Acceptance;
	advice?: OperationErrorAdvice;
}

/** No other place writes sentences about a request. */
export function renderRequestError(failure: RequestFailure, service: ServiceHints): ErrorText {
	const { problem, accepted, advice = {} } = failure;
	if (problem.kind === 'login') return renderLoginError(problem);
	const [message, todo] = advice.missing
		? notFoundText(advice.missing)
		: renderProblem(problem, service);
	const isUncertain = accepted === 'unknown';
	return {
		message: advice.meaning ? OPERATION_PROBLEM_MEANINGS[advice.meaning] : message,
		description: joinSentences(
			advice.meaning ? message : '',
			isUncertain ? service.uncertainHint : advice.todo ? ADVICE[advice.todo] : todo,
			mappingHint(getSuggestedMappingKeys(problem, advice)),
			problem.kind === 'status' && problem.isRepeated ? REFUSED_BEFORE : '',
			problem.kind === 'status' && problem.location ? `It leads to ${problem.location}` : '',
			quoteServiceMessage(problem),
		),
	};
}

const notFoundText = (what: string): ProblemText => [`There is no ${what}`, ADVICE.chooseAgain];

/** The operation's keys come first, then those of the path. */
export const getSuggestedMappingKeys = (
	problem: RequestProblem,
	{ mappingKeys }: OperationErrorAdvice,
): string[] => mappingKeys ?? (problem.kind === 'status' ? problem.mappingKeys : undefined) ?? [];

/** A few wrong passwords lock a person out. */
const REFUSED_BEFORE =
	'It was refused before in this execution, so it was not sent again. Correct the login, or start a new execution to send the same one';

type ProblemText = [message: string, todo: string];

function renderProblem(
	problem: Exclude<RequestProblem, { kind: 'login' }>,
	service: ServiceHints,
): ProblemText {
	const the = `The ${service.displayName}`;
	switch (problem.kind) {
		case 'status':
			if (!problem.isTokenRefused) return renderStatus(problem, the);
			return problem.isUnclear
				? [
						`${the} refused the token, or the password of this item`,
						`${service.tokenHint} Then check the password.`,
					]
				: [`${the} refused the token`, service.tokenHint];
		case 'network':
			return renderFault(problem, service.displayName);
		case 'body':
			return renderBody(problem, the);
		case 'failure':
			return [`${the} reported an error with status ${problem.status}`, ADVICE.checkItem];
		case 'shape':
			return [
				`The response of the ${service.displayName} is not ${problem.expected}`,
				'Check base URL and API Mapping of the credential. Connection → Diagnose shows what came.',
			];
		case 'incomplete':
			return renderIncomplete(problem);
		case 'rateLimit':
			return renderRateLimit(problem, the);
		case 'cancelled':
			return ['The execution was cancelled', ''];
	}
}

const STATUSES: Record<number, [what: string, todo: string] | undefined> = {
	400: ['did not accept the values sent', ADVICE.checkItem],
	401: ['did not accept the login that was sent', 'Check the login in this item.'],
	402: ['asks for payment', 'Check the balance of the account.'],
	403: ['does not allow this operation', 'Check the permissions of the token, and your contract.'],
	404: ['found nothing for what was sent', ADVICE.checkId],
	408: ['did not answer in time', ADVICE.tryLater],
	413: ['refuses a request of this size', 'Send less in this item.'],
	422: ['did not accept the values sent', ADVICE.checkItem],
	425: ['was not ready for the request', ADVICE.tryLater],
	429: ['kept reporting too many requests', 'Other programs may use the token. Try again later.'],
};

const TOO_MANY =
	'Too many requests share this token. Run fewer executions at a time, give other programs their own token, or try again later.';

function renderRateLimit(
	{ waitedMs, refusals = 0, retryAt }: Extract<RequestProblem, { kind: 'rateLimit' }>,
	the: string,
): ProblemText {
	if (retryAt !== undefined) return renderPause(the, retryAt);
	const refused =
		refusals > 0 ? `${the} answered ${times(refusals)} that there are too many requests` : '';
	return [
		`Waited ${(waitedMs / 1000).toFixed(1)} s for the rate limit, and no turn came`,
		joinSentences(refused, TOO_MANY),
	];
}

const times = (count: number) => (count === 1 ? 'once' : `${count} times`);

const renderPause = (the: string, retryAt: number): ProblemText => [
	`${the} allows no request before ${clockTime(retryAt)}`,
	'Run this again after that time. Too many requests may share this token.',
];

const clockTime = (at: number) =>
	`${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

function renderStatus(problem: StatusProblem, the: string): ProblemText {
	const { status, isFromGateway, retryAt, waitedMs = 0, refusals = 0 } = problem;
	if (retryAt !== undefined) return renderPause(the, retryAt);
	if (status === 429 && refusals > 1) {
		const what = `${times(refusals)} in ${(waitedMs / 1000).toFixed(1)} s`;
		return [`${the} kept reporting too many requests: ${what}`, TOO_MANY];
	}
	if (status === 407 || (status === 403 && isFromGateway)) {
		return [
			`A proxy or firewall refused the request to the service: status ${status}`,
			ADVICE.checkProxy,
		];
	}
	if (isFromGateway) {
		const between = `Something between n8n and the service answered with status ${status}`;
		return status === 404
			? [`${between}, or the service has no such path`, ADVICE.checkBaseUrlThenLater]
			: [between, ADVICE.checkRoute];
	}
	const known = STATUSES[status];
	if (known) return [`${the} ${known[0]}`, known[1]];
	if (status >= 500) return [`${the} failed with status ${status}`, ADVICE.tryLater];
	if (status >= 300 && status < 400) {
		return [`${the} answered with a redirect, which is not followed`, ADVICE.checkBaseUrl];
	}
	return [`${the} answered with status ${status}`, ADVICE.checkBaseUrl];
}

function renderFault(fault: NetworkFault, displayName: string): ProblemText {
	const { code, isUnsent } = fault;
	const message = describeFault(displayName, fault);
	if (isTlsFault(code)) {
		const why = 'Its certificate was not accepted, or it does not speak https.';
		return [message, joinSentences(why, ADVICE.checkNetwork)];
	}
	const isUnreached = isUnsent || wasNeverSent(code);
	return [
		message,
		joinSentences(ADVICE.tryLater, isUnreached ? ADVICE.checkNetwork : ADVICE.checkRoute),
	];
}

function renderIncomplete({
	given,
	total,
	isWhole,
}: Extract<RequestProblem, { kind: 'incomplete' }>): ProblemText {
	return total === undefined
		? [
				`Only ${given === 1 ? '1 row' : `${given} rows`} returned: the service does not report how many there are`,
				`Set 'Limit' to ${Math.max(1, given)} or less, and tell your provider.`,
			]
		: [
				`${given} of ${total} rows returned`,
				`None is output, because rows are missing. Try again; if it stays so, ${isWhole ? '' : "set 'Limit' and "}tell your provider.`,
			];
}

function renderBody(
	{ reason, maxBytes = 0 }: Extract<RequestProblem, { kind: 'body' }>,
	the: string,
): ProblemText {
	if (reason === 'tooLarge') {
		return [
			`${the} sent a response of more than ${Math.round(maxBytes / 1_048_576)} MB`,
			'Ask for less: a shorter period, fewer rows or associations.',
		];
	}
	if (reason === 'truncated') {
		return [
			`The response of ${the.replace('The', 'the')} broke off before its end`,
			ADVICE.tryLater,
		];
	}
	const what = {
		empty: 'returned an empty response',
		notJson: 'answered with something that is not JSON',
		scalar: 'answered with JSON that is neither an object nor a list',
	}[reason];
	return [
		`${the} ${what}`,
		'The base URL of the credential must lead to the service, not to a web page or proxy.',
	];
}
