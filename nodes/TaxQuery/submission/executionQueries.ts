import type { Run } from '../../shared/operations/operation';
import type { QueryId } from '../client/model';
import { areQueriesReusable, mayShare } from './sharing';
import { acceptedIdsOf, isUncertain, type Submission } from './submissionState';

/** This process's knowledge of the billed queries of one root execution (`Run.execution`), sub-executions included. */
export class ExecutionQueries {
	readonly #byPlace = new Map<string, Submission>();
	readonly #byShare = new Map<string, Set<Submission>>();
	readonly #ids = new Set<string>();

	get size(): number {
		return this.#byPlace.size + this.#ids.size;
	}

	at(place: string): Submission | undefined {
		return this.#byPlace.get(place);
	}

	add(place: string, submission: Submission): void {
		this.#byPlace.set(place, submission);
		addTo(this.#byShare, submission.sharingKey, submission);
		this.claim(submission.accountKey, acceptedIdsOf(submission.state));
	}

	/** The newest that a run may share. A query that failed, or whose status is unknown, does not count. */
	findAccepted(sharingKey: string, run: Run): Submission | undefined {
		return this.#alike(sharingKey)
			.reverse()
			.find(
				(one) =>
					one.state.status === 'accepted' &&
					mayShare(run, one) &&
					areQueriesReusable(one.queries ?? []),
			);
	}

	/** An equal request was sent, so this one needs no query of its own. */
	isSubmitted(sharingKey: string, run: Run): boolean {
		return (
			this.#alike(sharingKey).some(({ state }) => isUncertain(state)) ||
			this.findAccepted(sharingKey, run) !== undefined
		);
	}

	uncertain(sharingKey: string): Submission[] {
		return this.#alike(sharingKey).filter(({ state }) => isUncertain(state));
	}

	/** Claims queries for one item or request. Returns false if another one has claimed one of them. */
	claim(accountKey: string, ids: QueryId[]): boolean {
		const names = ids.map((id) => `${accountKey} ${id}`);
		const isFree = names.every((name) => !this.#ids.has(name));
		for (const name of names) this.#ids.add(name);
		return isFree;
	}

	/** Frees a query that turned out to be somebody else's. */
	release(accountKey: string, id: QueryId): void {
		this.#ids.delete(`${accountKey} ${id}`);
	}

	isClaimed(accountKey: string, id: QueryId): boolean {
		return this.#ids.has(`${accountKey} ${id}`);
	}

	#alike(sharingKey: string): Submission[] {
		return [...(this.#byShare.get(sharingKey) ?? [])].filter(
			(one) => one.sharingKey === sharingKey,
		);
	}
}

export const newExecutionQueries = (): ExecutionQueries => new ExecutionQueries();

function addTo<T>(map: Map<string, Set<T>>, key: string, value: T): void {
	const known = map.get(key);
	if (known) known.add(value);
	else map.set(key, new Set([value]));
}
