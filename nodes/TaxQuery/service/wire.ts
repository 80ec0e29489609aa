import { reportsFailure } from '../../shared/http/read';
import type { Item } from '../../shared/operations/operation';
import type { ServiceRequest } from '../../shared/transport/request';
import { RequestError, type Result } from '../../shared/transport/result';
import { taxQuery } from '../../shared/transport/service';

/**
 * Sends a billed query of an item. A 2xx that reports a failure leaves open whether the query was accepted. Throws where
 * it was never sent: no token came, or the run was stopped.
 */
export async function post(item: Item, request: ServiceRequest): Promise<Result> {
	const result = await item.tryRequest(request);
	if (!result.ok && isUnsent(result)) throw new RequestError(taxQuery, result.problem);
	if (!result.ok || !reportsFailure(result.body)) return result;
	const { said } = await item.connection();
	const { status, body } = result;
	const problem = { kind: 'failure', status, ...said(body, request.secrets) } as const;
	return { ok: false, problem, accepted: 'unknown' };
}

const isUnsent = ({ problem, accepted }: Extract<Result, { ok: false }>): boolean =>
	accepted === 'no' && (problem.kind === 'login' || problem.kind === 'cancelled');
