import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';
import { getNodeStaticValue } from '../../shared/operations/staticDataByNodeId';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { mergeNotifications, type QueryNotification } from './queryNotification';
import { processStateOfNode, type nodeKey, type EmitOutcome } from './emitter';
import { adoptSavedLedgerIfNewer, Ledger } from './ledger';
import { newOutageReporter } from './errorReporting';
import type { UnlistedPendingTotals } from './readListing';

export const LEDGER_STATIC_DATA_KEY = 'taxQueryLedger';
const MAX_EMITTED = 5_000;
/** Limits the notifications stored for a later poll; senders of others must repeat them. */
export const MAX_WAITING_NOTIFICATIONS = 100;

/** This process's memory of a trigger, also while it is being published anew. */
export class NodeProcessMemory {
	ledger?: Ledger;
	/** Outcomes of the results that are being emitted, by deliveryId. */
	readonly outcomes = new Map<string, Promise<EmitOutcome>>();
	/** Results that this process has emitted. */
	readonly emitted = new BoundedMap<string, true>(MAX_EMITTED);
	readonly outage = newOutageReporter();
	readonly unlisted: UnlistedPendingTotals = { last: 0, afterAudit: 0 };
	closedAt?: number;
	isPublished = false;

	get isInUse(): boolean {
		return this.isPublished || this.outcomes.size > 0;
	}
}

const newMemory = () => new NodeProcessMemory();

/** Returns what this process knows of a trigger, with the ledger as it was last written. */
export function triggerMemoryOf(
	context: ITriggerFunctions,
): NodeProcessMemory & { ledger: Ledger } {
	const saved = new Ledger(getNodeStaticValue<IDataObject>(context, LEDGER_STATIC_DATA_KEY));
	const memory = processStateOfNode(context).shared(newMemory);
	const ledger = memory.ledger ? adoptSavedLedgerIfNewer(memory.ledger, saved) : saved;
	return Object.assign(memory, { ledger });
}

type Identity = Parameters<typeof nodeKey>[0];

/** Returns whether this process had the trigger published, and has unpublished it since a moment. */
export const wasUnpublishedSince = (context: Identity, since: number): boolean =>
	(processStateOfNode(context).shared(newMemory).closedAt ?? -Infinity) > since;

/** Returns what webhook calls named while the trigger was not published in this process. */
const newEarlyNotifications = () => new Map<string, QueryNotification>();

/** Stores what webhook calls named for the next time that the trigger is published. Returns whether all has room. */
export function storeNotificationsUntilPublished(
	context: Identity,
	all: Iterable<[id: string, QueryNotification]>,
): boolean {
	const stored = processStateOfNode(context).shared(newEarlyNotifications);
	let isWhole = true;
	for (const [id, notification] of all) {
		const known = stored.get(id);
		const hasRoom = known !== undefined || stored.size < MAX_WAITING_NOTIFICATIONS;
		if (hasRoom) stored.set(id, known ? mergeNotifications(known, notification) : notification);
		isWhole &&= hasRoom;
	}
	return isWhole;
}

/** Returns what was stored, and forgets it. */
export function takeStoredNotifications(context: Identity): Map<string, QueryNotification> {
	const early = processStateOfNode(context).shared(newEarlyNotifications);
	const stored = new Map(early);
	early.clear();
	return stored;
}
