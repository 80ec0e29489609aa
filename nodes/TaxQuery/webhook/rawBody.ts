import type { IWebhookFunctions } from 'n8n-workflow';

type Request = ReturnType<IWebhookFunctions['getRequestObject']>;

const MAX_BYTES = 1_000_000;

/** The request's body as it came; or the status to answer, because it is too large or broke off. */
export async function readRawBody(
	request: Request,
): Promise<{ body: Buffer } | { status: 400 | 413 }> {
	if (Number(request.headers['content-length']) > MAX_BYTES) return { status: 413 };
	const failure = request.rawBody
		? undefined
		: await request.readRawBody().then(
				() => undefined,
				(error: { status?: number; statusCode?: number }) => error,
			);
	if (failure) return { status: (failure.status ?? failure.statusCode) === 413 ? 413 : 400 };
	const body = request.rawBody ?? Buffer.alloc(0);
	return body.length > MAX_BYTES ? { status: 413 } : { body };
}
