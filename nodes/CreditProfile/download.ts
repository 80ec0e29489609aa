import { UserError, type IBinaryData, type IDataObject } from 'n8n-workflow';
import type { FileHelpers, Item } from '../shared/operations/operation';
import { isObject } from '../shared/utils/json';
import { sentences } from '../shared/utils/sentences';

/** A stream of bytes, as n8n takes and gives them. */
type ByteStream = Exclude<Parameters<FileHelpers['prepareBinaryData']>[0], Buffer>;

interface FileLink {
	url: string;
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

/** Where a file association (CP §2.10) can be downloaded; undefined if the service gives no link. */
export function linkOf({
	url,
	filetype,
	filelabel,
	originalFilename,
}: IDataObject): FileLink | undefined {
	if (typeof url !== 'string' || url === '') return undefined;
	const name = [originalFilename, filelabel && `${String(filelabel)}.${String(filetype)}`].find(
		(one) => typeof one === 'string' && one !== '',
	) as string | undefined;
	return {
		url,
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
	for (let attempt = 1; ; attempt++) {
		const outcome = await attemptDownload(item, link, maxMegabytes);
		if ('file' in outcome) return outcome.file;
		if (!outcome.isPassing || attempt === MAX_ATTEMPTS) throw outcome.error;
		await item.wait(WAIT_MS * attempt);
	}
}

type Outcome = { file: IBinaryData } | { error: UserError; isPassing: boolean };

async function attemptDownload(item: Item, link: FileLink, maxMegabytes: number): Promise<Outcome> {
	const { url, name, mimeType } = link;
	const called = name ? `"${name}"` : 'The file';
	const tooLarge = () =>
		new UserError(`${called} is larger than ${maxMegabytes} MB`, {
			description: 'Raise the option Max File Size (MB), or leave this file out.',
		});
	let isTooLarge = false;
	try {
		const { statusCode, headers, body } = (await item.files.httpRequest({
			method: 'GET',
			url,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
		})) as { statusCode: number; headers: IDataObject; body: ByteStream };
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
			bytes += chunk.length;
			isTooLarge = bytes > maxMegabytes * MEGABYTE;
			if (isTooLarge) throw tooLarge();
			return chunk;
		});
		const type = mimeType ?? String(headers['content-type'] ?? 'application/octet-stream');
		const fileName = name ?? new URL(url).pathname.split('/').at(-1);
		return { file: await item.files.prepareBinaryData(counted, fileName, type.split(';')[0]) };
	} catch (error) {
		if (isTooLarge) return { error: tooLarge(), isPassing: false };
		const code = isObject(error) && typeof error.code === 'string' ? ` (${error.code})` : '';
		return {
			error: new UserError(`${called} could not be downloaded: the connection broke`, {
				description: `Try again later. Check that this n8n may reach the host of the file${code}.`,
			}),
			isPassing: true,
		};
	}
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
