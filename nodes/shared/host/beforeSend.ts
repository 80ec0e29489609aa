import type { IHttpRequestOptions } from 'n8n-workflow';
import { getProcessState } from '../processState';

/** The callback of each request that has not reached its socket yet. */
const newCallbacks = () => new WeakMap<IHttpRequestOptions, () => void>();

/**
 * Calls back after n8n's login, right before the request is sent. n8n (1.123 to 2.41) calls nothing later than
 * `authenticate` of a credential type, with the request's own object. If the callback throws, the request is not sent.
 */
export function attachBeforeSendToRequest(
	request: IHttpRequestOptions,
	callback: () => void,
): void {
	getProcessState().shared(newCallbacks).set(request, callback);
}

/** Runs the callback, and returns the request with its header Authorization. */
export function runBeforeSend(
	request: IHttpRequestOptions,
	Authorization: string,
): IHttpRequestOptions {
	getProcessState().shared(newCallbacks).get(request)?.();
	return { ...request, headers: { ...request.headers, Authorization } };
}
