import { createHash } from 'node:crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { backoffMs } from '../utils/backoff';
import { redactBody } from '../utils/redact';
import { BoundedMap } from '../utils/boundedMap';
import { sleepFor } from '../utils/sleep';
import type { Said } from '../http/problem';
import { saidBy } from '../http/said';
import { classify } from './classify';
import { ClockOffset } from './clockOffset';
import {
	exchange,
	type HeldCredentials,
	type RequestContext,
	type ServiceRequest,
} from './exchange';
import { retryAt } from '../rateLimit/limitHeaders';
import {
	rateLimiterFor,
	RateLimitCancelledError,
	RateLimitTimeoutError,
} from '../rateLimit/rateLimiter';
import {
	bodyOf,
	isProblem,
	RequestError,
	type JsonBody,
	type Problem,
	type Result,
} from './result';
import { acceptedOf, retryOf } from './retry';
import type { Service } from './service';

export type { RequestContext, ServiceRequest } from './exchange';

/** How long one request goes on being held back and sent again. */
const PATIENCE_MS = 300_000;
/** How often a request is sent at most because of a fault that may pass. */
const MAX_ATTEMPTS = 5;
/** How long its faults may go on in all, a 429 within its reset aside. */
const TROUBLE_MS = 60_000;
/** The longest pause of a request that waits for a login. */
const LOGIN_PAUSE_MS = 2_000;

/** What a body holds, or why it is not what was asked for. */
export type Reader<T extends object> = (body: JsonBody) => T | Problem;

export interface Connection<Mapping = unknown> {
	/** What the service calls things, by the credential's API Mapping. */
	mapping: Mapping;
	/** The same for all connections of this process to the same base URL as the same client. */
	client: string;
	/** The same for the same client of the same base URL, whatever its token is. */
	account: string;
	/**
	 * Sends one request, paced, and repeated only where that cannot cost twice: at most five times, and a minute in all
	 * beside the waits for a reset. Throws only what its `beforeSend` or the credential throws, and where the execution
	 * is cancelled in a pause.
	 */
	send(request: ServiceRequest): Promise<Result>;
	/** The same; resolves with the body, and throws a RequestError where there is none. */
	request(request: ServiceRequest): Promise<JsonBody>;
	/** The same; resolves with what the body holds, and throws a RequestError where that is a problem, too. */
	read<T extends object>(request: ServiceRequest, reader: Reader<T>): Promise<T>;
	/** The service's own words in a body; withheld where they repeat a secret of the credential, or one of these. */
	said(body: unknown, secrets?: string[]): Said;
	/** By which pseudonyms are made; '' if the credential holds none. */
	pseudonymKey: string;
	/** Milliseconds by which the service's clock is ahead of this machine's; 0 until a response tells. */
	clockOffsetMs(): number;
	/** Milliseconds in which at least one request waited for the rate limit so far, and requests sent again. */
	statistics: { waitedMs: number; repeated: number };
}

/** What is known of the clocks of services, by their root. */
const clocks = new BoundedMap<string, ClockOffset>(500);

/**
 * Opens the one door to a service. The credential is read once, and again where its token ends. Throws if it is missing
 * or cannot be right.
 */
