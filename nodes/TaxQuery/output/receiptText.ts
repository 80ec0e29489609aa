import type { Run } from '../../shared/operations/operation';
import { counted, countedIfAny } from '../../shared/utils/counted';
import { joinSentences } from '../../shared/utils/joinSentences';
import type { CollectedQueryList, QueryId } from '../client/model';
import { incompleteQueryListSentences, mappingKeysAdvice } from '../errors/queryError';

const MAX_LISTED_WARNINGS = 3;
const MAX_LISTED_IDS = 50;

/** The open ends of the list of queries. */
export interface ReuseSearchGaps {
	uncompared: number;
	/** IDs of queries that have been pending for longer than their type may take. */
	pendingTooLong: QueryId[];
	cut?: CollectedQueryList;
}

/** The different queries of a run, each counted once; their sum is what the run has asked for. */
export interface QueryCounts {
	/** Accepted in this execution. */
	billed: number;
	/** The billed queries that were found in the list after their response was lost. */
	recovered: number;
	/** The billed queries that an earlier try of this execution has sent. */
	readAgain: number;
	/** Made before this run. */
	reused: number;
	/** Nobody knows whether they are billed. */
	unknown: number;
}

/** The items of a run. Those without a query failed, or the run has ended before them. */
export interface ItemCounts {
	all: number;
	withQuery: number;
	/** They failed before anything was sent for them. */
	unsent: number;
	/** The service refused their query. */
	refused: number;
	/** They have a query and failed, with one of their own and with a reused one. */
	failedAfterSending: number;
	failedWithReused: number;
}

export interface RunSummary {
	mode: Run['mode'];
	items: ItemCounts;
	costText: string;
	queries: QueryCounts;
	/** Counts the queries whose acceptance is unknown, and whose item failed therefore. */
	uncertain: number;
	/** Counts the different queries without a result. */
	pending: number;
	reusesByDefault: boolean;
	/** The next click reuses what is pending. */
	isBuilding: boolean;
	hasWaited: boolean;
	/** The number of items with a warning, and all their warnings. */
	itemsWithWarning: number;
	warnings: string[];
	gaps: ReuseSearchGaps;
}

/** It is empty if there is nothing to report. */
export function runReceiptText(run: RunSummary): string {
	const { queries, uncertain, pending, warnings, itemsWithWarning } = run;
	const gaps = gapTexts(run.gaps);
	const failedText = failuresText(run.items);
	const facts = countQueries(queries) + itemsWithWarning + gaps.length + failedText.length;
	if (facts === 0) return '';
	const isReused = run.isBuilding && warnings.length === 0 && gaps.length === 0;
	const toChange = run.hasWaited ? "a longer 'Max Wait (Seconds)'" : "'Wait for Result' on";
	return joinSentences(
		run.costText,
		queriesText(run.items, queries),
		failedText,
		itemsWithWarning > 0 ? `${itemsOf(itemsWithWarning)} with a warning` : '',
		run.reusesByDefault && queries.reused > 0 ? reuseText(run.mode) : '',
		pending > 0 ? pendingText(pending, isReused ? toChange : undefined) : '',
		uncertain > 0
			? `${uncertain} may have been accepted: before you send it again, look for it with Query → Get Many`
			: '',
		...gaps,
		...warnings.slice(0, MAX_LISTED_WARNINGS),
	);
}

/** Nobody knows whether a query was accepted for `uncertainItems`, which count from 1. */
export const acceptedBeforeFailureText = (ids: string[], uncertainItems: number[]): string =>
	joinSentences(
		ids.length > 0
			? `Accepted before that, and billed: ${first(ids)}. Retrying this execution reads them and sends nothing again`
			: '',
		uncertainItems.length > 0
			? `May have been accepted and billed, too: item ${first(uncertainItems)}. Retrying this execution looks for it; a new one sends it again`
			: '',
	);

const countQueries = ({ billed, reused, unknown }: QueryCounts) => billed + reused + unknown;

const itemsOf = (count: number) => countedIfAny(count, 'item', 'items');

/**
 * Returns how many items have how many queries, and the parts of that number. Nothing is to be added where each item has a
 * query of its own, and all are billed: then the cost says it.
 */
