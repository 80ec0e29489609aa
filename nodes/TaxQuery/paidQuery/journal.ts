import type { IDataObject } from 'n8n-workflow';
import type { Item, Run } from '../../shared/operations/operation';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { SharedLocks } from '../../shared/utils/sharedLock';
import { hashOf } from '../question/question';
import type { Id, Query } from '../service/types';
import { idsOf, type Life } from './life';

/** Where it stands in the memory that n8n keeps for a node; the name is seen in the execution's data. */
interface Kept extends IDataObject {
	/** Queries sent in this execution, its retries included; what was refused does not count. */
	sent: number;
	/** Of each question that was sent and not refused. */
	lives: Record<string, Life>;
	/** Of items that ask for a part only, because the rest is reused: the IDs of the rest, null where something is asked for. */
	reused?: Record<string, Array<Id | null>>;
}

/**
 * What this execution has sent: n8n keeps it through the tries of Retry On Fail and hands it to the editor's Retry, so
 * that what was accepted is read instead of sent again. Holds IDs and hashes, nothing of what was asked.
 */
export function journalOf(run: Run) {
	// Without an execution (MCP Server Trigger) there is nothing to retry, and each call counts by itself.
	const memory = run.executionId === undefined ? {} : run.memory;
	const kept = (memory.paidQueries ??= { sent: 0, lives: {} }) as Kept;
	const { lives } = kept;
	const nameOf = ({ index }: Item, key: string) => `${run.index}:${index}:${hashOf(key)}`;

	return {
		/** How many queries this execution has sent; what was refused does not count. */
		sent: () => kept.sent,

		/** So many more were sent, or fewer. */
		count(queries: number): void {
			kept.sent += queries;
		},

		/** The IDs of everything that was accepted, in other runs of a loop, too. */
		ids: (): Id[] => Object.values(lives).flatMap(idsOf),

		lifeOf: (item: Item, key: string): Life => lives[nameOf(item, key)] ?? { at: 'planned' },

		/** Of all that was sent for an item, or for any item of this run, but what was refused. */
		livesOf(index?: number): Life[] {
			const own = `${run.index}:${index === undefined ? '' : `${index}:`}`;
			return Object.entries(lives).flatMap(([name, life]) => (name.startsWith(own) ? [life] : []));
		},

		keep(item: Item, key: string, life: Life): void {
			const name = nameOf(item, key);
			if (life.at === 'planned' || life.at === 'refused') delete lives[name];
			else lives[name] = life;
		},

		/** What of an item's question was reused when it was asked first; undefined if all or nothing of it was. */
		reusedOf: (item: Item, key: string): Array<Id | null> | undefined =>
			kept.reused?.[nameOf(item, key)],

		reuse(item: Item, key: string, ids: Array<Id | null>): void {
			(kept.reused ??= {})[nameOf(item, key)] = ids;
		},
	};
}

export type Journal = ReturnType<typeof journalOf>;

// What this process knows of all its executions, by the client of the service.

/** What was accepted last of a question. */
interface LastAccepted {
	/** When it was accepted, by our clock. */
	at: number;
	queries: Query[];
}

const KEPT = 10_000;

/** Who sends a question, beside others that do; and who looks for it, alone. */
export const sendLocks = new SharedLocks();
/** Who asks a question with Reuse. */
export const reuseLocks = new SharedLocks();
/** By the question's id. */
export const lastAccepted = new BoundedMap<string, LastAccepted>(KEPT);
/** Responses without an ID that came out for want of anything better, by the question's key. */
export const lastWords = new BoundedMap<string, IDataObject>(KEPT);
/** Since when nobody knows whether a question was accepted, by its id. */
export const lastUnsure = new BoundedMap<string, number>(KEPT);

/** When the queries that items have got were sent. */
const claims = new BoundedMap<string, number>(10 * KEPT);

/** No other item is given this query. `sentAt`: by our clock; 0 where that is not known. */
export const claim = (client: string, id: Id, sentAt: number): void =>
	void claims.set(`${client} ${id}`, sentAt);
export const isClaimed = (client: string, id: Id): boolean => claims.has(`${client} ${id}`);
/** When a query was sent that an item has got. */
export const sentAtOf = (client: string, id: Id): number | undefined =>
	claims.get(`${client} ${id}`);
