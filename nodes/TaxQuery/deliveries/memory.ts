import type { ITriggerFunctions } from 'n8n-workflow';
import { load } from '../../shared/operations/nodeState';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { nodeKey, type Outcome } from './emitter';
import { openLedger, type Ledger, type SavedLedger } from './ledger';
import { newOutage } from './outage';

export const KEY = 'taxQueryLedger';
/** The result of the execution that n8n saved last, at its end. */
export const ENDED = 'taxQueryEnded';
const MAX_NODES = 500;
const MAX_EMITTED = 5_000;
/** IDs that are kept for a later look; who sent others is told to come again. */
export const MAX_ASKED = 100;

/** What this process knows of a trigger, also while it is being published anew. */
export interface NodeMemory {
	ledger: Ledger;
	/** What becomes of results that are on their way, by deliveryId. */
	outcomes: Map<string, Promise<Outcome>>;
	/** Results that this process has emitted. */
	emitted: BoundedMap<string, true>;
	outage: ReturnType<typeof newOutage>;
	closedAt?: number;
}
const memories = new BoundedMap<string, NodeMemory>(MAX_NODES);

export const memoryOf = (context: ITriggerFunctions): NodeMemory =>
	memories.getOrMake(nodeKey(context), () => ({
		ledger: openLedger(load<SavedLedger>(context, KEY), load<string>(context, ENDED)),
		outcomes: new Map(),
		emitted: new BoundedMap(MAX_EMITTED),
		outage: newOutage(),
	}));

type Identity = Parameters<typeof nodeKey>[0];

/** Whether this process had the trigger published, and has unpublished it since a moment. */
export const wasPublishedSince = (context: Identity, since: number): boolean =>
	(memories.get(nodeKey(context))?.closedAt ?? -Infinity) > since;

/** IDs that were delivered to this process before it published the trigger, by node. */
const early = new BoundedMap<string, Set<string>>(MAX_NODES);

/** Keeps them for its first look. */
export function askLater(context: Identity, ids: string[]): void {
	const asked = early.getOrMake(nodeKey(context), () => new Set());
	for (const id of ids.slice(0, MAX_ASKED - asked.size)) asked.add(id);
}

export function askedEarly(context: Identity): string[] {
	const asked = [...(early.get(nodeKey(context)) ?? [])];
	early.delete(nodeKey(context));
	return asked;
}
