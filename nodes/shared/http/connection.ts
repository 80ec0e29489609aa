import { createHmac } from 'node:crypto';
import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';
import {
	type ServiceMessage,
	isRequestProblem,
	type JsonResponseBody,
	type RequestProblem,
} from '../errors/requestProblem';
import { extractRequestIds } from '../errors/requestIds';
import { extractServiceMessage, repeatsSecret } from '../errors/serviceMessage';
import type { Prices } from '../credentials/prices';
import { getClientState } from '../processState';
import { retryAt } from '../rateLimit/limitHeaders';
import { rateLimiterFor, type RateLimiter } from '../rateLimit/rateLimiter';
import { CodedError } from '../utils/codedError';
import { holdsDotSegment } from '../utils/dotSegment';
import { hash } from '../utils/hash';
import { redactLongSecretsInValue } from '../utils/redact';
import { sleepUnlessCancelled } from '../utils/sleep';
import { toBodyOrProblem, type HttpResponse } from './response';
import { ClockOffset } from './clockOffset';
import {
	sendOnce,
	type SendAttempt,
	type ReloadableCredentials,
	type N8nRequestContext,
	type ServiceRequest,
} from './sendOnce';
import { bodyOf, RequestError, type RequestResult } from './requestError';
import { acceptanceOf, newRetryPolicy } from './retryPolicy';
import type { ServiceDefinition } from './services';

export type ParsedBodyReader<T extends object> = (body: JsonResponseBody) => T | RequestProblem;

export interface Connection<Mapping = unknown> {
	/** The service's names, by the credential's API Mapping. */
	mapping: Mapping;
	/** A hash of the base URL and the client ID or token. It is the key of what this process remembers of them. */
	clientKey: string;
	/** A hash of the base URL and the client ID. It stays equal when a token is replaced. */
	accountKey: string;
	/**
	 * Sends one request at the rate limit's pace. It repeats only what cannot cost twice: at most five times, and a
	 * minute in all beside the waits for a reset. Throws what its `beforeSend` or the credential throws, and if the
	 * execution is cancelled in a pause.
	 */
	send(request: ServiceRequest): Promise<RequestResult>;
	/** Sends a request, and resolves with the body. Throws a RequestError if there is none. */
	request(request: ServiceRequest): Promise<JsonResponseBody>;
	/** Sends a request, and resolves with what the body holds. Throws a RequestError if that is a problem, too. */
	read<T extends object>(request: ServiceRequest, reader: ParsedBodyReader<T>): Promise<T>;
	/** Throws like `read`. */
	parse<T extends object>(
		result: RequestResult,
		request: ServiceRequest,
		reader: ParsedBodyReader<T>,
	): T;
	/**
	 * The service's own message in a body, with the request's IDs. It is withheld where it repeats a secret of the
	 * credential, or one of these.
	 */
	serviceMessage(body: unknown, secrets?: string[]): ServiceMessage;
	/** A body repeats a secret of the credential. */
	repeatsSecret(body: unknown): boolean;
	/** A fingerprint of what is secret; only who has the credential can compute it. */
	seal(text: string): string;
	/** The key of pseudonyms; '' if the credential holds none. */
	pseudonymKey: string;
	/** What queries cost; undefined if the operator has not entered it. Throws a UserError if a price is no amount. */
	prices(): Prices | undefined;
	/** The service's clock is ahead of this machine's by so many milliseconds; 0 until a response shows it. */
	clockOffsetMs(): number;
	/** Waits and repetitions by the rate limit and faults so far. */
	statistics: Pick<ConnectionStatistics, 'waitedMs' | 'repeated'>;
}

const newClock = () => new ClockOffset();

/**
 * Opens the only connection to a service. The credential is read once, unless `data` is it already, and again where its
 * token ends. Throws if it is missing or cannot be right.
 */
export async function createServiceConnection<Mapping>(
	context: N8nRequestContext,
	service: ServiceDefinition<Mapping>,
	data?: ICredentialDataDecryptedObject,
): Promise<Connection<Mapping>> {
	const read = async () => await context.getCredentials(service.credentialType);
	return openConnection(context, service, { data: data ?? (await read()), read });
}

