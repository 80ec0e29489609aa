import type { IDataObject } from 'n8n-workflow';
import { USUAL_SIZES } from '../http/envelope';
import { isRefusal } from './errors';
import {
	CHANGING,
	idOf,
	isPastEnd,
	notFromStartAt,
	REFUSED,
	rowKey,
	sameAgain,
	tells,
	type Page,
	type TotalledPage,
} from './pages';

export type { Page } from './pages';

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
	/** Told where rows may be missing. */
	onMissing?(message: string): void;
}

/** A page on its way; of so many rows it is asked for, `size` are expected. */
interface Asked {
	limit: number;
	size: number;
	offset: number;
	page: Promise<TotalledPage>;
	/** It lies beyond the total. */
	isBeyond?: true;
}

/** CP §4.4, §4.6, §4.8: no page is larger. */
const LARGEST_PAGE = 100;
/** Enough to hide the latency behind the pace: 10 pages per second at an answer time of 4 seconds. */
const CONCURRENCY = 40;
/** How many pages are looked at again at most, beside as many as the list has. */
const LOOKS = 100;

/**
 * Reads the rows of a list that are wanted, in the list's order, a page after the other. The first page tells the
 * total; the others are asked for several at a time, and no more are held than are on their way.
 *
 * The list may change meanwhile: it is read to the end that the newest page tells, no row comes twice (by its `id`),
 * and rows that slipped from one page to another between two answers are looked up. Where pages hold fewer rows than
 * asked for, the rest is asked for, and the next ones stand that much closer. Where the total is not told or untrue, or
 * a full page ends at it, it is read on until a page is empty, not found, or holds what is there already. Throws what
 * `read` throws, and a UserError if the first rows come whatever is asked for; then no further page is asked for.
 */
