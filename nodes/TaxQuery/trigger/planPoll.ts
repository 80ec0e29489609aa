import { MAX_SEEN, type Ledger, type QueryStatus, type ServiceListOrder } from './ledger';

/** A query as the list or its ID shows it to a poll. */
export interface ListedQuery extends QueryStatus {
	isPending: boolean;
	/** The query may get another status. */
	isOpen: boolean;
	/** The row shows its status; otherwise only its record does. */
	hasStatus: boolean;
	createdAt?: number;
}

/** The rows that were read of the list, from the newest on. */
export interface ListedRows<Row extends ListedQuery> {
	rows: Row[];
	/** The list was read to its end, and surely nothing is left out. */
	isWhole: boolean;
}

/** The treatment of a query in its status: ignore it, wait for its result, or emit it. */
export type Disposition = 'ignore' | 'wait' | 'emit';

export interface RowRules<Row extends ListedQuery> {
	dispositionOf(row: Row): Disposition;
	isRunning(row: Row): boolean;
	/** Results with fewer vain attempts come first. */
	triesOf(row: Row): number;
	maxResults: number;
}

interface PollContext {
	account: string;
	/** The trigger is to begin, by Start From. */
	mustBegin: boolean;
	/** Queries created before this time count as old in the next polls; 0 if none do. */
	oldUntil: number;
	now: number;
	/** IDs that webhook calls named, the last first. */
	notifiedIds: string[];
	maxPendingReads: number;
}

/** No known query is listed any more; the reason is reported. */
export type VanishedQueriesReason =
	/** Another account has none of them: the trigger begins anew. */
	| 'isElsewhere'
	/** Only what was created since is new. */
	| 'isLost';

export interface PollPlan<Row extends ListedQuery> {
	loss?: VanishedQueriesReason;
	/** All that is known so far is forgotten, but for what has settled. */
	isNewStart: boolean;
	account: string;
	isWhole: boolean;
	/** Rows to take into `seen`, the oldest first; old ones do not start anything. */
	take: Array<{ row: Row; isOld: boolean }>;
	/** Queries created before this time count as old in the next polls; 0 if none do. */
	oldUntil: number;
	/** Known queries in a state that has not settled, the oldest first. */
	changed: Row[];
	/** Results to emit now, once each is read whole. */
	due: Row[];
	isMore: boolean;
	/** Pending queries whose listed status came through before. */
	over: string[];
	/** The number of pending queries that are not among the rows read. */
	unlisted: number;
	/** IDs to read because they are not listed: notified ones, and some pending ones. */
	notifiedIds: string[];
	pendingIds: string[];
	/** All that is listed, by ID, the newest first. */
	listed: Map<string, Row>;
}

/** Behind this many known rows nothing new is expected. */
const KNOWN_ROWS = 50;

/** Rows are read from the newest on, in pages of `pageSize`. */
export function isReadFarEnough(rows: QueryStatus[], pageSize: number, ledger: Ledger): boolean {
	const last = rows.slice(-Math.min(KNOWN_ROWS, pageSize));
	return last.length > 0 && last.every(({ queryId }) => ledger.isSeen(queryId));
}

/** Is undefined if the newest are unknown. One response may be all rows. */
export function newestFirstOrUndefined<Row>(
	rows: Row[],
	order: ServiceListOrder | undefined,
	isOneWhole: boolean,
	{ state }: Ledger,
): Row[] | undefined {
	if (order === 'newestFirst' || rows.length < 2) return rows;
	if (!isOneWhole) return undefined;
	if (order === 'oldestFirst') return [...rows].reverse();
	// as long as all queries are known, an unknown one is new, wherever it stands
	return state.isComplete && rows.length <= MAX_SEEN ? rows : undefined;
}

