import type { IDataObject } from 'n8n-workflow';
import type { RowsPage } from './rows';
import { idText } from '../utils/primitiveText';

/** `limit` and `offset` count rows. */
export type ReadPageAtOffset = (limit: number, offset: number) => Promise<RowsPage>;

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
export const LARGEST_PAGE = 100;
/** Enough to hide the latency behind the pace: 10 pages per second at a response time of 4 seconds. */
const PAGES_AT_A_TIME = 40;
/** A list that changes is gone through for rows that moved so often. */
const MAX_ROUNDS = 3;

/**
 * Reads the wanted rows of a list, page by page. The first page gives the size of a page and the total; the others are
 * requested side by side. Where the total may count the page alone, one page follows the other until one is short. Rows
 * may move meanwhile: each ID comes out once, and the pages at an edge are read again where the total falls between them. Throws what
 * `read` throws, and an IncompleteList instead of fewer rows than the service reports.
 */
export async function* readPages(
	read: ReadPageAtOffset,
	range: WantedRowsOfList,
): AsyncGenerator<IDataObject[]> {
	const { startAt, wanted, smallestPage = 1, usualPage } = range;
	const pageSize = (rows: number) => Math.min(Math.max(rows, smallestPage), LARGEST_PAGE);
	const readRows = async (rows: number, offset: number) => await read(pageSize(rows), offset);
	const first = await readRows(wanted, startAt);
	const { length: size } = first.rows;
	if (first.total === undefined && size < wanted) throw new IncompleteList(size);
	const isFull = size >= pageSize(wanted) || size === usualPage;
	const list = new ListLength(first, startAt, isFull);
	const seen = new Set<string>();
	const incomplete = () => new IncompleteList(seen.size, list.total - startAt);
	if (size === 0 && list.total > startAt) throw incomplete();
	const take = ({ rows }: RowsPage) =>
		rows.filter(({ id }) => seen.size < wanted && !seen.has(idText(id)) && seen.add(idText(id)));
	if (size > 0) yield take(first);
	for (let round = 0; round < MAX_ROUNDS && seen.size < wanted; round++) {
		const before = seen.size;
		list.isWhole = true;
		const pages = requestPages(readRows, {
			size,
			from: startAt + (round === 0 ? size : 0),
			end: () => list.end,
			// behind the first round, rows that have come out are among those that are read
			left: () => (round === 0 ? wanted - seen.size : size),
		});
		for await (const requested of pages) {
			const { offset, page } = requested;
			const fallenBy = list.update(requested);
			if (list.isShort(requested)) throw incomplete();
			// rows have slipped over the edge between two pages, backward or forward by the order of reading
			const edge = Math.max(startAt, offset - Math.max(fallenBy, size));
			for (let at = edge; fallenBy > 0 && at <= offset; at += size)
				yield take(await readRows(size, at));
			const fresh = take(page);
			const isAgain = page.rows.length > 0 && fresh.length === 0 && seen.size < wanted;
			const isFirst = round === 0 && isAgain && isSameRow(page.rows[0], first.rows[0]);
			if (isFirst || (isAgain && !list.isCounted)) throw incomplete();
			if (fresh.length > 0) yield fresh;
		}
		if (list.isWhole && seen.size >= list.owed - startAt) break;
		if (seen.size === before && round > 0) break;
	}
	if (seen.size < Math.min(wanted, list.owed - startAt)) throw incomplete();
}

interface RequestedPage {
	offset: number;
	requested: number;
	page: RowsPage;
}

/** How long a list is, by the pages read so far. Offsets and counts are from the beginning of the list. */
class ListLength {
	/** The number of rows by the newest page. */
	total: number;
	/** The lowest total over all pages: a row that has come meanwhile is not owed. */
	owed: number;
	/** No page begins here or behind. */
	end: number;
	/** No page was empty, so that nothing is gone unnoticed. */
	isWhole = true;
	/** Totals count the list; otherwise they may count the page alone, and a short page ends the list. */
	readonly isCounted: boolean;
	readonly #size: number;

	constructor({ rows, total }: RowsPage, startAt: number, isFull: boolean) {
		this.#size = rows.length;
		const read = startAt + rows.length;
		this.owed = this.total = total ?? read;
		this.isCounted = this.total > read;
		this.end = this.isCounted ? this.total : read + (isFull ? rows.length : 0);
	}

	/** Takes over what a page says. Returns by how many rows the list has become shorter since the page before. */
	update({ offset, requested, page: { rows, total } }: RequestedPage): number {
		const { length } = rows;
		// a total that its own page contradicts does not count the list; behind the end, some report none
		const reported = length > 0 && (total ?? 0) >= offset + length ? total : undefined;
		if (!this.isCounted) {
			this.owed = this.total = Math.max(this.total, reported ?? 0);
			this.end = offset + (length < requested ? length : 2 * this.#size);
			return 0;
		}
		if (length === 0) {
			this.isWhole = false;
			this.end = offset;
			return 0;
		}
		const fallenBy = this.end - (reported ?? this.end);
		this.end = this.total = reported ?? this.end;
		this.owed = Math.min(this.owed, this.total);
		return fallenBy;
	}

	/** The list has more rows at the page's place. */
	isShort({ offset, requested, page: { rows } }: RequestedPage): boolean {
		return (
			rows.length > 0 && this.isCounted && rows.length < Math.min(requested, this.end - offset)
		);
	}
}

const isSameRow = (one: IDataObject, other: IDataObject): boolean =>
	idText(one.id) === idText(other.id);

/** The pages up to an end that each of them may move, in order, side by side. */
async function* requestPages(
	readRows: ReadPageAtOffset,
	{ size, from, end, left }: { size: number; from: number; end(): number; left(): number },
): AsyncGenerator<RequestedPage> {
	const inFlight: Array<{ offset: number; requested: number; page: Promise<RowsPage> }> = [];
	let [offset, expected] = [from, 0];
	for (;;) {
		while (inFlight.length < PAGES_AT_A_TIME && offset < end() && left() - expected > 0) {
			const requested = Math.min(size, left() - expected);
			const page = readRows(requested, offset);
			page.catch(() => {}); // it is awaited in its turn
			inFlight.push({ offset, requested, page });
			offset += requested;
			expected += requested;
		}
		const next = inFlight.shift();
		if (!next) return;
		const page = await next.page;
		expected -= next.requested;
		yield { ...next, page };
	}
}
