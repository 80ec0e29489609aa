import type { IWebhookFunctions } from 'n8n-workflow';

/** The reason why the body of a webhook call cannot be read, with the response for its sender. */
export interface BodyReadFailure {
	status: 400 | 413 | 415;
	reason: string;
}

/** The body as it came, and the content codings that were applied to it, in that order. */
export interface RawBody {
	raw: Buffer;
	codings: string[];
}

type Request = ReturnType<IWebhookFunctions['getRequestObject']>;

const MAX_BYTES = 1_000_000;
const MAX_CODINGS = 4;
const TOO_LARGE: BodyReadFailure = { status: 413, reason: 'The body is too large' };
const INCOMPLETE: BodyReadFailure = { status: 400, reason: 'The body could not be read' };

const UNSUPPORTED: BodyReadFailure = {
	status: 415,
	reason: 'The Content-Encoding is not supported',
};

/** Reads the body of a request as it came. */
export async function readRawBody(request: Request): Promise<RawBody | BodyReadFailure> {
	const { headers } = request;
	if (Number(headers['content-length']) > MAX_BYTES) return TOO_LARGE;
	const coding = headers['content-encoding'];
	// n8n would decode "gzip" and "deflate", so written, without a size limit; signatures may cover the coded bytes
	delete headers['content-encoding'];
	try {
		if (!request.rawBody) await request.readRawBody();
	} catch (error) {
		const { status, statusCode } = error as { status?: number; statusCode?: number };
		return (status ?? statusCode) === 413 ? TOO_LARGE : INCOMPLETE;
	}
	const raw = request.rawBody ?? Buffer.alloc(0);
	return raw.length > MAX_BYTES ? TOO_LARGE : { raw, codings: readCodings(coding) };
}

/** RFC 9110 §8.4: the codings in the order in which they were applied, in any case; `identity` stands for none. */
const readCodings = (header: string | undefined): string[] =>
	(header ?? '')
		.toLowerCase()
		.split(',')
		.map((coding) => coding.trim())
		.filter((coding) => coding !== '' && coding !== 'identity');

/** Undoes the codings of a body, the last one first; each step is bounded, so that a small body cannot grow large. */
export async function decompressBody({ raw, codings }: RawBody): Promise<Buffer | BodyReadFailure> {
	if (codings.length > MAX_CODINGS) return UNSUPPORTED;
	let body: Buffer | BodyReadFailure = raw;
	for (const coding of [...codings].reverse()) {
		if (!Buffer.isBuffer(body)) return body;
		const format = formatOf(coding, body);
		const decoder = format && newDecoder(format);
		body = decoder ? await decompress(body, decoder) : UNSUPPORTED;
	}
	return body;
}

/** Returns DecompressionStream's name of a coding; undefined if it is unknown. */
function formatOf(coding: string, body: Buffer): string | undefined {
	switch (coding) {
		case 'gzip':
		case 'x-gzip':
			return 'gzip';
		case 'deflate':
			// RFC 9110 §8.4.1.2: some send it without the zlib header, which is a multiple of 31
			return body.length > 1 && (body[0] & 15) === 8 && body.readUInt16BE(0) % 31 === 0
				? 'deflate'
				: 'deflate-raw';
		case 'br':
			return 'brotli';
		default:
			return undefined;
	}
}

/** Undefined if this n8n's Node does not know the format: brotli came with Node 22.20 and 24.7. */
function newDecoder(format: string): DecompressionStream | undefined {
	try {
		return new DecompressionStream(format as ConstructorParameters<typeof DecompressionStream>[0]);
	} catch {
		return undefined;
	}
}

async function decompress(
	body: Buffer,
	decoder: DecompressionStream,
): Promise<Buffer | BodyReadFailure> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	try {
		const decoded = new Blob([body]).stream().pipeThrough(decoder);
		for await (const chunk of decoded) {
			const bytes = chunk as Uint8Array;
			size += bytes.length;
			if (size > MAX_BYTES) return TOO_LARGE; // leaving the loop cancels the decoder
			chunks.push(bytes);
		}
	} catch {
		return INCOMPLETE;
	}
	return Buffer.concat(chunks);
}
