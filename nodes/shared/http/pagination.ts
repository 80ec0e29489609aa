import type { IDataObject } from 'n8n-workflow';
import type { RowsPage } from './rows';
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
/** Limits how often a list that changes is gone through for rows that moved. */
const MAX_ROUNDS = 3;

/**
 * Reads the wanted rows of a list, page by page. The first page gives the size of a page and the total; the others are
 * requested side by side. Where the total may count the page alone, one page follows the other until one is short. Rows
 * may move meanwhile: each ID comes out once, and the pages at an edge are read again where the total falls between them. Throws what
 * `read` throws, and an IncompleteList instead of fewer rows than the service reports.
 */
export async function* readPages(
	read: ReadPageAtOffset,
	{ startAt, wanted, smallestPage = 1, usualPage }: WantedRowsOfList,
): AsyncGenerator<IDataObject[]> {
	const pageSize = (rows: number) => Math.min(Math.max(rows, smallestPage), LARGEST_PAGE);
	const readRows = async (rows: number, offset: number) => await read(pageSize(rows), offset);
	const first = await readRows(wanted, startAt);
	const { length: size } = first.rows;
	if (first.total === undefined && size < wanted) throw new IncompleteList(size);
	/** The number of rows by the newest page, and the lowest over all pages: a row that has come meanwhile is not owed. */
	let total = first.total ?? startAt + size;
	let owed = total;
	const seen = new Set<string>();
	const incomplete = () => new IncompleteList(seen.size, total - startAt);
	if (size === 0 && total > startAt) throw incomplete();
	const take = ({ rows }: RowsPage) =>
		rows.filter(({ id }) => seen.size < wanted && !seen.has(idText(id)) && seen.add(idText(id)));
	if (size > 0) yield take(first);
	const isCounted = total > startAt + size;
	const mayFollow = size > 0 && (size >= pageSize(wanted) || size === usualPage);
	let end = isCounted ? total : startAt + (mayFollow ? 2 * size : size);
	for (let round = 0; round < MAX_ROUNDS && seen.size < wanted; round++) {
		const before = seen.size;
		let isWhole = true;
		const pages = requestPages(readRows, {
			size,
			from: startAt + (round === 0 ? size : 0),
			end: () => end,
			// behind the first round, rows that have come out are among those that are read
			left: () => (round === 0 ? wanted - seen.size : size),
		});
		for await (const { offset, requested, page } of pages) {
			const { length } = page.rows;
			// a total that its own page contradicts does not count the list; behind the end, some report none
			const reported = length > 0 && (page.total ?? 0) >= offset + length ? page.total : undefined;
			if (!isCounted) {
				owed = total = Math.max(total, reported ?? 0);
				end = offset + (length < requested ? length : 2 * size);
			} else if (length === 0) {
				isWhole = false;
				end = offset;
			} else {
				const fallenBy = end - (reported ?? end);
				end = total = reported ?? end;
				owed = Math.min(owed, total);
				if (length < Math.min(requested, end - offset)) throw incomplete();
				// rows have slipped over the edge between two pages, backward or forward by the order of reading
				const edge = Math.max(startAt, offset - Math.max(fallenBy, size));
				for (let at = edge; fallenBy > 0 && at <= offset; at += size)
					yield take(await readRows(size, at));
			}
			const fresh = take(page);
			const isAgain = length > 0 && fresh.length === 0 && seen.size < wanted;
			const isFirst = round === 0 && isAgain && isSameRow(page.rows[0], first.rows[0]);
			if (isFirst || (isAgain && !isCounted)) throw incomplete();
			if (fresh.length > 0) yield fresh;
		}
		if (isWhole && seen.size >= owed - startAt) break;
		if (seen.size === before && round > 0) break;
	}
	if (seen.size < Math.min(wanted, owed - startAt)) throw incomplete();
}

const isSameRow = (one: IDataObject, other: IDataObject): boolean =>
	idText(one.id) === idText(other.id);

/** The pages up to an end that each of them may move, in order, side by side. */
async function* requestPages(
	readRows: ReadPageAtOffset,
	{ size, from, end, left }: { size: number; from: number; end(): number; left(): number },
) {
	const inFlight: Array<{ offset: number; requested: number; page: Promise<RowsPage> }> = [];
	let [offset, expected] = [from, 0];
	for (;;) {
		while (inFlight.length < CONCURRENCY && offset < end() && left() - expected > 0) {
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
