import type { IDataObject } from 'n8n-workflow';
import type {
	BillingSummary,
	FailedItemCounts,
	Item,
	Run,
} from '../../shared/operations/operation';
import { identity } from '../../shared/operations/commonFields';
import type { Prices } from '../../shared/credentials/prices';
import type { QueryId } from '../client/model';
import { billedCountText } from '../errors/queryError';
import type { QueryRequest } from '../request/queryRequest';
import { AmountByCurrency } from '../spending/amounts';
import { addToMetadataCount, addToMetadataList } from './metadata';
import {
	runReceiptText,
	acceptedBeforeFailureText,
	type ItemCounts,
	type QueryCounts,
	type ReuseSearchGaps,
} from './receiptText';
import type { ObtainedQuery } from './rows';

/** An RFC or a CURP somewhere in a text: neither goes into the metadata of an execution. */
const IDENTIFIER = /[A-ZÑ&]{3,4}[\s-]?\d{6}/i;

const OWN_ID = /^(?=.*\d)(?!\d{10,11}$)[\w.:/#-]{1,64}$/;
/** It is no name, address, phone (10 digits) or NSS (11). */
export const isImpersonalId = (text: string): boolean =>
	OWN_ID.test(text) && !IDENTIFIER.test(text);

/** A text as the item's own output shows it. */
const shown = ({ protect }: Item, text: string) =>
	String(protect({ text }, 'written', identity).text);

interface Known {
	/** Queries that could not be compared, and the truncated list. */
	gaps(): ReuseSearchGaps;
	/** Without an index it is for the run; undefined if unknown. */
	billed(index?: number): number | undefined;
	/** Returns the IDs of the run's billed queries. */
	accepted(): QueryId[];
}

/** A submission as it was sent at a moment. */
interface Sending {
	submission: object;
	sentAt: number;
	/** The number of queries that it may have made. */
	queries: number;
	/** Items that failed because of it. */
	items: Set<number>;
}

/** It is shown in the output pane, stored with the execution, and added to its error. */
export class RunReceipt {
	readonly #run: Run;
	readonly #known: Known;
	/** Items that were only previewed. */
	readonly #leftOut = new Set<number>();
	readonly #planned = new Map<number, number>();
	/** The prices of items whose credential has some. */
	readonly #prices = new Map<number, Prices>();
	#operation = '';
	/** Keyed by item. */
	readonly #billed = new Map<number, string[]>();
	/** What was sent, and nobody knows whether it was accepted. Items that share it count it once. */
	#uncertain: Sending[] = [];
	/** Items that have their queries, and whether another item or an earlier query serves them. */
	readonly #taken = new Map<number, boolean>();
	/** Items that came out. */
	readonly #given = new Set<number>();
	/** How each query was obtained; what an item of the run has sent, its others reuse. */
	readonly #obtained = new Map<QueryId, ObtainedQuery['how']>();
	/** Requests whose response had no ID, each once. */
	readonly #withoutId = new Set<string>();
	readonly #pending = new Set<QueryId>();
	readonly #warnings = new Set<string>();
	readonly #warnedItems = new Set<number>();
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

	/** The receipt does not count an item that is only previewed. */
	leaveOut({ index }: Item): void {
		this.#leftOut.add(index);
	}

	/** They are billed if nothing is reused. */
	plan({ index }: Item, { expected, definition }: QueryRequest, prices: Prices | undefined): void {
		this.#planned.set(index, expected.length);
		this.#operation = definition.queryType.operation;
		if (prices) this.#prices.set(index, prices);
	}

	/** An item that was not planned yet counts as one query. */
	costOf(index?: number): BillingSummary {
		const items = index === undefined ? [...Array(this.#run.items).keys()] : [index];
		const queries = items.reduce((sum, one) => sum + (this.#planned.get(one) ?? 1), 0);
		const failed = this.#uncertainItems();
		const uncertain = items.filter((one) => failed.has(one));
		const known = uncertain.length > 0 ? undefined : this.#known.billed(index);
		const cost = { billed: known ?? ('unknown' as const), queries };
		const ids = items.flatMap((one) => this.#billed.get(one) ?? []);
		return {
			text: billedCountText(cost, known === undefined ? '' : this.#amountText(items)),
			...cost,
			...(ids.length > 0 && { queryIds: ids }),
			...(uncertain.length > 0 && { unsureItems: uncertain.map(numberOf) }),
		};
	}

	/** Is empty where nothing is billed, or no price is known. */
	#amountText(items: number[]): string {
		const amount = new AmountByCurrency();
		for (const index of items) {
			const { length } = this.#billed.get(index) ?? [];
			if (length > 0) amount.add(this.#operation, length, this.#prices.get(index));
		}
		return amount.text;
	}

	/** They are stored with the execution at once, because it may be stopped. */
	accepted(
		item: Item,
		ids: QueryId[],
		submission: { sentAt: number },
		isByEarlierTry = false,
	): void {
		this.#uncertain = this.#uncertain.filter((one) => !isSending(one, submission));
		const own = ids.map((id) => shown(item, id));
		this.#billed.set(item.index, [...(this.#billed.get(item.index) ?? []), ...own]);
		if (!isByEarlierTry) addToMetadataCount(this.#run, 'paidQueries', ids.length);
		addToMetadataList(this.#run, 'queryIds', own);
	}

	/** Nobody knows whether they were accepted. */
	uncertain({ index }: Item, queries: number, submission: { sentAt: number }): void {
		const known = this.#uncertain.find((one) => isSending(one, submission));
		if (known) {
			known.items.add(index);
			return;
		}
		const { sentAt } = submission;
		this.#uncertain.push({ submission, sentAt, queries, items: new Set([index]) });
		addToMetadataCount(this.#run, 'unsureQueries', queries);
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
		for (const { query, how } of outcomes) {
			if (query.kind === 'withoutId') this.#withoutId.add(request ?? `item ${item.index}`);
			else if (how !== 'reused' || !this.#obtained.has(query.id)) this.#obtained.set(query.id, how);
		}
		this.#taken.set(
			item.index,
			outcomes.every(({ how }) => how === 'reused'),
		);
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

	/** Records an item that comes out, and its queries without a result. */
	give(item: Item, rows: IDataObject[], unfinished: ObtainedQuery[]): void {
		this.#given.add(item.index);
		for (const { query } of unfinished) {
			if (query.kind !== 'withoutId') this.#pending.add(query.id);
		}
		for (const { warnings } of rows) {
			if (!Array.isArray(warnings) || warnings.length === 0) continue;
			const [{ field, message }] = warnings as IDataObject[];
			this.#warnedItems.add(item.index);
			this.#warnings.add(
				`Item ${numberOf(item.index)}: ${String(field)}: ${shown(item, String(message))}`,
			);
		}
	}

	#uncertainItems(): Set<number> {
		return new Set(this.#uncertain.flatMap(({ items }) => [...items]));
	}

	#countQueries(cost: BillingSummary): QueryCounts {
		const accepted = new Set(this.#known.accepted());
		const obtained = [...this.#obtained];
		const billedAs = (as: ObtainedQuery['how']) =>
			obtained.filter(([id, how]) => how === as && accepted.has(id)).length;
		const unknown = this.#countUncertain() + this.#withoutId.size;
		return {
			billed: accepted.size,
			recovered: billedAs('recovered'),
			readAgain: billedAs('resumed'),
			reused: obtained.filter(([id]) => !accepted.has(id)).length,
			// an item that failed now may have left one in an earlier try
			unknown: cost.billed === 'unknown' ? Math.max(1, unknown) : unknown,
		};
	}

	#countUncertain(): number {
		return this.#uncertain.reduce((sum, { queries }) => sum + queries, 0);
	}

	#countItems(failed: FailedItemCounts): ItemCounts {
		const uncertain = this.#uncertainItems();
		const hasQuery = (index: number) =>
			this.#taken.has(index) || uncertain.has(index) || this.#known.billed(index) !== 0;
		const others = [...Array(this.#run.items).keys()].filter(
			(index) => !this.#given.has(index) && !this.#leftOut.has(index),
		);
		const withQuery = others.filter(hasQuery);
		const isServed = (index: number) =>
			this.#taken.get(index) === true && !uncertain.has(index) && this.#known.billed(index) === 0;
		const served = withQuery.filter(isServed).length;
		// a run that is stopped counts no failed items
		const isCounted = failed.all > 0;
		const unsent = Math.max(0, failed.unsent - served);
		return {
			all: this.#run.items - this.#leftOut.size,
			withQuery: this.#given.size + withQuery.length,
			unsent,
			refused: isCounted ? Math.max(0, failed.all - withQuery.length - unsent) : 0,
			failedAfterSending: isCounted ? withQuery.length - served : 0,
			failedWithReused: isCounted ? served : 0,
		};
	}

	/** Shows the receipt; returns what the run's error does not mention itself. */
	#end(failure: { index: number } | undefined, failed: FailedItemCounts): string {
		const cost = this.costOf();
		const text = runReceiptText({
			...{ mode: this.#run.mode, costText: cost.text },
			items: this.#countItems(failed),
			queries: this.#countQueries(cost),
			uncertain: this.#countUncertain(),
			pending: this.#pending.size,
			reusesByDefault: this.#reusesByDefault,
			isBuilding: this.#isBuilding,
			hasWaited: this.#hasWaited,
			itemsWithWarning: this.#warnedItems.size,
			warnings: [...this.#warnings],
			gaps: this.#known.gaps(),
		});
		if (text !== '') this.#run.hint(text);
		return failure ? this.#spentBefore(failure.index) : '';
	}

	#spentBefore(failing: number): string {
		return acceptedBeforeFailureText(
			[...this.#billed].flatMap(([index, own]) => (index === failing ? [] : own)),
			[...this.#uncertainItems()].filter((index) => index !== failing).map(numberOf),
		);
	}
}

const isSending = (one: Sending, submission: { sentAt: number }): boolean =>
	one.submission === submission && one.sentAt === submission.sentAt;

/** Operators count items from 1. */
const numberOf = (index: number) => index + 1;
