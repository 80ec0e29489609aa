import type { IDataObject } from 'n8n-workflow';
import type { Page } from '../http/read';
import { idText } from '../utils/text';

/** Reads one page; `limit` and `offset` count rows. */
export type ReadPage = (limit: number, offset: number) => Promise<Page>;

/** Which rows of a list are wanted. */
export interface Range {
	/** Rows from the beginning that are passed over. */
	startAt: number;
	/** How many at most; Infinity for all that follow. */
	wanted: number;
	/** The smallest page that the service takes. */
	smallestPage?: number;
}

/** Fewer rows came than the service reports; `total` is undefined where it reports none. */
export class IncompleteList extends Error {
	constructor(
		readonly given: number,
		readonly total?: number,
	) {
		super();
	}
}

/** CP §4.4, §4.6, §4.8: no page is larger. */
const LARGEST_PAGE = 100;
/** Enough to hide the latency behind the pace: 10 pages per second at a response time of 4 seconds. */
const CONCURRENCY = 40;
/** How often a list that changes is gone through for rows that moved unnoticed. */
const MAX_ROUNDS = 3;

/**
 * Reads the wanted rows of a list, a page after the other, in the list's order. The first page gives the size of a page
 * and the total; the others are requested side by side. Rows may move while the list is read: each ID comes out once,
 * and what slipped over the edge of a page is looked up. Throws what `read` throws, and an IncompleteList rather than
 * end with fewer rows than the service reports.
 */
export async function* readPages(read: ReadPage, range: Range): AsyncGenerator<IDataObject[]> {
	const first = await read(limitFor(range.wanted, range), range.startAt);
	const list = new ChangingList(read, range, first);
	if (first.rows.length > 0) yield list.take(first);
	for (let round = 0; round < MAX_ROUNDS; round++) {
		yield* list.rowsFrom(range.startAt + (round === 0 ? first.rows.length : 0));
		if (list.isDone) return;
	}
	throw list.incomplete();
}

const limitFor = (rows: number, { smallestPage = 1 }: Range): number =>
	Math.min(Math.max(rows, smallestPage), LARGEST_PAGE);

/** A page behind the first. */
interface NextPage extends Required<Page> {
	offset: number;
	/** Rows are missing in it, or it is the first page again. */
	isBroken: boolean;
}

/** A list whose rows may come, go and move while it is read. */
class ChangingList {
	/** IDs of the rows that have come out. */
	private readonly seen = new Set<string>();
	/** Rows of a page. */
	private readonly size: number;
	/** The ID of the first row. */
	private readonly edge: string;
	/** How many rows there were at first. */
	private readonly whole: number;
	/** How many rows there are, by the newest page. */
	private total: number;
	/** So many rows were there all the time. */
	private least: number;

	/** Throws an IncompleteList if the first page cannot be right. */
	constructor(
		private readonly read: ReadPage,
		private readonly range: Range,
		{ rows, total }: Page,
	) {
		const { startAt, wanted } = range;
		this.size = rows.length;
		this.edge = idText(rows[0]?.id);
		if (total === undefined && this.size < wanted) throw new IncompleteList(this.size);
		this.whole = this.total = this.least = total ?? startAt + this.size;
		const isOdd = this.size > this.there || (this.size === 0 && this.there > 0);
		if (isOdd) throw new IncompleteList(this.size, this.there);
	}

	/** All that is wanted has come out, of what was there all the time. */
	get isDone(): boolean {
		const { wanted, startAt } = this.range;
		return this.seen.size >= Math.min(wanted, this.least - startAt);
	}

	incomplete(): IncompleteList {
		return new IncompleteList(this.seen.size, this.there);
	}

	/** The rows of a page that have not come out yet. */
	take({ rows }: Page): IDataObject[] {
		return rows.filter(
			({ id }) => this.left > 0 && !this.seen.has(idText(id)) && this.seen.add(idText(id)),
		);
	}

	/** The rows from an offset on that have not come out yet, and those that slip over the edge of a page meanwhile. */
	async *rowsFrom(from: number): AsyncGenerator<IDataObject[]> {
		for await (const page of this.pages(from)) {
			if (page.isBroken) {
				throw new IncompleteList(this.seen.size, page.total - this.range.startAt);
			}
			const gone = this.total - page.total;
			this.report(page.total);
			if (gone > 0) yield* this.slipped(page.offset, gone);
			const rows = this.take(page);
			if (rows.length > 0) yield rows;
		}
	}

	private get left(): number {
		return this.range.wanted - this.seen.size;
	}

	private get there(): number {
		return Math.max(0, this.total - this.range.startAt);
	}

	/** The pages from an offset on, in order, side by side. */
	private async *pages(from: number): AsyncGenerator<NextPage> {
		const onTheirWay: Array<{ rows: number; page: Promise<NextPage> }> = [];
		let [offset, expected] = [from, 0];
		for (;;) {
			while (onTheirWay.length < CONCURRENCY && offset < this.total && expected < this.left) {
				const rows = Math.min(this.size, this.left - expected);
				const page = this.next(offset, rows);
				page.catch(() => {}); // it is awaited in its turn
				onTheirWay.push({ rows, page });
				offset += rows;
				expected += rows;
			}
			const one = onTheirWay.shift();
			if (!one) return;
			const page = await one.page;
			expected -= one.rows;
			yield page;
		}
	}

	private async next(offset: number, rows: number): Promise<NextPage> {
		const page = await this.read(limitFor(rows, this.range), offset);
		const { startAt } = this.range;
		const { total: reported = this.total } = page;
		const isShort = page.rows.length < Math.min(rows, reported - offset);
		const canHaveMoved = offset === startAt || reported - this.whole >= offset - startAt;
		const isEdge = page.rows.length > 0 && idText(page.rows[0].id) === this.edge;
		return { ...page, total: reported, offset, isBroken: isShort || (isEdge && !canHaveMoved) };
	}

	/**
	 * Where a page reports fewer rows than the page before, so many have slipped across the edge between them: before it,
	 * or behind it where the page was read first. They may slip on meanwhile, so a whole page is read.
	 */
	private async *slipped(edgeAt: number, count: number): AsyncGenerator<IDataObject[]> {
		const { range, size } = this;
		for (let at = Math.max(range.startAt, edgeAt - Math.max(count, size)); at < edgeAt + count;) {
			const page = await this.read(limitFor(size, range), at);
			const gone = this.total - (page.total ?? this.total);
			if (gone > 0) {
				this.report(this.total - gone);
				yield* this.slipped(at, gone);
			}
			const rows = this.take(page);
			if (rows.length > 0) yield rows;
			if (page.rows.length === 0) return;
			at += page.rows.length;
		}
	}

	/** A page reports so many rows. */
	private report(total: number): void {
		this.total = total;
		this.least = Math.min(this.least, total);
	}
}
