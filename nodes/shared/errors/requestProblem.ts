import type { IDataObject } from 'n8n-workflow';

/** The service's own message, withheld if it repeats a secret. */
export interface ServiceMessage {
	serviceMessage?: string;
	isWithheld?: true;
	/** Names of the request in the service's own logs: "x-request-id: 7f3a". */
	requestIds?: string[];
}

interface RateLimitWait {
	/** The service wants no other request before this moment. */
	retryAt?: number;
	/** Milliseconds since the request began, and the number of 429 responses. */
	waitedMs?: number;
	refusals?: number;
}

export const toServiceMessageData = ({
	serviceMessage,
	isWithheld,
	requestIds,
	retryAt,
	waitedMs,
	refusals,
}: ServiceMessage & RateLimitWait): IDataObject => ({
	...(serviceMessage && { serviceMessage }),
	...(isWithheld && { isWithheld }),
	...(requestIds && { requestIds }),
	...(retryAt !== undefined && { retryAt: new Date(retryAt).toISOString() }),
	...(refusals !== undefined && { waitedMs, refusals }),
});

/** The reason why a request gave no usable body. It is data only; the folder's text modules write the sentences. */
export type RequestProblem = ServiceMessage &
	(
		| StatusProblem
		/** The connection failed; '' where the host gives no code. `isUnsent`: it was never open. */
		| { kind: 'network'; code: string; isUnsent?: true }
		| { kind: 'body'; reason: BodyProblemReason; status: number; maxBytes?: number; isPage?: true }
		/** A 2xx whose body reports a failure: `success` false, or errors that are filled. */
		| { kind: 'failure'; status: number }
		/** A body of another shape than the API reference's; `expected` is a noun: "a list of collections". */
		| { kind: 'shape'; expected: string }
		/**
		 * A list ended before all rows that it reports; `total` is undefined where it reports none. `isWhole`: it comes at
		 * once, and has no Limit.
		 */
		| { kind: 'incomplete'; given: number; total?: number; isWhole?: true }
		/** No access token came, so nothing else was sent. */
		| TokenRequestProblem
		/** The request got no turn in time; `refusals` counts the 429 responses before. */
		| { kind: 'rateLimit'; waitedMs: number; refusals?: number; retryAt?: number }
		| { kind: 'cancelled' }
	);

/** `truncated`: a text that begins as JSON does. */
type BodyProblemReason = 'empty' | 'truncated' | 'notJson' | 'scalar' | 'tooLarge';

export interface StatusProblem extends ServiceMessage {
	kind: 'status';
	status: number;
	/** The target of a redirect, without its query. */
	location?: string;
	/** A gateway answered, or may have: the body is no JSON object, or speaks of a route. It is no word about a person. */
	isFromGateway?: true;
	/** The request was refused before in this execution, and not sent again. */
	isRepeated?: true;
	/** 401, or what RFC 6750 says of a token that has ended. */
	isTokenRefused?: boolean;
	/** The token could not be renewed before, so the refusal may as well be of a password in the body. */
	isUnclear?: true;
	/** They name the path of a 404. */
	mappingKeys?: string[];
	/** After 429 and 503, the service wants no other request before this moment. */
	retryAt?: number;
	/** Milliseconds since the request began, and the number of 429 responses. */
	waitedMs?: number;
	refusals?: number;
}

export interface TokenRequestProblem extends ServiceMessage {
	kind: 'login';
	reason: LoginFailure;
	/** The failure may be transient, so the request is worth another attempt. */
	isPassing: boolean;
	/** It is of the token request. */
	status?: number;
	code?: string;
}

type LoginFailure =
	/** The service does not accept client ID and secret. */
	| 'refused'
	/** There is no token service at this address. */
	| 'notFound'
	| 'redirect'
	/** A proxy responded instead of the service. */
	| 'proxy'
	| 'network'
	/** Too many logins, or the service is out of order. */
	| 'outage'
	| 'status'
	/** A 2xx without a token. */
	| 'noToken'
	/** The new token was refused to others before this request could be sent with it. */
	| 'renewal';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The body of a response: a JSON object or array. */
export type JsonResponseBody = IDataObject | IDataObject[];

/** `unknown` if the service may have accepted the request; 'no' for a GET, which costs nothing. */
export type Acceptance = 'no' | 'unknown';

const PROBLEM_KINDS = [
	...['status', 'network', 'body', 'failure', 'shape', 'incomplete', 'login', 'rateLimit'],
	'cancelled',
];

/** What was read may be a problem instead. */
export const isRequestProblem = (value: object): value is RequestProblem =>
	'kind' in value && PROBLEM_KINDS.includes(String(value.kind));

/** The service itself has nothing under the ID or path. */
export const isNotFound = (problem: RequestProblem): boolean =>
	problem.kind === 'status' && problem.status === 404 && !problem.isFromGateway;

/** A stable name of a problem, for programs and tests: "status.404", "gateway.404", "network", "body.empty". */
export function problemCode(problem: RequestProblem): string {
	if (problem.kind === 'status') {
		return `${problem.isFromGateway ? 'gateway' : 'status'}.${problem.status}`;
	}
	if (problem.kind === 'body') return `body.${problem.reason}`;
	return problem.kind === 'login' ? `login.${problem.reason}` : problem.kind;
}
