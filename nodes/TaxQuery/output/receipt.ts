import type { IDataObject } from 'n8n-workflow';
import type {
	BillingSummary,
	FailedItemCounts,
	Item,
	Run,
} from '../../shared/operations/operation';
import { identity } from '../../shared/operations/commonFields';
import type { QueryId } from '../client/model';
import { billedCountText } from '../errors/queryError';
import { addToMetadataCount, addToMetadataList } from './metadata';
import { runReceiptText, acceptedBeforeFailureText, type ReuseSearchGaps } from './receiptText';
import type { ObtainedQuery } from './rows';

/** An RFC or a CURP somewhere in a text: neither goes into the metadata of an execution. */
const IDENTIFIER = /[A-ZÑ&]{3,4}[\s-]?\d{6}/i;

const OWN_ID = /^(?=.*\d)(?!\d{10,11}$)[\w.:/#-]{1,64}$/;
/** Returns whether a text surely is an ID, and no name, address, phone (10 digits) or NSS (11). */
export const isImpersonalId = (text: string): boolean =>
	OWN_ID.test(text) && !IDENTIFIER.test(text);

/** A text as the item's own output shows it. */
const shown = ({ protect }: Item, text: string) =>
	String(protect({ text }, 'written', identity).text);

/** Facts about a run's queries that other modules know. */
interface Known {
	/** Returns the number of queries that could not be compared, and the truncated list. */
	gaps(): ReuseSearchGaps;
	/** Returns the number of billed queries of an item, or of the run; undefined if unknown. */
	billed(index?: number): number | undefined;
}

/**
 * Records what a run has spent. It is shown in the output pane, stored with the execution, and added to its error.
 */
export class RunReceipt {
	readonly #run: Run;
	readonly #known: Known;
	readonly #counts = { sent: 0, recovered: 0, resumed: 0, reused: 0 };
	readonly #planned = new Map<number, number>();
	/** IDs of accepted queries, by item. */
	readonly #billed = new Map<number, string[]>();
	/** The number of queries that may have been accepted, by item. */
	readonly #uncertainByItem = new Map<number, number>();
	readonly #warnings: string[] = [];
	/** Items for which nothing was sent, because an earlier query or another item's query serves them. */
	readonly #served = new Set<number>();
	/** The number of served items that came out. */
	#unsentItems = 0;
	/** The number of items with each request; items with a query of their own do not count. */
	readonly #itemsByRequest = new Map<string, number>();
	#pending = 0;
	#reusesByDefault = false;
	/** The workflow is being built, so the next click reuses what is pending. */
	#isBuilding = false;
	/** Some item waited for its result. */
	#hasWaited = false;

	constructor(run: Run, known: Known) {
		this.#run = run;
		this.#known = known;
		run.atEnd((failure, failed) => this.#end(failure, failed));
	}

	/** Plans the number of queries that an item is billed for, if nothing is reused. */
	plan({ index }: Item, queries: number): void {
		this.#planned.set(index, queries);
	}

	/** Returns the cost of an item, or of the run; an item that was not planned yet counts as one query. */
	costOf(index?: number): BillingSummary {
		const items = index === undefined ? [...Array(this.#run.items).keys()] : [index];
		const queries = items.reduce((sum, one) => sum + (this.#planned.get(one) ?? 1), 0);
		const uncertain = items.filter((one) => this.#uncertainByItem.has(one));
		const known = uncertain.length > 0 ? undefined : this.#known.billed(index);
		const cost = { billed: known ?? ('unknown' as const), queries };
		const ids = items.flatMap((one) => this.#billed.get(one) ?? []);
		return {
			text: billedCountText(cost),
			...cost,
			...(ids.length > 0 && { queryIds: ids }),
			...(uncertain.length > 0 && { unsureItems: uncertain.map(numberOf) }),
		};
	}

	/**
	 * Records queries accepted for an item. They are stored with the execution at once, because it may be stopped.
	 */
	accepted(item: Item, ids: QueryId[], isByEarlierTry = false): void {
		const own = ids.map((id) => shown(item, id));
		this.#billed.set(item.index, [...(this.#billed.get(item.index) ?? []), ...own]);
		if (!isByEarlierTry) addToMetadataCount(this.#run, 'paidQueries', ids.length);
		addToMetadataList(this.#run, 'queryIds', own);
	}

	/** Records queries of an item of which nobody knows whether they were accepted. */
	uncertain({ index }: Item, count: number): void {
		this.#uncertainByItem.set(index, (this.#uncertainByItem.get(index) ?? 0) + count);
		addToMetadataCount(this.#run, 'unsureQueries', count);
	}

	/** Records the queries that an item has got, billed now or before; items with an equal `request` share them. */
	take(
		item: Item,
		outcomes: ObtainedQuery[],
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
		const isOwn = !isProtected || isImpersonalId(reference);
		if (isOwn && !IDENTIFIER.test(reference) && this.#billed.has(item.index)) {
			addToMetadataList(this.#run, 'externalReference', [shown(item, reference)]);
		}
	}

	/** Records items that come out, and the number of pending results. */
	give(item: Item, rows: IDataObject[], unfinished: number): void {
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

	/** Shows the receipt; returns what the run's error does not mention itself. */
	#end(failure: { index: number } | undefined, failed: FailedItemCounts): string {
		const { mode, items } = this.#run;
		const text = runReceiptText({
			...{ mode, items, failed, costText: this.costOf().text, counts: this.#counts },
			uncertain: [...this.#uncertainByItem.values()].reduce((sum, count) => sum + count, 0),
			unsentItems: this.#unsentItems,
			failedWithReused: Math.min(this.#served.size - this.#unsentItems, failed.unsent),
			itemsByRequest: [...this.#itemsByRequest.values()],
			pending: this.#pending,
			reusesByDefault: this.#reusesByDefault,
			isBuilding: this.#isBuilding,
			hasWaited: this.#hasWaited,
			warnings: this.#warnings,
			gaps: this.#known.gaps(),
		});
		if (text !== '') this.#run.hint(text);
		return failure ? this.#spentBefore(failure.index) : '';
	}

	/** Returns a text about the cost of the other items. */
	#spentBefore(failing: number): string {
		return acceptedBeforeFailureText(
			[...this.#billed].flatMap(([index, own]) => (index === failing ? [] : own)),
			[...this.#uncertainByItem.keys()].filter((index) => index !== failing).map(numberOf),
		);
	}
}

/** Operators count items from 1. */
const numberOf = (index: number) => index + 1;
