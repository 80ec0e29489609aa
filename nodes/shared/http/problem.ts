import type { IDataObject } from 'n8n-workflow';

/** The service's own words; withheld where they repeat a secret. */
export interface Said {
	said?: string;
	isWithheld?: true;
	/** By which the service finds the request in its own logs: "x-request-id: 7f3a". */
	requestIds?: string[];
}

/** How the rate limit has held a request back. */
interface Waited {
	/** Before this moment the service wants no other request. */
	retryAt?: number;
	/** So long and so often the request was tried. */
	waitedMs?: number;
	refusals?: number;
}

/** The same as an error gives it to programs. */
export const dataOf = ({
	said,
	isWithheld,
	requestIds,
	retryAt,
	waitedMs,
	refusals,
}: Said & Waited): IDataObject => ({
	...(said && { said }),
	...(isWithheld && { isWithheld }),
	...(requestIds && { requestIds }),
	...(retryAt !== undefined && { retryAt: new Date(retryAt).toISOString() }),
	...(refusals !== undefined && { waitedMs, refusals }),
});

/** Why a request gave no usable body. Data only: `messages/` alone writes words about it. */
export type Problem = Said &
	(
		| StatusProblem
		/** The connection failed; '' where the host gives no code. `isUnsent`: it was never open. */
		| { kind: 'network'; code: string; isUnsent?: true }
		| { kind: 'body'; flaw: BodyFlaw; status: number; maxBytes?: number; isPage?: true }
		/** A 2xx whose body reports a failure: `success` false, or errors that are filled. */
		| { kind: 'failure'; status: number }
		/** A body of another shape than the API reference's; `expected` is a noun: "a list of collections". */
		| { kind: 'shape'; expected: string }
		/**
		 * A list ended before all rows that it reports; `total` is undefined where it reports none. `isWhole`: it comes at
		 * once, and has no Limit.
		 */
		| { kind: 'incomplete'; given: number; total?: number; isWhole?: true }
		/** No access token; nothing else was sent. */
		| LoginProblem
		/** No turn came in time. So often the service answered 429; `retryAt`: when it may be asked again. */
		| { kind: 'rateLimit'; waitedMs: number; refusals?: number; retryAt?: number }
		| { kind: 'cancelled' }
	);

/** `truncated`: a text that begins as JSON does. */
type BodyFlaw = 'empty' | 'truncated' | 'notJson' | 'scalar' | 'tooLarge';

export interface StatusProblem extends Said {
	kind: 'status';
	status: number;
	/** Where a redirect leads, without its query. */
	location?: string;
	/** The body is a web page: it may come from a proxy. */
	isPage?: true;
	/** It was refused before in this execution, and not sent again. */
	isRepeated?: true;
	/** 401, or what RFC 6750 says of a token that has ended. */
	isTokenRefused?: boolean;
	/** Of a 404: keys of the API Mapping that name the path, which has never worked so far. */
	mappingKeys?: string[];
	/** Of 429 and 503: before this moment the service wants no other request. */
	retryAt?: number;
	/** Of 429: so long and so often the request was sent. */
	waitedMs?: number;
	refusals?: number;
}

export interface LoginProblem extends Said {
	kind: 'login';
	reason: LoginFailure;
	/** It may pass by itself: the request is worth another attempt. */
	isPassing: boolean;
	/** Of the token request's response. */
	status?: number;
	/** Of its connection's fault. */
	code?: string;
	/** The same request has brought a token before. */
	hasWorked?: true;
}

type LoginFailure =
	/** The service does not accept client ID and secret. */
	| 'refused'
	/** There is no token service at this address. */
	| 'notFound'
	| 'redirect'
	/** What answered is a proxy. */
	| 'proxy'
	| 'network'
	/** Too many logins, or the service is out of order. */
	| 'outage'
	/** Any other status. */
	| 'status'
	/** A 2xx without a token. */
	| 'noToken'
	/** The new token was refused to others before this request could be sent with it. */
	| 'renewal';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The body of a response: a JSON object or array. */
export type JsonBody = IDataObject | IDataObject[];

/** Whether the service may have accepted the request; a GET costs nothing: 'no'. */
export type Accepted = 'no' | 'unknown';

const KINDS = [
	...['status', 'network', 'body', 'failure', 'shape', 'incomplete', 'login', 'rateLimit'],
	'cancelled',
];

/** Whether a value that was read is a problem instead. */
export const isProblem = (value: object): value is Problem =>
	'kind' in value && KINDS.includes(String(value.kind));

/** A stable name of a problem, for programs and tests: "status.404", "network", "body.empty". */
export function codeOf(problem: Problem): string {
	if (problem.kind === 'status') return `status.${problem.status}`;
	if (problem.kind === 'body') return `body.${problem.flaw}`;
	return problem.kind === 'login' ? `login.${problem.reason}` : problem.kind;
}
