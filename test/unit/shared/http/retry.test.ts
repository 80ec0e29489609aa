import type { Method, RequestProblem } from '../../../../nodes/shared/errors/requestProblem';
import {
	acceptanceOf,
	newRetryPolicy,
	retryCondition,
} from '../../../../nodes/shared/http/retryPolicy';

const status = (code: number): RequestProblem => ({ kind: 'status', status: code });
const network = (code: string): RequestProblem => ({ kind: 'network', code });
const login = (isPassing: boolean): RequestProblem => ({
	kind: 'login',
	reason: 'outage',
	isPassing,
});

/** "unsure": it is never sent again, and may have been accepted. */
const table: Array<[problem: RequestProblem, get: string, post: string]> = [
	[status(429), 'afterReset', 'afterReset'],
	[{ ...status(401), isTokenRefused: true } as RequestProblem, 'newToken', 'newToken'],
	[{ ...status(400), isTokenRefused: true } as RequestProblem, 'newToken', 'newToken'],
	...[500, 502, 503, 504, 520, 599, 408].map((code): [RequestProblem, string, string] => [
		status(code),
		'backoff',
		'unsure',
	]),
	[status(425), 'backoff', 'never'],
	...[300, 302, 303, 304, 399].map((code): [RequestProblem, string, string] => [
		status(code),
		'never',
		'unsure',
	]),
	...[
		301, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 413, 415, 418, 422, 423, 451,
	].map((code): [RequestProblem, string, string] => [status(code), 'never', 'never']),
	...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].map((code): [RequestProblem, string, string] => [
		network(code),
		'backoff',
		'backoff',
	]),
	...[
		...['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ESOCKETTIMEDOUT', 'ECONNABORTED', 'ERR_CANCELED'],
		...['EHOSTUNREACH', 'ENETUNREACH', 'ERR_SSL_BAD_RECORD_TYPE', 'ERR_STREAM_PREMATURE_CLOSE'],
		'',
	].map((code): [RequestProblem, string, string] => [network(code), 'backoff', 'unsure']),
	...[
		'CERT_HAS_EXPIRED',
		'SELF_SIGNED_CERT_IN_CHAIN',
		'ERR_TLS_CERT_ALTNAME_INVALID',
		'EPROTO',
	].map((code): [RequestProblem, string, string] => [network(code), 'never', 'never']),
	...(['empty', 'truncated', 'notJson'] as const).map(
		(reason): [RequestProblem, string, string] => [
			{ kind: 'body', reason, status: 200 },
			'backoff',
			'unsure',
		],
	),
	...(['scalar', 'tooLarge'] as const).map((reason): [RequestProblem, string, string] => [
		{ kind: 'body', reason, status: 200 },
		'never',
		'unsure',
	]),
	[{ kind: 'body', reason: 'notJson', status: 200, isPage: true }, 'never', 'unsure'],
	[{ kind: 'body', reason: 'empty', status: 204 }, 'never', 'unsure'],
	[{ kind: 'network', code: 'ETIMEDOUT', isUnsent: true }, 'backoff', 'backoff'],
	[{ kind: 'shape', expected: 'a list' }, 'never', 'unsure'],
	[{ kind: 'failure', status: 200 }, 'never', 'unsure'],
	...['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'].map(
		(code): [RequestProblem, string, string] => [network(code), 'never', 'unsure'],
	),
	[login(true), 'login', 'login'],
	[login(false), 'never', 'never'],
	[{ kind: 'rateLimit', waitedMs: 1 }, 'never', 'never'],
	[{ kind: 'cancelled' }, 'never', 'unsure'],
];

const outcome = (problem: RequestProblem, method: Method) =>
	acceptanceOf(problem, method) === 'unknown' && retryCondition(problem, method) === 'never'
		? 'unsure'
		: retryCondition(problem, method);

