import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { retryAt } from '../rateLimit/limitHeaders';
import {
	RateLimitCancelledError,
	RateLimitTimeoutError,
	type RateLimiter,
} from '../rateLimit/rateLimiter';
import { redactBody } from '../utils/redact';
import { sleepFor } from '../utils/sleep';
import { classify, type Answer } from './classify';
import type { ClockOffset } from './clockOffset';
import {
	exchange,
	type Exchanged,
	type HeldCredentials,
	type RequestContext,
	type ServiceRequest,
} from './exchange';
import type { Problem, Result } from './result';
import { acceptedOf, Patience } from './retry';
import type { Service } from './service';

/** How long one request goes on being held back and sent again. */
const PATIENCE_MS = 300_000;

/** What all requests of a connection share. */
export interface Line {
	context: RequestContext;
	service: Service;
	held: HeldCredentials;
	rateLimiter: RateLimiter;
	/** What is known of the service's clock. */
	clock: ClockOffset;
	/** Executions take turns by this. */
	execution: string;
	/** Aborted when the execution is cancelled. */
	signal?: AbortSignal;
	statistics: Statistics;
}

/** What the rate limit and faults have cost. */
export class Statistics {
	/** Milliseconds in which at least one request waited for the rate limit. */
	waitedMs = 0;
	/** Requests sent again. */
	repeated = 0;
	private waiting = 0;
	private since = 0;

	async whileWaiting<T>(turn: Promise<T>): Promise<T> {
		if (this.waiting++ === 0) this.since = Date.now();
		return await turn.finally(() => {
			if (--this.waiting === 0) this.waitedMs += Date.now() - this.since;
		});
	}
}

/** Sends a request, and again where that cannot cost twice. */
export async function sendRequest(line: Line, request: ServiceRequest): Promise<Result> {
	const { method, patienceMs = PATIENCE_MS } = request;
	const until = performance.now() + patienceMs;
	const patience = new Patience(method, until);
	for (;;) {
		const tried = await attempt(line, request, Math.max(1, until - performance.now()));
		if ('result' in tried) return tried.result;
		const { problem, isSent, busyMs, sentWith } = tried;
		const again = patience.after(problem, performance.now(), busyMs);
		if (!again || (again.how === 'newToken' && !isRenewable(line.service, sentWith))) {
			return { ok: false, problem, accepted: isSent ? acceptedOf(problem, method) : 'no' };
		}
		if (again.how !== 'login') line.statistics.repeated++;
		await sleepFor(again.pauseMs, line.signal);
	}
}

const isRenewable = ({ tokens }: Service, sentWith?: ICredentialDataDecryptedObject): boolean =>
	sentWith !== undefined && tokens?.refused(sentWith) === true;

/** What one sending brought. */
type Attempt =
	| { result: Result }
	| {
			problem: Problem;
			/** It went to its socket. */
			isSent: boolean;
			/** How long the service wants to be left alone. */
			busyMs?: number;
			sentWith?: ICredentialDataDecryptedObject;
	  };

/** Sends it once, in its turn, and learns from the response. */
async function attempt(line: Line, request: ServiceRequest, maxWaitMs: number): Promise<Attempt> {
	const { context, service, held, statistics, rateLimiter, execution, signal } = line;
	const turn = takeTurn(rateLimiter, { execution, signal: request.signal ?? signal, maxWaitMs });
	const missed = await statistics.whileWaiting(turn);
	if (missed) return { problem: missed, isSent: false };
	const askedAt = Date.now();
	const exchanged = await exchange(context, service, held, request);
	const { outcome, sentAt } = exchanged;
	if ('answer' in outcome) {
		const { status, headers } = outcome.answer;
		const busyMs = learn(line, outcome.answer, sentAt ?? askedAt);
		request.onAnswer?.({ status, headers });
		return { ...judge(service, request, exchanged), busyMs };
	}
	if (signal?.aborted) return { problem: { kind: 'cancelled' }, isSent: sentAt !== undefined };
	return judge(service, request, exchanged);
}

/** Waits for a turn of the rate limit; resolves with the reason if there is none. */
export async function takeTurn(
	rateLimiter: RateLimiter,
	asked: Parameters<RateLimiter['acquire']>[0],
): Promise<Extract<Problem, { kind: 'rateLimit' | 'cancelled' }> | undefined> {
	const began = performance.now();
	return await rateLimiter.acquire(asked).then(
		() => undefined,
		(error: unknown) => {
			if (error instanceof RateLimitCancelledError) return { kind: 'cancelled' };
			if (!(error instanceof RateLimitTimeoutError)) throw error;
			return { kind: 'rateLimit', waitedMs: performance.now() - began };
		},
	);
}

/** Takes in the pace and the clock by a response. Returns how long the service wants to be left alone. */
function learn(
	{ rateLimiter, clock }: Line,
	{ status, headers }: Answer,
	sentAt: number,
): number | undefined {
	const heard = { status, headers, sentAt, receivedAt: Date.now() };
	rateLimiter.update(heard);
	clock.update(headers, sentAt, heard.receivedAt);
	const at = status === 503 ? retryAt(heard) : undefined;
	return at && at - heard.receivedAt;
}

/** The body, or what is wrong; and what it says of the token. */
function judge(
	service: Service,
	request: ServiceRequest,
	{ outcome, sentWith, sentAt }: Exchanged,
): Attempt {
	// collected only now, because a token may have been issued meanwhile
	const secrets = [...service.secrets(sentWith), ...(request.secrets ?? [])];
	const read = classify(outcome, { emptyAs: request.emptyAs, secrets });
	const isAnswered = 'answer' in outcome;
	if (isAnswered && !isTokenRefused(read)) service.tokens?.accepted(sentWith);
	if (isAnswered && 'body' in read) {
		const { status, headers } = outcome.answer;
		return { result: { ok: true, status, headers, body: redactBody(read.body, secrets) } };
	}
	const isSent = isAnswered || sentAt !== undefined;
	return { problem: read as Problem, isSent, sentWith };
}

const isTokenRefused = (read: ReturnType<typeof classify>): boolean =>
	'kind' in read && read.kind === 'status' && read.isTokenRefused === true;
