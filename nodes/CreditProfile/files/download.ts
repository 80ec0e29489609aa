import type { IBinaryData, IDataObject } from 'n8n-workflow';
import type { FileDownloadHelpers, Item } from '../../shared/operations/operation';
import { raceAbort } from '../../shared/utils/responseBody';
import { toNetworkFault } from '../../shared/errors/networkFault';
import { DownloadError, type DownloadProblem } from '../../shared/errors/downloadError';
import { parseLimitHeaders, retryAt } from '../../shared/rateLimit/limitHeaders';
import { rateLimiterFor, type RateLimiter } from '../../shared/rateLimit/rateLimiter';
import { isRequestProblem } from '../../shared/errors/requestProblem';
import { retryCondition } from '../../shared/http/retryPolicy';
import { sleepUntil } from '../../shared/utils/sleep';
import { idleTimeout } from '../../shared/utils/idleTimeout';
import {
	errorFileNameAndIds,
	chooseMimeTypeAmongSources,
	outputFileName,
	originOf,
	typeOfPageInstead,
	contentTypeFromHeaders,
	type FileLink,
} from './link';

/** A stream of bytes, as n8n takes and gives them. */
type ByteStream = Exclude<Parameters<FileDownloadHelpers['prepareBinaryData']>[0], Buffer>;
type Response = { statusCode: number; headers: IDataObject; body: ByteStream };

const MEGABYTE = 1_000_000;
const MAX_FILE_ATTEMPTS = 3;
/** Applies where the host is busy and does not say for how long. */
const MAX_BUSY = 10;
const WAIT_MS = 1000;
const MAX_FILE_PAUSE_MS = 60_000;
/** Requests per second to one host; without a token they count by IP (CP §8.1, §8.3). */
const PER_SECOND = 10;
/** Covers all attempts at one file together. */
const MAX_MINUTES = 15;
const MAX_MS = MAX_MINUTES * 60_000;

/**
 * Downloads a file into n8n's binary data, streamed. Whether a link needs a token is not shown (CP §2.10, §5.1): none
 * is sent, for the host may be anybody's. Throws a DownloadError.
 */
export async function download(
	item: Item,
	link: FileLink,
	megabytes: number,
): Promise<IBinaryData> {
	const origin = originOf(link.url);
	if (origin === undefined)
		throw new DownloadError({ kind: 'link' }, errorFileNameAndIds(item, link));
	const pace = rateLimiterFor({ baseUrl: origin, token: '', pointsPerSecond: PER_SECOND });
	const { signal } = item;
	const { executionId: execution = '' } = item.run;
	const began = performance.now();
	const leftMs = () => began + MAX_MS - performance.now();
	const end = AbortSignal.timeout(MAX_MS);
	let last: DownloadProblem | undefined;
	let [faults, busy] = [0, 0];
	for (;;) {
		const missed = await pace.acquire({ execution, signal, maxWaitMs: Math.max(1, leftMs()) });
		if (missed) {
			const problem = missed.kind === 'cancelled' ? missed : (last ?? missed);
			throw new DownloadError(problem, errorFileNameAndIds(item, link));
		}
		const tried = await attemptDownload(item, link, megabytes, { end, pace });
		if ('file' in tried) return tried.file;
		last = tried.problem;
		const retry = retryAfter(last);
		const isLast =
			retry === 'backoff'
				? ++faults === MAX_FILE_ATTEMPTS
				: tried.waitMs === undefined && ++busy === MAX_BUSY;
		const waitMs = tried.waitMs ?? Math.min(MAX_FILE_PAUSE_MS, WAIT_MS * 2 ** (faults + busy - 1));
		if (retry === 'never' || isLast || waitMs > leftMs()) {
			throw new DownloadError(last, errorFileNameAndIds(item, link));
		}
		await sleepUntil(Date.now(), waitMs, () => signal.aborted);
	}
}

const retryAfter = (problem: DownloadProblem) =>
	problem.kind === 'silent'
		? 'backoff'
		: isRequestProblem(problem)
			? retryCondition(problem, 'GET')
			: 'never';

/** `waitMs` is the pause that the host demands. */
type DownloadAttempt = { file: IBinaryData } | { problem: DownloadProblem; waitMs?: number };

async function attemptDownload(
	item: Item,
	link: FileLink,
	megabytes: number,
	{ end, pace }: { end: AbortSignal; pace: RateLimiter },
): Promise<DownloadAttempt> {
	const idle = idleTimeout(item.timeoutMs);
	const signal = AbortSignal.any([idle.signal, end, item.signal]);
	let body: ByteStream | undefined;
	let bytes = 0;
	const isTooLarge = () => bytes > megabytes * MEGABYTE;
	try {
		const sentAt = Date.now();
		const request = item.files.httpRequest({
			method: 'GET',
			url: link.url,
			headers: { 'accept-encoding': 'identity' }, // a packed file that is cut would pass for a whole one
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			abortSignal: signal,
		});
		const response = (await raceAbort(request, signal)) as Response;
		const { statusCode: status, headers } = response;
		body = response.body.on('error', () => {}); // whoever reads it gets an error
		const received = { status, headers, sentAt, receivedAt: Date.now() };
		pace.update(received);
		if (status !== 200) return { problem: { kind: 'status', status }, waitMs: waitMsOf(received) };
		const type = contentTypeFromHeaders(headers);
		const page = typeOfPageInstead(link, type);
		if (page) return { problem: { kind: 'instead', what: page.toUpperCase() } };
		bytes = Number(headers['content-length'] ?? 0);
		if (isTooLarge()) return { problem: { kind: 'tooLarge', megabytes } };
		bytes = 0;
		const counted = body.map((chunk: Buffer) => {
			idle.reset();
			bytes += chunk.length;
			if (isTooLarge()) throw new Error('too large');
			return chunk;
		});
		const fileName = outputFileName(item, link, headers);
		const mimeType = chooseMimeTypeAmongSources(link, type, fileName);
		const file = await raceAbort(item.files.prepareBinaryData(counted, fileName, mimeType), signal);
		if (bytes > 0 || link.isEmpty) return { file };
		return { problem: { kind: 'instead', what: 'an empty response' } };
	} catch (error) {
		if (isTooLarge()) return { problem: { kind: 'tooLarge', megabytes } };
		if (item.signal.aborted) return { problem: { kind: 'cancelled' } };
		if (end.aborted) return { problem: { kind: 'slow', minutes: MAX_MINUTES } };
		if (signal.aborted) return { problem: { kind: 'silent', ms: item.timeoutMs } };
		return { problem: { kind: 'network', ...toNetworkFault(error) } };
	} finally {
		idle.end();
		body?.destroy();
	}
}

/** After a 429 the pace waits for the reset. */
function waitMsOf(received: Parameters<typeof parseLimitHeaders>[0]): number | undefined {
	const at = retryAt(received);
	if (received.status === 503) return at && at - received.receivedAt;
	const isExplained = at !== undefined || (parseLimitHeaders(received).reset ?? 0) > Date.now();
	return received.status === 429 && isExplained ? 0 : undefined;
}
