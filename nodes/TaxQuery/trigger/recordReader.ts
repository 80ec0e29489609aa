import type { ITriggerFunctions } from 'n8n-workflow';
import { RequestError } from '../../shared/http/requestError';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { CodedError } from '../../shared/utils/codedError';
import { msUntilElapsed } from '../../shared/utils/sleep';
import { raceAbort } from '../../shared/utils/responseBody';
import { findMatchingId } from '../client/record';
import { findQueryById, GET_PATH_MAPPING_KEYS, type QueryClient } from '../client/queryClient';
import { errorMessage, reportFailure, reportFailureHourly } from './errorReporting';
import { toResult, type TriggerResult } from './result';

/** A read may take this long. A poll waits a shorter time for it, and a later poll takes what came. */
const READ_OPTIONS = { timeoutMs: 40_000, retryBudgetMs: 10_000 };
const POLL_WAITS_MS = 15_000;
/** A read for whoever waits for a response. */
const SHORT_READ_OPTIONS = { timeoutMs: 5_000, retryBudgetMs: 2_000 };
/** Reads of this many IDs that nothing proves may begin in a second: a tenth of the usual rate limit. */
const UNPROVED_PER_SECOND = 1;
/** An ID that the service did not know is not read again within this time. */
const UNKNOWN_MS = 60_000;
/** A query that is refused in this many minutes is put aside. */
const MAX_REFUSALS = 5;
const REFUSAL_MS = 60_000;
/** A query that cannot be read for this long is reported. */
const REPORT_AFTER_MS = 10 * 60_000;
const MAX_REMEMBERED = 1_000;

/** Statuses that pass: the token, the account's balance, what is being prepared, a service that is slow or busy. */
const PASSING = [401, 402, 403, 407, 408, 409, 423, 425, 429];

/** The service refuses just this request. */
const isRefusal = (error: unknown): boolean =>
	error instanceof RequestError &&
	error.problem.kind === 'status' &&
	error.problem.status >= 400 &&
	error.problem.status < 500 &&
	!error.problem.isFromGateway &&
	!PASSING.includes(error.problem.status);

/** Another attempt would fail as well: a refusal, or a response of another shape. */
const isPermanent = (error: unknown): boolean =>
	error instanceof RequestError ? isRefusal(error) || error.problem.kind === 'shape' : true;

/** The error of a query that is known to exist, though the service has nothing under its ID. */
export const createNotFoundError = (): Error =>
	new Error(
		`the service has nothing under its ID. Check ${GET_PATH_MAPPING_KEYS.join()} in API Mapping`,
	);

/** The outcome of reading an ID: what it brought, or 'unknown' if the service has nothing under it. */
export type Reading =
	| { found: TriggerResult }
	| { failed: unknown }
	| 'unknown'
	/** It is still being read, or not read now. */
	| 'later';

interface Failures {
	times: number;
	/** The number of minutes in which it was refused. */
	refusals: number;
	refusedAt: number;
	/** 0 where it could be read, but had no result yet. */
	failedSince: number;
}

/** The ID is as the service spells it. Never throws, because a later poll may take the outcome. */
const readRecord = async (
	client: QueryClient,
	id: string,
	how: typeof READ_OPTIONS,
): Promise<Reading> =>
	await findQueryById(client, id, how).then(
		(record): Reading => {
			if (!record) return 'unknown';
			const own = findMatchingId(record.raw, id) ?? record.id;
			return { found: toResult({ ...record, id: own }) };
		},
		(failed: unknown): Reading => ({ failed }),
	);

/** The sender of the webhook call waits. An ID that the service refuses is unknown. */
export async function readNotified(client: QueryClient, id: string): Promise<Reading> {
	const read = await readRecord(client, id, SHORT_READ_OPTIONS);
	return typeof read === 'object' && 'failed' in read && isRefusal(read.failed) ? 'unknown' : read;
}

