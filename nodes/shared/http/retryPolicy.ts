import { isTlsFault, wasNeverSent } from '../errors/networkFault';
import type { Acceptance, Method, RequestProblem } from '../errors/requestProblem';
import { backoffMs } from '../utils/backoff';

export type RetryCondition = 'never' | 'afterReset' | 'backoff' | 'newToken' | 'login';

/**
 * A GET may be sent again after faults that may pass; anything else only where the service surely has not accepted
 * it.
 */
export function retryCondition(problem: RequestProblem, method: Method): RetryCondition {
	const mayRepeat = method === 'GET' || acceptanceOf(problem, method) === 'no';
	switch (problem.kind) {
		case 'status':
			if (problem.status === 429) return 'afterReset';
			if (problem.isTokenRefused) return problem.isUnclear ? 'never' : 'newToken';
			return method === 'GET' && isPassing(problem.status) ? 'backoff' : 'never';
		case 'network':
			return mayRepeat && !isTlsFault(problem.code) ? 'backoff' : 'never';
		case 'login':
			return problem.isPassing ? 'login' : 'never';
		case 'body':
			return method === 'GET' && isBrokenTransfer(problem) ? 'backoff' : 'never';
		case 'failure':
		case 'shape':
		case 'incomplete':
		case 'rateLimit':
		case 'cancelled':
			return 'never';
	}
}

/** A transfer that broke: its body does not parse, and is no web page. */
const isBrokenTransfer = ({
	reason,
	status,
	isPage,
}: Extract<RequestProblem, { kind: 'body' }>): boolean =>
	reason === 'truncated' ||
	(reason === 'notJson' && !isPage) ||
	(reason === 'empty' && status !== 204);

/** Statuses of a service that is slow or out of order. */
const isPassing = (status: number) => status >= 500 || status === 408 || status === 425;

/** The request was sent. */
export function acceptanceOf(problem: RequestProblem, method: Method): Acceptance {
	if (method === 'GET') return 'no';
	switch (problem.kind) {
		case 'status':
			return mayFollowAcceptance(problem.status) ? 'unknown' : 'no';
		case 'network':
			return problem.isUnsent || wasNeverSent(problem.code) ? 'no' : 'unknown';
		case 'body':
		case 'failure':
		case 'shape':
		case 'incomplete':
		case 'cancelled':
			return 'unknown';
		case 'login':
		case 'rateLimit':
			return 'no';
	}
}

/**
 * A redirect leads to what was made, unless it says that the request belongs elsewhere (301, 307, 308). 408 is what
 * some gateways say when the service behind them takes too long.
 */
function mayFollowAcceptance(status: number): boolean {
	const isElsewhere = [301, 307, 308].includes(status);
	return status >= 500 || status === 408 || (status >= 300 && status < 400 && !isElsewhere);
}

/** Only faults that may pass count. */
const MAX_REQUEST_ATTEMPTS = 5;
/** Covers all faults of a request, apart from a 429 within its reset. */
const MAX_FAULT_MS = 60_000;
/** The longest pause of a request that waits for a login. */
const LOGIN_PAUSE_MS = 2_000;

interface RetryStep {
	how: Exclude<RetryCondition, 'never'>;
	pauseMs: number;
}

/**
 * The returned function decides after each problem how the request is sent again, or undefined for not at all. The
 * service may demand a pause of `busyMs`. Times are by a monotonic clock. It ends at `until` in any case.
 */
export function newRetryPolicy(method: Method, until: number) {
	let [faults, logins, renewals] = [0, 0, 0];
	let troubledSince: number | undefined;
	return (problem: RequestProblem, now: number, busyMs = 0): RetryStep | undefined => {
		const how = retryCondition(problem, method);
		if (how === 'never' || now >= until) return undefined;
		// the rate limiter waits for the reset
		if (how === 'afterReset') return now + busyMs < until ? { how, pauseMs: 0 } : undefined;
		troubledSince ??= now;
		if (now - troubledSince + busyMs >= MAX_FAULT_MS) return undefined;
		// another n8n of the same client may log in again and again, which ends this one's token
		if (how === 'newToken') return { how, pauseMs: renewals++ === 0 ? 0 : backoffMs(renewals - 1) };
		if (how === 'login') return { how, pauseMs: backoffMs(++logins, LOGIN_PAUSE_MS) };
		if (++faults === MAX_REQUEST_ATTEMPTS) return undefined;
		return { how, pauseMs: busyMs || backoffMs(faults) };
	};
}
