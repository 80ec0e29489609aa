import type { IDataObject } from 'n8n-workflow';

/** One page of a list, and how many rows the whole list has by this answer. */
export interface Page {
	rows: IDataObject[];
	total: number;
}

/** Reads one page; `limit` and `offset` count rows. */
export type ReadPage = (limit: number, offset: number) => Promise<Page>;

/** §4.4, §4.6, §4.8: no page is larger. */
const LARGEST_PAGE = 100;
/** Enough to hide the latency behind the pace: 10 pages per second at an answer time of 4 seconds. */
const CONCURRENCY = 40;

/**
 * Reads a list of pages, up to `wanted` rows (Infinity for all of them), in the list's order. The first page tells
 * the total; the others are asked for several at a time, and no more are held than are on their way.
 *
 * The list may change meanwhile: it is read to the end that the newest page tells, no row comes twice (by its
 * `id`), and rows that slipped from one page to another between two answers are looked up. `smallest` is the
 * smallest page that the service takes. Throws what `read` throws; then no further page is asked for.
 */
export async function readPages(
	read: ReadPage,
	wanted: number,
	smallest = 1,
): Promise<IDataObject[]> {
	const rows: IDataObject[] = [];
	const ids = new Set<unknown>();
	const onTheirWay: Array<{ limit: number; offset: number; page: Promise<Page> }> = [];
	const pageOf = (size: number) => Math.min(Math.max(size, smallest), LARGEST_PAGE);
	const add = (row: IDataObject) => {
		if (ids.has(row.id)) return;
		if (row.id !== undefined) ids.add(row.id);
		rows.push(row);
	};
	/** If the page before told of more rows than this one, so many are now on the other side of where they meet. */
	const addSlipped = async (meet: number, slipped: number) => {
		const until = meet + slipped;
		for (let at = Math.max(0, meet - slipped); slipped > 0 && at < until; at += LARGEST_PAGE) {
			const page = await read(pageOf(until - at), at);
			page.rows.forEach(add);
			if (page.rows.length === 0) return;
		}
	};
	let total = 1; // as the newest page tells; until the first has told, only that one is asked for
	let end = 1; // of what there is to ask for
	let offset = 0; // of the next page to ask for
	let expected = 0; // rows on their way

	for (;;) {
		while (onTheirWay.length < CONCURRENCY && offset < end && rows.length + expected < wanted) {
			const limit = pageOf(wanted - rows.length - expected);
			const page = read(limit, offset);
			page.catch(() => {}); // it is awaited in its turn
			onTheirWay.push({ limit, offset, page });
			offset += limit;
			expected += limit;
		}
		const next = onTheirWay.shift();
		if (!next) return rows.slice(0, wanted);

		const page = await next.page;
		expected -= next.limit;
		if (next.offset > 0) await addSlipped(next.offset, total - page.total);
		page.rows.forEach(add);
		total = page.total;
		end = page.rows.length > 0 ? total : Math.min(total, next.offset);
	}
}