export async function* readPages(
	read: ReadPage,
	{ startAt, wanted, smallestPage = 1, onMissing }: Range,
): AsyncGenerator<IDataObject[]> {
	const ids = new Set<unknown>();
	const onTheirWay: Asked[] = [];
	const sizeOf = (rows: number) => Math.min(Math.max(rows, smallestPage), LARGEST_PAGE);
	let told: number | undefined; // the newest total
	/** A page not found behind the beginning is an empty one, if it is not found twice, or as the total says. */
	const tryRead = async (limit: number, at: number, isAgain = false): Promise<Page> =>
		await read(limit, at).catch(async (error: unknown) => {
			if (at === 0 || !isPastEnd(error)) throw error;
			if (isAgain || at >= (told ?? Infinity)) return { rows: [] };
			if (at === startAt) told = (await read(sizeOf(1), 0)).total; // throws where there is no such list
			return await tryRead(limit, at, true);
		});
	const readPage = async (limit: number, at: number): Promise<TotalledPage> => {
		const { rows, total = told } = await tryRead(limit, at);
		told = total;
		return { rows, total: total ?? at + rows.length, isTold: total !== undefined };
	};
	let fresh: IDataObject[] = []; // rows that were not there before
	const add = (row: IDataObject) => {
		const id = idOf(row);
		if (id !== undefined && ids.has(id)) return;
		if (id !== undefined) ids.add(id);
		fresh.push(row);
	};
	let last: unknown; // the last row so far
	/** What stands behind the last row that is there already. */
	const behindKnown = (rows: IDataObject[]) => {
		const isKnown = (row: IDataObject) => ids.has(idOf(row) ?? NaN) || rowKey(row) === last;
		return rows.slice(rows.map(isKnown).lastIndexOf(true) + 1);
	};
	/** Beyond its end a list may begin again somewhere, even before Start At. */
	const take = ({ rows }: Page, isBeyond = false) => {
		const behind = isBeyond || startAt > 0 ? behindKnown(rows) : rows;
		(isBeyond || behind.length === 0 ? behind : rows).forEach(add);
		if (rows.length > 0) last = rowKey(rows[rows.length - 1]);
	};
	let largest = LARGEST_PAGE; // that the service gives
	let [looks, isChanging] = [0, false]; // at pages again, and whether they were not enough
	/** If the page before told of more rows than this one, so many are now on the other side of where they meet. */
	const addSlipped = async (meet: number, slipped: number) => {
		const until = meet + slipped;
		let at = Math.max(startAt, meet - Math.max(slipped, largest)); // they may slip on while they are looked up
		while (slipped > 0 && at < until) {
			if (++looks > LOOKS + total / LARGEST_PAGE) return void (isChanging = true);
			const { rows } = await tryRead(LARGEST_PAGE, at);
			rows.forEach(add);
			if (rows.length === 0) return;
			at += rows.length;
		}
	};
	/** Whether "offset" moves the rows: the row before the first is none of them, or the next one is another. */
	const isMovedByOffset = async ({ rows }: Page) => {
		const page = await tryRead(sizeOf(1), startAt > 0 ? startAt - 1 : 1);
		const other = rowKey(page.rows[0]);
		return !(startAt > 0 ? rows : rows.slice(0, 1)).some((row) => rowKey(row) === other);
	};
	/** More rows than are left from Start At on: none may be left, the total untrue, or "offset" ignored. */
	const fromStart = async (page: TotalledPage): Promise<TotalledPage> => {
		const left = Math.max(0, page.total - startAt);
		const isTooMuch = page.rows.length > left;
		if (startAt === 0 && isTooMuch && page.rows.length > LARGEST_PAGE) {
			onMissing?.(`${tells(page)}, but gave ${page.rows.length} at once: more may follow.`);
		}
		const isSure = startAt === 0 || page.rows.length === 0 || (page.isTold && !isTooMuch);
		if (isSure || (await isMovedByOffset(page))) return page;
		if (left > 0 || page.rows.length >= page.total) throw notFromStartAt(page, left);
		onMissing?.(
			`${tells(page)}, so none are left from Start At on: those that it gave are left out.`,
		);
		return { ...page, rows: [] };
	};
	let first: unknown; // the first row
	const refuseSame = (page: TotalledPage, at: number) => {
		if (at === startAt) {
			first = rowKey(page.rows[0]);
		} else if (first !== undefined && rowKey(page.rows[0]) === first) {
			throw sameAgain(page, given + fresh.length);
		}
	};
	/**
	 * Adds what a page lacks; tells where the rows end and where no row was asked for. It asks for whole pages: the few
	 * next rows may be hidden, or be there already where offsets count hidden rows, too.
	 */
	const addRest = async (page: TotalledPage, { limit, size, offset }: Omit<Asked, 'page'>) => {
		let [newest, asked, at] = [page, limit, offset + page.rows.length];
		const lacks = () => at < Math.min(offset + size, newest.total);
		const isEnd = () => newest.rows.length === 0 && asked === LARGEST_PAGE;
		while (lacks() && !isEnd() && given + fresh.length < wanted) {
			asked = LARGEST_PAGE;
			const before = newest.total;
			newest = await readPage(asked, at);
			await addSlipped(at, before - newest.total);
			refuseSame(newest, at);
			take(newest);
			largest = Math.min(largest, Math.max(page.rows.length, newest.rows.length, 1));
			at += newest.rows.length;
		}
		const isFull = newest !== page && newest.rows.length === largest;
		return { at, end: isEnd() ? at : Infinity, total: newest.total, isFull };
	};
	let total = startAt + 1; // as the newest page tells; until the first has told, only that one is asked for
	let end = total; // of what there is to ask for
	let offset = startAt; // of the next page to ask for
	let expected = 0; // rows on their way
	let given = 0;
	let isTold = true;
	let beyond: number | undefined; // where the list may go on behind its total

	const ask = (how: Pick<Asked, 'isBeyond'> = {}) => {
		const limit = sizeOf(wanted - given - expected);
		const size = Math.min(limit, largest);
		const page = readPage(limit, offset);
		page.catch(() => {}); // it is awaited in its turn
		onTheirWay.push({ limit, size, offset, page, ...how });
		offset += size;
		expected += size;
	};

	for (;;) {
		while (onTheirWay.length < CONCURRENCY && offset < end && given + expected < wanted) ask();
		if (onTheirWay.length === 0 && beyond !== undefined && given < wanted) {
			offset = beyond;
			ask({ isBeyond: true });
		}
		const next = onTheirWay.shift();
		if (!next) break;

		let page = await next.page.catch((error: unknown): TotalledPage => {
			if (!next.isBeyond || !(isTold || isRefusal(error))) throw error;
			if (!isTold) onMissing?.(REFUSED); // else by the total they are all there
			return { rows: [], total, isTold };
		});
		expected -= next.size;
		if (next.isBeyond && page.rows.length > 0 && behindKnown(page.rows).length === 0) {
			const isSame = rowKey(page.rows[0]) === first && isCut(page, next);
			if (isSame && (isTold || startAt === 0) && !(await isMovedByOffset(page))) {
				if (startAt > 0) throw notFromStartAt(page, given);
				if (!isTold) throw sameAgain(page, given);
				onMissing?.(sameAgain(page, given).message);
			}
			break; // it gives all at once, or its last page
		}
		if (!next.isBeyond && next.offset > startAt) {
			await addSlipped(next.offset, total - page.total);
		}
		if (next.offset === startAt) page = await fromStart(page);
		refuseSame(page, next.offset);
		take(page, next.isBeyond);
		[total, isTold] = [page.total, page.isTold];
		const rest = await addRest(page, next);
		total = rest.total;
		end = Math.min(total, rest.end);
		offset = Math.max(offset, rest.at);
		const isFirstCut = next.offset === startAt && isCut(page, next);
		const isFull = rest.isFull || page.rows.length === next.size || isFirstCut;
		const mayGoOn = !isTold || rest.at > total || (isFull && rest.at === total);
		const isOpen = next.isBeyond ? fresh.length > 0 : mayGoOn;
		beyond = isOpen && page.rows.length > 0 && rest.end === Infinity ? rest.at : undefined;
		const rows = fresh.slice(0, wanted - given);
		fresh = [];
		given += rows.length;
		if (rows.length > 0) yield rows;
	}
	if (isChanging) onMissing?.(CHANGING);
	const there = total - startAt;
	if (!isTold || given >= Math.min(wanted, there)) return;
	const since = startAt > 0 ? ' from Start At on' : '';
	onMissing?.(`The service tells of ${there} rows${since}, but gave only ${given} of them.`);
}

/** Whether a page may have been cut to a size: to that asked for, or to one of the service's own. */
const isCut = ({ rows: { length } }: TotalledPage, { limit }: Asked): boolean =>
	length === limit || (length < LARGEST_PAGE && USUAL_SIZES.includes(length));
