import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { SandboxErrorBody } from '../../contract/builders';

/** Thrown by a handler to refuse a request: HTTP status, what is wrong, and the field if it is one. */
export class HttpError extends Error {
	constructor(
		readonly statusCode: number,
		message: string,
		readonly field?: string,
	) {
		super(message);
	}
}

/** Answers with the error as JSON; what Fastify itself refuses (malformed JSON, media type) included. */
export function sendError(
	error: FastifyError | HttpError,
	_request: FastifyRequest,
	reply: FastifyReply,
): FastifyReply {
	const statusCode = error.statusCode ?? 500;
	const field = error instanceof HttpError ? error.field : undefined;
	const body: SandboxErrorBody = { statusCode, message: error.message, ...(field && { field }) };
	return reply.code(statusCode).type('application/json').send(JSON.stringify(body));
}
