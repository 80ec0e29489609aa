import type { IWebhookFunctions } from 'n8n-workflow';

export interface UnreadableBody {
	status: 400 | 413;
	reason: string;
}

/** The body as it came, and its content coding; '' for none. */
export interface ReceivedBody {
	raw: Buffer;
	coding: string;
}

type Request = ReturnType<IWebhookFunctions['getRequestObject']>;

/** n8n's own limit, unless it is set otherwise. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const TOO_LARGE: UnreadableBody = { status: 413, reason: 'The body is too large' };
const INCOMPLETE: UnreadableBody = { status: 400, reason: 'The body could not be read' };
const UNSUPPORTED: UnreadableBody = {
	status: 400,
	reason: 'The body has another Content-Encoding than gzip',
};

export async function receiveBody(request: Request): Promise<ReceivedBody | UnreadableBody> {
	const { headers } = request;
	if (Number(headers['content-length']) > MAX_BODY_BYTES) return TOO_LARGE;
	const coding = (headers['content-encoding'] ?? '').trim().toLowerCase();
	// else n8n would decode it, and signatures may cover the coded bytes
	delete headers['content-encoding'];
	try {
		if (!request.rawBody) await request.readRawBody();
	} catch (error) {
		const { status, statusCode } = error as { status?: number; statusCode?: number };
		return (status ?? statusCode) === 413 ? TOO_LARGE : INCOMPLETE;
	}
	const raw = request.rawBody ?? Buffer.alloc(0);
	Object.assign(request, { rawBody: undefined }); // else it stays in memory as long as the request
	if (raw.length > MAX_BODY_BYTES) return TOO_LARGE;
	return { raw, coding: coding === 'identity' ? '' : coding };
}

/** Decodes a body up to the size limit, so that a small one cannot grow large. */
export async function decodeBody({ raw, coding }: ReceivedBody): Promise<Buffer | UnreadableBody> {
	if (coding === '') return raw;
	if (coding !== 'gzip' && coding !== 'x-gzip') return UNSUPPORTED;
	const chunks: Uint8Array[] = [];
	let size = 0;
	try {
		const decoded = new Blob([raw]).stream().pipeThrough(new DecompressionStream('gzip'));
		for await (const chunk of decoded) {
			const bytes = chunk as Uint8Array;
			size += bytes.length;
			if (size > MAX_BODY_BYTES) return TOO_LARGE; // leaving the loop cancels the decoder
			chunks.push(bytes);
		}
	} catch {
		return INCOMPLETE;
	}
	return Buffer.concat(chunks);
}
