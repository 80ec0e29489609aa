import { BoundedMap } from '../../shared/utils/boundedMap';
import { SharedLocks } from '../../shared/utils/sharedLock';
import type { Id, Query } from '../service/types';
import type { Word } from '../telling/rows';

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
export const lastWords = new BoundedMap<string, Word>(KEPT);
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

/** What this process knows of a client's queries of one day. Whatever was not refused counts. */
export interface Day {
	/** Those that were listed, or accepted since. */
	made: Set<string>;
	/** Planned or on their way, by all runs. */
	reserved: number;
	/** Sent, and nobody knows whether they were accepted. */
	unsure: number;
}

const days = new BoundedMap<string, Day>(100);

export const dayOf = (client: string, start: number): Day =>
	days.getOrMake(`${client} ${start}`, () => ({ made: new Set(), reserved: 0, unsure: 0 }));

export const countOf = ({ made, reserved, unsure }: Day): number => made.size + reserved + unsure;