function queriesText({ all, withQuery }: ItemCounts, queries: QueryCounts): string {
	const total = countQueries(queries);
	if (total === 0) return '';
	const notes = filled([
		countedIfAny(queries.recovered, 'recovered'),
		countedIfAny(queries.readAgain, 'read again'),
	]);
	const billed = countedIfAny(queries.billed, 'billed');
	const parts = filled([
		notes.length > 0 ? `${billed} (${notes.join(', ')})` : billed,
		countedIfAny(queries.reused, 'reused'),
		countedIfAny(queries.unknown, 'unknown'),
	]).join(', ');
	const isAllBilled = queries.billed === total && notes.length === 0;
	if (isAllBilled && (all === 1 || (all === withQuery && all === total))) return '';
	if (all === 1 && total === 1) return parts;
	const items = withQuery < all ? `${withQuery} of ${itemsOf(all)}` : itemsOf(all);
	const sum = `${items}, ${total < withQuery ? counted(total, 'different query', 'different queries') : counted(total, 'query', 'queries')}`;
	return isAllBilled ? sum : `${sum}: ${parts}`;
}

/** Returns how items failed; the items without a query are among them, or the run has ended before them. */
function failuresText(items: ItemCounts): string {
	const { all, withQuery, unsent, refused } = items;
	const kinds: Array<[count: number, how: string]> = [
		[unsent, 'before sending'],
		[refused, 'when refused by the service'],
		[items.failedAfterSending, 'after sending'],
		[items.failedWithReused, 'with a reused query'],
	];
	const failed = kinds.filter(([count]) => count > 0);
	const sum = failed.reduce((total, [count]) => total + count, 0);
	const [[, only] = ['', '']] = failed;
	const how = failed.length > 1 ? `: ${failed.map((one) => one.join(' ')).join(', ')}` : ` ${only}`;
	const left = all - withQuery - unsent - refused;
	return joinSentences(
		sum > 0 ? `${itemsOf(sum)} failed${how}` : '',
		left > 0 ? `${itemsOf(left)} without a query, because the run stopped` : '',
	);
}

/** Says why results were reused though the operator did not choose that. */
export function reuseText(mode: Run['mode']): string {
	if (mode === 'integrated') {
		return "In a sub-workflow, results (not failures) of the last 24 hours are reused, because n8n does not say whether its parent is retried ('Reuse Results')";
	}
	return mode === 'retry'
		? "Retried: queries of the last 24 hours that the list shows are taken first, whatever 'Reuse Results' says"
		: "While building, results (not failures) of the last 24 hours are reused; production is billed ('Reuse Results')";
}

/** Says what could not be compared, and where the list was not read to its end. */
export function gapTexts({ uncompared, pendingTooLong, cut }: ReuseSearchGaps): string[] {
	const gap = `'Reuse Results': ${countedIfAny(uncompared, 'query', 'queries')} in the list could not be compared with this item (query type, fields or date)`;
	const todo = `To compare them, ${mappingKeysAdvice(['services', 'fields', 'statuses'])} (Connection → Diagnose proposes it)`;
	return filled([
		uncompared > 0 ? joinSentences(gap, todo) : '',
		pendingTooLong.length > 0
			? `'Reuse Results': not reused, because pending for more than a day: ${first(pendingTooLong)}`
			: '',
		cut ? incompleteQueryListSentences({ ...cut, listed: cut.records.length }) : '',
	]);
}

/** After changing `toChange`, another click reads pending queries. */
const pendingText = (pending: number, toChange: string | undefined): string =>
	joinSentences(
		`${pending} pending: ${pending === 1 ? 'its result arrives' : 'their results arrive'} through a Tax Query Trigger with the query type in 'Trigger On', or by Query → Get`,
		toChange === undefined
			? ''
			: `Or run this step again with ${toChange}: the query is reused, not billed again`,
	);

const first = (all: Array<string | number>) =>
	all.slice(0, MAX_LISTED_IDS).join(', ') + (all.length > MAX_LISTED_IDS ? ' …' : '');

const filled = (texts: string[]) => texts.filter((text) => text !== '');