/** The contexts in which a credential may depend on the item. */
type ItemContext = N8nRequestContext & Pick<IExecuteFunctions, 'getCredentials'>;

/** A credential is read for each item, and its connection shared by its values. */
export class ItemConnections<Mapping = unknown> {
	readonly #context: ItemContext;
	readonly #service: ServiceDefinition<Mapping>;
	readonly #byItem = new Map<number, Promise<Connection<Mapping>>>();
	readonly #byCredential = new Map<string, Connection<Mapping>>();
	constructor(context: ItemContext, service: ServiceDefinition<Mapping>) {
		this.#context = context;
		this.#service = service;
	}

	/** The credential's expressions are resolved for the item. Throws like `createServiceConnection`. */
	async of(index: number): Promise<Connection<Mapping>> {
		const known = this.#byItem.get(index) ?? this.#openFor(index);
		this.#byItem.set(index, known);
		return await known;
	}

	/** Connections wait at the same time, so the longest wait counts; repetitions are added up. */
	get statistics(): Connection['statistics'] {
		const all = [...this.#byCredential.values()].map(({ statistics }) => statistics);
		return {
			waitedMs: Math.max(0, ...all.map(({ waitedMs }) => waitedMs)),
			repeated: all.reduce((sum, { repeated }) => sum + repeated, 0),
		};
	}

	async #openFor(index: number): Promise<Connection<Mapping>> {
		const [context, service] = [this.#context, this.#service];
		const read = async () => await context.getCredentials(service.credentialType, index);
		const data = await read();
		const key = JSON.stringify({ ...data, [TOKEN_FIELD]: undefined });
		const connection =
			this.#byCredential.get(key) ?? openConnection(context, service, { data, read });
		this.#byCredential.set(key, connection);
		return connection;
	}
}

/** n8n stores an issued token in this hidden field, which changes while the account stays the same. */
const TOKEN_FIELD = 'accessToken';

function openConnection<Mapping>(
	context: N8nRequestContext,
	service: ServiceDefinition<Mapping>,
	held: ReloadableCredentials,
): Connection<Mapping> {
	const root = service.root(held.data);
	const mapping = service.mapping(held.data);
	const clock = getClientState(root).shared(newClock);
	const statistics = new ConnectionStatistics();
	const clientKey = clientFingerprint(root, service.limitedBy(held.data));
	const idsByBody = new WeakMap<object, string[]>();
	const state: ConnectionState = {
		root,
		idsByBody,
		context,
		service,
		held,
		clock,
		statistics,
		execution: context.getExecutionId() ?? context.getNode().id,
		signal: context.getExecutionCancelSignal?.(),
		rateLimiter: rateLimiterFor({
			baseUrl: root,
			token: service.limitedBy(held.data),
			pointsPerSecond: service.pointsPerSecond(held.data),
			processes: service.processes?.(held.data),
		}),
	};
	const send = async (request: ServiceRequest) => await sendRequest(state, request);
	const request = async (request: ServiceRequest) => bodyOf(await send(request), service);
	const serviceMessage = (body: unknown, secrets: string[] = []) => {
		const requestIds = isJson(body) ? idsByBody.get(body) : undefined;
		const message = extractServiceMessage(body, [...service.secrets(held.data), ...secrets]);
		return { ...message, ...(requestIds && { requestIds }) };
	};

	function parse<T extends object>(
		result: RequestResult,
		request: ServiceRequest,
		reader: ParsedBodyReader<T>,
	): T {
		const body = bodyOf(result, service);
		const value = reader(body);
		if (!isRequestProblem(value)) return value;
		const problem = { ...value, ...serviceMessage(body, request.secrets) };
		throw new RequestError(service, problem, acceptanceOf(problem, request.method));
	}

	return {
		mapping,
		clientKey,
		accountKey: clientFingerprint(root, service.account?.(held.data)),
		send,
		request,
		read: async (request, reader) => parse(await send(request), request, reader),
		parse,
		serviceMessage,
		repeatsSecret: (body) => repeatsSecret(body, service.secrets(held.data)),
		seal: (text) =>
			createHmac('sha256', String(service.sealKey(held.data)))
				.update(text)
				.digest('base64url'),
		pseudonymKey: String(held.data.pseudonymKey ?? ''),
		prices: () => service.prices?.(held.data),
		clockOffsetMs: () => clock.ms,
		statistics,
	};
}

const isJson = (body: unknown): body is object => typeof body === 'object' && body !== null;

/** Distinguishes clients of services without revealing them. */
const clientFingerprint = (root: string, who = ''): string => hash(JSON.stringify([root, who]));

/** Covers one request with all its attempts. */
const RETRY_BUDGET_MS = 300_000;

interface ConnectionState {
	context: N8nRequestContext;
	service: ServiceDefinition;
	held: ReloadableCredentials;
	rateLimiter: RateLimiter;

