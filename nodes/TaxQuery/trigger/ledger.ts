import type { IDataObject } from 'n8n-workflow';
import { getProcessState } from '../../shared/processState';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { hash } from '../../shared/utils/hash';
import { isObject } from '../../shared/utils/json';
import { pickBy } from '../../shared/utils/objects';
import { isText } from '../../shared/utils/primitiveText';

export const MAX_SEEN = 1_000;
/** `seen` is trimmed once it is this much too long. */
const TRIM_SLACK = 100;
export const MAX_PENDING = 5_000;
/** Longer than any number that JavaScript would sort among the keys of an object. */
const KEY_LENGTH = 11;

/** The order in which a service lists queries, by their creation. */
export type ServiceListOrder = 'newestFirst' | 'oldestFirst';

export interface QueryStatus {
	queryId: string;
	status: string;
}

/** The ledger's knowledge beside single queries. */
export interface LedgerState {
	/** The parameters that it began with: a workflow published with others begins anew. */
	startedFrom: string;
	/** The account of the service whose queries these are. */
	account: string;
	/** The time when the list was last read to its end, and the number of requests for that. */
	auditedAt: number;
	auditRequests: number;
	/** The latest creation of a query in `seen`, by the service's clock. */
	newest: number;
	/** Queries created before this time are old, as long as rows above `seen` wait for their turn; 0 if none do. */
	oldUntil: number;
	/** Every query that was ever listed is in `seen`. */
	isComplete: boolean;
	/** The order of the service's list, once the list has shown it. */
	order: ServiceListOrder | '';
}

/** The ledger in the workflow's static data: about 25 kB, and 40 bytes for each pending query. */
export interface SavedLedger extends LedgerState, IDataObject {
	/** The newest listed queries, oldest first: a hash of each ID, and the last status that settled, '' if none did. */
	seen: Record<string, string>;
	/** IDs of the queries that owe a result, in the order of their turns. */
	pending: string[];
	/** Results given to n8n and not known to have begun: deliveryId → query ID. */
	starting: Record<string, string>;
}

const emptyState = (): LedgerState => ({
	startedFrom: '',
	account: '',
	auditedAt: 0,
	auditRequests: 0,
	newest: 0,
	oldUntil: 0,
	isComplete: true,
	order: '',
});

/** Caches hashes, because a service may list the same thousands of queries repeatedly. */
const newKeys = () => new BoundedMap<string, string>(50_000);
function seenKey(queryId: string): string {
	const keys = getProcessState().shared(newKeys);
	return keys.getOrMake(queryId, () => hash(queryId, KEY_LENGTH));
}

const textsOf = (saved: unknown): Map<string, string> =>
	new Map(
		Object.entries(isObject(saved) ? saved : {}).filter((entry): entry is [string, string] =>
			isText(entry[1]),
		),
	);

/**
 * Remembers which queries of the list a trigger has seen, with their last settled status, which owe a result, and which
 * results n8n is about to start. It need only be at least once: n8n's deduplication key remembers what has started.
 * Only polls add to `seen`, so that nothing else moves the place where they stop.
 */
