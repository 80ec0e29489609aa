import type { SandboxContext } from '../context';
import { OPERATION_PATHS_AND_SERVICE_CODES, type OperationName } from '../apiMapping';

/** A query that the service refused: it was sent, and is not billed. */
interface RefusedQuery {
	createdAt: string;
	service: string;
	/** The body of its request, secrets masked. */
	query: unknown;
	status: number;
}

const paidOperations = (Object.keys(OPERATION_PATHS_AND_SERVICE_CODES) as OperationName[]).filter(
	(operation) => OPERATION_PATHS_AND_SERVICE_CODES[operation].service !== '',
);

/** A refused token, or too many requests, is no refusal of the query. */
const isRefusal = (status: number | null): status is number =>
	status !== null && status >= 400 && status < 500 && status !== 401 && status !== 429;

/** The oldest comes first. */
export function listRefusedQueries({
	requests,
	variant,
}: Pick<SandboxContext, 'requests' | 'variant'>): RefusedQuery[] {
	const serviceByPath = new Map<string, string>(
		paidOperations.map((operation) => [
			`/api${variant.path(operation)}`,
			OPERATION_PATHS_AND_SERVICE_CODES[operation].service,
		]),
	);
	return requests.list().flatMap(({ method, path, at, body, status }) => {
		const service = serviceByPath.get(path);
		if (method !== 'POST' || service === undefined || !isRefusal(status)) return [];
		return [{ createdAt: at, service, query: body, status }];
	});
}
