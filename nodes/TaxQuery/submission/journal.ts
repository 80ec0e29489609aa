import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Item, Run } from '../../shared/operations/operation';
import { shortTextHash, type QueryRequest } from '../request/queryRequest';
import type { QueryId } from '../client/model';
import { executionCounterOf } from './limits';
import { newExecutionQueries, type ExecutionQueries } from './executionQueries';
import { isUncertain, type Submission, type SubmissionState } from './submissionState';

type StoredSubmission = Pick<Submission, 'sharingKey' | 'accountKey' | 'sentAt'>;

/** The journal as n8n stores and shows it with the execution. */
interface StoredJournal extends IDataObject {
	/** It stays the same when n8n loads the execution anew, as after a Wait. */
	id: string;
	/** Queries sent in this execution, its retries included; what was refused does not count. */
	sent: number;
	/** The state of each request that was sent and not rejected, by run, item and request. */
	states: Record<string, SubmissionState>;
	/** The details of each submission, under the same names. */
	submissions: Record<string, StoredSubmission & IDataObject>;
	/** IDs of reused queries, for items that request only the rest; null stands for a requested part. */
	reused?: Record<string, Array<QueryId | null>>;
	/** The execution that retries, and what the one before it left for a tool's calls, whose places differ. */
	retry?: { executionId?: string; left: string[] };
}

/**
 * The journal of what an execution has sent. n8n keeps it through the tries of Retry On Fail, and hands it to its Retry of
 * an execution. What does such a retry send?
 *
 * - An item that has an accepted query reads it again. One of unknown outcome is looked up, and not sent unless the
 *   operator chose Send Again (`send.ts`).
 * - What was refused or never sent is sent, unless another query covers it (`sharing.ts`), or a secret of it was refused
 *   (`lockoutGuard.ts`). n8n's Retry also takes what the list shows of the last day, whatever Reuse Results says
 *   (`scopeOfRetry`).
 * - In a sub-workflow whose parent is retried, everything begins anew: only what Reuse Results takes, or
 *   this process has lost, is not sent.
 * - Of a stopped execution n8n keeps no journal. Then only the list saves a query, or what this process knows; one with a
 *   secret is sent again, because no list shows secrets, and the limit per execution begins at zero.
 *
 * It holds IDs and hashes, but nothing of the request. In this process the register has the same, for all runs and nodes of
 * the execution.
 */
export class Journal {
	readonly register: ExecutionQueries;
	readonly #counter: ReturnType<typeof executionCounterOf>;
	/** Neither n8n nor this process knew anything of the execution when the run began. */
	readonly isEmpty: boolean;
	readonly #run: Run;
	readonly #stored: StoredJournal;
	/** Submissions of others that items of this run wait for. */
	readonly #joined = new Map<number, Set<Submission>>();

	constructor(run: Run) {
		const newJournal: StoredJournal = { id: randomUUID(), sent: 0, states: {}, submissions: {} };
		const stored = (run.memory.paidQueries ??= newJournal) as StoredJournal;
		stored.id ??= newJournal.id; // an older version wrote none
		this.#run = run;
		this.#stored = stored;
		this.register = run.execution.shared(newExecutionQueries);
		this.#counter = executionCounterOf(run);
		this.isEmpty = Object.keys(stored.states).length === 0 && this.register.size === 0;
		this.#counter.note(stored.id, stored.sent);
		this.#registerStored();
		if (run.mode === 'retry' && stored.retry?.executionId !== run.executionId) {
			stored.retry = { executionId: run.executionId, left: Object.keys(stored.states) };
		}
	}

	/** Adds to the number of queries sent; it may be negative. */
	count(queries: number): void {
		this.#stored.sent += queries;
		this.#counter.note(this.#stored.id, this.#stored.sent);
	}