	clock: ClockOffset;
	/** Executions take turns by it. */
	execution: string;
	/** Aborted when the execution is cancelled. */
	signal?: AbortSignal;
	statistics: ConnectionStatistics;
	/** Host and path that the paths of requests are appended to. */
	root: string;
	/** The request IDs of responses with a body, for the service's logs. */
	idsByBody: WeakMap<object, string[]>;
}

/** Waits and repetitions by the rate limit and faults. */
class ConnectionStatistics {
	/** Milliseconds in which at least one request waited for the rate limit. */
	waitedMs = 0;
	/** Requests sent again. */
	repeated = 0;
	#waiting = 0;
	#since = 0;

	async whileWaiting<T>(turn: Promise<T>): Promise<T> {
		if (this.#waiting++ === 0) this.#since = performance.now();
		return await turn.finally(() => {
			if (--this.#waiting === 0) this.waitedMs += performance.now() - this.#since;
		});
	}
}

/** Sends a request, and again where that cannot cost twice. */
async function sendRequest(
	state: ConnectionState,
	request: ServiceRequest,
): Promise<RequestResult> {
	const { method, path, retryBudgetMs = RETRY_BUDGET_MS } = request;
	if (holdsDotSegment(path)) throw leadsElsewhere();
	const since = performance.now();
	const until = since + retryBudgetMs;
	const after = newRetryPolicy(method, until);
	let refusals = 0;
	const { held, service } = state;
	const renewed = () => (service.tokens?.renewOld(held.data) ? 'fresh' : 'fixed');
	for (;;) {
		const token = carriesSecret(request) ? renewed() : undefined;
		const tried = await attemptRequest(state, request, Math.max(1, until - performance.now()));
		if ('result' in tried) return tried.result;
		const { isSent, busyMs, sentWith } = tried;
		if (tried.problem.kind === 'status' && tried.problem.status === 429) refusals++;
		const judged = ofBodyOrToken(tried.problem, token);
		const problem = withWait(judged, { since, refusals, busyMs });
		const again = after(problem, performance.now(), busyMs);
		if (!again || (again.how === 'newToken' && !isRenewable(service, sentWith))) {
			const accepted = isSent ? acceptanceOf(problem, method) : 'no';
			return { ok: false, problem: withPathKeys(problem, request), accepted };
		}
		if (again.how !== 'login') state.statistics.repeated++;
		await sleepUnlessCancelled(again.pauseMs, state.signal);
	}
}

/** An ID of dots would make another request of this one. */
const leadsElsewhere = (): CodedError =>
	new CodedError('field.id', 'The ID consists of dots, so it names nothing', {
		description: 'Nothing was sent. Check the expression that fills it for this item.',
	});

function withPathKeys(problem: RequestProblem, { pathKeys: mappingKeys }: ServiceRequest) {
	if (problem.kind !== 'status' || problem.status !== 404 || !mappingKeys) return problem;
	return { ...problem, mappingKeys };
}

function withWait(
	problem: RequestProblem,
	{ since, refusals, busyMs }: { since: number; refusals: number; busyMs?: number },
): RequestProblem {
	const waitedMs = performance.now() - since;
	const retryAt = busyMs === undefined ? {} : { retryAt: Date.now() + busyMs };
	if (problem.kind === 'rateLimit') return { ...problem, waitedMs, refusals };
	if (problem.kind !== 'status') return problem;
	return problem.status === 429
		? { ...problem, ...retryAt, waitedMs, refusals }
		: { ...problem, ...retryAt };
}

/**
 * A 401 to a request with somebody's password and a fresh token is of the password; where the token could not be
 * renewed, nobody knows. Neither is sent again.
 */
function ofBodyOrToken(problem: RequestProblem, token: 'fresh' | 'fixed' | undefined) {
	if (problem.kind !== 'status' || !problem.isTokenRefused || !token) return problem;
	return token === 'fresh'
		? { ...problem, isTokenRefused: undefined }
		: { ...problem, isUnclear: true as const };
}

const carriesSecret = ({ method, secrets = [] }: ServiceRequest): boolean =>
	method !== 'GET' && secrets.some((secret) => secret !== '');

const isRenewable = (
	{ tokens }: ServiceDefinition,
	sentWith?: ICredentialDataDecryptedObject,
): boolean => sentWith !== undefined && tokens?.refused(sentWith) === true;

type Attempt =
	| { result: RequestResult }
	| {
			problem: RequestProblem;
			isSent: boolean;
			/** Milliseconds for which the service wants no other request. */
			busyMs?: number;
			sentWith?: ICredentialDataDecryptedObject;
	  };

/** Sends it once, in its turn, and learns from the response. */
async function attemptRequest(
	state: ConnectionState,
	request: ServiceRequest,
	maxWaitMs: number,
): Promise<Attempt> {
	const { context, service, held, statistics, rateLimiter, execution, signal } = state;
	const turn = rateLimiter.acquire({ execution, signal: request.signal ?? signal, maxWaitMs });
	const missed = await statistics.whileWaiting(turn);
	if (missed) return { problem: missed, isSent: false };
	const startedAt = Date.now();
	const exchanged = await sendOnce(context, service, held, { ...request, root: state.root });
	const { outcome, sentAt } = exchanged;
	if ('response' in outcome) {
		const { status, headers } = outcome.response;
		const busyMs = update(state, outcome.response, sentAt ?? startedAt);
		request.onResponse?.({ status, headers });
		return { ...interpret(state, request, exchanged), busyMs };
	}
	if (signal?.aborted) return { problem: { kind: 'cancelled' }, isSent: sentAt !== undefined };
	return interpret(state, request, exchanged);
}

/** Updates pace and clock by a response. Returns the pause that the service demands. */
function update(
	{ rateLimiter, clock }: ConnectionState,
	{ status, headers }: HttpResponse,
	sentAt: number,
): number | undefined {
	const response = { status, headers, sentAt, receivedAt: Date.now() };
	rateLimiter.update(response);
	clock.update(headers, sentAt, response.receivedAt);
	const at = status === 503 || status === 429 ? retryAt(response) : undefined;
	return at && at - response.receivedAt;
}

/** Interprets a response: returns its body or a problem, and notes whether the token was accepted. */
function interpret(
	{ service, idsByBody }: ConnectionState,
	request: ServiceRequest,
	{ outcome, sentWith, sentAt }: SendAttempt,
): Attempt {
	// collected only now, because a token may have been issued meanwhile
	const secrets = [...service.secrets(sentWith), ...(request.secrets ?? [])];
	const read = toBodyOrProblem(outcome, { emptyAs: request.emptyAs, secrets });
	const hasResponse = 'response' in outcome;
	if (hasResponse && !isTokenProblem(read)) service.tokens?.accepted(sentWith);
	if (hasResponse && 'body' in read) {
		const { status, headers } = outcome.response;
		const body = redactLongSecretsInValue(read.body, secrets);
		const { requestIds } = extractRequestIds(headers, secrets);
		if (requestIds) idsByBody.set(body, requestIds);
		return { result: { ok: true, status, headers, body } };
	}
	const isSent = hasResponse || sentAt !== undefined;
	return { problem: read as RequestProblem, isSent, sentWith };
}

const isTokenProblem = (read: ReturnType<typeof toBodyOrProblem>): boolean =>
	'kind' in read && read.kind === 'status' && read.isTokenRefused === true;
