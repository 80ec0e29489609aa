import type { ITriggerFunctions } from 'n8n-workflow';
import { RequestError } from '../../shared/http/requestErrorAndResultTypes';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { CodedError } from '../../shared/utils/codedError';
import { raceAbort } from '../../shared/utils/responseBody';
import { msUntilElapsed } from '../../shared/utils/interruptibleSleep';
import type { QueryClient } from '../client/queryClient';
import {
	errorMessage,
	reportErrorAsFailedExecution,
	reportErrorAsFailedExecutionHourly,
} from './errorReporting';
import { isRefusal, createNotFoundError, readQuery } from './readQueriesByIdThrottled';
import type { RecordWithDeliveryId } from './recordWithDeliveryId';

/**
 * Limits the read of a row's record. A poll and its other results wait this long for it, then leave it to a later
 * poll.
 */
const ROW_READ_OPTIONS = { timeoutMs: 40_000, retryBudgetMs: 10_000 };
const POLL_WAITS_MS = 15_000;
/** A query that is refused in this many minutes is put aside. */
const MAX_REFUSALS = 5;
const REFUSAL_MS = 60_000;
/** A query that cannot be read for this long is reported. */
const REPORT_AFTER_MS = 10 * 60_000;
const MAX_FAILED = 1_000;

interface FailedReads {
	times: number;
	/** The number of minutes in which it was refused. */
	refusals: number;
	refusedAt: number;
	/** 0 where it could be read, but had no result yet. */
	failedSince: number;
}

interface ReadOutcome {
	result?: RecordWithDeliveryId;
	error?: unknown;
}

/** The vain attempts of a published trigger to read queries, and its reads in flight, by query ID. */
export class FailureCountingQueryReader {
	readonly #context: ITriggerFunctions;
	readonly #failed = new BoundedMap<string, FailedReads>(MAX_FAILED);
	readonly #running = new Map<string, Promise<ReadOutcome>>();

	constructor(context: ITriggerFunctions) {
		this.#context = context;
	}

	/** Returns the number of vain attempts; a poll reads queries with fewer first. */
	failedTimes(id: string): number {
		return this.#failed.get(id)?.times ?? 0;
	}

	/** Notes that the result of a query came. */
	noteRead(id: string): void {
		this.#failed.delete(id);
	}

	/**
	 * Notes that a query has no result yet, or could not be read for this reason. Returns true if it is to be put aside,
	 * because the service has refused it again and again; that is reported.
	 */
	noteFailure(id: string, error?: unknown): boolean {
		if (error instanceof RequestError && error.problem.kind === 'rateLimit') return false; // nothing was sent
		const none = { times: 0, refusals: 0, refusedAt: -Infinity, failedSince: 0 };
		const failed = this.#failed.getOrMake(id, () => none);
		countFailure(failed, error);
		if (error === undefined) return false;
		const isPutAside = failed.refusals >= MAX_REFUSALS;
		if (isPutAside) this.#failed.delete(id);
		this.#report(id, error, failed.failedSince, isPutAside);
		return isPutAside;
	}

	/**
	 * Reads a query's record in time for a poll. Undefined if it is not available now, 'refused' if it is to be
	 * put aside.
	 */
	async read(
		client: QueryClient,
		id: string,
	): Promise<RecordWithDeliveryId | 'refused' | undefined> {
		const before = this.#running.get(id);
		const reading = before ?? readRow(client, id);
		this.#running.set(id, reading);
		const signal = AbortSignal.timeout(before ? 1 : POLL_WAITS_MS);
		const read = await raceAbort(reading, signal).catch(() => undefined);
		if (!read) {
			if (!before) this.noteFailure(id);
			return undefined;
		}
		this.#running.delete(id);
		return read.result ?? (this.noteFailure(id, read.error) ? 'refused' : undefined);
	}

	#report(id: string, error: unknown, failedSince: number, isPutAside: boolean): void {
		const context = this.#context;
		const what = `The result of query ${id} could not be read`;
		const reason = errorMessage(error);
		context.logger.warn(`${what}: ${reason}`);
		const coded = (code: string, how: string) =>
			new CodedError(code, `${what} ${how}: ${reason}`, { queryId: id });
		if (isPutAside) {
			reportErrorAsFailedExecution(
				context,
				coded('putAside', `${MAX_REFUSALS} times and is put aside`),
			);
		} else if (msUntilElapsed(failedSince, REPORT_AFTER_MS) <= 0) {
			reportErrorAsFailedExecutionHourly(
				context,
				coded('unreadable', 'for ten minutes. The trigger keeps trying'),
			);
		}
	}
}

/** Counts a read in vain; `error` is undefined where the query has no result yet. */
function countFailure(failed: FailedReads, error: unknown): void {
	failed.times++;
	if (error === undefined) {
		failed.failedSince = 0;
		return;
	}
	failed.failedSince ||= Date.now();
	if (isPermanent(error) && msUntilElapsed(failed.refusedAt, REFUSAL_MS) <= 0) {
		failed.refusals++;
		failed.refusedAt = Date.now();
	}
}

/** Returns whether another attempt would fail as well: a refusal, or a response of another shape. */
const isPermanent = (error: unknown): boolean =>
	error instanceof RequestError ? isRefusal(error) || error.problem.kind === 'shape' : true;

/** Reads the record of a row. It never throws, because a later poll may take the outcome. */
const readRow = async (client: QueryClient, id: string): Promise<ReadOutcome> =>
	await readQuery(client, id, ROW_READ_OPTIONS).then(
		(result) => (result ? { result } : { error: createNotFoundError() }),
		(error: unknown) => ({ error }),
	);
