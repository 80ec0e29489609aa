import type { QueryService } from '../service/client';
import { readList } from '../service/list';
import type { Extent } from '../service/types';
import type { Ledger, Order } from './ledger';
import { resultOf, type TriggerResult } from './result';
import { fromNewestOn, isEnough, type Read } from './survey';
import { CodedError } from '../../shared/utils/codedError';

export interface Listing extends Read<TriggerResult> {
	order: Order | undefined;
	extent: Extent;
	requests: number;
	/** Rows without an ID. */
	unreadable: number;
	/** How many queries the service reports. */
	total?: number;
}

/**
 * Reads the list of queries (TQ §4.12) until nothing new is expected behind what was read, or to its end where it
 * `mustBeWhole`. Throws a UserError where nobody could tell which queries are new: it names a key of the API Mapping.
 */
export async function readListing(
	service: QueryService,
	ledger: Ledger,
	{ asked, mustBeWhole }: { asked: string[]; mustBeWhole: boolean },
): Promise<Listing> {
	const rows: TriggerResult[] = [];
	const read = {
		requests: 0,
		unreadable: 0,
		extent: 'untold' as Extent,
		total: undefined as number | undefined,
	};
	let pageSize = 0;
	// by their IDs, those that were asked for would cost a request each
	const sought = new Set(asked.filter((id) => ledger.owes(id)));
	for await (const { records, unreadable, extent, total, isLast } of readList(service)) {
		for (const record of records) rows.push(resultOf(record));
		for (const { id } of records) sought.delete(id);
		read.requests++;
		read.unreadable += unreadable;
		pageSize = Math.max(pageSize, records.length);
		if (isLast) Object.assign(read, { extent, total });
		if (isLast) break;
		if (!mustBeWhole && isEnough(rows, pageSize, ledger) && sought.size <= read.requests) break;
	}
	checkRows(rows, read.unreadable);
	const isWhole = read.extent === 'whole';
	const { order = orderOf(rows, ledger.saved.order || undefined) } = service.mapping.list;
	const place = { isWhole, isOnePage: read.requests === 1 };
	const sorted = fromNewestOn(rows, order, place, ledger);
	if (!sorted) throw unusable(order);
	return { ...read, rows: sorted, isWhole, order };
}

/** So many neighbours of different dates show an order, whatever was known before. */
const CLEAR = 5;
/** A list that mostly falls is in order: clocks differ, and queries are made at the same moment. */
const TIMES_MORE = 3;

/**
 * The order of rows by their dates of creation. A few rows do not show another order than the one that is `known`.
 * Undefined if it cannot be told.
 */
export function orderOf(
	records: Array<{ createdAt?: number }>,
	known: Order | undefined,
): Order | undefined {
	const dates = records.map(({ createdAt }) => createdAt).filter((date) => date !== undefined);
	const falls = dates.filter((date, index) => date < dates[index - 1]).length;
	const rises = dates.filter((date, index) => date > dates[index - 1]).length;
	const shown =
		falls > TIMES_MORE * rises
			? 'newestFirst'
			: rises > TIMES_MORE * falls
				? 'oldestFirst'
				: undefined;
	return falls + rises >= CLEAR ? shown : (known ?? shown);
}

/** What a trigger knows of a list that it does not read. */
export const NO_LIST: Listing = {
	rows: [],
	isWhole: false,
	order: undefined,
	extent: 'untold',
	requests: 0,
	unreadable: 0,
};

const OR_WEBHOOK = 'Or choose Webhook Only, which does not read the list.';

function checkRows(rows: TriggerResult[], unreadable: number): void {
	if (rows.length === 0 && unreadable > 0) throw withoutFields('ids', 'IDs (_id or queryId)');
	if (rows.length > 0 && !rows.some(({ hasStatus }) => hasStatus))
		throw withoutFields('status', 'status');
}

const withoutFields = (which: 'ids' | 'status', what: string) =>
	new CodedError(
		`list.${which}`,
		`The list of queries shows no ${what}: new results look like old ones`,
		{
			mappingKeys: ['list.parameters'],
			description: `Set list.parameters in the credential's API Mapping so that the service lists whole records. ${OR_WEBHOOK}`,
		},
	);

function unusable(order: Order | undefined): CodedError {
	if (order === 'oldestFirst') {
		return new CodedError(
			'list.oldestFirst',
			'The list of queries comes in pages and begins with the oldest',
			{
				mappingKeys: ['list.parameters', 'list.paging'],
				description: `Set list.parameters in the credential's API Mapping so that the service begins with the newest, e.g. {"order": "desc"}. If all queries come in one response, set list.paging to none. ${OR_WEBHOOK}`,
			},
		);
	}
	return new CodedError(
		'list.order',
		'The list of queries does not show its order: the trigger may miss new results',
		{
			mappingKeys: ['list.order'],
			description: `If the service lists the newest queries first, set list.order in the credential's API Mapping to newestFirst. ${OR_WEBHOOK}`,
		},
	);
}

/** Throws a UserError if results are asked for from a moment on, and rows do not say when they were created. */
export function checkDates(rows: TriggerResult[]): void {
	if (rows.every(({ createdAt }) => createdAt !== undefined)) return;
	throw new CodedError(
		'list.dates',
		"The list of queries shows no dates with a time zone (createdAt), which 'Start From' needs",
		{
			description:
				"Set 'Start From' to Publishing, or set list.parameters in API Mapping so that the service lists whole records.",
		},
	);
}
