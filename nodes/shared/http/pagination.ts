import type { IDataObject } from 'n8n-workflow';
import type { RowsPage } from './readRows';
import { idText } from '../utils/text';

/** Reads one page; `limit` and `offset` count rows. */
export type ReadPage = (limit: number, offset: number) => Promise<RowsPage>;

/** Describes which rows of a list are wanted. */
export interface Range {
	/** Rows from the beginning that are passed over. */
	startAt: number;
	/** Says how many at most; Infinity for all that follow. */
	wanted: number;
	/** The smallest page that the service takes. */
	smallestPage?: number;
	/** Counts the rows of a page without a requested size. */
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
export async function* readPages(read: ReadPage, range: Range): AsyncGenerator<IDataObject[]> {
	const { startAt, wanted, smallestPage = 1, usualPage } = range;
	const sizeOf = (rows: number) => Math.min(Math.max(rows, smallestPage), LARGEST_PAGE);
	/** A total counts rows of the list only where the page does not contradict it. */
	const readRows = async (rows: number, offset: number): Promise<RowsPage> => {
		const page = await read(sizeOf(rows), offset);
		const { length } = page.rows;
		const isReported = page.total !== undefined && (length > 0 || offset === startAt);
		const isContradicted = isReported && offset > startAt && (page.total ?? 0) < offset + length;
		return isReported && !isContradicted ? page : { rows: page.rows };
	};
	const first = await readRows(wanted, startAt);
	const { length: size } = first.rows;
	const end = startAt + size;
	const isFull = size >= sizeOf(wanted) || size === usualPage;
	const { total: reported = Infinity } = first;
	if (size > 0 && reported <= end) {
		const mayFollow = isFull && size < wanted;
		const next = mayFollow ? await readRows(Math.min(size, wanted - size), end) : undefined;
		if (reported < end || (next && next.rows.length > 0)) {
			return yield* readUntilShort(readRows, range, next ? [first, next] : [first]);
		}
	}
	if (first.total === undefined && size < wanted) throw new IncompleteList(size);
	const whole = first.total ?? startAt + size;
	/** Counts the rows by the newest page, and the fewest over all pages. */
	let [total, least] = [whole, whole];
	/** IDs of the rows that have come out. */
	const seen = new Set<string>();
	const there = () => Math.max(0, total - startAt);
	const incomplete = (given: number) => new IncompleteList(given, there());
	if (size > there() || (size === 0 && there() > 0)) throw incomplete(size);
	const left = () => wanted - seen.size;
	/** Too few rows were added in front for the first row to be there: the service ignores the offset. */
	const isFirstAgain = ({ rows: [row], total: reported = total }: RowsPage, offset: number) =>
		offset > startAt &&
		reported - whole < offset - startAt &&
		row !== undefined &&
		idText(row.id) === idText(first.rows[0].id);

	/** The rows of a page that have not come out yet. */
	const take = ({ rows }: RowsPage) =>
		rows.filter(({ id }) => left() > 0 && !seen.has(idText(id)) && seen.add(idText(id)));

	/** The pages from an offset on, in order, side by side: of the rows that are wanted, or whole ones up to `until`. */
	async function* pages(from: number, until: number) {
		const onTheirWay: Array<{ offset: number; rows: number; page: Promise<RowsPage> }> = [];
		let [offset, expected] = [from, 0];
		for (;;) {
			const wantedRows = () => (until === Infinity ? left() - expected : size);
			while (
				onTheirWay.length < CONCURRENCY &&
				offset < Math.min(total, until) &&
				wantedRows() > 0
			) {
				const rows = Math.min(size, wantedRows());
				const page = readRows(rows, offset);
				page.catch(() => {}); // it is awaited in its turn
				onTheirWay.push({ offset, rows, page });
				offset += rows;
				expected += rows;
			}
			const next = onTheirWay.shift();
			if (!next) return;
			const page = await next.page;
			expected -= next.rows;
			yield { ...next, page };
		}
	}

	/**
	 * Returns the rows from an offset on that have not come out yet. A page may report fewer rows than the page
	 * before. Then rows have slipped across the edge between them, backward or forward by the order of reading.
	 */
	async function* rowsFrom(from: number, until = Infinity): AsyncGenerator<IDataObject[]> {
		for await (const { offset, rows, page } of pages(from, until)) {
			let reported = page.total ?? total;
			// an empty page does not say how many rows are left, the first page does
			if (page.rows.length === 0) reported = (await readRows(size, startAt)).total ?? reported;
			const gone = total - reported;
			if (gone > 0 || until === Infinity) total = reported; // a page that is read again is newer than those in flight
			least = Math.min(least, total);
			const isShort = page.rows.length < Math.min(rows, reported - offset);
			if (isShort || isFirstAgain(page, offset)) throw incomplete(seen.size);
			const edge = Math.max(startAt, offset - Math.max(gone, size));
			if (gone > 0) yield* rowsFrom(edge, offset + gone);
			const taken = take(page);
			if (taken.length > 0) yield taken;
		}
	}

	if (size > 0) yield take(first);
	for (let round = 0; round < MAX_ROUNDS; round++) {
		const before = seen.size;
		yield* rowsFrom(startAt + (round === 0 ? size : 0));
		if (seen.size >= Math.min(wanted, least - startAt)) return;
		if (seen.size === before) break;
	}
	throw incomplete(seen.size);
}

/**
 * Reads one page after the other until one is shorter than requested, because the totals do not count the list.
 * `begun` holds the pages read so far; if it is the first alone, that one is short.
 */
async function* readUntilShort(
	readRows: ReadPage,
	{ startAt, wanted }: Range,
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
