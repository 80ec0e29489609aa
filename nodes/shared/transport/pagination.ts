import type { IDataObject } from 'n8n-workflow';

/** One page of a list, and how many rows the whole list has by this answer. */
export interface Page {
	rows: IDataObject[];
	total: number;
}

/** Reads one page; `limit` and `offset` count rows. */
type ReadPage = (limit: number, offset: number) => Promise<Page>;

/** Which rows of a list are wanted. */
export interface Range {
	/** Rows from the beginning that are passed over. */
	startAt: number;
	/** How many at most; Infinity for all that follow. */
	wanted: number;
	/** The smallest page that the service takes. */
	smallestPage?: number;
}

/** CP §4.4, §4.6, §4.8: no page is larger. */
const LARGEST_PAGE = 100;
/** Enough to hide the latency behind the pace: 10 pages per second at an answer time of 4 seconds. */
const CONCURRENCY = 40;

/**
 * Reads the rows of a list that are wanted, in the list's order, a page after the other. The first page tells the
 * total; the others are asked for several at a time, and no more are held than are on their way.
 *
 * The list may change meanwhile: it is read to the end that the newest page tells, no row comes twice (by its `id`),
 * and rows that slipped from one page to another between two answers are looked up. Throws what `read` throws; then
 * no further page is asked for.
 */
export async function* readPages(
	read: ReadPage,
	{ startAt, wanted, smallestPage = 1 }: Range,
): AsyncGenerator<IDataObject[]> {
	const ids = new Set<unknown>();
	const onTheirWay: Array<{ limit: number; offset: number; page: Promise<Page> }> = [];
	const sizeOf = (rows: number) => Math.min(Math.max(rows, smallestPage), LARGEST_PAGE);
	let fresh: IDataObject[] = []; // rows that were not there before
	const add = (row: IDataObject) => {
		if (ids.has(row.id)) return;
		if (row.id !== undefined) ids.add(row.id);
		fresh.push(row);
	};
	/** If the page before told of more rows than this one, so many are now on the other side of where they meet. */
	const addSlipped = async (meet: number, slipped: number) => {
		const until = meet + slipped;
		for (
			let at = Math.max(startAt, meet - slipped);
			slipped > 0 && at < until;
			at += LARGEST_PAGE
		) {
			const page = await read(sizeOf(until - at), at);
			page.rows.forEach(add);
			if (page.rows.length === 0) return;
		}
	};
	let total = startAt + 1; // as the newest page tells; until the first has told, only that one is asked for
	let end = total; // of what there is to ask for
	let offset = startAt; // of the next page to ask for
	let expected = 0; // rows on their way
	let given = 0;

	for (;;) {
		while (onTheirWay.length < CONCURRENCY && offset < end && given + expected < wanted) {
			const limit = sizeOf(wanted - given - expected);
			const page = read(limit, offset);
			page.catch(() => {}); // it is awaited in its turn
			onTheirWay.push({ limit, offset, page });
			offset += limit;
			expected += limit;
		}
		const next = onTheirWay.shift();
		if (!next) return;

		const page = await next.page;
		expected -= next.limit;
		if (next.offset > startAt) await addSlipped(next.offset, total - page.total);
		page.rows.forEach(add);
		total = page.total;
		end = page.rows.length > 0 ? total : Math.min(total, next.offset);
		const rows = fresh.slice(0, wanted - given);
		fresh = [];
		given += rows.length;
		if (rows.length > 0) yield rows;
	}
}
