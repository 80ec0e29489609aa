import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';
import {
	messageOfService,
	ownProblem,
	problemOfBody,
	problemOfFault,
	problemOfStatus,
	mayRepeatAfter,
	toNodeError,
	type Problem,
} from './errors';
import { pacerFor } from './pace';
import type { Service } from './service';
import { wait } from './wait';

const DEFAULT_TIMEOUT_MS = 60_000;
/** How long one request goes on being repeated on 429. */
const PATIENCE_MS = 300_000;
/** How often a request is sent at most where a fault is answered by repeating it. */
const MAX_ATTEMPTS = 5;
const FIRST_BACKOFF_MS = 400;

/** The contexts in which nodes speak to a service. */
export type RequestContext = Pick<
	IAllExecuteFunctions,
	'getCredentials' | 'getNode' | 'getExecutionId'
> & {
	helpers: Pick<IExecuteFunctions['helpers'], 'httpRequestWithAuthentication'>;
	getExecutionCancelSignal?: IExecuteFunctions['getExecutionCancelSignal'];
};

export interface ServiceRequest {
	method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	/** Appended to the service's root, with leading slash; every variable segment already encoded. */
	path: string;
	query?: IDataObject;
	/** How lists in the query are written; with indices by default: a[0]=…&a[1]=… */
	lists?: IHttpRequestOptions['arrayFormat'];
	body?: IDataObject;
	/** Values of the body that must not appear in any error. */
	secrets?: string[];
	timeoutMs?: number;
	/** Milliseconds in which it may be held back by the pace and sent again; 5 minutes by default. */
	patienceMs?: number;
	/** An answer without a body is fine; it is given as {}. */
	mayBeEmpty?: boolean;
	itemIndex?: number;
}

export interface Connection {
	/**
	 * Sends one request, paced, and repeated only where that cannot cost twice. Resolves with the JSON body of the
	 * answer (an object or array). Throws a NodeApiError that tells what happened and what to do; its
	 * `context.mayHaveBeenAccepted` is true if nobody knows whether a POST was accepted.
	 */
	send(request: ServiceRequest): Promise<IDataObject | IDataObject[]>;
	/** Milliseconds in which at least one request waited for the rate limit so far, and requests sent again. */
	statistics: { waitedMs: number; repeated: number };
}

interface Answer {
	status: number;
	headers: IDataObject;
	body: unknown;
}
type Outcome = { answer: Answer } | { fault: string } | { problem: Problem };

