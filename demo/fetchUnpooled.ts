/** A hung server fails the caller by then. */
const TIMEOUT_MS = 300_000;

/**
 * Like fetch, but over a connection of its own. A server may close an idle connection just as a request leaves on it.
 * Then nobody knows whether the request was processed, and a POST must not be sent twice.
 */
export async function fetchUnpooled(url: string | URL, init: RequestInit = {}): Promise<Response> {
	const headers = new Headers(init.headers);
	headers.set('connection', 'close');
	const signals = [init.signal ?? [], AbortSignal.timeout(TIMEOUT_MS)].flat();
	return await fetch(url, {
		redirect: 'manual', // a redirect is a response like any other
		...init,
		headers,
		signal: AbortSignal.any(signals),
	});
}
