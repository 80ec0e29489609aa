import { NodeOperationError, type INodeExecutionData, type ITriggerFunctions } from 'n8n-workflow';
import { isForGood } from '../../../shared/transport/errors';
import { BoundedMap } from '../../../shared/utils/boundedMap';
import type { QueryConnection } from '../../queries/client';
import { readQuery } from '../byId';
import type { Cursor } from '../cursor';
import { nodeKey, type Outcome } from '../emitter';
import { isAll, type Listed } from '../list';
import { report } from '../outage';
import { isPending, type Result } from '../result';
import { readStart, type Settings } from '../settings';

const MAX_NODES = 500;
/** By so much a service's clock may be behind. */
const BEHIND_MS = 15 * 60_000;

/** The published trigger that looks. */
export interface PublishedTrigger {
	context: ITriggerFunctions;
	cursor: Cursor;
	settings: Settings;
	/** Whether it has not run before, or so long ago that what came since is not asked for. */
	isAnew: boolean;
	/** Throws if the workflow was unpublished: a look that began before must not change anything. */
	mustBeOpen(): void;
	/** Emits a result, unless it was emitted before; of one that was cut off, `cutOff` counts its starts. */
	emitOnce(result: Result, item: INodeExecutionData, cutOff?: number): Promise<Outcome>;
	/** What becomes of a result that is on its way. */
	outcomeOf(result: Result): Promise<Outcome> | undefined;
}

/** Parameters that, when they are changed, let the trigger begin anew. */
const startOf = ({ context }: PublishedTrigger): string => {
	const { startFrom, hours, date } = context.getNode().parameters;
	return JSON.stringify([startFrom, hours, date]);
};

/** Those that have looked. */
export const begun = new WeakSet<PublishedTrigger>();

export function isToBegin(watcher: PublishedTrigger): boolean {
	const isFirst = !begun.has(watcher);
	const { startedFrom } = watcher.cursor.saved;
	return startedFrom !== startOf(watcher) || (isFirst && watcher.isAnew);
}

/** Whether the service has one of these queries. */
export async function hasAny(connection: QueryConnection, ids: string[]): Promise<boolean> {
	for (const id of ids) {
		const record = await readQuery(connection, id).catch((error: unknown) => {
			if (!isForGood(error)) throw error as Error;
		});
		if (record) return true;
	}
	return false;
}

const STRANGE =
	'The credential leads to another service or client, which knows none of the queries so far: the trigger begins anew';

/** Begins with what is listed; where another service `isStrange`, it tells. */
export function begin(watcher: PublishedTrigger, listed: Listed, isStrange: boolean): void {
	const { context, cursor } = watcher;
	const isUnknown = isStrange && cursor.landmarks.length === 0;
	const { beganAt } = cursor.saved;
	// where no query was known, what has come since then may be of the same service
	const since = isUnknown && beganAt !== undefined ? beganAt - BEHIND_MS : undefined;
	cursor.begin(readStart(context) ?? since, listed.results, startOf(watcher), isAll(listed));
	if (!isStrange) return;
	context.logger.warn(STRANGE);
	const old = listed.results.filter((row) => !isPending(row) && cursor.has(row)).length;
	if (!isUnknown || old === 0) return;
	const what = `The credential leads to another service or client, or to the same by another name, and no query is known by which to tell: ${old} results are taken for old`;
	report(context, undefined, `${what}. Compare them in the service with your executions`);
}

/** What was told last of lists that could not be read to their end, by node. */
const told = new BoundedMap<string, string | undefined>(MAX_NODES);
const HIDDEN =
	"New results cannot be seen: the list of queries does not begin with the newest, and cannot be read to its end. Set list.page or list.offset, and list.limit, in the credential's API Mapping as your contract has them, or choose Webhook Only";

/** Tells once that the list could not be read to its end. Throws at publishing if new results would not be seen. */
export function tellCutOff(watcher: PublishedTrigger, { cutOff, hidesNewest }: Listed): void {
	const { context, settings } = watcher;
	const isHidden = hidesNewest === true && settings.receiveBy !== 'webhook';
	const isStartOfN8n = ['init', 'leadershipChange'].includes(context.getActivationMode());
	if (isHidden && !begun.has(watcher) && !isStartOfN8n)
		throw new NodeOperationError(context.getNode(), HIDDEN, { description: cutOff });
	const what = isHidden ? HIDDEN : cutOff;
	const isNew = what !== undefined && told.get(nodeKey(context)) !== what;
	told.set(nodeKey(context), what);
	if (isNew && isHidden) report(context, undefined, `${what}. ${cutOff}`);
	else if (isNew) context.logger.warn(what);
}
