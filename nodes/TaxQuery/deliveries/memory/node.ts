import type { ITriggerFunctions } from 'n8n-workflow';
import { load } from '../../../shared/operations/nodeState';
import { BoundedMap } from '../../../shared/utils/boundedMap';
import { Cursor } from '../cursor';
import { nodeKey, type Outcome } from '../emitter';
import { Outage } from '../outage';
import type { SavedCursor } from './saved';

export const KEY = 'taxQueryCursor';
/** The result of the execution that n8n saved last, at its end. */
export const ENDED = 'taxQueryEnded';
const MAX_NODES = 500;
/** IDs that are kept for a later look; who sent others is told to come again. */
export const MAX_UNREAD = 100;

/** What this process knows of a trigger, also while it is being published anew. */
export interface NodeMemory {
	cursor: Cursor;
	/** What becomes of results that are on their way, by deliveryId. */
	outcomes: Map<string, Promise<Outcome>>;
	outage: Outage;
	closedAt?: number;
}
const memories = new BoundedMap<string, NodeMemory>(MAX_NODES);

export const memoryOf = (context: ITriggerFunctions): NodeMemory =>
	memories.getOrMake(nodeKey(context), () => ({
		cursor: new Cursor(load<SavedCursor>(context, KEY), load<string>(context, ENDED)),
		outcomes: new Map(),
		outage: new Outage(),
	}));

type Identity = Parameters<typeof nodeKey>[0];
/** IDs that were delivered to this process before it published the trigger, by node. */
const early = new BoundedMap<string, Set<string>>(MAX_NODES);

/** Keeps them for its first look. */
export function askLater(context: Identity, named: Array<{ queryId: string }>): void {
	const asked = early.getOrMake(nodeKey(context), () => new Set());
	for (const { queryId } of named.slice(0, MAX_UNREAD - asked.size)) asked.add(queryId);
}

export function askedEarly(context: Identity): string[] {
	const asked = [...(early.get(nodeKey(context)) ?? [])];
	early.delete(nodeKey(context));
	return asked;
}
