import { UserError, type IBinaryData, type IDataObject } from 'n8n-workflow';
import type { FileHelpers, Item } from '../../shared/operations/operation';
import { raceAbort } from '../../shared/http/answerBody';
import { readLimits, retryAt } from '../../shared/rateLimit/limitHeaders';
import { rateLimiterFor, type RateLimiter } from '../../shared/rateLimit/rateLimiter';
import { isObject } from '../../shared/utils/json';
import { sentences } from '../../shared/utils/sentences';
import { textOf } from '../../shared/utils/text';
import { mimeTypeOf, nameOf, pageInstead, type FileLink } from './fileLink';

/** A stream of bytes, as n8n takes and gives them. */
type ByteStream = Exclude<Parameters<FileHelpers['prepareBinaryData']>[0], Buffer>;

const MEGABYTE = 1_000_000;
/** How often a file is asked for where a fault is answered by repeating it. */
const MAX_ATTEMPTS = 3;
/** … and where its host is asked too often, and does not tell when to come again. */
const MAX_BUSY = 10;
const WAIT_MS = 1000;
const MAX_WAIT_MS = 60_000;
/** CP §8.1, §8.3: of requests without a token, by IP. */
const PER_SECOND = 10;
/** All attempts at one file together. */
const MAX_MINUTES = 15;
const MAX_MS = MAX_MINUTES * 60_000;

/**
 * Downloads a file into n8n's binary data, streamed. Whether a link needs a token is not shown (CP §2.10, §5.1): none
 * is sent, for the host may be anybody's. Throws a UserError that tells what to do; a link is in none, for it may open
 * the file to whoever has it.
 */
export async function download(
	item: Item,
	link: FileLink,
	maxMegabytes: number,
): Promise<IBinaryData> {
	if (!/^https?:$/.test(URL.canParse(link.url) ? new URL(link.url).protocol : '')) {
		throw new UserError('The link to the file is not an address that begins with https://', {
			description: 'Check the expression that fills "File URL" for this item.',
		});
	}
	const end = AbortSignal.timeout(MAX_MS);
	const until = performance.now() + MAX_MS;
	const leftMs = () => until - performance.now();
	const { origin } = new URL(link.url);
	const pace = rateLimiterFor({ baseUrl: origin, token: '', pointsPerSecond: PER_SECOND });
	const { executionId: execution = '', cancelled: signal } = item.run;
	let last: UserError | undefined;
	let [faults, busy] = [0, 0];
	for (;;) {
		await pace
			.acquire({ execution, signal, maxWaitMs: Math.max(1, leftMs()) })
			.catch((error: Error) => {
				throw error instanceof UserError ? (last ?? error) : error;
			});
		const outcome = await attemptDownload(item, link, maxMegabytes, { end, pace });
		if ('file' in outcome) return outcome.file;
		last = outcome.error;
		if (!outcome.isPassing) throw last;
		if (outcome.waitMs === undefined && outcome.isBusy) busy++;
		else if (outcome.waitMs === undefined) faults++;
		const waitMs = outcome.waitMs ?? Math.min(MAX_WAIT_MS, WAIT_MS * 2 ** (faults + busy - 1));
		if (faults === MAX_ATTEMPTS || busy === MAX_BUSY || waitMs > leftMs()) throw last;
		await item.wait(waitMs);
	}
}

/** A fault may pass; where the host says when, so many milliseconds are waited. */
type Outcome =
	| { file: IBinaryData }
	| { error: UserError; isPassing: boolean; isBusy?: boolean; waitMs?: number };

/** A signal that aborts once nothing was heard for so long; `hear` is told of what came. */
function silence(longestMs: number) {
	const silent = new AbortController();
	let [heardAt, isOver] = [performance.now(), false];
	const lookAfter = (ms: number) => {
		AbortSignal.timeout(Math.ceil(ms)).addEventListener('abort', () => {
			const leftMs = heardAt + longestMs - performance.now();
			if (isOver) return;
			if (leftMs > 0) lookAfter(leftMs);
			else silent.abort();
		});
	};
	lookAfter(longestMs);
	return {
		signal: silent.signal,
		hear: () => void (heardAt = performance.now()),
		end: () => void (isOver = true),
	};
}

