import type { IDataObject } from 'n8n-workflow';
import { pickBy } from '../../shared/utils/objectTransforms';
import { isObject } from '../../shared/utils/json';
import type { QueryIdWithStartCount } from './resultsToRestartAfterCrash';

/** The order in which a service lists queries, by their creation. */
export type ServiceListOrder = 'newestFirst' | 'oldestFirst';

/** The ledger's knowledge beside single queries. */
export interface LedgerStateBesideQueries {
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
	/** Executions run in another process (queue mode), so the end of this one interrupts none. Unknown until one began. */
	runsElsewhere?: boolean;
}

/**
 * The ledger in the workflow's static data. Queries are one text: a hash of each ID, and behind it a mark for each status
 * that has settled. About 20 kB as a rule; 400 kB at most, with 25,000 pending queries, 800 running executions and 1,000
 * failed starts. If pending queries start the workflow, too, 75 kB more for each status in which all of them did.
 */
export interface SavedLedger extends LedgerStateBesideQueries, IDataObject {
	/** The newest listed queries, oldest first. */
	seen: string;
	/** Settled queries outside `seen`: delivered and not listed yet, or finished late. */
	late: string;
	/** The pending queries, wherever the list shows them. */
	pending: string;
	/** IDs of pending queries, in the order of their turns. They are read by ID if the list does not show them. */
	pendingIds: string[];
	/** Results whose execution is not known to have ended, by deliveryId. */
	started: Record<string, QueryIdWithStartCount>;
	/** The number of times that n8n failed to start a result since its last start, by deliveryId. */
	failedStarts: Record<string, number>;
	/** The process that wrote it. */
	savedBy: string;
}

export const emptyLedgerStateBesideQueries = (): LedgerStateBesideQueries => ({
	startedFrom: '',
	account: '',
	auditedAt: 0,
	auditRequests: 0,
	newest: 0,
	oldUntil: 0,
	isComplete: true,
	order: '',
});

/** Reads the state, without values of another type. */
export function readLedgerStateBesideQueries(
	saved: Partial<LedgerStateBesideQueries>,
): LedgerStateBesideQueries {
	const state = emptyLedgerStateBesideQueries();
	const types: IDataObject = { ...state, runsElsewhere: true };
	const isReadable = (key: string, value: unknown) =>
		Object.hasOwn(types, key) && typeof value === typeof types[key];
	return Object.assign(state, pickBy<unknown>({ ...saved }, isReadable));
}

/** Reads an object of static data, without entries of another shape. */
export const parseMap = <T>(
	saved: unknown,
	isValue: (value: unknown) => value is T,
): Map<string, T> =>
	new Map(
		Object.entries(isObject(saved) ? saved : {}).flatMap(([key, value]): Array<[string, T]> =>
			isValue(value) ? [[key, value]] : [],
		),
	);

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isNumber = (value: unknown): value is number => typeof value === 'number';
export const isIdWithStartCount = (value: unknown): value is QueryIdWithStartCount =>
	Array.isArray(value) && isText(value[0]) && isNumber(value[1]);
