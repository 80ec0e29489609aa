import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { BoundedMap } from '../../shared/utils/boundedMap';

/** In which order a service lists queries, by their creation. */
export type Order = 'newestFirst' | 'oldestFirst';

/** A result that was started: its query ID, and how often. */
export type Started = [queryId: string, starts: number];

/** What is saved in the workflow's static data; about 95 kB at most. */
export interface SavedLedger extends IDataObject {
	/** The newest listed queries, oldest first: hash of the ID → mark of the status that settled, '' while none has. */
	seen: Record<string, string>;
	/** The same of queries outside `seen`: delivered and not listed yet, or finished late. */
	late: Record<string, string>;
	/** IDs of queries that the service showed and that still owe a result; whose turn it is first. */
	open: string[];
	/** Results whose execution is not known to have ended, by deliveryId. */
	started: Record<string, Started>;
	/** The parameters that it began with: a workflow published with others begins anew. */
	startedFrom: string;
	/** The account of the service whose queries these are. */
	account: string;
	/** When the list was last read to its end. */
	auditedAt: number;
	/** The latest creation of a query in `seen`, by the service's clock. */
	newest: number;
	/** Queries created until then are old, as long as rows above `seen` wait for their turn; 0 if none do. */
	oldUntil: number;
	/** Every query that was ever listed is in `seen`. */
	isComplete: boolean;
	/** In which order the service lists, once it has shown that. */
	order: Order | '';
	/** Executions run in another process (queue mode), so the end of this one cuts none off. Unknown until one has begun. */
	runsElsewhere?: boolean;
}

/** Before anything is known. */
const nothing = (): SavedLedger => ({
	seen: {},
	late: {},
	open: [],
	started: {},
	startedFrom: '',
	account: '',
	auditedAt: 0,
	newest: 0,
	oldUntil: 0,
	isComplete: true,
	order: '',
});

/** Together under 100 kB. */
export const MAX_SEEN = 1_000;
/** So many more are forgotten together. */
const SLACK = 100;
const MAX_LATE = 1_000;
const MAX_OPEN = 1_000;
const MAX_OPEN_LETTERS = 24_000;
const MAX_STARTED_LETTERS = 20_000;
const LETTERS_BESIDE_ID = 50;

const hash = (text: string, length: number) =>
	createHash('sha256').update(text).digest('base64url').slice(0, length);

/** A service may list the same tens of thousands of queries again and again. */
const keys = new BoundedMap<string, string>(50_000);
/** Begins with a letter, for an object lists keys that look like numbers before the others. */
function keyOf(id: string): string {
	const known = keys.get(id);
	if (known !== undefined) return known;
	const key = `q${hash(id, 12)}`;
	keys.set(id, key);
	return key;
}
/** Of a settled status word; never ''. */
const markOf = (word: string) => hash(word, 6);

/** A query's ID, and its status word. */
export interface Stand {
	queryId: string;
	word: string;
}

/**
 * All that a trigger knows: which queries it has seen, what of them has settled, and which still owe a result. `seen`
 * grows by looks alone; what a webhook call brings settles in `late`, so that it never moves the place where looks stop.
 */
export class Ledger {
	/** Always up to date, and the same object: n8n writes it when it saves static data. */
	readonly saved: SavedLedger;
	/** Started by the process before this one, and not known to have ended: until started again, or `end` is called. */
	readonly cutOff: Map<string, Started>;
	private readonly open: Set<string>;

	/** `ended` is a result whose execution has ended since the rest was saved. */
	constructor(saved: Partial<SavedLedger> = {}, ended = '') {
		const copy = JSON.parse(JSON.stringify(saved)) as Partial<SavedLedger>;
		this.saved = { ...nothing(), ...copy };
		delete this.saved.started[ended];
		this.cutOff = new Map(Object.entries(this.saved.started));
		this.open = new Set(this.saved.open);
	}

	get isEmpty(): boolean {
		for (const _ in this.saved.seen) return false;
		return true;
	}

	isSeen(queryId: string): boolean {
		return keyOf(queryId) in this.saved.seen;
	}

	/** Whether a query's result in this state came through before, or is not wanted. */
	isSettled({ queryId, word }: Stand): boolean {
		const key = keyOf(queryId);
		return (this.saved.seen[key] ?? this.saved.late[key]) === markOf(word);
	}

