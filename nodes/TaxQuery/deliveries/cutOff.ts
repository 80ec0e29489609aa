import type { QueryService } from '../service/client';
import { readQuery } from './byId';
import type { PublishedTrigger } from './published';
import { lacksResult, type ItemMaker, type TriggerResult } from './result';

/** A result whose execution was not known to have ended when n8n did, and its record, if the service has it. */
interface CutOff {
	deliveryId: string;
	queryId: string;
	times: number;
	result: TriggerResult | undefined;
}

/** Whether what was cut off is started once more, or only if n8n had not started it at all. */
const isOnceMore = ({ settings, ledger }: PublishedTrigger) =>
	settings.options.afterCrash !== 'leave' && !ledger.saved.runsElsewhere;

/** Reads what was cut off, as far as it can be read now. */
export async function readCutOff(
	trigger: PublishedTrigger,
	service: QueryService,
): Promise<CutOff[]> {
	const { ledger, settings, tries } = trigger;
	if (settings.receiveBy === 'webhook' && settings.confirm === 'off') return []; // left to Retry
	// as long as nobody knows whether a worker goes on with them all, one is tried, and shows
	const isTried = isOnceMore(trigger) && ledger.saved.runsElsewhere === undefined;
	if (isTried && trigger.isBusy) return [];
	const entries = [...ledger.cutOff]
		.sort(([, [a]], [, [b]]) => tries.timesOf(a) - tries.timesOf(b))
		.slice(0, isTried ? 1 : undefined);
	const read = await Promise.all(
		entries.map(async ([deliveryId, [queryId, times]]) => {
			const result = await readQuery(service, queryId).catch((error: unknown) =>
				tries.inVain(queryId, error) ? undefined : ('failed' as const),
			);
			return result === 'failed' ? [] : [{ deliveryId, queryId, times, result }];
		}),
	);
	return read.flat();
}

/** Starts what was cut off once more, never a third time. */
export function startAgain(trigger: PublishedTrigger, all: CutOff[], toItem: ItemMaker): void {
	const { context, ledger } = trigger;
	for (const { deliveryId, queryId, times, result } of all) {
		if (result?.deliveryId === deliveryId && !lacksResult(result)) {
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
