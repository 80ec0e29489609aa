import type { IDataObject } from 'n8n-workflow';
import { Turns } from '../utils/turns';
import type { Connection } from '../http/connection';
import type { ServiceRequest } from '../http/sendOnce';
import type { RequestResult } from '../http/requestError';
import type { RequestProblem } from '../errors/requestProblem';
import type { Run } from './operation';

/** They are known by the fingerprint of what was refused: never the secret itself. */
type Refusals = Record<string, { status: number }>;

class RefusedSecrets {
	readonly turns = new Turns();
	readonly refusals: Refusals = {};

	get size(): number {
		return Object.keys(this.refusals).length;
	}
}

const newRefusedSecrets = () => new RefusedSecrets();

/**
 * Sends a request whose body holds somebody's password, unless the service refused it in this execution or an earlier
 * try. A few wrong ones lock a person out. n8n stores the refusals for tries of Retry On Fail and Retry.
 */
export async function sendUnlessRefused(
	run: Run,
	connection: Connection,
	request: ServiceRequest,
): Promise<RequestResult> {
	const { secrets = [], path, secretOf, body } = request;
	const named = secrets.filter((secret) => secret !== '');
	if (request.method === 'GET' || named.length === 0) return await connection.send(request);
	const about = secretOf ?? JSON.stringify(body);
	const fingerprint = connection.seal(JSON.stringify([connection.clientKey, path, about, named]));
	const inProcess = run.execution.shared(newRefusedSecrets);
	return await inProcess.turns.inTurn(fingerprint, async () => {
		const stored = run.memory.refusedSecrets as Refusals | undefined;
		const before = inProcess.refusals[fingerprint] ?? stored?.[fingerprint];
		if (before) return { ok: false, problem: again(before), accepted: 'no' };
		const result = await connection.send(request);
		const status = refusedStatus(result);
		if (status !== undefined) {
			inProcess.refusals[fingerprint] = { status };
			((run.memory.refusedSecrets ??= {}) as IDataObject)[fingerprint] = { status };
		}
		return result;
	});
}

const again = ({ status }: { status: number }): RequestProblem => ({
	kind: 'status',
	status,
	isRepeated: true,
});

/** Statuses that say nothing of what was sent: a proxy, too slow, too early, too many requests. */
const NOT_OF_BODY = [407, 408, 425, 429];

/** Is undefined if the service did not refuse what was sent. */
function refusedStatus(result: RequestResult): number | undefined {
	if (result.ok || result.accepted !== 'no' || result.problem.kind !== 'status') return undefined;
	const { status, isTokenRefused, isUnclear, isFromGateway } = result.problem;
	const isOfToken = isTokenRefused && !isUnclear;
	const isRefusal = status >= 400 && status < 500 && !isOfToken && !isFromGateway;
	return isRefusal && !NOT_OF_BODY.includes(status) ? status : undefined;
}