/** Plans a poll from the ledger, the list and the notifications, and changes nothing. */
export function planPoll<Row extends ListedQuery>(
	ledger: Ledger,
	{ rows, isWhole }: ListedRows<Row>,
	context: PollContext,
	rules: RowRules<Row>,
): PollPlan<Row> {
	const { account: accountKey, mustBegin: isStarting, notifiedIds, maxPendingReads } = context;
	const { state } = ledger;
	const anchor = lastSeen(rows, ledger);
	/** With Webhook Only the trigger has followed queries of webhook calls, and read no list. */
	const isFirstList = state.account === '' && accountKey !== '';
	const hasLost = !isStarting && !isFirstList && anchor < 0;
	const loss = hasLost ? lossOf(ledger, rows.length, accountKey) : undefined;
	const isNewStart = isStarting || isFirstList || loss === 'isElsewhere';
	// queries created before this time are old: Infinity where all are, 0 where none is
	const known = loss ? state.newest || Infinity : state.oldUntil;
	const until = isNewStart ? context.oldUntil : known;
	const isAnywhere = isNewStart || anchor < 0 || (isWhole && state.isComplete);
	const above = isAnywhere ? rows : rows.slice(0, anchor);
	const fresh = above.filter(({ queryId }) => isNewStart || !ledger.isSeen(queryId)).reverse();
	const taken = selectNewRows(fresh, until, ledger, rules);

	const wanted = new Set(notifiedIds);
	const freshRows = new Set(fresh);
	const isKnown = ({ queryId: id }: Row) =>
		ledger.isSeen(id) || ledger.isPending(id) || wanted.has(id);
	const changed = rows
		.filter((row) => !freshRows.has(row) && isKnown(row) && !isStatusHandled(ledger, row))
		.reverse();
	const ready = [...changed.filter((row) => rules.dispositionOf(row) === 'emit'), ...taken.due]
		.filter((row) => !rules.isRunning(row))
		.sort((a, b) => rules.triesOf(a) - rules.triesOf(b));
	const left = ready.slice(rules.maxResults);
	const isCut = taken.take.length < fresh.length;

	const listed = new Map(rows.map((row) => [row.queryId, row]));
	const isShown = (id: string) => listed.get(id)?.hasStatus === true;
	const pendingIds = ledger.pendingIds().filter((id) => !isShown(id) && !wanted.has(id));
	return {
		loss,
		isNewStart,
		account: accountKey,
		isWhole,
		take: taken.take,
		oldUntil: (isCut || until > context.now) && until < Infinity ? until : 0,
		changed,
		due: ready.slice(0, rules.maxResults),
		isMore: isCut || left.some((row) => rules.triesOf(row) === 0),
		notifiedIds: notifiedIds.filter((id) => !isShown(id)),
		pendingIds: isNewStart ? [] : pendingIds.slice(0, maxPendingReads),
		over: rows.filter((row) => isOver(ledger, row)).map(({ queryId }) => queryId),
		unlisted: isNewStart ? 0 : countUnlisted(ledger, rows),
		listed,
	};
}

const countUnlisted = (ledger: Ledger, rows: ListedQuery[]): number =>
	ledger.pendingCount() - rows.filter(({ queryId }) => ledger.isPending(queryId)).length;

/** It is listed with a final status that came through before. */
const isOver = (ledger: Ledger, row: ListedQuery): boolean =>
	ledger.isPending(row.queryId) && !row.isOpen && row.hasStatus && ledger.isSettled(row);

/** Selects new rows, oldest first, until the poll has its maximum of results. */
function selectNewRows<Row extends ListedQuery>(
	fresh: Row[],
	until: number,
	ledger: Ledger,
	rules: RowRules<Row>,
): Pick<PollPlan<Row>, 'take' | 'due'> {
	const take: PollPlan<Row>['take'] = [];
	const due: Row[] = [];
	for (const row of fresh) {
		const isFollowed = ledger.state.account === '' && ledger.isPending(row.queryId);
		const isOld = until > 0 && (row.createdAt ?? 0) < until && !isFollowed;
		const isDue = !isOld && !isStatusHandled(ledger, row) && rules.dispositionOf(row) === 'emit';
		if (isDue && due.length === rules.maxResults) break;
		take.push({ row, isOld });
		if (isDue) due.push(row);
	}
	return { take, due };
}

/** Is -1 if none is seen. */
function lastSeen(rows: QueryStatus[], ledger: Ledger): number {
	for (let at = rows.length - 1; at >= 0; at--) if (ledger.isSeen(rows[at].queryId)) return at;
	return -1;
}

function lossOf(
	ledger: Ledger,
	rows: number,
	accountKey: string,
): VanishedQueriesReason | undefined {
	if (ledger.state.account !== accountKey) return 'isElsewhere';
	return ledger.isEmpty() || rows === 0 ? undefined : 'isLost';
}

/** A row without a status counts as settled if any status has. */
export const isStatusHandled = (ledger: Ledger, row: ListedQuery): boolean =>
	row.hasStatus ? ledger.isSettled(row) : ledger.hasSettled(row.queryId);

/**
 * Applies a poll's plan to the ledger: its rows are seen, and those that start nothing settle. Due queries are
 * pending until their outcome is known. Returns the number of queries that are too many to follow.
 */
export function applyPlan<Row extends ListedQuery>(
	ledger: Ledger,
	plan: PollPlan<Row>,
	rules: Pick<RowRules<Row>, 'dispositionOf'>,
	startedFrom: string,
): number {
	const { state } = ledger;
	const statusBefore = plan.isNewStart ? ledger.begin(startedFrom) : undefined;
	if (plan.isNewStart) state.isComplete = plan.isWhole;
	Object.assign(state, { account: plan.account, oldUntil: plan.oldUntil });
	for (const id of plan.over) ledger.drop(id);
	const awaited: string[] = [];
	const note = (row: Row, isOld = false) => {
		if (isStatusHandled(ledger, row)) return;
		const disposition = rules.dispositionOf(row);
		if (disposition === 'ignore' || isOld) ledger.settle(row, row.isPending);
		const isPending = disposition !== 'ignore' && (row.isPending || !isOld);
		if (isPending && !ledger.isPending(row.queryId)) awaited.push(row.queryId);
	};
	for (const { row, isOld } of plan.take) {
		ledger.take(row.queryId, row.createdAt, statusBefore?.(row.queryId));
		note(row, isOld);
	}
	for (const row of plan.changed) note(row);
	ledger.trim([...plan.listed.keys()]);
	return ledger.addPending(awaited);
}
