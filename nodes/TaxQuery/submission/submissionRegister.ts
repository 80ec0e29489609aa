import { ReadWriteLocks } from '../../shared/utils/readWriteLock';
import type { QueryId, RecordOrAcknowledgement } from '../client/queryModel';
import { acceptedIdsOf, isAcceptanceUnknown, type SubmissionState } from './submissionState';
import { QueryCountReservations } from './queryCountReservations';

/** One submission of a request, shared by items with an equal request. */
export interface Submission {
	state: SubmissionState;
	/** Identifies the request and its account, additional fields and secrets included. */
	sharingKey: string;
	/** Identifies the request and its secrets, without additional fields. */
	subjectKey: string;
	accountKey: string;
	/** The time of sending, in milliseconds by this machine's clock; 0 where that is not known. */
	sentAt: number;
	/** The time of sending, or when this process learned of it, by a monotonic clock. */
	sentMoment: number;
	/** Identifies what was sent. */
	contentHash: string;
	/** The run that sent it; undefined for one that n8n's journal brought. */
	run?: object;
	/** n8n's execution in which it was sent. */
	executionId?: string;
	/** The request is in flight, or being recovered. */
	isInFlight?: boolean;
	/** Its queries, as they were seen last. */
	queries?: RecordOrAcknowledgement[];
	/** Writes its state into n8n's journal. */
	save(state: SubmissionState): void;
}

/** The number of queries that one node has sent in an execution, and its further reservations. */
export class ExecutionQueryCounter {
	sent = 0;
	readonly reserved = new QueryCountReservations();
	readonly #journals = new WeakSet<object>();

	/** Adds the queries of a journal, once for each journal. */
	adopt(journal: object, sent: number): void {
		if (this.#journals.has(journal)) return;
		this.#journals.add(journal);
		this.sent += sent;
	}

	get total(): number {
		return this.sent + this.reserved.total;
	}
}

/** This process's knowledge of the billed queries of one execution, over its sub-executions. */
export class SubmissionRegister {
	/** Items with equal requests send one after the other; by sharing key. */
	readonly locks = new ReadWriteLocks();
	readonly #byPlace = new Map<string, Submission>();
	readonly #byShare = new Map<string, Set<Submission>>();
	readonly #bySubject = new Map<string, Set<Submission>>();
	readonly #ids = new Set<string>();
	readonly #spending = new Map<string, ExecutionQueryCounter>();

	get size(): number {
		return this.#byPlace.size + this.#ids.size;
	}

	/** Returns the submission of an item and a run. */
	at(place: string): Submission | undefined {
		return this.#byPlace.get(place);
	}

	add(place: string, submission: Submission): void {
		this.#byPlace.set(place, submission);
		addTo(this.#byShare, submission.sharingKey, submission);
		addTo(this.#bySubject, submission.subjectKey, submission);
		this.claim(submission.accountKey, acceptedIdsOf(submission.state));
	}

	/** Returns the newest accepted submission since a moment that is no failure. */
	findAccepted(sharingKey: string, since: number): Submission | undefined {
		return this.#alike(sharingKey)
			.reverse()
			.find(
				(one) =>
					one.state.status === 'accepted' &&
					one.sentAt >= since &&
					areQueriesReusable(one.queries ?? []),
			);
	}

	/** Returns the submission of an equal request that has one of these queries. */
	findByShare(sharingKey: string, ids: QueryId[]): Submission | undefined {
		return this.#alike(sharingKey).find((one) =>
			acceptedIdsOf(one.state).some((id) => ids.includes(id)),
		);
	}

	/** Returns whether a request needs no query of its own: an equal one was sent, or is on its way. */
	isSubmitted(sharingKey: string, since: number): boolean {
		const isRunning = (one: Submission) =>
			isAcceptanceUnknown(one.state) || one.isInFlight === true;
		return (
			this.#alike(sharingKey).some(isRunning) || this.findAccepted(sharingKey, since) !== undefined
		);
	}

	/** Returns the submissions of which nobody knows whether they were accepted. */
	uncertain({
		sharingKey: share,
		subjectKey: subject,
	}: Pick<Submission, 'sharingKey' | 'subjectKey'>): Submission[] {
		const ofSubject = [...(this.#bySubject.get(subject) ?? [])];
		const alike = [...this.#alike(share), ...ofSubject.filter((one) => one.subjectKey === subject)];
		return alike.filter((one) => isAcceptanceUnknown(one.state) && !one.isInFlight);
	}

	/** Claims queries for one item or request. Returns false if another one has claimed one of them. */
	claim(accountKey: string, ids: QueryId[]): boolean {
		const names = ids.map((id) => `${accountKey} ${id}`);
		const isFree = names.every((name) => !this.#ids.has(name));
		for (const name of names) this.#ids.add(name);
		return isFree;
	}

	release(accountKey: string, ids: QueryId[]): void {
		for (const id of ids) this.#ids.delete(`${accountKey} ${id}`);
	}

	isClaimed(accountKey: string, id: QueryId): boolean {
		return this.#ids.has(`${accountKey} ${id}`);
	}

	#alike(sharingKey: string): Submission[] {
		return [...(this.#byShare.get(sharingKey) ?? [])].filter(
			(one) => one.sharingKey === sharingKey,
		);
	}

	spendingOf(node: string): ExecutionQueryCounter {
		const known = this.#spending.get(node) ?? new ExecutionQueryCounter();
		this.#spending.set(node, known);
		return known;
	}
}

export const newSubmissionRegister = (): SubmissionRegister => new SubmissionRegister();

/** Returns whether others may share queries. A failed query is sent again, and so is one with an unknown status. */
export const areQueriesReusable = (queries: RecordOrAcknowledgement[]): boolean =>
	queries.every((one) => one.kind !== 'record' || ['success', 'pending'].includes(one.state));

function addTo<T>(map: Map<string, Set<T>>, key: string, value: T): void {
	const known = map.get(key);
	if (known) known.add(value);
	else map.set(key, new Set([value]));
}