/** Opens the one door to a service. Throws if the credential is missing or its base URL cannot be right. */
export async function connect(context: RequestContext, service: Service): Promise<Connection> {
	const credentials = await context.getCredentials(service.credentialType);
	const root = service.root(credentials);
	const pacer = pacerFor({
		baseUrl: root,
		token: service.limitedBy(credentials),
		pointsPerSecond: service.pointsPerSecond(credentials),
	});
	const ownSecrets = secretsOf(credentials);
	const signal = context.getExecutionCancelSignal?.();
	const execution = context.getExecutionId() ?? context.getNode().id;
	const statistics = { waitedMs: 0, repeated: 0 };
	let waiting = 0;
	let waitingSince = 0;

	async function turn(maxWaitMs: number): Promise<void> {
		if (waiting++ === 0) waitingSince = Date.now();
		await pacer.take({ execution, signal, maxWaitMs }).finally(() => {
			if (--waiting === 0) statistics.waitedMs += Date.now() - waitingSince;
		});
	}

	async function send(request: ServiceRequest): Promise<IDataObject | IDataObject[]> {
		const { method, itemIndex, patienceMs = PATIENCE_MS } = request;
		const secrets = [...ownSecrets, ...(request.secrets ?? [])];
		const fail = (problem: Problem) => toNodeError(context.getNode(), problem, itemIndex);
		const startedAt = Date.now();
		const isPatient = () => Date.now() - startedAt < patienceMs;

		let faults = 0;

		for (;;) {
			await turn(patienceMs);
			const sentAt = Date.now();
			const outcome = await exchange(context, service, root, request);
			if ('problem' in outcome) throw fail(outcome.problem);

			let problem: Problem;
			let isSafe: boolean; // to send it again
			if ('answer' in outcome) {
				const { status, headers, body } = outcome.answer;
				pacer.answered({ status, headers, sentAt, receivedAt: Date.now() });
				const isJson = typeof body === 'object' && body !== null;
				if (status >= 200 && status < 300 && isJson) return body as IDataObject;
				if (status >= 200 && status < 300 && request.mayBeEmpty && !body) return {};
				if (status >= 200 && status < 300) {
					const isCutOff = isTruncated(headers);
					problem = isCutOff
						? problemOfFault(service, method, 'ECONNRESET')
						: problemOfBody(service, method, status);
					isSafe = method === 'GET' && isCutOff;
				} else {
					problem = problemOfStatus(service, method, status, messageOfService(body, secrets));
					isSafe = status >= 500 && method === 'GET';
				}
				if (status === 429 && isPatient()) {
					statistics.repeated++;
					continue; // the pacer waits for the reset
				}
			} else {
				if (signal?.aborted)
					throw fail({ message: 'The execution was cancelled', description: '' });
				problem = problemOfFault(service, method, outcome.fault);
				isSafe = mayRepeatAfter(outcome.fault, method);
			}
			faults++;
			if (!isSafe || faults >= MAX_ATTEMPTS || !isPatient()) throw fail(problem);
			statistics.repeated++;
			const backoff = FIRST_BACKOFF_MS * 2 ** (faults - 1);
			await wait(backoff * (0.75 + Math.random() / 2), signal);
		}
	}
	return { send, statistics };
}

async function exchange(
	context: RequestContext,
	service: Service,
	root: string,
	request: ServiceRequest,
): Promise<Outcome> {
	const options: IHttpRequestOptions = {
		method: request.method,
		url: root + request.path,
		qs: request.query,
		arrayFormat: request.lists,
		body: request.body,
		json: true,
		returnFullResponse: true,
		// A 401 must be thrown: it is what makes n8n renew the token and send the request once more.
		ignoreHttpStatusErrors: { ignore: true, except: [401] },
		disableFollowRedirect: true, // a redirect would carry the token to another host
		timeout: request.timeoutMs ?? DEFAULT_TIMEOUT_MS,
	};
	return await context.helpers.httpRequestWithAuthentication
		.call(context as IAllExecuteFunctions, service.credentialType, options)
		.then(
			({ statusCode, headers, body }: IN8nHttpFullResponse) => ({
				answer: { status: statusCode, headers: headers as IDataObject, body },
			}),
			(error: unknown) => outcomeOfError(service, error),
		);
}

/** A body that claims to be JSON and is none was cut off; any other is some web page that comes again. */
function isTruncated(headers: IDataObject): boolean {
	return String(headers['content-type']).includes('json');
}

/** Reads what the host threw: only status, headers, body and code are taken from it, never the request. */
function outcomeOfError(service: Service, error: unknown): Outcome {
	const problem = ownProblem(error);
	if (problem) return { problem };
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		const { response, code } = cause as Error & { response?: unknown; code?: unknown };
		if (typeof response === 'object' && response !== null && 'status' in response) {
			const { status, headers, data } = response as unknown as IDataObject;
			return {
				answer: { status: Number(status), headers: (headers ?? {}) as IDataObject, body: data },
			};
		}
		if (typeof code === 'string') return { fault: code };
	}
	const { httpCode } = error as { httpCode?: string | null };
	if (httpCode) {
		return { problem: problemOfStatus(service, 'GET', Number(httpCode), '') };
	}
	return { fault: '' };
}

/** Every secret of a credential that an answer could echo. */
function secretsOf(credentials: ICredentialDataDecryptedObject): string[] {
	const { apiToken, clientSecret, pastedToken, accessToken } = credentials;
	return [apiToken, clientSecret, pastedToken, ...String(accessToken ?? '').split(' ')].filter(
		(secret): secret is string => typeof secret === 'string' && secret.length > 3,
	);
}
