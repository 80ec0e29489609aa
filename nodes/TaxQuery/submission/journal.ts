import type { IDataObject } from 'n8n-workflow';
import type { OperationItem, NodeRun } from '../../shared/operations/operation';
import { hashOf, type QueryRequest } from '../request/queryRequest';
import type { QueryId } from '../client/queryModel';
import { isUnresolved, type SubmissionState } from './submissionState';
import { newSubmissionRegister, type Submission } from './submissionRegister';

/** Describes what n8n keeps of a submission beside its state. */
type StoredSubmission = Pick<Submission, 'share' | 'subject' | 'account' | 'sentAt' | 'hash'>;

/** n8n's memory of a node; the name is seen in the execution's data. */
interface StoredJournal extends IDataObject {
	/** Queries sent in this execution, its retries included; what was refused does not count. */
	sent: number;
	/** Holds the state of each request that was sent and not rejected, by run, item and request. */
	states: Record<string, SubmissionState>;
	/** Holds the details of each submission. */
	submissions: Record<string, StoredSubmission & IDataObject>;
	/** Holds the reused query IDs of items that request only the rest; null stands for a requested part. */
	reused?: Record<string, Array<QueryId | null>>;
}

/**
 * Returns the journal of what this execution has sent. n8n stores it through the tries of Retry On Fail and hands it
 * to the editor's Retry. So an accepted query is read instead of sent again. It holds IDs and hashes, but nothing of
 * the request. In this process the register has the same, for all runs and nodes of the execution.
 */
export function journalOf(run: NodeRun) {
	const newJournal: StoredJournal = { sent: 0, states: {}, submissions: {} };
	const stored = (run.memory.paidQueries ??= newJournal) as StoredJournal;
	const { states, submissions: details } = stored;
	const register = run.execution.shared(newSubmissionRegister);
	const spending = register.spendingOf(run.node);
	/** Names in the journal are those of one node in one execution. */
	const placeOf = (name: string) => `${run.executionId ?? ''} ${run.node} ${name}`;
	const nameOf = (index: number, key: string) => `${run.index}:${index}:${hashOf(key)}`;
	/** Submissions of others that items of this run wait for. */
	const joined = new Map<number, Set<Submission>>();
	const isEmpty = Object.keys(states).length === 0 && register.size === 0;

	function save(name: string, submission: Submission, state: SubmissionState): void {
		if (state.at === 'planned' || state.at === 'rejected') {
			delete states[name];
			delete details[name];
			return;
		}
		const { share, subject, account, sentAt, hash } = submission;
		states[name] = state;
		details[name] = { share, subject, account, sentAt, hash };
	}

	/** Files a submission under its place; the one that an earlier try has left there is made anew. */
	function file(name: string, submission: Omit<Submission, 'save' | 'sentMoment'>): Submission {
		const before = register.at(placeOf(name));
		const filed: Submission = Object.assign(before ?? {}, {
			...submission,
			sentMoment: performance.now(),
			queries: undefined,
			save(state: SubmissionState) {
				filed.state = state;
				save(name, filed, state);
			},
		});
		register.add(placeOf(name), filed);
		return filed;
	}

	spending.adopt(stored, stored.sent);
	for (const [name, state] of Object.entries(states)) {
		if (register.at(placeOf(name))) continue;
		const unknown = { share: '', subject: '', account: '', sentAt: 0, hash: '' };
		file(name, { ...unknown, ...details[name], state, executionId: run.executionId });
	}

	return {
		register,
		spending,
		/** Neither n8n nor this process knew anything of the execution when the run began. */
		isEmpty,

		/** Adds to the number of queries sent; it may be negative. */
		count(queries: number): void {
			stored.sent += queries;
			spending.sent += queries;
		},

		/** Returns what an earlier try has sent for an item, or what this one sends. */
		own: ({ index }: OperationItem, { key }: QueryRequest): Submission | undefined =>
			register.at(placeOf(nameOf(index, key))),

		/** Begins a submission for an item; `more` distinguishes it from the item's other ones. */
		begin(item: OperationItem, request: QueryRequest, account: string, more = ''): Submission {
			const { key, share, subject, hash } = request;
			return file(nameOf(item.index, key + more), {
				state: { at: 'planned' },
				...{ share, subject, account, hash },
				sentAt: 0,
				run,
				executionId: run.executionId,
			});
		},

		/** An item waits for the submission of another one. */
		join({ index }: OperationItem, submission: Submission): void {
			joined.set(index, (joined.get(index) ?? new Set()).add(submission));
		},

		/** Returns the states of all submissions for an item, or for any item of this run, except rejected ones. */
		statesOf(index?: number): SubmissionState[] {
			const own = `${run.index}:${index === undefined ? '' : `${index}:`}`;
			const others = index === undefined ? [] : [...(joined.get(index) ?? [])];
			return [
				...Object.entries(states).flatMap(([name, state]) => (name.startsWith(own) ? [state] : [])),
				...others.map(({ state }) => state).filter(isUnresolved),
			];
		},

		/** Returns what of an item's request was reused at first, or undefined if all or nothing was. */
		reusedOf: ({ index }: OperationItem, key: string): Array<QueryId | null> | undefined =>
			stored.reused?.[nameOf(index, key)],

		reuse({ index }: OperationItem, key: string, ids: Array<QueryId | null>): void {
			(stored.reused ??= {})[nameOf(index, key)] = ids;
		},
	};
}

export type Journal = ReturnType<typeof journalOf>;
