import type { IDataObject } from 'n8n-workflow';
import type { RowsPage } from './extractRowsOrProblem';
import { idText } from '../utils/primitiveText';

/** Reads one page; `limit` and `offset` count rows. */
export type ReadPageAtOffset = (limit: number, offset: number) => Promise<RowsPage>;

/** The wanted rows of a list. */
export interface WantedRowsOfList {
	/** Rows from the beginning that are passed over. */
	startAt: number;
	/** The most rows to read; Infinity reads all that follow. */
	wanted: number;
	/** The smallest page that the service takes. */
	smallestPage?: number;
	/** The number of rows in a page without a requested size. */
	usualPage?: number;
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
/** Limits how often a list that changes is gone through for rows that moved unnoticed. */
const MAX_ROUNDS = 3;

/**
 * Reads the wanted rows of a list, page by page, in the list's order. The first page gives the size of a page and the
 * total; the others are requested concurrently. Rows may move meanwhile: each ID comes out once, and rows that
 * slipped over a page's edge are read again. A total that never exceeds a full page may count the page alone, so the
 * next page is read, too. Throws what `read` throws, and an IncompleteList instead of fewer rows than the service
 * reports.
 */
export async function* readPages(
	read: ReadPageAtOffset,
	range: WantedRowsOfList,
): AsyncGenerator<IDataObject[]> {
	const readRows = withCheckedTotal(read, range);
	const first = await readRows(range.wanted, range.startAt);
	const uncounted = await readBeyondTotal(readRows, range, first);
	if (uncounted) return yield* readUntilShort(readRows, range, uncounted);
	const { length } = first.rows;
	if (first.total === undefined && length < range.wanted) throw new IncompleteList(length);
	yield* new CountedList(readRows, range, first).read();
}

/** Returns how many rows a page has that is to hold this many. */
const pageSize = (rows: number, { smallestPage = 1 }: WantedRowsOfList): number =>
	Math.min(Math.max(rows, smallestPage), LARGEST_PAGE);

/** Leaves out a page's total where the page contradicts it, because that does not count the rows of the list. */
const withCheckedTotal =
	(read: ReadPageAtOffset, range: WantedRowsOfList): ReadPageAtOffset =>
	async (rows, offset) => {
		const page = await read(pageSize(rows, range), offset);
		const { length } = page.rows;
		const isReported = page.total !== undefined && (length > 0 || offset === range.startAt);
		const isContradicted =
			isReported && offset > range.startAt && (page.total ?? 0) < offset + length;
		return isReported && !isContradicted ? page : { rows: page.rows };
	};

/** Returns the pages that were read where totals do not count the list; undefined where they seem to. */
async function readBeyondTotal(
	readRows: ReadPageAtOffset,
	range: WantedRowsOfList,
	first: RowsPage,
): Promise<RowsPage[] | undefined> {
	const { startAt, wanted, usualPage } = range;
	const { length: size } = first.rows;
	const end = startAt + size;
	const { total: reported = Infinity } = first;
	if (size === 0 || reported > end) return undefined;
	const isFull = size >= pageSize(wanted, range) || size === usualPage;
	const mayFollow = isFull && size < wanted;
	const next = mayFollow ? await readRows(Math.min(size, wanted - size), end) : undefined;
	if (reported === end && !next?.rows.length) return undefined;
	return next ? [first, next] : [first];
}

/** A page that was requested, and how many rows of it are wanted. */
interface RequestedPage {
	offset: number;
	rows: number;
	page: Promise<RowsPage>;
}

/** A list whose total counts its rows, so that its pages can be requested side by side. */
class CountedList {
	readonly #readRows: ReadPageAtOffset;
	readonly #startAt: number;
	readonly #wanted: number;
	readonly #first: RowsPage;
	/** The number of rows of a page. */
	readonly #size: number;
	/** The number of rows of the list by the first page. */
	readonly #whole: number;
	/** The number of rows by the newest page, and the lowest over all pages. */
	#total: number;
	#least: number;
	/** IDs of the rows that have come out. */
	readonly #seen = new Set<string>();

	constructor(readRows: ReadPageAtOffset, { startAt, wanted }: WantedRowsOfList, first: RowsPage) {
		this.#readRows = readRows;
		this.#startAt = startAt;
		this.#wanted = wanted;
		this.#first = first;
		this.#size = first.rows.length;
		this.#whole = this.#total = this.#least = first.total ?? startAt + this.#size;
	}