export async function connect<Mapping>(
	context: RequestContext,
	service: Service<Mapping>,
): Promise<Connection<Mapping>> {
	const held: HeldCredentials = { data: await context.getCredentials(service.credentialType) };
	const root = service.root(held.data);
	const mapping = service.mapping(held.data);
	const rateLimiter = rateLimiterFor({
		baseUrl: root,
		token: service.limitedBy(held.data),
		pointsPerSecond: service.pointsPerSecond(held.data),
		processes: service.processes?.(held.data),
	});
	const named = (who = '') =>
		createHash('sha256')
			.update(JSON.stringify([root, who]))
			.digest('base64url');
	const clock = clocks.getOrMake(root, () => new ClockOffset());
	const signal = context.getExecutionCancelSignal?.();
	const execution = context.getExecutionId() ?? context.getNode().id;
	const statistics = { waitedMs: 0, repeated: 0 };
	let waiting = 0;
	let waitingSince = 0;

	async function turn(maxWaitMs: number, signal?: AbortSignal): Promise<void> {
		if (waiting++ === 0) waitingSince = Date.now();
		await rateLimiter.acquire({ execution, signal, maxWaitMs }).finally(() => {
			if (--waiting === 0) statistics.waitedMs += Date.now() - waitingSince;
		});
	}

	/** Sends it once, in its turn, and learns from the response. */
	async function attempt(request: ServiceRequest, maxWaitMs: number): Promise<Attempt> {
		const began = performance.now();
		const stopped = await turn(maxWaitMs, request.signal ?? signal).catch((error: unknown) =>
			noTurn(error, performance.now() - began),
		);
		if (stopped) return { problem: stopped, isSent: false };
		const askedAt = Date.now();
		const { outcome, sentWith, sentAt } = await exchange(context, service, held, request);
		let waitMs: number | undefined; // as the service says that it is not there for a while
		if ('answer' in outcome) {
			const { status, headers } = outcome.answer;
			const heard = { status, headers, sentAt: sentAt ?? askedAt, receivedAt: Date.now() };
			rateLimiter.update(heard);
			const retry = status === 503 ? retryAt(heard) : undefined;
			waitMs = retry && retry - heard.receivedAt;
			clock.update(headers, heard.sentAt, heard.receivedAt);
			request.onAnswer?.({ status, headers });
		} else if (signal?.aborted) {
			return { problem: { kind: 'cancelled' }, isSent: sentAt !== undefined };
		}
		// collected only now, because a token may have been issued meanwhile
		const secrets = [...service.secrets(sentWith), ...(request.secrets ?? [])];
		const read = classify(outcome, { emptyAs: request.emptyAs, secrets });
		const isSent = 'answer' in outcome || sentAt !== undefined;
		if ('body' in read && 'answer' in outcome) {
			service.tokens?.accepted(sentWith);
			const { status, headers } = outcome.answer;
			return { result: { ok: true, status, headers, body: redactBody(read.body, secrets) } };
		}
		const problem = read as Problem;
		if ('answer' in outcome && !isTokenRefused(problem)) service.tokens?.accepted(sentWith);
		return { problem, isSent, waitMs, sentWith };
	}

	async function send(request: ServiceRequest): Promise<Result> {
		const { method } = request;
		const began = performance.now();
		const patienceMs = request.patienceMs ?? PATIENCE_MS;
		const left = () => patienceMs - (performance.now() - began);
		let [repeats, logins, renewals] = [0, 0, 0];
		let troubledSince: number | undefined;
		for (;;) {
			const tried = await attempt(request, Math.max(1, left()));
			if ('result' in tried) return tried.result;
			const { problem, isSent, waitMs, sentWith } = tried;
			const retry = retryOf(problem, method);
			if (retry !== 'afterReset') troubledSince ??= performance.now();
			const calm = TROUBLE_MS - (performance.now() - (troubledSince ?? performance.now()));
			const mayRepeat =
				left() > 0 &&
				(retry === 'afterReset' ||
					(retry === 'login' && calm > 0) ||
					(retry === 'backoff' && ++repeats < MAX_ATTEMPTS && calm > (waitMs ?? 0)) ||
					(retry === 'newToken' && ++renewals === 1 && isRenewable(sentWith)));
			if (!mayRepeat) {
				return { ok: false, problem, accepted: isSent ? acceptedOf(problem, method) : 'no' };
			}
			if (retry !== 'login') statistics.repeated++;
			if (retry === 'login') await sleepFor(backoffMs(++logins, LOGIN_PAUSE_MS), signal);
			if (retry === 'backoff') await sleepFor(waitMs ?? backoffMs(repeats), signal);
		}
	}

	const isRenewable = (sentWith?: ICredentialDataDecryptedObject) =>
		sentWith !== undefined && service.tokens?.refused(sentWith) === true;

	const request = async (asked: ServiceRequest) => bodyOf(await send(asked), service);

	const said = (body: unknown, secrets: string[] = []) =>
		saidBy(body, [...service.secrets(held.data), ...secrets]);

	async function read<T extends object>(asked: ServiceRequest, reader: Reader<T>): Promise<T> {
		const body = await request(asked);
		const value = reader(body);
		if (!isProblem(value)) return value;
		const problem = { ...value, ...said(body, asked.secrets) };
		throw new RequestError(service, problem, acceptedOf(problem, asked.method));
	}

	return {
		mapping,
		client: named(service.limitedBy(held.data)),
		account: named(service.account?.(held.data)),
		send,
		request,
		read,
		said,
		pseudonymKey: String(held.data.pseudonymKey ?? ''),
		clockOffsetMs: () => clock.ms,
		statistics,
	};
}

/** What one sending brought. */
type Attempt =
	| { result: Result }
	| {
			problem: Problem;
			/** It went to its socket. */
			isSent: boolean;
			/** How long the service wants to be left alone. */
			waitMs?: number;
			sentWith?: ICredentialDataDecryptedObject;
	  };

const isTokenRefused = (problem: Problem): boolean =>
	problem.kind === 'status' && problem.isTokenRefused === true;

/** Why a request had no turn; rethrows what is no matter of the rate limit. */
export function noTurn(
	error: unknown,
	waitedMs: number,
): Extract<Problem, { kind: 'rateLimit' | 'cancelled' }> {
	if (error instanceof RateLimitTimeoutError) return { kind: 'rateLimit', waitedMs };
	if (error instanceof RateLimitCancelledError) return { kind: 'cancelled' };
	throw error as Error;
}
