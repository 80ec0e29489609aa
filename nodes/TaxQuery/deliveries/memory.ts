import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';
import { load } from '../../shared/operations/nodeState';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { merged, type Asked } from './asked';
import { nodeKey, type Outcome } from './emitter';
import { currentLedger, openLedger, type Ledger } from './ledger';
import { newOutage } from './outage';
import type { Unlisted } from './listing';

export const KEY = 'taxQueryLedger';
const MAX_NODES = 500;
const MAX_EMITTED = 5_000;
/** Queries that are kept for a later look; who sent others is told to come again. */
export const MAX_ASKED = 100;

/** What this process knows of a trigger, also while it is being published anew. */
export interface NodeMemory {
	ledger: Ledger;
	/** What becomes of results that are on their way, by deliveryId. */
	outcomes: Map<string, Promise<Outcome>>;
	/** Results that this process has emitted. */
	emitted: BoundedMap<string, true>;
	outage: ReturnType<typeof newOutage>;
	unlisted: Unlisted;
	closedAt?: number;
}
const memories = new BoundedMap<string, NodeMemory>(MAX_NODES);

/** What this process knows of a trigger, with the ledger as it was last written. */
export function memoryOf(context: ITriggerFunctions): NodeMemory {
	const saved = openLedger(load<IDataObject>(context, KEY));
	const memory = memories.getOrMake(nodeKey(context), () => ({
		ledger: saved,
		outcomes: new Map(),
		emitted: new BoundedMap(MAX_EMITTED),
		outage: newOutage(),
		unlisted: { last: 0, afterAudit: 0 },
	}));
	if (memory.ledger !== saved) memory.ledger = currentLedger(memory.ledger, saved);
	return memory;
}

type Identity = Parameters<typeof nodeKey>[0];

/** Whether this process had the trigger published, and has unpublished it since a moment. */
export const wasPublishedSince = (context: Identity, since: number): boolean =>
	(memories.get(nodeKey(context))?.closedAt ?? -Infinity) > since;

/** What webhook calls named while the trigger was not published in this process, by node. */
const askedEarly = new BoundedMap<string, Map<string, Asked>>(MAX_NODES);

/** Stores what webhook calls named for the next time that the trigger is published. */
export function askLater(context: Identity, all: Iterable<[id: string, Asked]>): void {
	const asked = askedEarly.getOrMake(nodeKey(context), () => new Map<string, Asked>());
	for (const [id, said] of all) {
		const known = asked.get(id);
		if (known) asked.set(id, merged(known, said));
		else if (asked.size < MAX_ASKED) asked.set(id, said);
	}
}

/** Returns what was stored, and forgets it. */
export function takeAskedEarly(context: Identity): Map<string, Asked> {
	const asked = askedEarly.get(nodeKey(context)) ?? new Map<string, Asked>();
	askedEarly.delete(nodeKey(context));
	return asked;
}
