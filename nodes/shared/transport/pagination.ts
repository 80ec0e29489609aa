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
 * and the total; the others are asked for side by side. Rows may move while the list is read: each ID comes out once,
 * and what slipped over the edge of a page is looked up. Throws what `read` throws, and an IncompleteList rather than
 * end with fewer rows than the service reports.
 */
export async function* readPages(
	read: ReadPage,
	{ startAt, wanted, smallestPage = 1 }: Range,
): AsyncGenerator<IDataObject[]> {
	const limitFor = (rows: number) => Math.min(Math.max(rows, smallestPage), LARGEST_PAGE);
	const seen = new Set<string>();
	const left = () => wanted - seen.size;
	/** The rows of a page that have not come out yet. */
	const take = ({ rows }: Page): IDataObject[] =>
		rows.filter(({ id }) => left() > 0 && !seen.has(idText(id)) && seen.add(idText(id)));

	const first = await read(limitFor(wanted), startAt);
	const edge = idText(first.rows[0]?.id);
	const size = first.rows.length;
	if (first.total === undefined && size < wanted) throw new IncompleteList(size);
	const whole = first.total ?? startAt + size;
	let total = whole; // as the newest page reports it
	let least = whole; // so many rows were there all the time
	const there = () => Math.max(0, total - startAt);
	if (size > there() || (size === 0 && there() > 0)) throw new IncompleteList(size, there());
	if (size > 0) yield take(first);

	/** A page behind the first. It is broken where rows are missing in it, or it is the first one again. */
	async function next(offset: number, rows: number): Promise<NextPage> {
		const page = await read(limitFor(rows), offset);
		const { total: reported = total } = page;
		const isShort = page.rows.length < Math.min(rows, reported - offset);
		const canHaveMoved = offset === startAt || reported - whole >= offset - startAt;
		const isFirstAgain = !canHaveMoved && page.rows.length > 0 && idText(page.rows[0].id) === edge;
		return { ...page, total: reported, offset, isBroken: isShort || isFirstAgain };
	}

	/** The pages from an offset on, in order, side by side. */
	async function* pages(from: number): AsyncGenerator<NextPage> {
		const onTheirWay: Array<{ rows: number; page: Promise<NextPage> }> = [];
		let [offset, expected] = [from, 0];
		for (;;) {
			while (onTheirWay.length < CONCURRENCY && offset < total && expected < left()) {
				const rows = Math.min(size, left() - expected);
				const page = next(offset, rows);
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

	/**
	 * Where a page reports fewer rows than the page before, so many have slipped across the edge between them: before it,
	 * or behind it where the page was read first. They may slip on meanwhile, so a whole page is read.
	 */
	async function* slipped(edgeAt: number, count: number): AsyncGenerator<IDataObject[]> {
		for (let at = Math.max(startAt, edgeAt - Math.max(count, size)); at < edgeAt + count;) {
			const page = await read(limitFor(size), at);
			const gone = total - (page.total ?? total);
			if (gone > 0) {
				total -= gone;
				least = Math.min(least, total);
				yield* slipped(at, gone);
			}
			const rows = take(page);
			if (rows.length > 0) yield rows;
			if (page.rows.length === 0) return;
			at += page.rows.length;
		}
	}

	for (let round = 0; round < MAX_ROUNDS; round++) {
		for await (const page of pages(round === 0 ? startAt + size : startAt)) {
			if (page.isBroken) throw new IncompleteList(seen.size, page.total - startAt);
			const gone = total - page.total;
			total = page.total;
			least = Math.min(least, total);
			if (gone > 0) yield* slipped(page.offset, gone);
			const rows = take(page);
			if (rows.length > 0) yield rows;
		}
		if (seen.size >= Math.min(wanted, least - startAt)) return;
	}
	throw new IncompleteList(seen.size, there());
}

interface NextPage extends Required<Page> {
	offset: number;
	isBroken: boolean;
}
