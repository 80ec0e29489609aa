import { randomBytes } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { stateOfProcess } from '../../shared/processState';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { hash } from '../../shared/utils/hash';

/** In which order a service lists queries, by their creation. */
export type Order = 'newestFirst' | 'oldestFirst';

/** A result that was started: its query ID, and how often. */
export type Started = [queryId: string, starts: number];

/** What the ledger knows beside single queries. */
interface LedgerState {
	/** The parameters that it began with: a workflow published with others begins anew. */
	startedFrom: string;
	/** The account of the service whose queries these are. */
	account: string;
	/** When the list was last read to its end, and how many requests that took. */
	auditedAt: number;
	auditRequests: number;
	/** The latest creation of a query in `seen`, by the service's clock. */
	newest: number;
	/** Queries created until then are old, as long as rows above `seen` wait for their turn; 0 if none do. */
	oldUntil: number;
	/** Every query that was ever listed is in `seen`. */
	isComplete: boolean;
	/** In which order the service lists, once it has shown that. */
	order: Order | '';
	/** Executions run in another process (queue mode), so the end of this one interrupts none. Unknown until one began. */
	runsElsewhere?: boolean;
}

/**
 * The ledger in the workflow's static data. Queries are one text: a hash of each ID, and behind it a mark for each status
 * that has settled. About 20 kB as a rule; 350 kB at most, with 25,000 pending queries and 800 running executions.
 */
