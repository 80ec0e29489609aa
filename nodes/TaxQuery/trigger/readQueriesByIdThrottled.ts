import { RequestError } from '../../shared/http/requestErrorAndResultTypes';
import type { ScopeState } from '../../shared/processStateByScope';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { msUntilElapsed } from '../../shared/utils/interruptibleSleep';
import { findQueryById, GET_PATH_MAPPING_KEYS, type QueryClient } from '../client/queryClient';
import { findMatchingId } from '../client/parseQueryRecord';
import { toRecordWithDeliveryId, type RecordWithDeliveryId } from './recordWithDeliveryId';

/** A sender waits for the response, so reading must not take long. */
const READ_OPTIONS = { timeoutMs: 5_000, retryBudgetMs: 2_000 };
const PER_SECOND = 2;
const UNKNOWN_MS = 60_000;
const MAX_UNKNOWN = 1_000;

/** Statuses that pass: the token, the account's balance, what is being prepared, a service that is slow or busy. */
const PASSING = [401, 402, 403, 407, 408, 409, 423, 425, 429];

/** Returns whether the service refuses just this request. */
export const isRefusal = (error: unknown): boolean =>
	error instanceof RequestError &&
	error.problem.kind === 'status' &&
	error.problem.status >= 400 &&
	error.problem.status < 500 &&
	!error.problem.isFromGateway &&
	!PASSING.includes(error.problem.status);

/** A query by its ID; undefined if the service has nothing under that. */
export async function readQuery(
	client: QueryClient,
	id: string,
	how = READ_OPTIONS,
): Promise<RecordWithDeliveryId | undefined> {
	const record = await findQueryById(client, id, how);
	return record && toRecordWithDeliveryId(record);
}

const inOwnSpelling = ({ record, queryId }: RecordWithDeliveryId): RecordWithDeliveryId =>
	toRecordWithDeliveryId({ ...record, id: findMatchingId(record.raw, queryId) ?? record.id });

/** Times of a node's last reads, and the IDs that the service did not know. */
interface Readings {
	times: number[];
	unknown: BoundedMap<string, number>;
}
const newReadings = (): Readings => ({ times: [], unknown: new BoundedMap(MAX_UNKNOWN) });

/** The outcome of reading an ID: `later` it may be tried again, `failed` it could not be read. */
export type ReadByIdResult = RecordWithDeliveryId | 'unknown' | 'later' | 'failed';

/**
 * Reads by ID the records that webhook calls named; each result has the ID as the service spells it. Unproved ones are limited to two a second for each node, and none
 * that the service did not know a minute ago. Throws if the service cannot be reached.
 */
export async function readQueriesByIdThrottled(
	node: ScopeState,
	client: QueryClient,
	ids: string[],
	isProved: (id: string) => boolean,
): Promise<Map<string, ReadByIdResult>> {
	const { times, unknown } = node.shared(newReadings);
	const read = new Map<string, ReadByIdResult>();
	let failure: unknown;
	let hasResponded = false;
	// counted before the first read, or a slow service would make one poll last as long as a flood
	let free = PER_SECOND - times.filter((time) => msUntilElapsed(time, 1_000) > 0).length;
	for (const id of ids) {
		const isKnownUnknown = msUntilElapsed(unknown.get(id) ?? 0, UNKNOWN_MS) > 0;
		if (isKnownUnknown || (!isProved(id) && free <= 0)) {
			read.set(id, isKnownUnknown ? 'unknown' : 'later');
			continue;
		}
		times.splice(0, times.length - PER_SECOND + 1);
		times.push(Date.now());
		free--;
		const result = await readQuery(client, id).catch((error: unknown) => {
			if (isRefusal(error)) return undefined;
			failure = error;
			return 'failed' as const;
		});
		if (!result) unknown.set(id, Date.now());
		hasResponded ||= result !== 'failed';
		read.set(id, result && result !== 'failed' ? inOwnSpelling(result) : (result ?? 'unknown'));
	}
	if (failure !== undefined && !hasResponded) throw failure as Error;
	return read;
}

/** Returns the error of a query that is known to exist, though the service has nothing under its ID. */
export const createNotFoundError = (): Error =>
	new Error(
		`the service has nothing under its ID. Check ${GET_PATH_MAPPING_KEYS.join()} in API Mapping`,
	);
