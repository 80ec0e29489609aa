import { DateTime } from 'luxon';
import { UserError, type IPollFunctions } from 'n8n-workflow';
import { isPending, newestOf, type Result } from '../shared/deliveries/result';
import { keep, recall } from '../shared/memory';
import { queryIdOf } from '../shared/queries';

/** How much later than others of the same time a result may appear in the list. */
const LAG_MS = 15 * 60_000;
/** The most results that are looked at again for that; fewer than the registry remembers. */
const MAX_LAGGING = 1_000;
const MAX_PENDING = 1_000;
const KEY = 'taxQueryPosition';
/** Behind every deliveryId, which are hexadecimal. */
const LAST = '~';

/** A place in the order of results: time of update in milliseconds since the epoch, then deliveryId. */
type Place = { updatedAt?: number; deliveryId: string };

/** Up to where the list was seen to. */
type Position = Place & {
	/** Ids of queries that had no result yet. Whether a result renews `updatedAt` is not shown (§2.1). */
	pending: string[];
	/** What was seen to and has no date: its deliveryIds. What a row of the list holds is not shown (§4.12). */
	undated: string[];
	/** The parameters that it began with: a workflow published with others begins anew. */
	startedFrom: string;
};

/** Contexts that have polled. n8n makes one for each activation, and at each start. */
const begun = new WeakSet<IPollFunctions>();

export const isFirstPoll = (context: IPollFunctions) => !begun.has(context);

/** Compares results for sorting, oldest first. */
export function byAge(a: Place, b: Place): number {
	const apart = (a.updatedAt ?? 0) - (b.updatedAt ?? 0);
	return apart || (a.deliveryId < b.deliveryId ? -1 : Number(a.deliveryId > b.deliveryId));
}

/** Tells whether a result has come since. */
export function beyond(position: Position): (result: Result) => boolean {
	const pending = new Set(position.pending);
	const undated = new Set(position.undated);
	return (result) => {
		if (result.updatedAt === undefined) return !undated.has(result.deliveryId);
		return byAge(result, position) > 0 || (!isPending(result.record) && pending.has(idOf(result)));
	};
}

/** Up to where results were seen to. Begins with the node's "Start From", by what is listed now. */
export function positionOf(context: IPollFunctions, listed: Result[]): Position {
	const saved = recall<Position>(context, KEY);
	const { startFrom, hours, date } = context.getNode().parameters;
	const startedFrom = JSON.stringify([startFrom, hours, date]);
	const isAnew =
		!saved ||
		saved.startedFrom !== startedFrom ||
		(isFirstPoll(context) && context.getActivationMode() === 'activate');
	begun.add(context);
	if (!isAnew) return saved;
	const position = {
		updatedAt: startOf(context, listed),
		deliveryId: LAST,
		pending: pendingIn(listed),
		undated: startFrom === 'activation' ? undatedIn(listed) : [],
		startedFrom,
	};
	keep(context, KEY, position);
	return position;
}

/** Moves on behind what was seen to: all that is listed, up to the first that is still left. */
export function moveOn(
	context: IPollFunctions,
	position: Position,
	listed: Result[],
	left: Result[],
): void {
	const ordered = [...listed].sort(byAge);
	const seenTo = left.length > 0 ? ordered.slice(0, ordered.indexOf(left[0])) : ordered;
	const until = (seenTo.at(-1)?.updatedAt ?? 0) - LAG_MS;
	const settled = seenTo.filter(({ updatedAt = 0 }) => updatedAt <= until).length;
	const reached = seenTo[Math.max(settled, seenTo.length - MAX_LAGGING) - 1];
	const { updatedAt, deliveryId } = reached && byAge(reached, position) > 0 ? reached : position;
	const before = new Set(position.pending);
	const awaited = left.map(idOf).filter((id) => before.has(id));
	const pending = [...awaited, ...pendingIn(listed)];
	const isLeft = new Set(left);
	const undated = undatedIn(listed.filter((result) => !isLeft.has(result)));
	keep(context, KEY, { ...position, updatedAt, deliveryId, pending, undated });
}

const idOf = ({ record }: Result) => String(queryIdOf(record));

/** Ids of the latest queries that have no result yet. */
function pendingIn(listed: Result[]): string[] {
	const pending = listed.filter(({ record }) => isPending(record));
	return pending.sort(byAge).slice(-MAX_PENDING).map(idOf);
}

const undatedIn = (listed: Result[]) =>
	listed.filter(({ updatedAt }) => updatedAt === undefined).map(({ deliveryId }) => deliveryId);

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
