import type { IWebhookFunctions } from 'n8n-workflow';

type Request = ReturnType<IWebhookFunctions['getRequestObject']>;

/** The request's body as it came; or the status to answer, because it is too large or broke off. */
export async function readRawBody(
	request: Request,
): Promise<{ body: Buffer } | { status: 400 | 413 }> {
	const failure = request.rawBody
		? undefined
		: await request.readRawBody().then(
				() => undefined,
				(error: { status?: number; statusCode?: number }) => error,
			);
	if (!failure) return { body: request.rawBody ?? Buffer.alloc(0) };
	return { status: (failure.status ?? failure.statusCode) === 413 ? 413 : 400 };
}
