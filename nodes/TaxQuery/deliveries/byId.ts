import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';
import { RateLimitTimeoutError } from '../../shared/rateLimit/rateLimiter';
import { isForGood, isNotFound, isRefusal } from '../../shared/transport/errors';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { msLeft } from '../../shared/utils/time';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { isLean, queryIdOf } from '../queries';
import { getQuery, type QueryConnection } from '../queries/client';
import { report } from './outage';
import { isPending, resultOf, type Result } from './result';

/** A sender waits for the answer, so that reading must not take long. */
const HOW = { timeoutMs: 5_000, patienceMs: 2_000 };
/** For a row's record; the look waits for it, and so do all other results. */
const FOR_A_ROW = { timeoutMs: 5_000, patienceMs: 10_000 };
const PER_SECOND = 2;
const UNKNOWN_MS = 60_000;
const MAX_UNKNOWN = 1_000;
const MAX_NODES = 500;
/** A query that is refused so often is put aside. */
const MAX_REFUSALS = 5;
/** So often a listed query may be missing under its ID, as where a copy of the service's data lags behind. */
const MAX_MISSES = 2;
/** The longest time for a slow one, after some tries, as a multiple of the first. */
const MAX_TIMES = 8;
const MAX_TRIED = 1_000;

/** A query by its ID; undefined if the service has nothing under that. */
export async function readQuery(
	connection: QueryConnection,
	id: string,
	how = HOW,
): Promise<IDataObject | undefined> {
	return await getQuery(connection, id, how).catch((error: unknown) => {
		if (isNotFound(error)) return undefined;
		throw error;
	});
}

/** When a node has read last, and the IDs that the service did not know. */
interface Readings {
	times: number[];
	unknown: BoundedMap<string, number>;
}
const readings = new BoundedMap<string, Readings>(MAX_NODES);

/** What became of reading an ID: `later` it may be tried again, `failed` it could not be read. */
export type Read = IDataObject | 'unknown' | 'later' | 'failed';

/**
 * Records by ID, where IDs come from deliveries that nothing proves: at most two a second for each node, and none that
 * the service did not know a minute ago. Throws if the service cannot be asked.
 */
export async function readById(
	node: string,
	connection: QueryConnection,
	ids: string[],
): Promise<Map<string, Read>> {
	const { times, unknown } = readings.getOrMake(node, () => ({
		times: [],
		unknown: new BoundedMap(MAX_UNKNOWN),
	}));
	const read = new Map<string, Read>();
	let failure: unknown;
	let isAnswered = false;
	for (const id of ids) {
		const isKnownUnknown = msLeft(unknown.get(id) ?? 0, UNKNOWN_MS) > 0;
		const isTooSoon = msLeft(times.at(-PER_SECOND) ?? 0, 1_000) > 0;
		if (isKnownUnknown || isTooSoon) {
			read.set(id, isKnownUnknown ? 'unknown' : 'later');
			continue;
		}
		times.splice(0, times.length - PER_SECOND + 1);
		times.push(Date.now());
		const record = await readQuery(connection, id).catch((error: unknown) => {
			if (isRefusal(error)) return undefined;
			failure = error;
			return 'failed' as const;
		});
		if (!record) unknown.set(id, Date.now());
		isAnswered ||= record !== 'failed';
		read.set(id, record ?? 'unknown');
	}
	if (failure !== undefined && !isAnswered) throw failure as Error;
	return read;
}

/** What was tried in vain, by query ID, since a trigger was published. */
const tried = new WeakMap<
	ITriggerFunctions,
	BoundedMap<string, { times: number; refusals: number }>
>();

function triesOf(context: ITriggerFunctions) {
	const tries = tried.get(context) ?? new BoundedMap(MAX_TRIED);
	tried.set(context, tries);
	return tries;
}

/** How often a query's result was tried in vain: who was tried less often comes first. */
export const timesTried = (context: ITriggerFunctions, id = ''): number =>
	triesOf(context).get(id)?.times ?? 0;

/**
 * Takes in that a query has no result yet, or could not be read for this reason. True if it is to be put aside, because
 * the service has refused it for good again and again, which is told.
 */
export function triedInVain(context: ITriggerFunctions, id: string, error?: unknown): boolean {
	if (error instanceof RateLimitTimeoutError) return false; // nothing was sent
	const { times, refusals } = triesOf(context).get(id) ?? { times: 0, refusals: 0 };
	const now = refusals + Number(error !== undefined && isForGood(error));
	triesOf(context).set(id, { times: times + 1, refusals: now });
	if (error === undefined) return false;
	const reason = error instanceof Error ? error.message : 'no reason was given';
	context.logger.warn(`The result of query ${id} could not be read: ${reason}`);
	if (now < MAX_REFUSALS || !isForGood(error)) return false;
	triesOf(context).delete(id);
	const told = `The result of query ${id} could not be read ${MAX_REFUSALS} times and is put aside: ${reason}`;
	report(context, undefined, told);
	return true;
}

/**
 * Whether the record may hold more than the row of a list: its result, or the date without which the row has another
 * deliveryId.
 */
export const isToBeRead = ({ record, updatedAt }: Result, mapping: TaxQueryMapping): boolean =>
	isLean(record, mapping) || updatedAt === undefined;

/**
 * A row of the list with its result; undefined if it cannot be had now. A row that lacks its date alone stays as it is
 * where the service refuses it by its ID.
 */
export async function complete(
	context: ITriggerFunctions,
	connection: QueryConnection,
	row: Result,
): Promise<Result | 'refused' | undefined> {
	const { mapping } = connection;
	const id = queryIdOf(row.record) ?? '';
	if (id === '' || !isToBeRead(row, mapping)) return row;
	const times = timesTried(context, id);
	const timeoutMs = FOR_A_ROW.timeoutMs * Math.min(MAX_TIMES, 2 ** times);
	try {
		const record = await readQuery(connection, id, { ...FOR_A_ROW, timeoutMs }).catch(
			(error: unknown) => {
				if (isForGood(error) && !isLean(row.record, mapping)) return undefined;
				throw error;
			},
		);
		const result = record ? resultOf(record, mapping) : row;
		const isMissing = !record && isLean(row.record, mapping) && times < MAX_MISSES;
		if (!isMissing && (!isPending(result) || isPending(row))) return result;
		triedInVain(context, id);
	} catch (error) {
		if (triedInVain(context, id, error)) return 'refused';
	}
	return undefined;
}
