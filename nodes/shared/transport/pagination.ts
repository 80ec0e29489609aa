import { UserError, type IDataObject } from 'n8n-workflow';

/** One page of a list, and how many rows the whole list has by this answer, if it tells. */
export interface Page {
	rows: IDataObject[];
	total?: number;
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

/** A page of a list that tells no total is taken for its last one. */
interface TotalledPage extends Required<Page> {
	isTold: boolean;
}

/** CP §4.4, §4.6, §4.8: no page is larger. */
const LARGEST_PAGE = 100;
/** Enough to hide the latency behind the pace: 10 pages per second at an answer time of 4 seconds. */
const CONCURRENCY = 40;
/** Pages that a service may have cut to its own size, though its total says that they are all. */
const USUAL_SIZES = [10, 20, 25, 50];
/** How many pages are looked at again at most, beside as many as the list has. */
const LOOKS = 100;

/**
 * Reads the rows of a list that are wanted, in the list's order, a page after the other. The first page tells the
 * total; the others are asked for several at a time, and no more are held than are on their way.
 *
 * The list may change meanwhile: it is read to the end that the newest page tells, no row comes twice (by its `id`),
 * and rows that slipped from one page to another between two answers are looked up. Where pages hold fewer rows than
 * asked for, the rest is asked for, and the next ones stand that much closer. Where the total is not told, or a full
 * page ends at it or beyond, it is read on until a page is empty. Throws what `read` throws, and a UserError if the
 * first rows come whatever is asked for; then no further page is asked for.
 */
export async function* readPages(
	read: ReadPage,
	{ startAt, wanted, smallestPage = 1, onMissing }: Range,
): AsyncGenerator<IDataObject[]> {
	const ids = new Set<unknown>();
	const onTheirWay: Asked[] = [];
	const sizeOf = (rows: number) => Math.min(Math.max(rows, smallestPage), LARGEST_PAGE);
	let told: number | undefined; // the newest total
	const readPage = async (limit: number, at: number): Promise<TotalledPage> => {
		const { rows, total = told } = await read(limit, at);
		told = total;
		return { rows, total: total ?? at + rows.length, isTold: total !== undefined };
	};
	let fresh: IDataObject[] = []; // rows that were not there before
	const add = (row: IDataObject) => {
		const id = idOf(row);
		if (id !== undefined && ids.has(id)) return;
		ids.add(id);
		fresh.push(row);
	};
	let largest = LARGEST_PAGE; // that the service gives
	let [looks, isChanging] = [0, false]; // at pages again, and whether they were not enough
	/** If the page before told of more rows than this one, so many are now on the other side of where they meet. */
	const addSlipped = async (meet: number, slipped: number) => {
		const until = meet + slipped;
		let at = Math.max(startAt, meet - Math.max(slipped, largest)); // they may slip on while they are looked up
		while (slipped > 0 && at < until) {
			if (++looks > LOOKS + total / LARGEST_PAGE) return void (isChanging = true);
			const { rows } = await read(LARGEST_PAGE, at);
			rows.forEach(add);
			if (rows.length === 0) return;
			at += rows.length;
		}
	};
	let first: unknown; // the ID of the first row
	const refuseSame = (page: TotalledPage, at: number) => {
		if (at === startAt) {
			first = idOf(page.rows[0]);
			const isTooMuch = page.rows.length > Math.max(0, page.total - startAt);
			if (isTooMuch && startAt > 0) throw fromTheBeginning(page);
			if (isTooMuch && page.rows.length > LARGEST_PAGE) {
				onMissing?.(`${tells(page)}, but gave ${page.rows.length} at once: more may follow.`);
			}
		} else if (first !== undefined && idOf(page.rows[0]) === first) {
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
			newest.rows.forEach(add);
			largest = Math.min(largest, Math.max(page.rows.length, newest.rows.length, 1));
			at += newest.rows.length;
		}
		return { at, end: isEnd() ? at : Infinity, total: newest.total };
	};
	let total = startAt + 1; // as the newest page tells; until the first has told, only that one is asked for
	let end = total; // of what there is to ask for
	let offset = startAt; // of the next page to ask for
	let expected = 0; // rows on their way
	let given = 0;
	let isTold = true;
	let beyond: number | undefined; // where the list may go on behind its total
	let last: unknown; // the first row of the page before

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

		const page = await next.page.catch((error: unknown): TotalledPage => {
			if (next.isBeyond && isTold) return { rows: [], total, isTold }; // by the total they are all there
			throw error;
		});
		expected -= next.size;
		if (next.isBeyond && page.rows.length > 0 && rowKey(page.rows[0]) === last) {
			const again = sameAgain(page, given);
			const mayBePart = isCut(page, next) && given === page.rows.length;
			if (mayBePart && !page.isTold) throw again;
			if (mayBePart) onMissing?.(again.message);
			break; // it gives all at once, or its last page
		}
		if (!next.isBeyond && next.offset > startAt) {
			await addSlipped(next.offset, total - page.total);
		}
		refuseSame(page, next.offset);
		page.rows.forEach(add);
		[total, isTold, last] = [page.total, page.isTold, rowKey(page.rows[0])];
		const rest = await addRest(page, next);
		total = rest.total;
		end = Math.min(total, rest.end);
		offset = Math.max(offset, rest.at);
		const isFull = page.rows.length === next.size || (next.offset === startAt && isCut(page, next));
		const isOpen = next.isBeyond ? fresh.length > 0 : !isTold || (isFull && rest.at >= total);
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
	length === limit || USUAL_SIZES.includes(length);

/** What tells a row from the first one of another page. */
const rowKey = (row: IDataObject | undefined): unknown => idOf(row) ?? JSON.stringify(row);

/** What tells a row from others; undefined if it has nothing that does. */
function idOf(row: IDataObject | undefined): unknown {
	const id = row?.id;
	if (id === null || id === '') return undefined;
	return typeof id === 'number' && Math.abs(id) > Number.MAX_SAFE_INTEGER ? undefined : id;
}

const tells = ({ total, isTold }: TotalledPage) =>
	`The service tells ${isTold ? `of ${total} rows` : 'no total'}`;

const CHANGING =
	'The list kept changing while it was read, so some of its rows may be missing: read it again.';

const fromTheBeginning = (page: TotalledPage) =>
	new UserError(
		`${tells(page)}, but gives ${page.rows.length} where fewer are left from Start At on`,
		{
			description: 'It seems to ignore "offset". Take Start At away, and tell the provider.',
		},
	);

const sameAgain = (page: TotalledPage, rows: number) =>
	new UserError(
		`${tells(page)}, but gives the same ${rows} again where the next ones are asked for`,
		{
			description: `It seems to ignore "offset". Set a Limit of ${rows} or less, and tell the provider.`,
		},
	);
