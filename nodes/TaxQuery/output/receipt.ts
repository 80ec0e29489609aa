import type { IDataObject } from 'n8n-workflow';
import type { Cost, FailedItems, OperationItem, NodeRun } from '../../shared/operations/operation';
import { identity } from '../../shared/operations/fields';
import { sentences } from '../../shared/utils/sentences';
import type { QueryId, QueryListing } from '../client/queryModel';
import { costText, truncationSentences, setKeys } from '../errors/queryError';
import type { QueryOutcome } from './rows';

/** n8n keeps 512 characters of one value, and warns in its log from 256 on. */
const METADATA_LENGTH = 255;
const MAX_LISTED_WARNINGS = 3;
const MAX_LISTED_IDS = 50;
/** An RFC or a CURP somewhere in a text: neither goes into the metadata of an execution. */
const IDENTIFIER = /[A-ZÑ&]{3,4}[\s-]?\d{6}/i;

const OWN_ID = /^(?=.*\d)(?!\d{10,11}$)[\w.:/#-]{1,64}$/;
/** Returns whether a text surely is an ID, and no name, address, phone (10 digits) or NSS (11). */
export const isOwnId = (text: string): boolean => OWN_ID.test(text) && !IDENTIFIER.test(text);

/** A text as the item's own output shows it. */
const shown = ({ protect }: OperationItem, text: string) =>
	String(protect({ text }, 'written', identity).text);

/** Describes what others know of a run's queries. */
interface Known {
	/** Returns what the list of queries left open. */
	gaps(): { uncompared: number; cut?: QueryListing };
	/** Returns how many are billed for an item, or for all of the run; undefined where nobody knows. */
	billed(index?: number): number | undefined;
}

/**
 * Records what a run has spent. It is shown in the output pane, stored with the execution, and added to its error.
 */
export class Receipt {
	readonly #run: NodeRun;
	readonly #known: Known;
	readonly #counts = { sent: 0, recovered: 0, resumed: 0, reused: 0 };
	readonly #planned = new Map<number, number>();
	/** Says what was accepted, by item. */
	readonly #billed = new Map<number, string[]>();
	/** Says how many queries may have been accepted, by item. */
	readonly #uncertainByItem = new Map<number, number>();
	readonly #warnings: string[] = [];
	/** Items for which nothing was sent, because a query of before or of another item serves them. */
	readonly #served = new Set<number>();
	/** Counts those of them that came out. */
	#unsentItems = 0;
	/** Counts the items of each request; those with a query of their own do not count together. */
	readonly #itemsByRequest = new Map<string, number>();
	#pending = 0;
	#reusesByDefault = false;
	/** Says what is pending is reused by the next click. */
	#isBuilding = false;
	/** Some item waited for its result. */
	#hasWaited = false;

	constructor(run: NodeRun, known: Known) {
		this.#run = run;
		this.#known = known;
		run.atEnd((failure, failed) => this.#end(failure, failed));
	}

	/** Plans the number of queries that an item is billed for, if nothing is reused. */
	plan({ index }: OperationItem, queries: number): void {
		this.#planned.set(index, queries);
	}

	/**
	 * Returns what an item has cost, or all of the run; what did not come so far as to be planned counts as one
	 * query.
	 */
	costOf(index?: number): Cost {
		const items = index === undefined ? [...Array(this.#run.items).keys()] : [index];
		const queries = items.reduce((sum, one) => sum + (this.#planned.get(one) ?? 1), 0);
		const cost = { billed: this.#known.billed(index) ?? ('unknown' as const), queries };
		const uncertain = items.filter((one) => this.#uncertainByItem.has(one));
		const ids = items.flatMap((one) => this.#billed.get(one) ?? []);
		return {
			text: costText(cost),
			...cost,
			...(ids.length > 0 && { queryIds: ids }),
			...(uncertain.length > 0 && { unsureItems: uncertain.map(numberOf) }),
		};
	}

	/**
	 * Records queries accepted for an item. They are stored with the execution at once, because it may be stopped.
	 */
	accepted(item: OperationItem, ids: QueryId[], isByEarlierTry = false): void {
		const own = ids.map((id) => shown(item, id));
		this.#billed.set(item.index, [...(this.#billed.get(item.index) ?? []), ...own]);
		if (!isByEarlierTry) this.#addCount('paidQueries', ids.length);
		this.#addMetadata('queryIds', own);
	}

	/** Queries of an item of which nobody knows whether they were accepted. */
	uncertain({ index }: OperationItem, count: number): void {
		this.#uncertainByItem.set(index, (this.#uncertainByItem.get(index) ?? 0) + count);
		this.#addCount('unsureQueries', count);
	}

	/** Queries that an item has got, billed in this execution or before; items with an equal `request` share them. */
	take(
		item: OperationItem,
		outcomes: QueryOutcome[],
		{
			externalReference,
			reuse,
			wait,
		}: { externalReference: unknown; reuse?: { isByDefault: boolean }; wait?: number },
		request?: string,
	): void {
		this.#hasWaited ||= wait !== undefined;
		if (request) this.#itemsByRequest.set(request, (this.#itemsByRequest.get(request) ?? 0) + 1);
		for (const { how } of outcomes) this.#counts[how]++;
		if (outcomes.every(({ how }) => how === 'reused' || how === 'resumed')) {
			this.#served.add(item.index);
		}
		if (reuse?.isByDefault) {
			this.#isBuilding ||= this.#run.mode === 'manual';
			this.#reusesByDefault ||= outcomes.some(({ how }) => how === 'reused');
		}
		if (typeof externalReference !== 'string' && typeof externalReference !== 'number') return;
		const reference = String(externalReference);
		const isProtected = item.protect({ reference }, 'free', identity).reference !== reference;
		const isOwn = !isProtected || isOwnId(reference);
		if (isOwn && !IDENTIFIER.test(reference) && this.#billed.has(item.index)) {
			this.#addMetadata('externalReference', [shown(item, reference)]);
		}
	}

	/** Records items that come out, and the number of pending results. */
	give(item: OperationItem, rows: IDataObject[], unfinished: number): void {
		this.#pending += unfinished;
		if (this.#served.has(item.index)) this.#unsentItems++;
		for (const { warnings } of rows) {
			if (!Array.isArray(warnings) || warnings.length === 0) continue;
			const [{ field, message }] = warnings as IDataObject[];
			this.#warnings.push(
				`Item ${numberOf(item.index)}: ${String(field)}: ${shown(item, String(message))}`,
			);
		}
	}

	/** Shows the receipt; returns what the run's error does not say itself. */
	#end(failure: { index: number } | undefined, failed: FailedItems): string {
		const { sent, recovered, resumed, reused } = this.#counts;
		const uncertain = [...this.#uncertainByItem.values()].reduce((sum, count) => sum + count, 0);
		const counts = [
			counted(recovered, 'recovered'),
			counted(resumed, 'read again, not sent again'),
			counted(reused, 'reused'),
			counted(this.#warnings.length, 'with a warning'),
		].filter((text) => text !== '');
		const gaps = this.#gapTexts();
		const isEmpty = sent + uncertain + failed.all + counts.length + gaps.length === 0;
		if (!isEmpty) {
			const isReused = this.#isBuilding && this.#warnings.length === 0 && gaps.length === 0;
			const toChange = this.#hasWaited ? "a longer 'Max Wait (Seconds)'" : "'Wait for Result' on";
			this.#run.hint(
				sentences(
					this.costOf().text,
					this.#itemText(failed),
					counts.join(', '),
					reused > 0 ? this.#sharedText() : '',
					this.#reusesByDefault ? this.#reuseText() : '',
					this.#pending > 0 ? pendingText(this.#pending, isReused ? toChange : undefined) : '',
					uncertain > 0
						? `${uncertain} may have been accepted: the item's error says how to look for it before you send it again`
						: '',
					...gaps,
					...this.#warnings.slice(0, MAX_LISTED_WARNINGS),
				),
			);
		}
		return failure ? this.#spentBefore(failure.index) : '';
	}

	/** Returns how many items were sent, where some failed. */
	#itemText({ all, unsent }: FailedItems): string {
		if (all === 0) return '';
		const { items } = this.#run;
		const sent = items - unsent - this.#unsentItems;
		const failed = [
			counted(unsent, 'failed before sending'),
			counted(all - unsent, 'failed after sending'),
		].filter((text) => text !== '');
		return [`${sent} of ${items} ${items === 1 ? 'item' : 'items'} sent`, ...failed].join('; ');
	}

	/** Returns which items have come out with one query. */
	#sharedText(): string {
		const shared = [...this.#itemsByRequest.values()].filter((items) => items > 1);
		const items = shared.reduce((sum, count) => sum + count, 0);
		return items === 0
			? ''
			: `${items} items ask the same: ${counted(shared.length, 'query', 'queries')}`;
	}

	#reuseText(): string {
		if (this.#run.mode === 'integrated') {
			return "In a sub-workflow, results (not failures) of the last 24 hours are reused, because n8n does not say whether its parent is retried ('Reuse Results')";
		}
		return this.#run.mode === 'retry'
			? "Retried: queries of the last 24 hours that the list shows are taken first, whatever 'Reuse Results' says"
			: "While building, results (not failures) of the last 24 hours are reused; production is billed ('Reuse Results')";
	}

	#gapTexts(): string[] {
		const { uncompared, cut } = this.#known.gaps();
		const gap = `'Reuse Results': ${counted(uncompared, 'query', 'queries')} in the list could not be compared with this item (query type, fields or date)`;
		const todo = `To compare them, ${setKeys(['services', 'fields', 'statuses'])} (Connection → Diagnose proposes it)`;
		return [
			uncompared > 0 ? sentences(gap, todo) : '',
			cut ? truncationSentences({ ...cut, listed: cut.records.length }) : '',
		].filter((text) => text !== '');
	}

	/** Returns what the other items are billed for. */
	#spentBefore(failing: number): string {
		const ids = [...this.#billed].flatMap(([index, own]) => (index === failing ? [] : own));
		const uncertain = [...this.#uncertainByItem.keys()].filter((index) => index !== failing);
		return sentences(
			ids.length > 0
				? `Accepted before that, and billed: ${first(ids)}. Retrying this execution reads them and sends nothing again`
				: '',
			uncertain.length > 0
				? `May have been accepted and billed, too: item ${first(uncertain.map(numberOf))}. Retrying this execution looks for it; a new one sends it again`
				: '',
		);
	}

	#addCount(key: string, more: number): void {
		const { metadata } = this.#run;
		if (more > 0) metadata?.set(key, String(Number(metadata.get(key) || 0) + more));
	}

	/** Adds metadata, so that the list of executions can be filtered by query ID. */
	#addMetadata(key: string, more: string[]): void {
		const { metadata } = this.#run;
		const before = metadata?.get(key) ?? '';
		if (before.length >= METADATA_LENGTH - 1) return;
		const entries = [...new Set([...before.split(' '), ...more])].filter(Boolean);
		while (entries.join(' ').length > METADATA_LENGTH) entries.pop();
		const all = entries.join(' ');
		if (all !== before) metadata?.set(key, all);
	}
}

/** Operators count items from 1. */
const numberOf = (index: number) => index + 1;

/** `toChange`: the setting with which another click takes the pending query up again. */
const pendingText = (pending: number, toChange: string | undefined): string =>
	sentences(
		`${pending} pending: ${pending === 1 ? 'its result arrives' : 'their results arrive'} through the Tax Query Trigger, or by Query → Get`,
		toChange === undefined
			? ''
			: `Or run this step again with ${toChange}: the query is reused, not billed again`,
	);

const first = (all: Array<string | number>) =>
	all.slice(0, MAX_LISTED_IDS).join(', ') + (all.length > MAX_LISTED_IDS ? ' …' : '');

const counted = (count: number, one: string, many = one) =>
	count === 0 ? '' : `${count} ${count === 1 ? one : many}`;
