import type { ITriggerFunctions } from 'n8n-workflow';
import { itemErrorOf, type ItemError } from '../../shared/operations/itemError';
import { maskedText } from '../../shared/personalData/personalData';
import { BoundedMap } from '../../shared/utils/boundedMap';
import type { CodedError } from '../../shared/utils/codedError';
import { msLeft } from '../../shared/utils/time';
import { nodeKey } from './emitter';

/** Tells once that looks keep failing, and once that they work again. */
export function newOutage() {
	let failures = 0;
	return {
		isOn: () => failures > 0,

		count(context: ITriggerFunctions, error: unknown): void {
			failures++;
			context.logger.warn(
				`The Tax Query Trigger could not check for new results: ${reasonOf(error)}`,
			);
			if (failures === 2) report(context, error);
		},

		end(context: ITriggerFunctions): void {
			if (failures > 1) context.logger.info('The Tax Query Trigger can check for results again');
			failures = 0;
		},
	};
}

export const reasonOf = (error: unknown): string =>
	error instanceof Error ? error.message : 'for an unknown reason';

/** An error in n8n's list of executions, which starts the error workflow. */
export function report(context: ITriggerFunctions, error: unknown): void {
	const told = errorOf(context, error);
	// hosts before 2.x have only the other, which takes the workflow down and up again
	if (typeof context.saveFailedExecution === 'function') context.saveFailedExecution(told);
	else context.emitError(told);
}

/** An error as n8n shows it: who is named in it is masked, for n8n keeps it whatever the trigger emits. */
export const errorOf = (context: Pick<ITriggerFunctions, 'getNode'>, error: unknown): ItemError =>
	itemErrorOf(context.getNode(), error, undefined, { hide: maskedText });

type Identity = Parameters<typeof nodeKey>[0];

const AN_HOUR = 3_600_000;
const MAX_TOLD = 1_000;
const toldAt = new BoundedMap<string, number>(MAX_TOLD);

/** Tells what may come up again and again once an hour; `what` names it. */
export function tellHourly(context: Identity, what: string, tell: () => void): void {
	const key = `${what} ${nodeKey(context)}`;
	if (msLeft(toldAt.get(key) ?? -Infinity, AN_HOUR) > 0) return;
	toldAt.set(key, Date.now());
	tell();
}

/** Reports an error with this code once an hour, about this if it is about one thing of several. */
export const reportHourly = (context: ITriggerFunctions, error: CodedError, about = ''): void =>
	tellHourly(context, error.code + about, () => report(context, error));
