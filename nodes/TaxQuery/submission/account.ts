import type { IDataObject } from 'n8n-workflow';
import { getClientState, type ScopeState } from '../../shared/processState';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { Turns } from '../../shared/utils/turns';
import type { QueryId, RecordOrAcknowledgement } from '../client/model';
import type { Submission } from './submissionState';

interface Accepted {
	/** The time of acceptance, by a monotonic clock. */
	at: number;
	/** The same time, in milliseconds by this machine's clock. */
	atClock: number;
	queries: RecordOrAcknowledgement[];
}

/** When it was sent, and when its request ended. */
type LostQuery = Pick<Submission, 'sentAt' | 'endedMoment'>;

const MAX_QUERIES = 10_000;
const MAX_MARKS = 100_000;

/** This process's knowledge of a client's billed queries, over all executions. Of a pasted token nobody knows the client, so it counts as one. */
export class Account {
	/** The last accepted queries, by sharing key. */
	readonly lastAccepted = new BoundedMap<string, Accepted>(MAX_QUERIES, ({ at }) => {
		this.#forgottenAt = Math.max(this.#forgottenAt, at);
	});
	/** Response bodies without an ID that were passed on, by journal key: no list has them, and a further try gives them again. */
	readonly lastBodies = new BoundedMap<string, IDataObject>(MAX_QUERIES);
	/** Queries of uncertain outcome, by sharing key. */
	readonly lost = new BoundedMap<string, LostQuery>(MAX_MARKS);
	/** The owners of the queries that items have got. */
	readonly #claims = new BoundedMap<QueryId, string>(MAX_MARKS);
	#forgottenAt: number;

	constructor(forgottenAt: number) {
		this.#forgottenAt = forgottenAt;
	}

	/** What was accepted since then may be forgotten, so that only the service's list has it. */
	hasForgottenSince(moment: number): boolean {
		return this.#forgottenAt >= moment;
	}

	/** Keeps a query from being given to another item. */
	claim(id: QueryId, { owner }: Pick<Submission, 'owner'>): void {
		this.#claims.set(id, owner);
	}

	/** Frees a query that turned out to be somebody else's. */
	release(id: QueryId): void {
		this.#claims.delete(id);
	}

	/** Another one than `owner` has it: an operator may retry the same execution twice. */
	isClaimed(id: QueryId, owner?: string): boolean {
		return this.#claims.has(id) && this.#claims.get(id) !== owner;
	}

	get size(): number {
		const { lastAccepted, lastBodies, lost } = this;
		return lastAccepted.size + lastBodies.size + (lost.size + this.#claims.size) / 10;
	}
}

const newAccount = ({ knowsSince }: ScopeState) => new Account(knowsSince);

export const clientAccount = (clientKey: string): Account =>
	getClientState(clientKey).shared(newAccount);

const newTurns = () => new Turns();

/** All tokens of an account share them. */
export const accountTurns = (accountKey: string): Turns =>
	getClientState(accountKey).shared(newTurns);
