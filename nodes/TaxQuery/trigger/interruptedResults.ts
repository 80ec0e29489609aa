import type { QueryClient } from '../client/queryClient';
import { mayOmitExistingResponse } from '../client/parseQueryRecord';
import { readQuery } from './readQueriesByIdThrottled';
import type { PollingSessionInterface } from './pollingSessionInterface';
import { succeededWithoutResult, type RecordWithDeliveryId } from './recordWithDeliveryId';
import type { ItemMaker } from './triggerItemMaker';

/** A result that was running when n8n ended, and its record, if the service has it. */
export interface InterruptedResult {
	deliveryId: string;
	queryId: string;
	times: number;
	result: RecordWithDeliveryId | undefined;
}

/** Limits how many results one poll reads by ID; the next one continues. */
const MAX_BY_ID = 20;

/**
 * Returns whether an interrupted result starts once more. If not, it keeps its key: n8n starts only what it never had.
 */
const isOnceMore = ({ settings, ledger }: PollingSessionInterface) =>
	settings.options.afterCrash !== 'leave' && !ledger.state.runsElsewhere;

/** Reads interrupted results, as far as they can be read now: from the list, or else by ID. */
export async function fetchInterruptedResultsToRestart(
	trigger: PollingSessionInterface,
	client: QueryClient,
	listed: Map<string, RecordWithDeliveryId>,
): Promise<InterruptedResult[]> {
	const { ledger, settings, attempts } = trigger;
	// as long as nobody knows whether a worker goes on with them all, one is tried, and shows
	const isTried = isOnceMore(trigger) && ledger.state.runsElsewhere === undefined;
	if (isTried && trigger.isBusy) return [];
	const all = [...ledger.interrupted]
		.sort(([, [a]], [, [b]]) => attempts.failedTimes(a) - attempts.failedTimes(b))
		.slice(0, isTried ? 1 : settings.maxResults)
		.map(([deliveryId, [queryId, times]]) => ({ deliveryId, queryId, times }));
	const rowOf = ({ queryId, deliveryId }: (typeof all)[number]) => {
		const row = listed.get(queryId);
		const isResult =
			row?.deliveryId === deliveryId &&
			!mayOmitExistingResponse(row.record) &&
			!succeededWithoutResult(row);
		return isResult ? row : undefined;
	};
	const shown = all.flatMap((each) => {
		const result = rowOf(each);
		return result ? [{ ...each, result }] : [];
	});
	const others = all.filter((each) => !rowOf(each)).slice(0, MAX_BY_ID);
	const read = await Promise.all(
		others.map(async (each) => {
			const result = await readQuery(client, each.queryId).catch((error: unknown) =>
				attempts.noteFailure(each.queryId, error) ? undefined : ('failed' as const),
			);
			return result === 'failed' ? [] : [{ ...each, result }];
		}),
	);
	return [...shown, ...read.flat()];
}

/** Starts interrupted results once more, never a third time. */
export function startInterruptedAgain(
	trigger: PollingSessionInterface,
	all: InterruptedResult[],
	toItem: ItemMaker,
): void {
	const { context, ledger } = trigger;
	for (const { deliveryId, queryId, times, result } of all) {
		if (result?.deliveryId === deliveryId && !succeededWithoutResult(result)) {
			const item = toItem(result, { confirmed: true });
			void trigger.emitOnce(result, item, isOnceMore(trigger) ? 2 : times);
			continue;
		}
		ledger.end(deliveryId);
		context.logger.warn(
			`The execution for query ${queryId} may have been cut off, and the service no longer has the result: see the executions list`,
		);
	}
}