describe('a request that failed is sent again', () => {
	it.each(table)('%j: a GET %s, a POST %s', (problem, get, post) => {
		expect(outcome(problem, 'GET')).toBe(get);
		for (const method of ['POST', 'PUT', 'DELETE'] as const) {
			expect(outcome(problem, method)).toBe(post);
		}
	});

	it.each(table)('%j: never where it may have been accepted', (problem) => {
		const mayBe = acceptanceOf(problem, 'POST') === 'unknown';
		expect(mayBe && retryCondition(problem, 'POST') !== 'never').toBe(false);
		expect(acceptanceOf(problem, 'GET')).toBe('no');
	});
});

describe('how often and how long a request is sent again', () => {
	const MINUTE = 60_000;
	const after = (
		method: Method,
		...met: Array<[problem: RequestProblem, at: number, busyMs?: number]>
	) => {
		const again = newRetryPolicy(method, 5 * MINUTE);
		return met.map(([problem, at, busyMs]) => again(problem, at, busyMs)?.how ?? 'never');
	};
	const refusedToken: RequestProblem = { ...status(401), isTokenRefused: true } as RequestProblem;

	it('a fault that may pass: five sendings', () => {
		const faults = after(
			'GET',
			...Array.from({ length: 5 }, (_, at): [RequestProblem, number] => [status(503), at]),
		);
		expect(faults).toEqual(['backoff', 'backoff', 'backoff', 'backoff', 'never']);
	});

	it('faults for a minute in all, also where the service says how long it is busy', () => {
		expect(after('GET', [status(500), 0], [status(500), MINUTE])).toEqual(['backoff', 'never']);
		expect(after('GET', [status(503), 0, MINUTE - 1])).toEqual(['backoff']);
		expect(after('GET', [status(503), 0, MINUTE])).toEqual(['never']);
		const odd = 20_079.451739641074; // plus a minute it is a little more than that
		expect(after('GET', [status(503), odd, MINUTE])).toEqual(['never']);
	});

	it('a 429 as long as its patience lasts', () => {
		const waits = Array.from({ length: 20 }, (_, minute): [RequestProblem, number] => [
			status(429),
			(minute * MINUTE) / 4,
		]);
		expect(new Set(after('POST', ...waits))).toEqual(new Set(['afterReset']));
		expect(after('POST', [status(429), 5 * MINUTE])).toEqual(['never']);
	});

	it('a 429 not at all where the service names a time beyond its patience', () => {
		expect(after('POST', [status(429), 0, 60 * MINUTE])).toEqual(['never']);
		expect(after('GET', [status(429), 0, 4 * MINUTE])).toEqual(['afterReset']);
	});

	it('new tokens for a minute, with growing pauses', () => {
		const waits = Array.from({ length: 8 }, (_, at): [RequestProblem, number] => [
			refusedToken,
			at * 9000,
		]);
		expect(after('POST', ...waits)).toEqual([...Array<string>(7).fill('newToken'), 'never']);
		const next = newRetryPolicy('POST', 5 * MINUTE);
		const pauses = waits.slice(0, 4).map(([problem, now]) => next(problem, now)?.pauseMs ?? NaN);
		expect(pauses[0]).toBe(0);
		expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
	});

	it('a login for a minute', () => {
		const waits = Array.from({ length: 9 }, (_, at): [RequestProblem, number] => [
			login(true),
			at * 8000,
		]);
		expect(after('POST', ...waits)).toEqual([...Array<string>(8).fill('login'), 'never']);
	});

	it('a POST that may have been accepted: never', () => {
		expect(after('POST', [status(500), 0])).toEqual(['never']);
	});

	it.each([
		[status(503), 7000, 7000, 7000],
		[status(503), undefined, 300, 500],
		[status(429), undefined, 0, 0],
		[login(true), undefined, 300, 500],
	])('%j: pauses', (problem, busyMs, least, most) => {
		const pauseMs = newRetryPolicy('GET', MINUTE)(problem, 0, busyMs)?.pauseMs ?? NaN;
		expect(pauseMs).toBeGreaterThanOrEqual(least);
		expect(pauseMs).toBeLessThanOrEqual(most);
	});
});
