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

export type Ledger = ReturnType<typeof openLedger>;

/**
 * All that a trigger knows: which queries it has seen, what of them has settled, and which still owe a result. `seen`
 * grows by looks alone; what a webhook call brings settles in `late`, so that it never moves the place where looks stop.
 * `ended` is a result whose execution has ended since the rest was saved.
 */
export function openLedger(before: Partial<SavedLedger> = {}, ended = '') {
	const copy = JSON.parse(JSON.stringify(before)) as Partial<SavedLedger>;
	const saved: SavedLedger = { ...nothing(), ...copy };
	delete saved.started[ended];
	const cutOff = new Map(Object.entries(saved.started));
	const open = new Set(saved.open);

	const markIn = (queryId: string): string | undefined => {
		const key = keyOf(queryId);
		return saved.seen[key] ?? saved.late[key];
	};

	/** Forgets the first of those that owe a result where they are too many, and returns them. */
	const writeOpen = (): string[] => {
		const dropped: string[] = [];
		let letters = [...open].reduce((sum, id) => sum + id.length, 0);
		for (const id of open) {
			if (open.size <= MAX_OPEN && letters <= MAX_OPEN_LETTERS) break;
			letters -= id.length;
			open.delete(id);
			dropped.push(id);
		}
		saved.open = [...open];
		return dropped;
	};

	const end = (deliveryId: string): void => {
		cutOff.delete(deliveryId);
		delete saved.started[deliveryId];
	};

	return {
		/** Always up to date, and the same object: n8n writes it when it saves static data. */
		saved,
		/** Started by the process before this one, and not known to have ended: until started again, or `end` is called. */
		cutOff,

		isEmpty(): boolean {
			for (const _ in saved.seen) return false;
			return true;
		},

		isSeen: (queryId: string): boolean => keyOf(queryId) in saved.seen,

		/** Whether a query's result in this state came through before, or is not wanted. */
		isSettled: ({ queryId, word }: Stand): boolean => markIn(queryId) === markOf(word),

		/** Whether any state of a query has settled. */
		hasSettled: (queryId: string): boolean => Boolean(markIn(queryId)),

		owes: (queryId: string): boolean => open.has(queryId),

		/** Who owes a result, whose turn it is first. */
		owing: (): string[] => [...open],

		/** Takes a listed query in; for looks alone, which do so from the oldest on. */
		take(queryId: string, createdAt = 0): void {
			const { seen, late } = saved;
			const key = keyOf(queryId);
			seen[key] = late[key] ?? '';
			delete late[key];
			saved.newest = Math.max(saved.newest, createdAt);
		},

		/** Forgets the oldest of `seen` that are too many. `listed` are the IDs of this look, the newest first. */
		trim(listed: string[]): void {
			const { seen } = saved;
			const known = Object.keys(seen);
			if (known.length <= MAX_SEEN + SLACK) return;
			const recent = new Set(listed.map(keyOf).reverse());
			const inOrder = [
				...known.filter((key) => !recent.has(key)),
				...[...recent].filter((key) => key in seen),
			];
			saved.seen = Object.fromEntries(inOrder.slice(-MAX_SEEN).map((key) => [key, seen[key]]));
			saved.isComplete = false;
		},

		/** Its result in this state came through, or is not wanted; it owes another one where it `owesMore`. */
		settle({ queryId, word }: Stand, owesMore = false): void {
			const { seen, late } = saved;
			const key = keyOf(queryId);
			if (key in seen) seen[key] = markOf(word);
			else {
				delete late[key];
				late[key] = markOf(word); // the newest last
				dropFirst(late, MAX_LATE);
			}
			if (!owesMore && open.delete(queryId)) writeOpen();
		},

		/** It owes a result, and its turn comes last. Returns those that are too many to be awaited. */
		await(...queryIds: string[]): string[] {
			for (const id of queryIds) {
				open.delete(id);
				open.add(id);
			}
			return writeOpen();
		},

		/** The service refuses it: it owes nothing any more. */
		giveUp(queryId: string): void {
			open.delete(queryId);
			writeOpen();
		},

		/** It is about to be emitted; `times` counts the starts of the same result. */
		start(deliveryId: string, queryId: string, times: number): void {
			cutOff.delete(deliveryId);
			saved.started[deliveryId] = [queryId, times];
			dropFirst(
				saved.started,
				Math.ceil(MAX_STARTED_LETTERS / (queryId.length + LETTERS_BESIDE_ID)),
			);
		},

		/** n8n could not start it: all is as before. */
		giveBack(deliveryId: string, known?: Started): void {
			end(deliveryId);
			if (known) cutOff.set(deliveryId, (saved.started[deliveryId] = known));
		},

		/** Its execution has ended, or had been started before. */
		end,

		/** Forgets which queries were listed, and who owes a result. What has settled stays known. */
		begin(startedFrom: string): void {
			const { late, started } = saved;
			const settled = Object.entries(saved.seen).filter(([, mark]) => mark !== '');
			Object.assign(late, Object.fromEntries(settled));
			dropFirst(late, MAX_LATE);
			Object.assign(saved, nothing(), { late, started, startedFrom });
			open.clear();
		},
	};
}

/** Leaves so many entries, the latest. */
function dropFirst(entries: IDataObject, most: number): void {
	const keys = Object.keys(entries);
	for (const key of keys.slice(0, Math.max(0, keys.length - most))) delete entries[key];
}
