import { isTlsFault, wasNeverSent } from '../http/faults';
import type { Accepted, Method, Problem } from '../http/problem';
import { backoffMs } from '../utils/backoff';

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

/** Statuses of a service that is slow or out of order. */
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

/** How often a request is sent at most because of a fault that may pass. */
const MAX_ATTEMPTS = 5;
/** How long its faults may go on in all, a 429 within its reset aside. */
const TROUBLE_MS = 60_000;
/** The longest pause of a request that waits for a login. */
const LOGIN_PAUSE_MS = 2_000;

/** How a request is sent again, and after which pause. */
interface Repeat {
	how: Exclude<Retry, 'never'>;
	pauseMs: number;
}

/** How often and how long one request is sent again. Times are by a clock that nobody sets. */
export class Patience {
	private faults = 0;
	private logins = 0;
	private renewals = 0;
	private troubledSince?: number;

	/** `until`: when it ends, whatever the request met. */
	constructor(
		private readonly method: Method,
		private readonly until: number,
	) {}

	/** How it is sent again after this problem; undefined if not at all. The service may want a pause of `busyMs`. */
	after(problem: Problem, now: number, busyMs?: number): Repeat | undefined {
		const how = retryOf(problem, this.method);
		if (how !== 'afterReset') this.troubledSince ??= now;
		if (now >= this.until) return undefined;
		const calmMs = TROUBLE_MS - (now - (this.troubledSince ?? now));
		switch (how) {
			case 'never':
				return undefined;
			case 'afterReset':
				return { how, pauseMs: 0 }; // the rate limiter waits for the reset
			case 'newToken':
				return ++this.renewals === 1 ? { how, pauseMs: 0 } : undefined;
			case 'login':
				return calmMs > 0 ? { how, pauseMs: backoffMs(++this.logins, LOGIN_PAUSE_MS) } : undefined;
			case 'backoff': {
				const mayRepeat = ++this.faults < MAX_ATTEMPTS && calmMs > (busyMs ?? 0);
				return mayRepeat ? { how, pauseMs: busyMs ?? backoffMs(this.faults) } : undefined;
			}
		}
	}
}