async function attemptDownload(
	item: Item,
	link: FileLink,
	maxMegabytes: number,
	{ end, pace }: { end: AbortSignal; pace: RateLimiter },
): Promise<Outcome> {
	const called = link.name ? `"${nameOf(item, link, {})}"` : 'The file';
	const tooLarge = () =>
		new UserError(`${called} is larger than ${maxMegabytes} MB`, {
			description: 'Raise the option Max File Size (MB), or leave this file out.',
		});
	let isTooLarge = false;
	let giveUp = () => {};
	const quiet = silence(item.timeoutMs);
	const { cancelled } = item.run;
	const signal = AbortSignal.any([quiet.signal, end, ...(cancelled ? [cancelled] : [])]);
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
		request.catch(() => {}); // the signal may end the wait for it
		const { statusCode, headers, body } = (await raceAbort(request, signal)) as {
			statusCode: number;
			headers: IDataObject;
			body: ByteStream;
		};
		body.on('error', () => {}); // it is told by what is made of it
		giveUp = () => void body.destroy(new Error('given up'));
		signal.addEventListener('abort', giveUp);
		const answer = { status: statusCode, headers, sentAt, receivedAt: Date.now() };
		pace.update(answer);
		const isBusy = statusCode === 429;
		const told = isBusy || statusCode === 503 ? retryAt(answer) : undefined;
		const isTold = told !== undefined || (readLimits(answer).reset ?? 0) > Date.now();
		const busyMs = isTold ? 0 : undefined; // after a 429 that tells when, the pace waits
		const waitMs = isBusy ? busyMs : told && told - Date.now();
		const type = textOf(headers['content-type']).split(';')[0].trim().toLowerCase();
		const refusal = refusalOf(called, statusCode, pageInstead(link, type));
		if (refusal) {
			body.destroy();
			return { error: refusal, isPassing: statusCode >= 500 || isBusy, isBusy, waitMs };
		}
		if (Number(headers['content-length'] ?? 0) > maxMegabytes * MEGABYTE) {
			body.destroy();
			return { error: tooLarge(), isPassing: false };
		}
		let bytes = 0;
		const counted = body.map((chunk: Buffer) => {
			quiet.hear();
			bytes += chunk.length;
			isTooLarge = bytes > maxMegabytes * MEGABYTE;
			if (isTooLarge) throw tooLarge();
			return chunk;
		});
		const fileName = nameOf(item, link, headers);
		const mimeType = mimeTypeOf(link, type, fileName);
		const file = await item.files.prepareBinaryData(counted, fileName, mimeType);
		if (bytes > 0 || link.isEmpty) return { file };
		return { error: noFile(called, 'an empty answer'), isPassing: false };
	} catch (error) {
		if (isTooLarge) return { error: tooLarge(), isPassing: false };
		if (cancelled?.aborted) {
			return { error: new UserError('The execution was cancelled'), isPassing: false };
		}
		if (signal.aborted) return { error: tooSlow(called, item.timeoutMs, end), isPassing: true };
		const code = isObject(error) && typeof error.code === 'string' ? ` (${error.code})` : '';
		return {
			error: new UserError(`${called} could not be downloaded: the connection broke`, {
				description: `Try again later. Check that this n8n may reach the host of the file${code}.`,
			}),
			isPassing: true,
		};
	} finally {
		quiet.end();
		signal.removeEventListener('abort', giveUp);
	}
}

function tooSlow(called: string, silenceMs: number, end: AbortSignal): UserError {
	if (end.aborted) {
		return new UserError(`${called} could not be downloaded within ${MAX_MINUTES} minutes`, {
			description: 'Its host is slow. Try again later.',
		});
	}
	return new UserError(
		`${called} could not be downloaded: nothing came from its host for ${silenceMs / 1000} seconds`,
		{ description: 'Try again later, or raise the option Timeout (Seconds).' },
	);
}

/** Why an answer is not the file; undefined if it may be. */
const refusalOf = (called: string, status: number, page: string | undefined) =>
	status === 200 ? page && noFile(called, page.toUpperCase()) : refused(called, status);

const ENDED =
	'A link to a file works for 24 hours after the document was read. Read the document again, then download at once';

const noFile = (called: string, what: string) =>
	new UserError(`${called} could not be downloaded: its host gave ${what} instead`, {
		description: sentences(ENDED),
	});

function refused(called: string, status: number): UserError {
	const hasEnded = [400, 401, 403, 404, 410].includes(status);
	const mayWantToken = [401, 403].includes(status);
	return new UserError(
		`${called} could not be downloaded: its host answered with status ${status}`,
		{
			description: sentences(
				hasEnded ? ENDED : 'Try again later',
				mayWantToken
					? 'If that is refused, too, its host may want a token, which this node never sends with a link: ask the provider how its files are fetched'
					: undefined,
			),
		},
	);
}
