import { isTlsFault, wasNeverSent } from '../http/faults';
import type { Accepted, Method, Problem } from '../http/problem';

/** When a request may be sent again. */
export type Retry = 'never' | 'afterReset' | 'backoff' | 'newToken' | 'login';

/**
 * When a request with this problem may be sent again. A GET may always be; anything else only where the service surely
 * has not accepted it.
 */
export function retryOf(problem: Problem, method: Method): Retry {
	const mayRepeat = method === 'GET' || acceptedOf(problem, method) === 'no';
	switch (problem.kind) {
		case 'status':
			if (problem.status === 429) return 'afterReset';
			if (problem.isTokenRefused) return 'newToken';
			return method === 'GET' && isPassing(problem.status) ? 'backoff' : 'never';
		case 'network':
			return mayRepeat && !isTlsFault(problem.code) ? 'backoff' : 'never';
		case 'login':
			return problem.isPassing ? 'login' : 'never';
		case 'body':
		case 'failure':
		case 'shape':
		case 'incomplete':
		case 'rateLimit':
		case 'cancelled':
			return 'never';
	}
}

/** Statuses of a service that is slow or out of order, whatever it was asked for. */
const isPassing = (status: number) => status >= 500 || status === 408 || status === 425;

/** Whether a request that was sent and met this problem may have been accepted. */
export function acceptedOf(problem: Problem, method: Method): Accepted {
	if (method === 'GET') return 'no';
	switch (problem.kind) {
		case 'status':
			return mayFollowAcceptance(problem.status) ? 'unknown' : 'no';
		case 'network':
			return wasNeverSent(problem.code) ? 'no' : 'unknown';
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