/** Reads queries by their IDs for a published trigger, within a budget, and remembers what could not be read. */
export class RecordReader {
	readonly #context: ITriggerFunctions;
	readonly #inFlight = new Map<string, Promise<Reading>>();
	readonly #failures = new BoundedMap<string, Failures>(MAX_REMEMBERED);
	/** When the service did not know an ID that nothing proves. */
	readonly #unknownAt = new BoundedMap<string, number>(MAX_REMEMBERED);
	/** When the latest reads of IDs that nothing proves began. */
	#unprovedAt: number[] = [];

	constructor(context: ITriggerFunctions) {
		this.#context = context;
	}

	/** A read that an earlier poll began holds up no further one. */
	async readListed(client: QueryClient, id: string): Promise<Reading> {
		const before = this.#inFlight.get(id);
		const reading = before ?? readRecord(client, id, READ_OPTIONS);
		this.#inFlight.set(id, reading);
		const signal = AbortSignal.timeout(before ? 1 : POLL_WAITS_MS);
		const read = await raceAbort(reading, signal).catch(() => undefined);
		if (read) this.#inFlight.delete(id);
		else if (!before) this.noteFailure(id);
		return read ?? 'later';
	}

	/** Reads within the budget, and soon again only if the ID is known. */
	async readUnproved(client: QueryClient, id: string): Promise<Reading> {
		if (this.wasUnknown(id)) return 'unknown';
		if (!this.#takeTurn()) return 'later';
		const read = await readNotified(client, id);
		if (read === 'unknown') this.#unknownAt.set(id, Date.now());
		return read;
	}

	wasUnknown(id: string): boolean {
		return msUntilElapsed(this.#unknownAt.get(id) ?? 0, UNKNOWN_MS) > 0;
	}

	#takeTurn(): boolean {
		this.#unprovedAt = this.#unprovedAt.filter((at) => msUntilElapsed(at, 1_000) > 0);
		if (this.#unprovedAt.length >= UNPROVED_PER_SECOND) return false;
		this.#unprovedAt.push(Date.now());
		return true;
	}

	/** A poll reads queries with fewer vain attempts first. */
	failedTimes(id: string): number {
		return this.#failures.get(id)?.times ?? 0;
	}

	noteRead(id: string): void {
		this.#failures.delete(id);
	}

	/**
	 * Notes that a query has no result yet, or could not be read for this reason. Returns true if it is to be put aside,
	 * because the service has refused it again and again; that is reported.
	 */
	noteFailure(id: string, error?: unknown): boolean {
		if (error instanceof RequestError && error.problem.kind === 'rateLimit') return false; // nothing was sent
		const none = { times: 0, refusals: 0, refusedAt: -Infinity, failedSince: 0 };
		const failures = this.#failures.getOrMake(id, () => none);
		countFailure(failures, error);
		if (error === undefined) return false;
		const isPutAside = failures.refusals >= MAX_REFUSALS;
		if (isPutAside) this.#failures.delete(id);
		this.#report(id, error, failures.failedSince, isPutAside);
		return isPutAside;
	}

	#report(id: string, error: unknown, failedSince: number, isPutAside: boolean): void {
		const context = this.#context;
		const what = `The result of query ${id} could not be read`;
		const reason = errorMessage(error);
		context.logger.warn(`${what}: ${reason}`);
		const coded = (code: string, how: string) =>
			new CodedError(code, `${what} ${how}: ${reason}`, { queryId: id });
		if (isPutAside) {
			reportFailure(context, coded('putAside', `${MAX_REFUSALS} times and is put aside`));
		} else if (msUntilElapsed(failedSince, REPORT_AFTER_MS) <= 0) {
			reportFailureHourly(
				context,
				coded('unreadable', 'for ten minutes. The trigger keeps trying'),
			);
		}
	}
}

/** Counts a read in vain; `error` is undefined where the query has no result yet. */
function countFailure(failures: Failures, error: unknown): void {
	failures.times++;
	if (error === undefined) {
		failures.failedSince = 0;
		return;
	}
	failures.failedSince ||= Date.now();
	if (isPermanent(error) && msUntilElapsed(failures.refusedAt, REFUSAL_MS) <= 0) {
		failures.refusals++;
		failures.refusedAt = Date.now();
	}
}