export interface SavedLedger extends LedgerState, IDataObject {
	/** The newest listed queries, oldest first. */
	seen: string;
	/** Settled queries outside `seen`: delivered and not listed yet, or finished late. */
	late: string;
	/** Queries that still owe a result, wherever the list shows them. */
	pending: string;
	/** IDs of pending queries, to be read by ID if the list does not show them; whose turn it is first. */
	pendingIds: string[];
	/** Results whose execution is not known to have ended, by deliveryId. */
	started: Record<string, Started>;
	/** The process that wrote it. */
	savedBy: string;
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

/** This process, in the ledgers that it writes. */
const newProcessId = () => ({ id: randomBytes(9).toString('base64url') });
const processId = (): string => stateOfProcess().shared(newProcessId).id;

export const MAX_SEEN = 1_000;
/** This many more are forgotten together. */
const SLACK = 100;
const MAX_LATE = 1_000;
export const MAX_PENDING = 25_000;
const MAX_PENDING_IDS = 1_000;
const MAX_PENDING_LETTERS = 24_000;
const MAX_STARTED_LETTERS = 60_000;
const LETTERS_BESIDE_ID = 50;
const LETTERS_OF_ID = 24;

const KEY_LENGTH = 8;
const MARK_LENGTH = 3;
/** More statuses of one query are not remembered: the oldest is forgotten. */
const MAX_MARKS = 20;

/** A service may list the same tens of thousands of queries again and again. */
const newKeys = () => new BoundedMap<string, string>(50_000);
function keyOf(id: string): string {
	const keys = stateOfProcess().shared(newKeys);
	const known = keys.get(id);
	if (known !== undefined) return known;
	const key = hash(id, KEY_LENGTH);
	keys.set(id, key);
	return key;
}
/** Of a settled status word. */
const markOf = (word: string) => hash(word, MARK_LENGTH);

/** Marks of the statuses of a query that have settled, one behind the other. */
type Marks = string;

function hasMark(marks: Marks, mark: string): boolean {
	for (let at = 0; at < marks.length; at += MARK_LENGTH)
		if (marks.startsWith(mark, at)) return true;
	return false;
}

/** The marks of both, each once; the oldest are forgotten where they are too many. */
function joinMarks(marks: Marks, more: Marks): Marks {
	let joined = marks;
	for (let at = 0; at < more.length; at += MARK_LENGTH) {
		const mark = more.slice(at, at + MARK_LENGTH);
		if (!hasMark(joined, mark)) joined += mark;
	}
	return joined.slice(-MAX_MARKS * MARK_LENGTH);
}

/** Queries by the hash of their ID, with the marks of their statuses, in order. */
type Queries = Map<string, Marks>;

function writeQueries(queries: Queries): string {
	const entries: string[] = [];
	for (const [key, marks] of queries) entries.push(key + marks);
	return entries.join(' ');
}

/** Reads queries as they are saved, also by versions that saved them as an object. */
function readQueries(saved: unknown): Queries {
	if (typeof saved === 'string') {
		const entries = saved.split(' ').filter((entry) => entry.length >= KEY_LENGTH);
		return new Map(entries.map((entry) => [entry.slice(0, KEY_LENGTH), entry.slice(KEY_LENGTH)]));
	}
	return new Map(
		Object.entries((saved ?? {}) as Record<string, string>).map(([key, mark]) => [
			key.slice(1, 1 + KEY_LENGTH), // keys began with a letter, marks had six characters
			mark.slice(0, MARK_LENGTH),
		]),
	);
}

function readState(saved: Partial<LedgerState>): LedgerState {
	const state = emptyState();
	const known = (key: string) => key in state || key === 'runsElsewhere';
	const entries = Object.entries(saved).filter(([key]) => known(key));
	return Object.assign(state, Object.fromEntries(entries));
}

/** A query's ID, and its status word. */
export interface Stand {
	queryId: string;
	word: string;
}

/** Pending queries that are no longer followed. */
export interface Dropped {
	/** IDs that are no longer read by ID: such a query starts if it is listed or named by a webhook call. */
	unread: string[];
	/** How many are forgotten altogether. */
	forgotten: number;
}

export type Ledger = ReturnType<typeof openLedger>;

/**
 * Remembers which queries a trigger has seen, which statuses of them have settled, and which still owe a result. `seen`
 * grows by looks alone; results of webhook calls settle in `late`, so that they never move the place where looks stop.
 */
export function openLedger(before: Partial<SavedLedger> | IDataObject = {}, process = processId()) {
	const saved = JSON.parse(JSON.stringify(before)) as Partial<SavedLedger> & { open?: string[] };
	const { savedBy, pendingIds: savedIds = saved.open ?? [], started: savedStarted = {} } = saved;
	const state = readState(saved);
	let seen = readQueries(saved.seen);
	const late = readQueries(saved.late);
	const pending =
		saved.pending === undefined
			? new Map(savedIds.map((id): [string, Marks] => [keyOf(id), '']))
			: readQueries(saved.pending);
	const pendingIds = new Set(savedIds);
	let letters = [...pendingIds].reduce((sum, id) => sum + id.length, 0);
	const started = new Map(Object.entries(savedStarted));
	const interrupted = new Map(started);
	let startedLetters = 0;
	const lettersOf = ([queryId]: Started) => queryId.length + LETTERS_BESIDE_ID;
	for (const entry of started.values()) startedLetters += lettersOf(entry);

	const marksOf = (key: string): Marks =>
		(seen.get(key) ?? '') + (pending.get(key) ?? '') + (late.get(key) ?? '');

	const forgetId = (queryId: string): void => {
		if (pendingIds.delete(queryId)) letters -= queryId.length;
	};

	const addLate = (key: string, marks: Marks): void => {
		const all = joinMarks(late.get(key) ?? '', marks);
		late.delete(key);
		late.set(key, all); // the newest last
		dropFirst(late, MAX_LATE);
	};

	/** A query owes nothing any more; its marks go to where it is known. */
	const dropPending = (queryId: string): void => {
		const key = keyOf(queryId);
		const marks = pending.get(key);
		forgetId(queryId);
		if (marks === undefined) return;
		pending.delete(key);
		if (marks === '') return;
		const listed = seen.get(key);
		if (listed === undefined) addLate(key, marks);
		else seen.set(key, joinMarks(listed, marks));
	};

	const end = (deliveryId: string): void => {
		interrupted.delete(deliveryId);
		const entry = started.get(deliveryId);
		if (!entry) return;
		started.delete(deliveryId);
		startedLetters -= lettersOf(entry);
		hasUnsavedEnds = true;
	};

	const putStarted = (deliveryId: string, entry: Started): void => {
		const known = started.get(deliveryId);
		if (known) startedLetters -= lettersOf(known);
		started.set(deliveryId, entry);
		startedLetters += lettersOf(entry);
	};

	let hasUnsavedEnds = false;
	const write = (): SavedLedger => ({
		seen: writeQueries(seen),
		late: writeQueries(late),
		pending: writeQueries(pending),
		pendingIds: [...pendingIds],
		started: Object.fromEntries(started),
		...state,
		savedBy: process,
	});

	return {
		state,

		/** Which process knows it, and which one had written it before. */
		process,
		savedBy,

		/**
		 * Stands for the ledger in static data. n8n writes those as JSON: so each time the ledger is written as it is then.
		 */
		saved: {
			toJSON: () => {
				hasUnsavedEnds = false;
				return write();
			},
		},

		/** Whether an execution has ended since the ledger was written. */
		hasUnsavedEnds: (): boolean => hasUnsavedEnds,

		/** Started by an earlier process and not known to have ended, until it is started again or `end` is called. */
		interrupted,

		isEmpty: (): boolean => seen.size === 0,

		isSeen: (queryId: string): boolean => seen.has(keyOf(queryId)),

		/** Keys of the listed queries, the oldest first. */
		seenKeys: (): string[] => [...seen.keys()],

		/** Whether a query's result in this status came through before, or is not wanted. */
		isSettled: ({ queryId, word }: Stand): boolean =>
			hasMark(marksOf(keyOf(queryId)), markOf(word)),

		/** Whether any status of a query has settled. */
		hasSettled: (queryId: string): boolean => marksOf(keyOf(queryId)) !== '',

		isPending: (queryId: string): boolean => pending.has(keyOf(queryId)),

		pendingCount: (): number => pending.size,

		/** IDs of queries that owe a result, whose turn it is first. */
		pendingIds: (): string[] => [...pendingIds],

		/** Takes a listed query in; for looks alone, which do so from the oldest on. */
		take(queryId: string, createdAt = 0): void {
			const key = keyOf(queryId);
			seen.set(key, late.get(key) ?? '');
			late.delete(key);
			state.newest = Math.max(state.newest, createdAt);
		},

		/** Forgets the oldest of `seen` that are too many, pending ones apart. `listed` are the IDs of a look, newest first. */
		trim(listed: string[]): void {
			if (seen.size <= MAX_SEEN + SLACK) return;
			const recent = new Set(listed.map(keyOf).reverse());
			const inOrder = [
				...[...seen.keys()].filter((key) => !recent.has(key)),
				...[...recent].filter((key) => seen.has(key)),
			];
			const left = inOrder.splice(-MAX_SEEN);
			for (const key of inOrder) {
				const marks = pending.get(key);
				if (marks !== undefined) pending.set(key, joinMarks(marks, seen.get(key) as Marks));
			}
			seen = new Map(left.map((key) => [key, seen.get(key) as Marks]));
			state.isComplete = false;
		},

		/** Its result in this status came through, or is not wanted; it owes another one where it `owesMore`. */
		settle({ queryId, word }: Stand, owesMore = false): void {
			const key = keyOf(queryId);
			const mark = markOf(word);
			if (!owesMore) dropPending(queryId);
			const where = seen.has(key) ? seen : pending.has(key) ? pending : undefined;
			if (where) where.set(key, joinMarks(where.get(key) as Marks, mark));
			else addLate(key, mark);
		},

		/** They owe a result, and their turn comes last. Returns what is too much to be followed. */
		addPending(queryIds: string[]): Dropped {
			for (const id of queryIds) {
				const key = keyOf(id);
				if (!pending.has(key)) {
					pending.set(key, seen.has(key) ? '' : (late.get(key) ?? ''));
					if (!seen.has(key)) late.delete(key);
				}
				forgetId(id);
				pendingIds.add(id);
				letters += id.length;
			}
			const unread: string[] = [];
			for (const id of pendingIds) {
				if (pendingIds.size <= MAX_PENDING_IDS && letters <= MAX_PENDING_LETTERS) break;
				forgetId(id);
				unread.push(id);
			}
			const forgotten = Math.max(0, pending.size - MAX_PENDING);
			if (forgotten > 0) dropFirst(pending, MAX_PENDING);
			return { unread, forgotten };
		},

		/** It owes nothing any more: the service refuses it, or has shown its last status before. */
		drop: dropPending,

		startedCount: (): number => started.size,

		/** How many more results may be started and still be remembered. */
		room(): number {
			const each = started.size > 0 ? startedLetters / started.size : 0;
			const left = MAX_STARTED_LETTERS - startedLetters;
			return Math.max(0, Math.floor(left / Math.max(each, LETTERS_OF_ID + LETTERS_BESIDE_ID)));
		},

		/** Whether a result can be remembered as started. */
		canStart: (deliveryId: string, queryId: string): boolean =>
			started.has(deliveryId) ||
			startedLetters + queryId.length + LETTERS_BESIDE_ID <= MAX_STARTED_LETTERS,

		/** It is about to be emitted; `times` counts the starts of the same result. */
		start(deliveryId: string, queryId: string, times: number): void {
			interrupted.delete(deliveryId);
			putStarted(deliveryId, [queryId, times]);
		},

		/** n8n could not start it: all is as before. */
		undoStart(deliveryId: string, known?: Started): void {
			end(deliveryId);
			if (!known) return;
			putStarted(deliveryId, known);
			interrupted.set(deliveryId, known);
		},

		/** Its execution has ended, or had been started before. */
		end,

		/** Takes over which statuses came through by what this process knew before another one wrote the ledger. */
		learnSettled(others: Iterable<[key: string, marks: Marks]>): void {
			const unknown: Queries = new Map();
			for (const [key, more] of others) {
				const where = [seen, pending, late].find((queries) => queries.has(key)) ?? unknown;
				if (more !== '') where.set(key, joinMarks(where.get(key) ?? '', more));
			}
			const newer = [...late];
			late.clear();
			for (const [key, marks] of [...unknown, ...newer]) late.set(key, marks);
			dropFirst(late, MAX_LATE);
		},

		/** Marks of all queries that are known. */
		settledMarks: (): Array<[key: string, marks: Marks]> => [...late, ...pending, ...seen],

		/** Forgets which queries were listed, and who owes a result. What has settled stays known. */
		begin(startedFrom: string): void {
			for (const queries of [pending, seen])
				for (const [key, marks] of queries) if (marks !== '') addLate(key, marks);
			seen = new Map();
			pending.clear();
			pendingIds.clear();
			letters = 0;
			const { runsElsewhere } = state;
			Object.assign(state, emptyState(), { startedFrom, runsElsewhere });
		},
	};
}

/**
 * Which of two ledgers counts: what this process knows, or what was saved. If another process has written that since,
 * because it led meanwhile, the saved one counts, with the statuses that this process knows to have come through. An
 * older one was imported with the workflow.
 */
export function currentLedger(known: Ledger, saved: Ledger): Ledger {
	const isByAnother = saved.savedBy !== undefined && saved.savedBy !== known.process;
	if (!isByAnother || saved.state.newest < known.state.newest) return known;
	saved.learnSettled(known.settledMarks());
	return saved;
}

/** Leaves this many entries, the latest. */
function dropFirst<V>(entries: Map<string, V>, most: number): void {
	for (const key of entries.keys()) {
		if (entries.size <= most) return;
		entries.delete(key);
	}
}
