import type { IDataObject } from 'n8n-workflow';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { SharedLocks } from '../../shared/utils/sharedLock';
import type { Id, Query } from '../service/types';

// What this process knows of all its executions, by the client of the service.

/** What was accepted last of a question. */
interface LastAccepted {
	/** When it was accepted, by a clock that nobody sets. */
	at: number;
	/** The same by our clock. */
	atClock: number;
	queries: Query[];
}

const KEPT = 10_000;

/** Who sends a question, beside others that do; and who looks for it, alone. */
export const sendLocks = new SharedLocks();
/** Who asks a question with Reuse. */
export const reuseLocks = new SharedLocks();
let forgottenAt = -Infinity;
/** By `share`. */
export const lastAccepted = new BoundedMap<string, LastAccepted>(KEPT, ({ at }) => {
	forgottenAt = Math.max(forgottenAt, at);
});
/** Whether anything that was accepted since a moment had to be forgotten: then only the service's list has it. */
export const hasForgottenSince = (moment: number): boolean => forgottenAt >= moment;
/** Responses without an ID that came out for want of anything better, by the question's key. */
export const lastWords = new BoundedMap<string, IDataObject>(KEPT);
/** Since when nobody knows whether a question was accepted, by `share`. After a minute the service's list knows, too. */
export const lastUnsure = new BoundedMap<string, number>(10 * KEPT);

/** When the queries that items have got were sent. */
const claims = new BoundedMap<string, number>(10 * KEPT);

/** No other item is given this query. `sentAt`: by our clock; 0 where that is not known. */
export const claim = (client: string, id: Id, sentAt: number): void =>
	void claims.set(`${client} ${id}`, sentAt);
export const isClaimed = (client: string, id: Id): boolean => claims.has(`${client} ${id}`);
/** When a query was sent that an item has got. */
export const sentAtOf = (client: string, id: Id): number | undefined =>
	claims.get(`${client} ${id}`);
/** The query turned out to be somebody else's. */
export const unclaim = (client: string, id: Id): void => void claims.delete(`${client} ${id}`);