	/** Reads the wanted rows in order. A list that changed is gone through again for rows that moved unnoticed. */
	async *read(): AsyncGenerator<IDataObject[]> {
		const [size, startAt] = [this.#size, this.#startAt];
		const reported = this.#reported;
		if (size > reported || (size === 0 && reported > 0)) throw this.#incomplete(size);
		if (size > 0) yield this.#take(this.#first);
		for (let round = 0; round < MAX_ROUNDS; round++) {
			const before = this.#seen.size;
			yield* this.#rowsFrom(startAt + (round === 0 ? size : 0));
			if (this.#seen.size >= Math.min(this.#wanted, this.#least - startAt)) return;
			if (this.#seen.size === before) break;
		}
		throw this.#incomplete();
	}

	/** The number of rows that the service reports from the beginning of the range on. */
	get #reported(): number {
		return Math.max(0, this.#total - this.#startAt);
	}

	get #left(): number {
		return this.#wanted - this.#seen.size;
	}

	#incomplete(given = this.#seen.size): IncompleteList {
		return new IncompleteList(given, this.#reported);
	}

	/** Returns the rows of a page that have not come out yet. */
	#take({ rows }: RowsPage): IDataObject[] {
		const seen = this.#seen;
		return rows.filter(({ id }) => this.#left > 0 && !seen.has(idText(id)) && seen.add(idText(id)));
	}

	/**
	 * Returns the rows from an offset on that have not come out yet. A page may report fewer rows than the page
	 * before. Then rows have slipped across the edge between them, backward or forward by the order of reading.
	 */
	async *#rowsFrom(from: number, until = Infinity): AsyncGenerator<IDataObject[]> {
		for await (const { offset, rows, page } of this.#pages(from, until)) {
			const reported = await this.#totalAfter(page);
			const gone = this.#total - reported;
			if (gone > 0 || until === Infinity) this.#total = reported; // a page that is read again is newer than those in flight
			this.#least = Math.min(this.#least, this.#total);
			const isShort = page.rows.length < Math.min(rows, reported - offset);
			if (isShort || this.#isFirstAgain(page, offset)) throw this.#incomplete();
			const edge = Math.max(this.#startAt, offset - Math.max(gone, this.#size));
			if (gone > 0) yield* this.#rowsFrom(edge, offset + gone);
			const taken = this.#take(page);
			if (taken.length > 0) yield taken;
		}
	}

	/** Returns the total by a page. An empty page does not say how many rows are left; the first page does. */
	async #totalAfter(page: RowsPage): Promise<number> {
		const reported = page.total ?? this.#total;
		if (page.rows.length > 0) return reported;
		return (await this.#readRows(this.#size, this.#startAt)).total ?? reported;
	}

	/** Too few rows were added in front for the first row to be there: the service ignores the offset. */
	#isFirstAgain({ rows: [row], total = this.#total }: RowsPage, offset: number): boolean {
		return (
			offset > this.#startAt &&
			total - this.#whole < offset - this.#startAt &&
			row !== undefined &&
			idText(row.id) === idText(this.#first.rows[0].id)
		);
	}

	/** The pages from an offset on, in order, side by side: of the rows that are wanted, or whole ones up to `until`. */
	async *#pages(from: number, until: number) {
		const requested: RequestedPage[] = [];
		let [offset, expected] = [from, 0];
		const wantedRows = () => (until === Infinity ? this.#left - expected : this.#size);
		const mayRequest = () =>
			requested.length < CONCURRENCY && offset < Math.min(this.#total, until) && wantedRows() > 0;
		for (;;) {
			while (mayRequest()) {
				const rows = Math.min(this.#size, wantedRows());
				const page = this.#readRows(rows, offset);
				page.catch(() => {}); // it is awaited in its turn
				requested.push({ offset, rows, page });
				offset += rows;
				expected += rows;
			}
			const next = requested.shift();
			if (!next) return;
			const page = await next.page;
			expected -= next.rows;
			yield { ...next, page };
		}
	}
}

/**
 * Reads one page after the other until one is shorter than requested, because the totals do not count the list.
 * `begun` holds the pages read so far; if it is the first alone, that one is short.
 */
async function* readUntilShort(
	readRows: ReadPageAtOffset,
	{ startAt, wanted }: WantedRowsOfList,
	begun: RowsPage[],
): AsyncGenerator<IDataObject[]> {
	const size = begun[0].rows.length;
	const seen = new Set<string>();
	let [rowsRead, total] = [0, 0];
	for (let number = 0; ; number++) {
		const requested = Math.min(size, wanted - seen.size);
		const { rows, total: reported = 0 } =
			begun[number] ?? (await readRows(requested, startAt + rowsRead));
		rowsRead += rows.length;
		total = Math.max(total, reported);
		const fresh = rows.filter(({ id }) => !seen.has(idText(id)) && seen.add(idText(id)));
		const isAgain = rows.length > 0 && fresh.length === 0;
		const isShort = begun.length === 1 || rows.length < requested;
		const isWhole = isShort && startAt + rowsRead >= total;
		if (isAgain || (rows.length === 0 && !isWhole)) throw new IncompleteList(seen.size, total);
		const surplus = Math.max(0, seen.size - wanted);
		if (fresh.length > surplus) yield fresh.slice(0, fresh.length - surplus);
		if (isWhole || seen.size >= wanted) return;
	}
}