	/** Whether any state of a query has settled. */
	hasSettled(queryId: string): boolean {
		const key = keyOf(queryId);
		return Boolean(this.saved.seen[key] ?? this.saved.late[key]);
	}

	owes(queryId: string): boolean {
		return this.open.has(queryId);
	}

	/** Who owes a result, whose turn it is first. */
	get owing(): string[] {
		return [...this.open];
	}

	/** Takes a listed query in; for looks alone, which do so from the oldest on. */
	take(queryId: string, createdAt = 0): void {
		const { seen, late } = this.saved;
		const key = keyOf(queryId);
		seen[key] = late[key] ?? '';
		delete late[key];
		this.saved.newest = Math.max(this.saved.newest, createdAt);
	}

	/** Forgets the oldest of `seen` that are too many. `listed` are the IDs of this look, the newest first. */
	trim(listed: string[]): void {
		const { seen } = this.saved;
		const keys = Object.keys(seen);
		if (keys.length <= MAX_SEEN + SLACK) return;
		const recent = new Set(listed.map(keyOf).reverse());
		const inOrder = [
			...keys.filter((key) => !recent.has(key)),
			...[...recent].filter((key) => key in seen),
		];
		this.saved.seen = Object.fromEntries(inOrder.slice(-MAX_SEEN).map((key) => [key, seen[key]]));
		this.saved.isComplete = false;
	}

	/** Its result in this state came through, or is not wanted; it owes another one where it `owesMore`. */
	settle({ queryId, word }: Stand, owesMore = false): void {
		const { seen, late } = this.saved;
		const key = keyOf(queryId);
		if (key in seen) seen[key] = markOf(word);
		else {
			delete late[key];
			late[key] = markOf(word); // the newest last
			dropFirst(late, MAX_LATE);
		}
		if (!owesMore && this.open.delete(queryId)) this.write();
	}

	/** It owes a result, and its turn comes last. Returns those that are too many to be awaited. */
	await(...queryIds: string[]): string[] {
		for (const id of queryIds) {
			this.open.delete(id);
			this.open.add(id);
		}
		return this.write();
	}

	/** The service refuses it: it owes nothing any more. */
	giveUp(queryId: string): void {
		this.open.delete(queryId);
		this.write();
	}

	/** It is about to be emitted; `times` counts the starts of the same result. */
	start(deliveryId: string, queryId: string, times: number): void {
		this.cutOff.delete(deliveryId);
		const { started } = this.saved;
		started[deliveryId] = [queryId, times];
		dropFirst(started, Math.ceil(MAX_STARTED_LETTERS / (queryId.length + LETTERS_BESIDE_ID)));
	}

	/** n8n could not start it: all is as before. */
	giveBack(deliveryId: string, before?: Started): void {
		this.end(deliveryId);
		if (before) this.cutOff.set(deliveryId, (this.saved.started[deliveryId] = before));
	}

	/** Its execution has ended, or had been started before. */
	end(deliveryId: string): void {
		this.cutOff.delete(deliveryId);
		delete this.saved.started[deliveryId];
	}

	/** Forgets which queries were listed, and who owes a result. What has settled stays known. */
	begin(startedFrom: string): void {
		const { seen, late } = this.saved;
		const settled = Object.entries(seen).filter(([, mark]) => mark !== '');
		Object.assign(late, Object.fromEntries(settled));
		dropFirst(late, MAX_LATE);
		Object.assign(this.saved, {
			seen: {},
			startedFrom,
			newest: 0,
			oldUntil: 0,
			isComplete: true,
			order: '',
		});
		this.open.clear();
		this.write();
	}

	private write(): string[] {
		const dropped: string[] = [];
		let letters = [...this.open].reduce((sum, id) => sum + id.length, 0);
		for (const id of this.open) {
			if (this.open.size <= MAX_OPEN && letters <= MAX_OPEN_LETTERS) break;
			letters -= id.length;
			this.open.delete(id);
			dropped.push(id);
		}
		this.saved.open = [...this.open];
		return dropped;
	}
}

/** Leaves so many entries, the latest. */
function dropFirst(entries: IDataObject, most: number): void {
	const keys = Object.keys(entries);
	for (const key of keys.slice(0, Math.max(0, keys.length - most))) delete entries[key];
}