	/** An earlier try may have sent it, or this one sends it. */
	own({ index }: Item, request: QueryRequest): Submission | undefined {
		const name = this.#nameOf(index, request.journalKey);
		const own = this.register.at(this.#placeOf(name));
		if (own) this.#take(name);
		return own ?? (this.#run.isTool ? this.#adopt(name, request) : undefined);
	}

	/**
	 * Gives a tool's call what an equal call of the retried execution has left. An agent calls its tools in another order,
	 * and n8n counts their runs on, so the places differ.
	 */
	#adopt(name: string, { sharingKey }: QueryRequest): Submission | undefined {
		const { states, submissions, retry } = this.#stored;
		const before = retry?.left.find((one) => submissions[one]?.sharingKey === sharingKey);
		if (before === undefined) return undefined;
		this.#take(before);
		const [state, details] = [states[before], submissions[before]];
		delete states[before];
		delete submissions[before];
		const { executionId } = this.#run;
		const adopted = this.#file(name, { ...details, state, executionId });
		adopted.save(state);
		return adopted;
	}

	#take(name: string): void {
		const left = this.#stored.retry?.left ?? [];
		if (left.includes(name)) left.splice(left.indexOf(name), 1);
	}

	begin({ index }: Item, request: QueryRequest, accountKey: string): Submission {
		const { journalKey: key, sharingKey } = request;
		return this.#file(this.#nameOf(index, key), {
			state: { status: 'planned' },
			...{ sharingKey, accountKey },
			sentAt: 0,
			run: this.#run,
			executionId: this.#run.executionId,
		});
	}

	/** An item waits for the submission of another one. */
	join({ index }: Item, submission: Submission): void {
		this.#joined.set(index, (this.#joined.get(index) ?? new Set()).add(submission));
	}

	/** Rejected ones are left out. Without an index it is for all items of this run. */
	statesOf(index?: number): SubmissionState[] {
		const own = `${this.#run.index}:${index === undefined ? '' : `${index}:`}`;
		const others = index === undefined ? [] : [...(this.#joined.get(index) ?? [])];
		return [
			...Object.entries(this.#stored.states).flatMap(([name, state]) =>
				name.startsWith(own) ? [state] : [],
			),
			...others.map(({ state }) => state).filter(isUncertain),
		];
	}

	/** Is undefined if it reused all or none. */
	reusedOf({ index }: Item, key: string): Array<QueryId | null> | undefined {
		return this.#stored.reused?.[this.#nameOf(index, key)];
	}

	/** Saves what of an item's request is reused. */
	reuse({ index }: Item, key: string, ids: Array<QueryId | null>): void {
		(this.#stored.reused ??= {})[this.#nameOf(index, key)] = ids;
	}

	/** Registers what an earlier try has left, unless this process knows it. */
	#registerStored(): void {
		const { states, submissions } = this.#stored;
		const unknown: StoredSubmission = { sharingKey: '', accountKey: '', sentAt: 0 };
		const { executionId } = this.#run;
		for (const [name, state] of Object.entries(states)) {
			if (this.register.at(this.#placeOf(name))) continue;
			this.#file(name, { ...unknown, ...submissions[name], state, executionId });
		}
	}

	/** Files a submission under its place; the one that an earlier try has left there is made anew. */
	#file(name: string, submission: Omit<Submission, 'owner' | 'save' | 'endedMoment'>): Submission {
		const place = this.#placeOf(name);
		const filed: Submission = Object.assign(this.register.at(place) ?? {}, {
			...submission,
			owner: `${this.#stored.id} ${name}`,
			endedMoment: performance.now(),
			queries: undefined,
			save: (state: SubmissionState) => {
				filed.state = state;
				this.#save(name, filed);
			},
		});
		this.register.add(place, filed);
		return filed;
	}

	#save(name: string, { state, sharingKey, accountKey, sentAt }: Submission): void {
		const { states, submissions } = this.#stored;
		if (state.status === 'planned' || state.status === 'rejected') {
			delete states[name];
			delete submissions[name];
			return;
		}
		states[name] = state;
		submissions[name] = { sharingKey, accountKey, sentAt };
	}

	/** Names in the journal are unique only with their execution and node. */
	#placeOf(name: string): string {
		return `${this.#run.executionId ?? ''} ${this.#run.node} ${name}`;
	}

	#nameOf(index: number, key: string): string {
		return `${this.#run.index}:${index}:${shortTextHash(key)}`;
	}
}
