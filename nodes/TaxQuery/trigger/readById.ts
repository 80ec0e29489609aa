import type { ITriggerFunctions } from 'n8n-workflow';
import { raceAbort } from '../../shared/utils/responseBody';
import { RequestError } from '../../shared/http/result';
import type { Scope } from '../../shared/processState';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { msLeft } from '../../shared/utils/time';
import { findQuery, keysForReading, type QueryClient } from '../client/queryClient';
import { spellingOf } from '../client/queryRecord';
import { errorMessage, report, reportHourly } from './outage';
import { resultOf, type TriggerResult } from './triggerResult';
import { CodedError } from '../../shared/utils/codedError';

/** A sender waits for the response, so reading must not take long. */
const READ_OPTIONS = { timeoutMs: 5_000, retryBudgetMs: 2_000 };
/**
 * Limits the read of a row's record. A poll and its other results wait this long for it, then leave it to a later
 * poll.
 */
const ROW_READ_OPTIONS = { timeoutMs: 40_000, retryBudgetMs: 10_000 };
const POLL_WAITS_MS = 15_000;
const PER_SECOND = 2;
const UNKNOWN_MS = 60_000;
const MAX_UNKNOWN = 1_000;
/** A query that is refused in this many minutes is put aside. */
const MAX_REFUSALS = 5;
const REFUSAL_MS = 60_000;
/** A query that cannot be read for this long is reported. */
const REPORT_AFTER_MS = 10 * 60_000;
const MAX_TRIED = 1_000;

/** Statuses that pass: the token, the account's balance, what is being prepared, a service that is slow or busy. */
const PASSING = [401, 402, 403, 407, 408, 409, 423, 425, 429];

/** Returns whether the service refuses just this request. */
const isRefusal = (error: unknown): boolean =>
	error instanceof RequestError &&
	error.problem.kind === 'status' &&
	error.problem.status >= 400 &&
	error.problem.status < 500 &&
	!PASSING.includes(error.problem.status);

/** Returns whether another attempt would fail as well: a refusal, or a response of another shape. */
const isPermanent = (error: unknown): boolean =>
	error instanceof RequestError ? isRefusal(error) || error.problem.kind === 'shape' : true;

/** A query by its ID; undefined if the service has nothing under that. */
export async function readQuery(
	service: QueryClient,
	id: string,
	how = READ_OPTIONS,
): Promise<TriggerResult | undefined> {
	const record = await findQuery(service, id, how);
	return record && resultOf(record);
}

const inOwnSpelling = ({ record, queryId }: TriggerResult): TriggerResult =>
	resultOf({ ...record, id: spellingOf(record.raw, queryId) ?? record.id });

/** Describes when a node has read last, and the IDs that the service did not know. */
interface Readings {
	times: number[];
	unknown: BoundedMap<string, number>;
}
const newReadings = (): Readings => ({ times: [], unknown: new BoundedMap(MAX_UNKNOWN) });

/** Describes what became of reading an ID: `later` it may be tried again, `failed` it could not be read. */
export type ReadById = TriggerResult | 'unknown' | 'later' | 'failed';

/**
 * Reads by ID the records that webhook calls named; each result has the ID as the service spells it. Unproved ones are limited to two a second for each node, and none
 * that the service did not know a minute ago. Throws if the service cannot be reached.
 */
export async function readNotified(
	node: Scope,
	service: QueryClient,
	ids: string[],
	isProved: (id: string) => boolean,
): Promise<Map<string, ReadById>> {
	const { times, unknown } = node.shared(newReadings);
	const read = new Map<string, ReadById>();
	let failure: unknown;
	let hasResponded = false;
	// counted before the first read, or a slow service would make one poll last as long as a flood
	let free = PER_SECOND - times.filter((time) => msLeft(time, 1_000) > 0).length;
	for (const id of ids) {
		const isKnownUnknown = msLeft(unknown.get(id) ?? 0, UNKNOWN_MS) > 0;
		if (isKnownUnknown || (!isProved(id) && free <= 0)) {
			read.set(id, isKnownUnknown ? 'unknown' : 'later');
			continue;
		}
		times.splice(0, times.length - PER_SECOND + 1);
		times.push(Date.now());
		free--;
		const result = await readQuery(service, id).catch((error: unknown) => {
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

/** Describes how a query was tried in vain. */
interface FailedReads {
	times: number;
	/** Counts refusals in different minutes. */
	refusals: number;
	refusedAt: number;
	/** 0 where it could be read, but had no result yet. */
	failedSince: number;
}

/** The list shows a query, or the service has shown it before, and has nothing under its ID. */
export const notFoundError = (service: QueryClient): Error => {
	const keys = keysForReading(service);
	const what = 'the service has nothing under its ID';
	return new Error(keys.length === 0 ? what : `${what}. Check ${keys.join()} in API Mapping`);
};

export type Tries = ReturnType<typeof newTries>;

/** Returns what a published trigger has tried in vain to read, and what it still reads, by query ID. */
export function newTries(context: ITriggerFunctions) {
	const known = new BoundedMap<string, FailedReads>(MAX_TRIED);
	const running = new Map<string, Promise<{ result?: TriggerResult; error?: unknown }>>();

	/**
	 * A query has no result yet, or could not be read for this reason. True if it is to be put aside, because the service
	 * has refused it for good again and again, which is reported.
	 */
	function inVain(id: string, error?: unknown): boolean {
		if (error instanceof RequestError && error.problem.kind === 'rateLimit') return false; // nothing was sent
		const none = { times: 0, refusals: 0, refusedAt: -Infinity, failedSince: 0 };
		const tried = known.getOrMake(id, () => none);
		tried.times++;
		if (error === undefined) {
			tried.failedSince = 0;
			return false;
		}
		tried.failedSince ||= Date.now();
		const what = `The result of query ${id} could not be read`;
		const reason = errorMessage(error);
		context.logger.warn(`${what}: ${reason}`);
		if (isPermanent(error) && msLeft(tried.refusedAt, REFUSAL_MS) <= 0) {
			tried.refusals++;
			tried.refusedAt = Date.now();
		}
		const coded = (code: string, how: string) =>
			new CodedError(code, `${what} ${how}: ${reason}`, { queryId: id });
		if (tried.refusals >= MAX_REFUSALS) {
			known.delete(id);
			report(context, coded('putAside', `${MAX_REFUSALS} times and is put aside`));
			return true;
		}
		if (msLeft(tried.failedSince, REPORT_AFTER_MS) <= 0)
			reportHourly(context, coded('unreadable', 'for ten minutes. The trigger keeps trying'));
		return false;
	}

	return {
		inVain,

		/** Returns who was tried less often comes first. */
		timesOf: (id: string): number => known.get(id)?.times ?? 0,

		wasRead: (id: string) => known.delete(id),

		/**
		 * Reads a query's record in time for a poll. Undefined if it is not available now, 'refused' if it is to be
		 * put aside.
		 */
		async read(service: QueryClient, id: string): Promise<TriggerResult | 'refused' | undefined> {
			const before = running.get(id);
			const reading =
				before ??
				readQuery(service, id, ROW_READ_OPTIONS).then(
					(result) => (result ? { result } : { error: notFoundError(service) }),
					(error: unknown) => ({ error }),
				);
			running.set(id, reading);
			const signal = AbortSignal.timeout(before ? 1 : POLL_WAITS_MS);
			const read = await raceAbort(reading, signal).catch(() => undefined);
			if (!read) {
				if (!before) inVain(id);
				return undefined;
			}
			running.delete(id);
			return read.result ?? (inVain(id, read.error) ? 'refused' : undefined);
		},
	};
}
