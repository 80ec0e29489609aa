import { parseJson } from './json';

/** The response is larger than what is read. */
export class TooLargeError extends Error {}

type Chunks = AsyncIterable<Buffer | string> & { destroy?(): void };

const isChunks = (body: unknown): body is Chunks =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

/**
 * Reads the body of a response to a request with `encoding: 'stream'`: n8n's helpers set no bound on the size
 * themselves. Resolves with the JSON value, or the text if it is none. Throws a TooLargeError as soon as more than
 * `maxBytes` came, and what the stream throws if it breaks.
 */
export async function readBody(body: unknown, maxBytes: number): Promise<unknown> {
	if (!isChunks(body)) return parseJson(body) ?? body;
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of body) {
		const bytes = Buffer.from(chunk);
		size += bytes.length;
		if (size > maxBytes) throw new TooLargeError(); // leaving the loop closes the connection
		chunks.push(bytes);
	}
	const text = decode(Buffer.concat(chunks));
	const parsed = parseJson(text);
	return parsed === undefined ? text : parsed; // null is JSON
}

/** Decodes text without a byte order mark. JSON is UTF-8; anything else is windows-1252, regardless of its header. */
function decode(bytes: Buffer): string {
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		return new TextDecoder('windows-1252').decode(bytes);
	}
}

/** Resolves as `work` does, unless `signal` aborts first. Then it throws the signal's reason. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
	work.catch(() => {}); // nobody may wait for it any more
	if (signal.aborted) throw signal.reason;
	let onAbort = () => {};
	const aborted = new Promise<never>((_, reject) => {
		onAbort = () => reject(signal.reason as Error);
		signal.addEventListener('abort', onAbort);
	});
	return await Promise.race([work, aborted]).finally(() =>
		signal.removeEventListener('abort', onAbort),
	);
}
