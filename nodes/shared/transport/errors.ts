import { RequestError } from './result';

/** Whether an error of a request says that the service has nothing there. */
export const isNotFound = (error: unknown): boolean =>
	error instanceof RequestError && error.problem.kind === 'status' && error.problem.status === 404;

/** Statuses that pass: the token, the account's balance, what is being prepared, a service that is slow or busy. */
const PASSING = [401, 402, 403, 407, 408, 409, 423, 425, 429];

/** Whether the service refuses just what was asked for. */
export const isRefusal = (error: unknown): boolean =>
	error instanceof RequestError &&
	error.problem.kind === 'status' &&
	error.problem.status >= 400 &&
	error.problem.status < 500 &&
	!PASSING.includes(error.problem.status);

/** Whether asking again would bring the same: a refusal, or a response of another shape. */
export const isForGood = (error: unknown): boolean =>
	error instanceof RequestError ? isRefusal(error) || error.problem.kind === 'shape' : true;
