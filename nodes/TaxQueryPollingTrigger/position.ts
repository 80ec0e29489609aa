import { DateTime } from 'luxon';
import { UserError, type IDataObject, type IPollFunctions } from 'n8n-workflow';
import { newestOf, type Result } from '../shared/deliveries/result';

/** How much later than others of the same time a result may appear in the list. */
const LAG_MS = 15 * 60_000;

/** Up to where the list was seen to. It stands in the node's static data. */
interface Position {
	/** Milliseconds since the epoch, by the service's clock. */
	after: number;
	/** The parameters that it began with: a workflow published with others begins anew. */
	startedFrom: string;
}

/** Contexts that have polled. n8n makes one for each activation, and at each start. */
const begun = new WeakSet<IPollFunctions>();

export const isFirstPoll = (context: IPollFunctions) => !begun.has(context);

/** The time up to which results were seen to. Begins with the node's "Start From", by what is listed now. */
export function positionOf(context: IPollFunctions, listed: Result[]): number {
	const memory = context.getWorkflowStaticData('node');
	const saved = memory.position as Position | undefined;
	const { startFrom, hours, date } = context.getNode().parameters;
	const startedFrom = JSON.stringify([startFrom, hours, date]);
	const isAnew =
		!saved ||
		saved.startedFrom !== startedFrom ||
		(isFirstPoll(context) && context.getActivationMode() === 'activate');
	begun.add(context);
	if (!isAnew) return saved.after;
	const after = startOf(context, listed);
	memory.position = { after, startedFrom } satisfies IDataObject;
	return after;
}

/** Moves on to the newest result listed, or to before the first that is still left. */
export function moveOn(context: IPollFunctions, listed: Result[], left: Result[]): void {
	const memory = context.getWorkflowStaticData('node');
	const { after, startedFrom } = memory.position as IDataObject;
	const reached = (left[0]?.updatedAt ?? newestOf(listed)) - LAG_MS;
	if (reached > Number(after)) memory.position = { after: reached, startedFrom };
}

function startOf(context: IPollFunctions, listed: Result[]): number {
	const startFrom = context.getNodeParameter('startFrom') as string;
	if (startFrom === 'hours') {
		return Date.now() - Number(context.getNodeParameter('hours')) * 3_600_000;
	}
	if (startFrom === 'date') {
		const date = DateTime.fromISO(String(context.getNodeParameter('date')), {
			zone: context.getTimezone(),
		});
		if (date.isValid) return date.toMillis();
		throw new UserError('"Date" of Start From is empty or not a date', {
			description: 'Choose the date from which on results are emitted.',
		});
	}
	return newestOf(listed); // and not this machine's clock, which may differ from the service's
}
