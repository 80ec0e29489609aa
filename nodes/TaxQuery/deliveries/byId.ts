import type { ITriggerFunctions } from 'n8n-workflow';
import { raceAbort } from '../../shared/http/answerBody';
import { RequestError } from '../../shared/transport/result';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { msLeft } from '../../shared/utils/time';
import { findQuery, type QueryService } from '../service/client';
import { report, reportHourly } from './outage';
import { resultOf, type TriggerResult } from './result';
import { CodedError } from '../../shared/utils/codedError';

/** A sender waits for the answer, so that reading must not take long. */
const HOW = { timeoutMs: 5_000, patienceMs: 2_000 };
/** For a row's record. A look waits so long for it, and so do all other results; then it is left to a later look. */
const FOR_A_ROW = { timeoutMs: 40_000, patienceMs: 10_000 };
const LOOK_WAITS_MS = 15_000;
const PER_SECOND = 2;
const UNKNOWN_MS = 60_000;
const MAX_UNKNOWN = 1_000;
const MAX_NODES = 500;
/** A query that is refused in so many minutes is put aside. */
const MAX_REFUSALS = 5;
const REFUSAL_MS = 60_000;
/** What cannot be read for so long is reported. */
const TELL_AFTER_MS = 10 * 60_000;
const MAX_TRIED = 1_000;

/** Statuses that pass: the token, the account's balance, what is being prepared, a service that is slow or busy. */
const PASSING = [401, 402, 403, 407, 408, 409, 423, 425, 429];

/** Whether the service refuses just this request. */
const isRefusal = (error: unknown): boolean =>
	error instanceof RequestError &&
	error.problem.kind === 'status' &&
	error.problem.status >= 400 &&
	error.problem.status < 500 &&
	!PASSING.includes(error.problem.status);

/** Whether another try would bring the same: a refusal, or a response of another shape. */
const isForGood = (error: unknown): boolean =>
	error instanceof RequestError ? isRefusal(error) || error.problem.kind === 'shape' : true;

/** A query by its ID; undefined if the service has nothing under that. */
export async function readQuery(
	service: QueryService,
	id: string,
	how = HOW,
): Promise<TriggerResult | undefined> {
	const record = await findQuery(service, id, how);
	return record && resultOf(record);
}

/** When a node has read last, and the IDs that the service did not know. */
interface Readings {
	times: number[];
	unknown: BoundedMap<string, number>;
}
const readings = new BoundedMap<string, Readings>(MAX_NODES);

/** What became of reading an ID: `later` it may be tried again, `failed` it could not be read. */
export type ReadById = TriggerResult | 'unknown' | 'later' | 'failed';

/**
 * Records by ID, as webhook calls named them. Those that nothing proves: at most two a second for each node, and none
 * that the service did not know a minute ago. Throws if the service cannot be asked.
 */
export async function readAsked(
	node: string,
	service: QueryService,
	ids: string[],
	isProved: (id: string) => boolean,
): Promise<Map<string, ReadById>> {
	const { times, unknown } = readings.getOrMake(node, () => ({
		times: [],
		unknown: new BoundedMap(MAX_UNKNOWN),
	}));
	const read = new Map<string, ReadById>();
	let failure: unknown;
	let isAnswered = false;
	// counted before the first is read: a slow service must not make one look as long as a flood
	let free = PER_SECOND - times.filter((time) => msLeft(time, 1_000) > 0).length;
	for (const id of ids) {
		const isKnownUnknown = msLeft(unknown.get(id) ?? 0, UNKNOWN_MS) > 0;
		const isTooSoon = !isProved(id) && free <= 0;
		if (isKnownUnknown || isTooSoon) {
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
		isAnswered ||= result !== 'failed';
		read.set(id, result ?? 'unknown');
	}
	if (failure !== undefined && !isAnswered) throw failure as Error;
	return read;
}

/** How a query was tried in vain. */
interface Tried {
	times: number;
	refusals: number;
	refusedAt: number;
	failedSince?: number;
}

/** What a published trigger has tried in vain to read, and what it still reads, by query ID. */
export class Tries {
	private readonly known = new BoundedMap<string, Tried>(MAX_TRIED);
	private readonly running = new Map<
		string,
		Promise<{ result?: TriggerResult; error?: unknown }>
	>();

	constructor(private readonly context: ITriggerFunctions) {}

	/** Who was tried less often comes first. */
	timesOf(id: string): number {
		return this.known.get(id)?.times ?? 0;
	}

	/**
	 * A query has no result yet, or could not be read for this reason. True if it is to be put aside, because the service
	 * has refused it for good again and again, which is reported.
	 */
	inVain(id: string, error?: unknown): boolean {
		if (error instanceof RequestError && error.problem.kind === 'rateLimit') return false; // nothing was sent
		const { context } = this;
		const known = this.known.get(id) ?? { times: 0, refusals: 0, refusedAt: -Infinity };
		const isRefused = error !== undefined && isForGood(error);
		const counts = isRefused && msLeft(known.refusedAt, REFUSAL_MS) <= 0;
		const refusals = known.refusals + Number(counts);
		const failedSince = error === undefined ? undefined : (known.failedSince ?? Date.now());
		const refusedAt = counts ? Date.now() : known.refusedAt;
		this.known.set(id, { times: known.times + 1, refusals, refusedAt, failedSince });
		if (failedSince === undefined) return false;
		const reason = error instanceof Error ? error.message : 'no reason was given';
		context.logger.warn(`The result of query ${id} could not be read: ${reason}`);
		if (counts && refusals >= MAX_REFUSALS) {
			this.known.delete(id);
			const told = `The result of query ${id} could not be read ${MAX_REFUSALS} times and is put aside: ${reason}`;
			report(context, new CodedError('putAside', told, { queryId: id }));
			return true;
		}
		if (msLeft(failedSince, TELL_AFTER_MS) <= 0) {
			const told = `The result of query ${id} could not be read for ten minutes. The trigger keeps trying: ${reason}`;
			reportHourly(context, 'unreadable', new CodedError('unreadable', told, { queryId: id }));
		}
		return false;
	}

	wasRead(id: string): void {
		this.known.delete(id);
	}

	/** A query's record in time for a look; undefined if it cannot be had now, 'refused' if it is to be put aside. */
	async read(service: QueryService, id: string): Promise<TriggerResult | 'refused' | undefined> {
		const { running } = this;
		const known = running.get(id);
		const reading =
			known ??
			readQuery(service, id, FOR_A_ROW).then(
				(result) => ({ result }),
				(error: unknown) => ({ error }),
			);
		running.set(id, reading);
		const signal = AbortSignal.timeout(known ? 1 : LOOK_WAITS_MS);
		const read = await raceAbort(reading, signal).catch(() => undefined);
		if (!read) {
			if (!known) this.inVain(id);
			return undefined;
		}
		running.delete(id);
		if ('result' in read && read.result) return read.result;
		return this.inVain(id, 'error' in read ? read.error : new GoneError()) ? 'refused' : undefined;
	}
}

/** The list shows a query, or the service has shown it before, and has nothing under its ID. */
export class GoneError extends Error {
	constructor() {
		super('the service has nothing under its ID');
	}
}
