import { msUntilElapsed } from '../../shared/utils/sleep';
import type { QueryClient } from '../client/queryClient';
import { readListChunks } from '../client/queryList';
import type { ListCompleteness } from '../client/model';
import type { Ledger, ServiceListOrder } from './ledger';
import { toResult, type TriggerResult } from './result';
import { newestFirstOrUndefined, isReadFarEnough, type ListedRows } from './planPoll';
import { CodedError } from '../../shared/utils/codedError';
import { DAY_MS, MINUTE_MS } from '../../shared/utils/durations';

export interface TriggerListing extends ListedRows<TriggerResult> {
	order: ServiceListOrder | undefined;
	completeness: ListCompleteness;
	requests: number;
	/** Rows without an ID. */
	unreadable: number;
	total?: number;
}

/** The number of pending queries missing in the last check, and in the last one that read the list to its end. */
export interface UnlistedPendingTotals {
	last: number;
	afterAudit: number;
}

/** Checks read a few queries by their ID. More of them are cheaper to find in the list. */
const FEW = 3;
/** An audit may take this share of the time, at one request a second. */
const AUDIT_REST_MS = 10_000;

/** An audit is due once a day, and more often while pending queries lie deeper than polls read. */
export function isAuditDue(
	{ state }: Ledger,
	{ last, afterAudit }: UnlistedPendingTotals,
): boolean {
	const isDeep = last > Math.max(FEW, afterAudit);
	const everyMs = isDeep ? Math.max(MINUTE_MS, state.auditRequests * AUDIT_REST_MS) : DAY_MS;
	return msUntilElapsed(state.auditedAt, Math.min(DAY_MS, everyMs)) < 0;
}

/**
 * Reads the list of queries (TQ §4.12) until nothing new is expected behind it, or to its end if it `mustBeWhole`.
 * Throws a UserError that names an API Mapping key if new queries cannot be recognized.
 */
export async function readListing(
	client: QueryClient,
	ledger: Ledger,
	{ notifiedIds, mustBeWhole }: { notifiedIds: string[]; mustBeWhole: boolean },
): Promise<TriggerListing> {
	const rows: TriggerResult[] = [];
	const read: Omit<TriggerListing, 'rows' | 'isWhole' | 'order'> = {
		requests: 0,
		unreadable: 0,
		completeness: 'unknown',
	};
	let pageSize = 0;
	// read by ID, each of these would cost a request
	const pendingIds = new Set(notifiedIds.filter((id) => ledger.isPending(id)));
	for await (const { records, unreadable, completeness, total, isLast } of readListChunks(client)) {
		for (const record of records) {
			rows.push(toResult(record));
			pendingIds.delete(record.id);
		}
		read.requests++;
		read.unreadable += unreadable;
		pageSize = Math.max(pageSize, records.length);
		if (isLast) Object.assign(read, { completeness, total });
		else if (
			!mustBeWhole &&
			isReadFarEnough(rows, pageSize, ledger) &&
			pendingIds.size <= read.requests
		)
			break;
	}
	checkRows(rows, read.unreadable);
	const isWhole = read.completeness === 'complete';
	const { order = detectListOrder(rows, ledger.state.order || undefined) } = client.mapping.list;
	const sorted = newestFirstOrUndefined(
		rows,
		order ?? (areOfOneMoment(rows) ? 'newestFirst' : undefined),
		isWhole && read.requests === 1,
		ledger,
	);
	if (!sorted) throw unordered(order);
	return { ...read, rows: sorted, isWhole, order };
}

/** This many neighbours of different dates show an order, regardless of the known one. */
const CLEAR = 5;
/** Dates show an order if this many times more run one way than the other: clocks differ, and some dates are equal. */
const TIMES_MORE = 3;

/** Dates of creation decide; undefined if they show no order. A few rows do not outweigh the `known` order. */
export function detectListOrder(
	records: Array<{ createdAt?: number }>,
	known: ServiceListOrder | undefined,
): ServiceListOrder | undefined {
	const dates = records.map(({ createdAt }) => createdAt).filter((date) => date !== undefined);
	const falls = dates.filter((date, index) => date < dates[index - 1]).length;
	const rises = dates.filter((date, index) => date > dates[index - 1]).length;
	const isFalling = falls > TIMES_MORE * rises;
	const isRising = rises > TIMES_MORE * falls;
	const shown = isFalling ? 'newestFirst' : isRising ? 'oldestFirst' : undefined;
	return falls + rises >= CLEAR ? shown : (known ?? shown);
}

/** Equal dates are no disorder, and say nothing of the list's order. */
const areOfOneMoment = (rows: Array<{ createdAt?: number }>): boolean =>
	rows[0]?.createdAt !== undefined &&
	rows.every(({ createdAt }) => createdAt === rows[0].createdAt);

/** The listing of a trigger that does not read the list. */
export const LISTING_IF_LIST_UNUSED: TriggerListing = {
	rows: [],
	isWhole: false,
	order: undefined,
	completeness: 'unknown',
	requests: 0,
	unreadable: 0,
};

const unusable = (code: string, why: string, todo: string, mappingKeys?: string[]): CodedError =>
	new CodedError(`list.${code}`, `The list of queries ${why}`, { description: todo, mappingKeys });

const OR_WEBHOOK = 'Or choose Webhook Only.';
const WHOLE_RECORDS = 'list.parameters in API Mapping so that the service lists whole records.';

function checkRows(rows: TriggerResult[], unreadable: number): void {
	const lacks = (code: string, what: string, key: string) =>
		unusable(
			code,
			`shows no ${what}: new results look like old ones`,
			`If it has another name, set ${key} in API Mapping. Else set ${WHOLE_RECORDS} ${OR_WEBHOOK}`,
			[key, 'list.parameters'],
		);
	if (rows.length === 0 && unreadable > 0) {
		throw lacks('ids', 'IDs (_id or queryId)', 'record._id');
	}
	if (rows.length > 0 && !rows.some(({ hasStatus }) => hasStatus)) {
		throw lacks('status', 'status', 'record.status');
	}
}

const unordered = (order: ServiceListOrder | undefined): CodedError =>
	order === 'oldestFirst'
		? unusable(
				order,
				'comes in pages and begins with the oldest',
				`Set list.parameters in API Mapping so that the newest come first, e.g. {"order": "desc"}. If all come in one response, set list.paging to none. ${OR_WEBHOOK}`,
				['list.parameters', 'list.paging'],
			)
		: unusable(
				'order',
				'does not show its order: the trigger may miss new results',
				`If the newest come first, set list.order in API Mapping to newestFirst. ${OR_WEBHOOK}`,
				['list.order'],
			);

/** Throws a UserError if results are wanted from a moment on, and rows have no dates of creation. */
export function requireCreationDates(rows: TriggerResult[]): void {
	if (rows.every(({ createdAt }) => createdAt !== undefined)) return;
	throw unusable(
		'dates',
		"shows no dates with a time zone (createdAt), which 'Start From' needs",
		`Set 'Start From' to Publishing, or set ${WHOLE_RECORDS}`,
	);
}
