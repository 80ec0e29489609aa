import {
	type IAllExecuteFunctions,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';
import { attachBeforeSendToRequest } from '../host/beforeSend';
import { loginErrorInCauses } from '../credentials/loginError';
import { TOKEN_TIMEOUT_MS } from '../credentials/fetchAccessToken';
import { raceAbort, readBody, TooLargeError } from '../utils/responseBody';
import { toNetworkFault } from '../errors/networkFault';
import type { ResponseOrExchangeFailure } from './response';
import type { ServiceDefinition } from './services';

/** The contexts in which nodes speak to a service. */
export type N8nRequestContext = Pick<
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
	/** Keys of the API Mapping that name the path; the error of a 404 repeats them. */
	pathKeys?: string[];
	query?: IDataObject;
	/** The format of lists in the query; with indices by default: a[0]=…&a[1]=… */
	lists?: IHttpRequestOptions['arrayFormat'];
	body?: IDataObject;
	/** Values of the body that must appear in no error and no output. */
	secrets?: string[];
	/** Identifies the owner of the secrets; by default the body, unless it differs in each try. */
	secretOf?: string;
	/** The time limit for the whole response, in milliseconds. Bytes that trickle in do not prolong it. */
	timeoutMs?: number;
	/** Milliseconds in which it may be held back by the rate limit and sent again; 5 minutes by default. */
	retryBudgetMs?: number;
	/** The response is one record, and no list: of a GET that is not, much more is read. */
	isOneRecord?: true;
	/**
	 * A response without a body is fine; it is read as this. For a list, status 204 and null say that it is empty.
	 * As "not found", they mean what status 404 means.
	 */
	emptyAs?: IDataObject | [] | 'not found';
	/** Aborts the wait for a turn; a request that was sent is not touched. By default the execution's own signal. */
	signal?: AbortSignal;
	/** Called each time right before the request goes to its socket, after a login. If it throws, nothing is sent. */
	beforeSend?(): void;
	/** Called with each response, for what the body does not say. */
	onResponse?(response: { status: number; headers: IDataObject }): void;
}

export const DEFAULT_TIMEOUT_MS = 60_000;
const MEBIBYTE = 1_048_576;

/** A credential as it was read last. */
export interface ReloadableCredentials {
	data: ICredentialDataDecryptedObject;
	/** Reads the credential again, for the same item. */
	read(): Promise<ICredentialDataDecryptedObject>;
}

export interface SendAttempt {
	outcome: ResponseOrExchangeFailure;
	/** The credentials that it was sent with; n8n's helper puts a new token into them. */
	sentWith: ICredentialDataDecryptedObject;
	/** The time when the request went to its socket; undefined if it never did, or no connection was open. */
	sentAt?: number;
}

/**
 * Sends one request by n8n's helper. `held` is read again where its token cannot be used any more, because another
 * process may have renewed it. Throws what reading the credential or `beforeSend` throws; then nothing was sent.
 */
export async function sendOnce(
	context: N8nRequestContext,
	service: ServiceDefinition,
	held: ReloadableCredentials,
	request: ServiceRequest & { root: string },
): Promise<SendAttempt> {
	const { timeoutMs = DEFAULT_TIMEOUT_MS } = request;
	const needsLogin = service.authorization(held.data) === undefined;
	const deadline = AbortSignal.timeout(timeoutMs + (needsLogin ? 2 * TOKEN_TIMEOUT_MS : 0));
	const cancel = context.getExecutionCancelSignal?.();
	const signal = cancel ? AbortSignal.any([cancel, deadline]) : deadline;
	const options = optionsOf(request, timeoutMs, signal);
	const unsent: { cause?: Error } = {};
	const orKeep = (error: unknown) => {
		unsent.cause = error as Error; // n8n's helper wraps it, and up to 2.33 loses it
		throw unsent.cause;
	};
	let sentWith = held.data;
	let sentAt: number | undefined;
	const getCredentials = async () => {
		if (service.authorization(held.data) === undefined) {
			held.data = sameAccount(service, held.data, await held.read().catch(orKeep));
		}
		return (sentWith = held.data);
	};
	attachBeforeSendToRequest(options, () => {
		if (signal.aborted) throw signal.reason;
		try {
			request.beforeSend?.();
		} catch (error) {
			orKeep(error);
		}
		sentAt = Date.now();
	});
	// n8n's helper takes the signal of its context, whatever the options say, and reads a credential by an isolate
	const host = Object.assign(Object.create(context) as IAllExecuteFunctions, {
		getCredentials,
		getExecutionCancelSignal: () => signal,
	});
	const sending = sendAndRead(host, service.credentialType, options, maxBytesOf(request));
	const outcome = await raceAbort(sending, signal).catch(
		(error: unknown): ResponseOrExchangeFailure => {
			if (unsent.cause) throw unsent.cause;
			const wasRefused = sentAt === undefined && service.tokens?.failure(sentWith);
			const login = loginErrorInCauses(error) ?? wasRefused;
			if (login) return { login: login.problem };
			const fault = toNetworkFault(error);
			if (fault.isUnsent) sentAt = undefined;
			return { fault: deadline.aborted ? { ...fault, code: 'ETIMEDOUT' } : fault };
		},
	);
	return { outcome, sentWith, sentAt };
}

/** The credential as it was read again; what was edited into another account meanwhile only brings its token. */
function sameAccount(
	service: ServiceDefinition,
	before: ICredentialDataDecryptedObject,
	now: ICredentialDataDecryptedObject,
): ICredentialDataDecryptedObject {
	const accountOf = (data: ICredentialDataDecryptedObject) =>
		JSON.stringify([service.root(data), service.limitedBy(data)]);
	return accountOf(before) === accountOf(now) ? now : { ...before, accessToken: now.accessToken };
}

/** A request as n8n's helper takes it. */
const optionsOf = (
	{ root, method, path, query, lists, body }: ServiceRequest & { root: string },
	timeout: number,
	abortSignal: AbortSignal,
): IHttpRequestOptions => ({
	method,
	url: root + path,
	qs: query,
	arrayFormat: lists,
	body,
	json: true,
	encoding: 'stream', // n8n's helper bounds neither the size of a response nor its time
	returnFullResponse: true,
	ignoreHttpStatusErrors: true, // n8n would send it again after a 401, past the rate limit
	disableFollowRedirect: true, // a redirect would carry the token to another host
	timeout,
	abortSignal,
});

const maxBytesOf = ({ method, isOneRecord }: ServiceRequest): number =>
	(method === 'GET' && !isOneRecord ? 50 : 5) * MEBIBYTE;

/** Sends it by n8n's helper, and reads the response to its end unless it is too large. */
async function sendAndRead(
	host: IAllExecuteFunctions,
	credentialType: string,
	options: IHttpRequestOptions,
	maxBytes: number,
): Promise<ResponseOrExchangeFailure> {
	const { httpRequestWithAuthentication: send } = host.helpers;
	const response = (await send.call(host, credentialType, options)) as IN8nHttpFullResponse;
	const { statusCode: status, headers, body } = response;
	return await readBody(body, maxBytes).then(
		(read) => ({ response: { status, headers: headers as IDataObject, body: read } }),
		(error: unknown) => {
			if (error instanceof TooLargeError) return { tooLarge: { maxBytes, status } };
			throw error;
		},
	);
}
