import type { IHttpRequestOptions } from 'n8n-workflow';

/** What is to happen right before a request goes to its socket. */
const callbacks = new WeakMap<IHttpRequestOptions, () => void>();

/**
 * Calls back once n8n has logged in and the request is about to be sent: `authenticate` of a credential type is the
 * last that n8n calls before. What the callback throws ends the request unsent.
 */
export function onDeparture(request: IHttpRequestOptions, callback: () => void): void {
	callbacks.set(request, callback);
}

/** The request as it departs: with its header Authorization. */
export function depart(request: IHttpRequestOptions, Authorization: string): IHttpRequestOptions {
	callbacks.get(request)?.();
	return { ...request, headers: { ...request.headers, Authorization } };
}
