import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { tellsFailure } from '../http/failure';
import { backoffMs } from '../utils/backoff';
import { BoundedMap } from '../utils/boundedMap';
import { redact, redactValues } from '../utils/redact';
import { MESSAGE_NAMES, speaks } from '../utils/serviceMessage';
import { sleepFor } from '../utils/sleep';
import { classify } from './classify';
import { ClockOffset } from './clockOffset';
import { toNodeError, type Problem } from './errors';
import {
	exchange,
	type HeldCredentials,
	type RequestContext,
	type ServiceRequest,
} from './exchange';
import { retryAt } from '../rateLimit/limitHeaders';
import { rateLimiterFor } from '../rateLimit/rateLimiter';
import type { Service } from './service';

export type { RequestContext, ServiceRequest } from './exchange';

/** How long one request goes on being held back and sent again. */
const PATIENCE_MS = 300_000;
/** How often a request is sent at most where a fault is answered by repeating it. */
const MAX_ATTEMPTS = 5;
/** The longest pause of a request that waits for a login. */
const LOGIN_PAUSE_MS = 2_000;

export interface Connection<Mapping = unknown> {
	/** What the deployment calls things, by the credential's API Mapping. */
	mapping: Mapping;
	/** The same for all connections of this process to the same base URL as the same client. */
	client: string;
	/** The same for the same client of the same base URL, whatever its token is. */
	account: string;
	/**
	 * Sends one request, paced, and repeated only where that cannot cost twice. Resolves with the JSON body of the
	 * answer (an object or array), the request's secrets masked. Throws a NodeApiError that tells what happened and what
	 * to do; its `context.mayHaveBeenAccepted` is true if nobody knows whether a POST was accepted.
	 */
	send(request: ServiceRequest): Promise<IDataObject | IDataObject[]>;
	/** By which pseudonyms are made; '' if the credential holds none. */
	pseudonymKey: string;
	/** Milliseconds by which the service's clock is ahead of this machine's; 0 until an answer has told. */
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

	/** Sends it once, in its turn, and learns from the answer. */
	async function attempt(request: ServiceRequest, maxWaitMs: number) {
		await turn(maxWaitMs, request.signal ?? signal);
		request.beforeSend?.();
		const sentAt = Date.now();
		const { outcome, sentWith } = await exchange(context, service, held, request);
		let toldMs: number | undefined; // to wait, by a service that is not there for a while
		if ('answer' in outcome) {
			const { status, headers } = outcome.answer;
			const receivedAt = Date.now();
			const heard = { status, headers, sentAt, receivedAt };
			rateLimiter.update(heard);
			const told = status === 503 && retryAt(heard);
			if (told) toldMs = told - receivedAt;
			clock.update(headers, sentAt, receivedAt);
			request.onAnswer?.({ status, headers });
		} else if (signal?.aborted) {
			throw fail(CANCELLED, request);
		}
		// collected only now, because a token may have been had meanwhile
		const secrets = [...service.secrets(sentWith), ...(request.secrets ?? [])];
		const verdict = classify(outcome, { ...request, service, secrets });
		const isTokenRefused = 'again' in verdict && verdict.again === 'with a new token';
		if ('answer' in outcome && !isTokenRefused) service.tokens?.accepted(sentWith);
		return { verdict, sentWith, secrets, toldMs };
	}

	async function send(request: ServiceRequest): Promise<IDataObject | IDataObject[]> {
		const until = performance.now() + (request.patienceMs ?? PATIENCE_MS);
		let [faults, logins, renewals] = [0, 0, 0];
		for (;;) {
			const { verdict, sentWith, secrets, toldMs } = await attempt(
				request,
				Math.max(1, until - performance.now()),
			);
			if ('body' in verdict) {
				const own = redactValues(verdict.body, request.secrets ?? []);
				const body = withoutLong(own, secrets);
				if (tellsFailure(body)) return redactValues(body, secrets);
				// what was read may hold by chance what is a short secret: of it only words that an error may have
				const mayBeError = request.method !== 'GET' || speaks(body);
				return mayBeError ? redactValues(body, secrets, MESSAGE_NAMES) : body;
			}
			const { again, problem } = { again: undefined, ...verdict };
			// As told, where there is the time for it; else as after any other fault.
			const waitsMs = toldMs && performance.now() + toldMs < until ? toldMs : undefined;
			const mayRepeat =
				performance.now() < until &&
				(again === 'after the reset' ||
					again === 'with a login' ||
					(again === 'after a pause' && (waitsMs || ++faults < MAX_ATTEMPTS)) ||
					(again === 'with a new token' && ++renewals === 1 && service.tokens?.refused(sentWith)));
			if (!mayRepeat) throw fail(problem, request);
			if (again === 'with a login') await sleepFor(backoffMs(++logins, LOGIN_PAUSE_MS), signal);
			else statistics.repeated++;
			if (again === 'after a pause') await sleepFor(waitsMs ?? backoffMs(faults), signal);
		}
	}

	const fail = (problem: Problem, { itemIndex }: ServiceRequest) =>
		toNodeError(context.getNode(), problem, itemIndex);

	return {
		mapping,
		client: named(service.limitedBy(held.data)),
		account: named(service.account?.(held.data)),
		send,
		pseudonymKey: String(held.data.pseudonymKey ?? ''),
		clockOffsetMs: () => clock.ms,
		statistics,
	};
}

/** No text as long as this is a secret by chance. */
const LONG = 16;

/** An answer in which long secrets are masked wherever they stand: a record may repeat its request. */
function withoutLong<T>(body: T, secrets: string[]): T {
	const long = secrets.filter(({ length }) => length >= LONG);
	try {
		const text = JSON.stringify(body); // looked through at once, for hardly any answer holds one
		return redact(text, long) === text ? body : redactValues(body, long);
	} catch {
		return redactValues(body, long); // nested too deep to be written
	}
}

const CANCELLED = { message: 'The execution was cancelled', description: '' };
