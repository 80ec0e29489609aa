import type { IDataObject } from 'n8n-workflow';
import type { Item, Run } from '../../shared/operations/operation';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { SharedLocks } from '../../shared/utils/sharedLock';
import { hashOf } from '../question/question';
import type { Doubt, Id, Query } from '../service/types';
import type { Word } from '../telling/rows';
import type { Life } from './life';

/** A life as it is kept, small: the IDs of what was accepted, else where it stands. */
type Entry = Id[] | [at: 'sent' | 'unsure' | 'missing', since: number, hash: string, why: Doubt];

/** Where it stands in the memory that n8n keeps for a node; the name is seen in the execution's data. */
interface Kept extends IDataObject {
	/** Queries sent in this execution, its retries included; what was refused does not count. */
	sent: number;
	lives: Record<string, Entry>;
	/** Of items that ask for a part only, because the rest is reused: the IDs of the rest, null where something is asked for. */
	reused?: Record<string, Array<Id | null>>;
}

/**
 * What this execution has sent: n8n keeps it through the tries of Retry On Fail and hands it to the editor's Retry, so
 * that what was accepted is read instead of sent again. Holds IDs and hashes, nothing of what was asked.
 */
export class Journal {
	private readonly kept: Kept;

	constructor(private readonly run: Run) {
		// Without an execution (MCP Server Trigger) there is nothing to retry, and each call counts by itself.
		const memory = run.executionId === undefined ? {} : run.memory;
		memory.paidQueries ??= { sent: 0, lives: {} };
		this.kept = memory.paidQueries as Kept;
	}

	get sent(): number {
		return this.kept.sent;
	}

	count(queries: number): void {
		this.kept.sent += queries;
	}

	/** The IDs of everything that was accepted. */
	get ids(): Id[] {
		return Object.values(this.kept.lives).flatMap(idsIn);
	}

	/** The IDs of what was accepted for an item. */
	idsOf(item: Item): Id[] {
		const own = `${this.run.index}:${item.index}:`;
		return Object.entries(this.kept.lives).flatMap(([key, entry]) =>
			key.startsWith(own) ? idsIn(entry) : [],
		);
	}

	lifeOf(item: Item, key: string): Life {
		const entry = this.kept.lives[this.key(item, key)];
		return entry === undefined ? { at: 'planned' } : lifeIn(entry);
	}

	/** Of all that was sent for an item, or for any item of this run, but what was refused. */
	livesOf(index?: number): Life[] {
		const own = index === undefined ? `${this.run.index}:` : `${this.run.index}:${index}:`;
		return Object.entries(this.kept.lives).flatMap(([key, entry]) =>
			key.startsWith(own) ? [lifeIn(entry)] : [],
		);
	}

	keep(item: Item, key: string, life: Life): void {
		const { lives } = this.kept;
		switch (life.at) {
			case 'planned':
			case 'refused':
				delete lives[this.key(item, key)];
				break;
			case 'accepted':
				lives[this.key(item, key)] = life.ids;
				break;
			case 'sent':
			case 'unsure':
			case 'missing':
				lives[this.key(item, key)] = [
					life.at,
					life.since,
					life.hash,
					life.at === 'sent' ? 'earlierTry' : life.why,
				];
		}
	}

	/** Keeps a life of a question that begins another one: nobody knows its outcome, whatever comes of the other. */
	keepLost(item: Item, key: string, life: Life, number: number): void {
		this.keep(item, `${key} ${number}`, life);
	}

	/** What of an item's question was reused when it was asked first; undefined if all or nothing of it was. */
	reusedOf(item: Item, key: string): Array<Id | null> | undefined {
		return this.kept.reused?.[this.key(item, key)];
	}

	reuse(item: Item, key: string, ids: Array<Id | null>): void {
		(this.kept.reused ??= {})[this.key(item, key)] = ids;
	}

	private key({ index }: Item, key: string): string {
		return `${this.run.index}:${index}:${hashOf(key)}`;
	}
}

const STANDS = ['sent', 'unsure', 'missing'];
/** No ID of a service is one of these words and stands before a moment. */
const isIds = (entry: Entry): entry is Id[] =>
	!(STANDS.includes(entry[0]) && typeof entry[1] === 'number');
function lifeIn(entry: Entry): Life {
	if (isIds(entry)) return { at: 'accepted', ids: entry };
	const [at, since, hash, why] = entry;
	return at === 'sent' ? { at, since, hash } : { at, since, hash, why };
}
const idsIn = (entry: Entry): Id[] => (isIds(entry) ? entry : []);

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
