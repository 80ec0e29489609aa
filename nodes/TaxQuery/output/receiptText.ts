import type { FailedItemCounts, Run } from '../../shared/operations/operation';
import { joinSentences } from '../../shared/utils/joinSentences';
import type { CollectedQueryList, QueryId } from '../client/model';
import { incompleteQueryListSentences, mappingKeysAdvice } from '../errors/queryError';
import type { ObtainedQuery } from './rows';

const MAX_LISTED_WARNINGS = 3;
const MAX_LISTED_IDS = 50;

/** The open ends of the list of queries. */
export interface ReuseSearchGaps {
	uncompared: number;
	/** IDs of queries that have been pending for longer than their type may take. */
	pendingTooLong: QueryId[];
	cut?: CollectedQueryList;
}

/** The spending of a run, and how its items ended. */
interface RunSummary {
	mode: Run['mode'];
	items: number;
	failed: FailedItemCounts;
	costText: string;
	/** Counts the queries by how they were obtained. */
	counts: Record<ObtainedQuery['how'], number>;
	/** Counts the queries that may have been accepted. */
	uncertain: number;
	/** Counts the items that came out though nothing was sent for them. */
	unsentItems: number;
	/** The number of failed items for which nothing was sent, since they reused a query. */
	failedWithReused: number;
	/** Counts the items of each request. */
	itemsByRequest: number[];
	pending: number;
	reusesByDefault: boolean;
	/** The next click reuses what is pending. */
	isBuilding: boolean;
	/** Some item waited for its result. */
	hasWaited: boolean;
	warnings: string[];
	gaps: ReuseSearchGaps;
}

/** Returns the receipt of a run, or an empty text if there is nothing to report. */
export function runReceiptText(run: RunSummary): string {
	const { counts, uncertain, failed, pending, warnings } = run;
	const countTexts = filled([
		counted(counts.recovered, 'recovered'),
		counted(counts.resumed, 'read again, not sent again'),
		counted(counts.reused, 'reused'),
		counted(warnings.length, 'with a warning'),
	]);
	const gaps = gapTexts(run.gaps);
	if (counts.sent + uncertain + failed.all + countTexts.length + gaps.length === 0) return '';
	const isReused = run.isBuilding && warnings.length === 0 && gaps.length === 0;
	const toChange = run.hasWaited ? "a longer 'Max Wait (Seconds)'" : "'Wait for Result' on";
	return joinSentences(
		run.costText,
		itemText(run),
		countTexts.join(', '),
		counts.reused > 0 ? sharedText(run.itemsByRequest) : '',
		run.reusesByDefault ? reuseText(run.mode) : '',
		pending > 0 ? pendingText(pending, isReused ? toChange : undefined) : '',
		uncertain > 0
			? `${uncertain} may have been accepted: the item's error says how to look for it before you send it again`
			: '',
		...gaps,
		...warnings.slice(0, MAX_LISTED_WARNINGS),
	);
}

/** Returns what was spent by these query IDs, and by items with these numbers of which nobody knows. */
export const acceptedBeforeFailureText = (ids: string[], uncertainItems: number[]): string =>
	joinSentences(
		ids.length > 0
			? `Accepted before that, and billed: ${first(ids)}. Retrying this execution reads them and sends nothing again`
			: '',
		uncertainItems.length > 0
			? `May have been accepted and billed, too: item ${first(uncertainItems)}. Retrying this execution looks for it; a new one sends it again`
			: '',
	);

/** Returns a text about the number of items sent, where some failed. */
function itemText({
	items,
	unsentItems,
	failedWithReused,
	failed: { all, unsent },
}: RunSummary): string {
	if (all === 0) return '';
	const sent = items - unsent - unsentItems;
	const failed = filled([
		counted(unsent - failedWithReused, 'failed before sending'),
		counted(all - unsent, 'failed after sending'),
		counted(failedWithReused, 'failed with a reused query'),
	]);
	return [`${sent} of ${items} ${items === 1 ? 'item' : 'items'} sent`, ...failed].join('; ');
}

/** Returns a text about items that share one query. */
function sharedText(itemsByRequest: number[]): string {
	const shared = itemsByRequest.filter((items) => items > 1);
	const items = shared.reduce((sum, count) => sum + count, 0);
	return items === 0
		? ''
		: `${items} items ask the same: ${counted(shared.length, 'query', 'queries')}`;
}

function reuseText(mode: Run['mode']): string {
	if (mode === 'integrated') {
		return "In a sub-workflow, results (not failures) of the last 24 hours are reused, because n8n does not say whether its parent is retried ('Reuse Results')";
	}
	return mode === 'retry'
		? "Retried: queries of the last 24 hours that the list shows are taken first, whatever 'Reuse Results' says"
		: "While building, results (not failures) of the last 24 hours are reused; production is billed ('Reuse Results')";
}

function gapTexts({ uncompared, pendingTooLong, cut }: ReuseSearchGaps): string[] {
	const gap = `'Reuse Results': ${counted(uncompared, 'query', 'queries')} in the list could not be compared with this item (query type, fields or date)`;
	const todo = `To compare them, ${mappingKeysAdvice(['services', 'fields', 'statuses'])} (Connection → Diagnose proposes it)`;
	return filled([
		uncompared > 0 ? joinSentences(gap, todo) : '',
		pendingTooLong.length > 0
			? `'Reuse Results': not reused, because pending for more than a day: ${first(pendingTooLong)}`
			: '',
		cut ? incompleteQueryListSentences({ ...cut, listed: cut.records.length }) : '',
	]);
}

/** Returns a text about pending queries; after changing `toChange`, another click reads them. */
const pendingText = (pending: number, toChange: string | undefined): string =>
	joinSentences(
		`${pending} pending: ${pending === 1 ? 'its result arrives' : 'their results arrive'} through the Tax Query Trigger, or by Query → Get`,
		toChange === undefined
			? ''
			: `Or run this step again with ${toChange}: the query is reused, not billed again`,
	);

const first = (all: Array<string | number>) =>
	all.slice(0, MAX_LISTED_IDS).join(', ') + (all.length > MAX_LISTED_IDS ? ' …' : '');

const counted = (count: number, one: string, many = one) =>
	count === 0 ? '' : `${count} ${count === 1 ? one : many}`;

const filled = (texts: string[]) => texts.filter((text) => text !== '');
