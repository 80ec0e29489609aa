import { NodeApiError, type INode } from 'n8n-workflow';
import { RateLimitTimeoutError } from '../rateLimit/rateLimiter';

/** What an operator reads: what happened, and what to do about it. */
export interface Problem {
	message: string;
	description: string;
	httpCode?: string;
	/** A POST whose fate is unknown: the service may have accepted (and billed) it. */
	mayHaveBeenAccepted?: boolean;
}

/** The node as an error may carry it into the execution data: a login typed into a parameter stays out of it. */
export const withoutParameters = (node: INode): INode => ({ ...node, parameters: {} });

/**
 * The error to throw for a problem. It is built from nothing but the problem, so that no header, token or body
 * of the request reaches the execution data.
 */
export function toNodeError(node: INode, problem: Problem, itemIndex?: number): NodeApiError {
	const { message, description, httpCode, mayHaveBeenAccepted } = problem;
	const error = new NodeApiError(
		withoutParameters(node),
		{ message },
		{ message, description, itemIndex, ...(httpCode && { httpCode }) },
	);
	error.message = message; // NodeApiError replaces some messages by its own
	error.messages = [];
	if (mayHaveBeenAccepted) error.context.mayHaveBeenAccepted = true;
	return error;
}

/** The error of a request as one item has it: items that share the request share its error, and each adds to its own. */
export function ofItem(error: NodeApiError, itemIndex: number): NodeApiError {
	const { message, description, httpCode, context } = error;
	const problem = { message, description: description ?? '', httpCode: httpCode ?? undefined };
	const own = toNodeError(error.node, problem, itemIndex);
	Object.assign(own, { description, context: { ...context, itemIndex } });
	return own;
}

/** Whether an error of a request says that the service has nothing there. */
export const isNotFound = (error: unknown): boolean =>
	error instanceof NodeApiError && error.httpCode === '404';

/** Statuses that pass: the token, the account's balance, what is being prepared, a service that is slow or busy. */
const PASSING = ['401', '402', '403', '408', '409', '423', '425', '429'];

/** Whether the service refuses just what was asked for. An error without a status is one of the connection. */
export const isRefusal = (error: unknown): boolean =>
	error instanceof NodeApiError &&
	/^4/.test(error.httpCode ?? '') &&
	!PASSING.includes(error.httpCode ?? '');

/** Whether asking again would bring the same: a refusal, or an answer of another shape. */
export const isForGood = (error: unknown): boolean =>
	error instanceof NodeApiError ? isRefusal(error) : !(error instanceof RateLimitTimeoutError);