export class Ledger {
	readonly state: LedgerState;
	/**
	 * Stands for the ledger in static data. n8n writes those as JSON, so each write holds the ledger as it is then. A
	 * write that failed is made up for by the next one.
	 */
	readonly saved = { toJSON: (): SavedLedger => this.#write() };
	#seen: Map<string, string>;
	readonly #pending: Set<string>;
	readonly #starting: Map<string, string>;

	constructor(before: Partial<SavedLedger> | IDataObject = {}) {
		const copy = JSON.parse(JSON.stringify(before)) as Partial<SavedLedger>;
		// without what was seen, all rows would look new: so it begins anew
		const saved = isObject(copy.seen) ? copy : {};
		const state = emptyState();
		const types: IDataObject = { ...state };
		this.state = Object.assign(
			state,
			pickBy<unknown>(
				{ ...saved },
				(key, value) => Object.hasOwn(types, key) && typeof value === typeof types[key],
			),
		);
		this.#seen = textsOf(saved.seen);
		this.#pending = new Set([saved.pending].flat().filter(isText));
		this.#starting = textsOf(saved.starting);
	}

	isEmpty(): boolean {
		return this.#seen.size === 0;
	}

	isSeen(queryId: string): boolean {
		return this.#seen.has(seenKey(queryId));
	}

	/** This status is the last one that came through, or is not wanted. */
	isSettled({ queryId, status }: QueryStatus): boolean {
		return this.#seen.get(seenKey(queryId)) === status;
	}

	hasSettled(queryId: string): boolean {
		return (this.#seen.get(seenKey(queryId)) ?? '') !== '';
	}

	isPending(queryId: string): boolean {
		return this.#pending.has(queryId);
	}

	pendingCount(): number {
		return this.#pending.size;
	}

	/** They are in the order of their turns. */
	pendingIds(): string[] {
		return [...this.#pending];
	}

	/** Adds a listed query with its last settled status. Only polls call it, from the oldest query on. */
	take(queryId: string, createdAt = 0, settledStatus = ''): void {
		this.#seen.set(seenKey(queryId), settledStatus);
		this.state.newest = Math.max(this.state.newest, createdAt);
	}

	/** Forgets the oldest surplus entries of `seen`. `listed` holds the IDs of a poll, newest first. */
	trim(listed: string[]): void {
		const seen = this.#seen;
		if (seen.size <= MAX_SEEN + TRIM_SLACK) return;
		const recent = new Set(listed.map(seenKey).reverse());
		const inOrder = [
			...[...seen.keys()].filter((key) => !recent.has(key)),
			...[...recent].filter((key) => seen.has(key)),
		];
		this.#seen = new Map(inOrder.slice(-MAX_SEEN).map((key) => [key, seen.get(key) as string]));
		this.state.isComplete = false;
	}

	/** Settles this status: its result came through, or is not wanted. The query stays pending if `isStillPending`. */
	settle({ queryId, status }: QueryStatus, isStillPending = false): void {
		if (!isStillPending) this.drop(queryId);
		const key = seenKey(queryId);
		if (this.#seen.has(key)) this.#seen.set(key, status);
	}

	/** They come last in turn. Returns the number of those that are too many to follow. */
	addPending(queryIds: string[]): number {
		for (const id of queryIds) {
			this.#pending.delete(id);
			this.#pending.add(id);
		}
		const forgotten = Math.max(0, this.#pending.size - MAX_PENDING);
		for (const id of [...this.#pending].slice(0, forgotten)) this.#pending.delete(id);
		return forgotten;
	}

	/** Drops a query that has settled or that the service refuses. */
	drop(queryId: string): void {
		this.#pending.delete(queryId);
	}

	isStarting(deliveryId: string): boolean {
		return this.#starting.has(deliveryId);
	}

	starting(): Array<[deliveryId: string, queryId: string]> {
		return [...this.#starting];
	}

	start(deliveryId: string, queryId: string): void {
		this.#starting.set(deliveryId, queryId);
		const [oldest] = this.#starting.keys();
		if (this.#starting.size > MAX_PENDING) this.#starting.delete(oldest);
	}

	/** n8n has begun it, had begun it before, or could not. */
	endStart(deliveryId: string): void {
		this.#starting.delete(deliveryId);
	}

	/**
	 * Forgets which queries were listed, and which are pending of a list. Returns what had settled: n8n may have deleted
	 * the executions of those results, and with them the keys that refuse a second start.
	 */
	begin(startedFrom: string): (queryId: string) => string | undefined {
		const seenBefore = this.#seen;
		this.#seen = new Map();
		if (this.state.account !== '') this.#pending.clear();
		Object.assign(this.state, emptyState(), { startedFrom });
		return (queryId) => seenBefore.get(seenKey(queryId));
	}

	/** Takes over what another process has settled, and what it may be starting. */
	unite(other: Ledger): void {
		for (const start of other.#starting) this.#starting.set(...start);
		if (other.state.account !== this.state.account) return;
		for (const [key, status] of other.#seen)
			if (this.#seen.get(key) === '') this.#seen.set(key, status);
	}

	#write(): SavedLedger {
		return {
			seen: Object.fromEntries(this.#seen),
			pending: [...this.#pending],
			starting: Object.fromEntries(this.#starting),
			...this.state,
		};
	}
}

/**
 * Returns the ledger to publish with: of this process's and the saved one, the one that has seen the newer query. Another
 * process may have led meanwhile; an older one may have been imported with the workflow. It adopts what the other one
 * has settled.
 */
export function mergeLedgers(known: Ledger, saved: Ledger): Ledger {
	const isSavedNewer = saved.state.newest > known.state.newest;
	const [base, other] = isSavedNewer ? [saved, known] : [known, saved];
	base.unite(other);
	return base;
}
