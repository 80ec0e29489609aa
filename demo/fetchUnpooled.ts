import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A hung server fails the caller by then. */
const TIMEOUT_MS = 300_000;
/** Statuses whose responses have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY = [204, 205, 304];

/**
 * Like fetch, but over a connection of its own. A server may close an idle connection just as a request leaves on it.
 * Then nobody knows whether the request was processed, and a POST must not be sent twice.
 */
export async function fetchUnpooled(url: string | URL, init?: RequestInit): Promise<Response> {
	const webRequest = new Request(url, init);
	const body = Buffer.from(await webRequest.arrayBuffer());
	const outgoing = request(webRequest.url, {
		agent: false, // a fresh connection, closed after the response
		method: webRequest.method,
		headers: Object.fromEntries(webRequest.headers),
		signal: AbortSignal.any([webRequest.signal, AbortSignal.timeout(TIMEOUT_MS)]),
	});
	outgoing.end(body.length > 0 ? body : undefined);
	const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
	const { statusCode: status = 0, statusMessage: statusText, rawHeaders } = incoming;
	const headers = new Headers();
	for (let index = 0; index < rawHeaders.length; index += 2) {
		headers.append(rawHeaders[index], rawHeaders[index + 1]);
	}
	const content = await buffer(incoming);
	return new Response(WITHOUT_BODY.includes(status) ? null : content, {
		status,
		statusText,
		headers,
	});
}
