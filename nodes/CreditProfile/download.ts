import { UserError, type IBinaryData, type IDataObject } from 'n8n-workflow';
import type { FileHelpers, Item } from '../shared/operations/operation';
import { raceAbort } from '../shared/http/answerBody';
import { readPersonalData } from '../shared/personalData/personalData';
import { isObject } from '../shared/utils/json';
import { sentences } from '../shared/utils/sentences';
import { textOf } from '../shared/utils/text';

/** A stream of bytes, as n8n takes and gives them. */
type ByteStream = Exclude<Parameters<FileHelpers['prepareBinaryData']>[0], Buffer>;

interface FileLink {
	url: string;
	id?: unknown;
	filetype?: unknown;
	/** Without it n8n takes the name at the end of the address. */
	name?: string;
	mimeType?: string;
}

const MIME_TYPES: Record<string, string> = {
	jpeg: 'image/jpeg',
	png: 'image/png',
	pdf: 'application/pdf',
	csv: 'text/csv',
	json: 'application/json',
};
const MEGABYTE = 1_000_000;
const MAX_ATTEMPTS = 3;
const WAIT_MS = 1000;
/** All attempts at one file together. */
const MAX_MINUTES = 15;

/** Where a file association (CP §2.10) can be downloaded; undefined if the service gives no link. */
export function linkOf({
	url,
	filetype,
	filelabel,
	originalFilename,
	id,
}: IDataObject): FileLink | undefined {
	if (typeof url !== 'string' || url === '') return undefined;
	const name = [originalFilename, filelabel && `${String(filelabel)}.${String(filetype)}`].find(
		(one) => typeof one === 'string' && one !== '',
	) as string | undefined;
	return {
		url,
		id,
		filetype,
		...(name && { name: name.replace(/[\\/]/g, '_') }),
		mimeType: MIME_TYPES[String(filetype)],
	};
}

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
	const end = AbortSignal.timeout(MAX_MINUTES * 60_000);
	for (let attempt = 1; ; attempt++) {
		const outcome = await attemptDownload(item, link, maxMegabytes, end);
		if ('file' in outcome) return outcome.file;
		if (!outcome.isPassing || attempt === MAX_ATTEMPTS || end.aborted) throw outcome.error;
		await item.wait(WAIT_MS * attempt);
	}
}

/** What a file is called; where personal data is protected, by nothing that a person may have named it. */
function nameOf(item: Item, { url, name, id, filetype }: FileLink): string {
	const ending = new URL(url).pathname.split('/').at(-1) ?? '';
	if (readPersonalData(item.options) === 'full') return name ?? ending;
	const plain = (value: unknown) => /^[\w-]+$/.exec(textOf(value))?.[0];
	const type = plain(filetype) ?? /\.(\w{1,5})$/.exec(ending)?.[1];
	const called = ['file', plain(id)].filter(Boolean).join('-') + (type ? `.${type}` : '');
	return String(item.protect({ called }).called);
}

type Outcome = { file: IBinaryData } | { error: UserError; isPassing: boolean };

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
	end: AbortSignal,
): Promise<Outcome> {
	const { url, mimeType } = link;
	const fileName = nameOf(item, link);
	const called = link.name ? `"${fileName}"` : 'The file';
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
		const request = item.files.httpRequest({
			method: 'GET',
			url,
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
		if (statusCode < 200 || statusCode > 299) {
			body.destroy();
			return {
				error: refused(called, statusCode),
				isPassing: statusCode >= 500 || statusCode === 429,
			};
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
		const type = mimeType ?? String(headers['content-type'] ?? 'application/octet-stream');
		return { file: await item.files.prepareBinaryData(counted, fileName, type.split(';')[0]) };
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

function refused(called: string, status: number): UserError {
	const hasEnded = [400, 401, 403, 404, 410].includes(status);
	const mayWantToken = [401, 403].includes(status);
	return new UserError(
		`${called} could not be downloaded: its host answered with status ${status}`,
		{
			description: sentences(
				hasEnded
					? 'A link to a file works for 24 hours after the document was read. Read the document again, then download at once'
					: 'Try again later',
				mayWantToken
					? 'If that is refused, too, its host may want a token, which this node never sends with a link: ask the provider how its files are fetched'
					: undefined,
			),
		},
	);
}
