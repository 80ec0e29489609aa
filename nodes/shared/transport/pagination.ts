import { UserError, type IDataObject } from 'n8n-workflow';

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
	/** Told where the service gave fewer rows than it tells of. */
	onMissing?(message: string): void;
}

/** A page on its way; of so many rows it is asked for, `size` are expected. */
interface Asked {
	limit: number;
	size: number;
	offset: number;
	page: Promise<Page>;
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
 * and rows that slipped from one page to another between two answers are looked up. Where pages hold fewer rows than
 * asked for, the rest is asked for, and the next ones stand that much closer. Throws what `read` throws, and a
 * UserError if the first rows come whatever is asked for; then no further page is asked for.
 */
export async function* readPages(
	read: ReadPage,
	{ startAt, wanted, smallestPage = 1, onMissing }: Range,
): AsyncGenerator<IDataObject[]> {
	const ids = new Set<unknown>();
	const onTheirWay: Asked[] = [];
	const sizeOf = (rows: number) => Math.min(Math.max(rows, smallestPage), LARGEST_PAGE);
	let fresh: IDataObject[] = []; // rows that were not there before
	const add = (row: IDataObject) => {
		const id = idOf(row);
		if (id !== undefined && ids.has(id)) return;
		ids.add(id);
		fresh.push(row);
	};
	/** If the page before told of more rows than this one, so many are now on the other side of where they meet. */
	const addSlipped = async (meet: number, slipped: number) => {
		const until = meet + slipped;
		let at = Math.max(startAt, meet - slipped);
		while (slipped > 0 && at < until) {
			const page = await read(sizeOf(until - at), at);
			page.rows.forEach(add);
			if (page.rows.length === 0) return;
			at += page.rows.length;
		}
	};
	let first: unknown; // the ID of the first row
	const refuseSame = (page: Page, at: number) => {
		if (at === startAt) {
			first = idOf(page.rows[0]);
			const isTooMuch = page.rows.length > Math.max(0, page.total - startAt);
			if (isTooMuch && startAt > 0) throw fromTheBeginning(page);
			if (isTooMuch && page.rows.length >= LARGEST_PAGE) {
				onMissing?.(`${tells(page.total)}, but gave ${page.rows.length} at once: more may follow.`);
			}
		} else if (first !== undefined && idOf(page.rows[0]) === first) {
			throw sameAgain(page.total, given + fresh.length);
		}
	};
	let largest = LARGEST_PAGE; // that the service gives
	/**
	 * Adds what a page lacks; tells where the rows end and where no row was asked for. It asks for whole pages: the few
	 * next rows may be hidden, or be there already where offsets count hidden rows, too.
	 */
	const addRest = async (page: Page, { limit, size, offset }: Omit<Asked, 'page'>) => {
		let [newest, asked, at] = [page, limit, offset + page.rows.length];
		const lacks = () => at < Math.min(offset + size, newest.total);
		const isEnd = () => newest.rows.length === 0 && asked === LARGEST_PAGE;
		while (lacks() && !isEnd() && given + fresh.length < wanted) {
			asked = LARGEST_PAGE;
			newest = await read(asked, at);
			refuseSame(newest, at);
			newest.rows.forEach(add);
			largest = Math.min(largest, Math.max(page.rows.length, newest.rows.length, 1));
			at += newest.rows.length;
		}
		return { at, end: isEnd() ? at : Infinity };
	};
	let total = startAt + 1; // as the newest page tells; until the first has told, only that one is asked for
	let end = total; // of what there is to ask for
	let offset = startAt; // of the next page to ask for
	let expected = 0; // rows on their way
	let given = 0;

	for (;;) {
		while (onTheirWay.length < CONCURRENCY && offset < end && given + expected < wanted) {
			const limit = sizeOf(wanted - given - expected);
			const size = Math.min(limit, largest);
			const page = read(limit, offset);
			page.catch(() => {}); // it is awaited in its turn
			onTheirWay.push({ limit, size, offset, page });
			offset += size;
			expected += size;
		}
		const next = onTheirWay.shift();
		if (!next) break;

		const page = await next.page;
		expected -= next.size;
		if (next.offset > startAt) await addSlipped(next.offset, total - page.total);
		refuseSame(page, next.offset);
		page.rows.forEach(add);
		total = page.total;
		const rest = await addRest(page, next);
		end = Math.min(total, rest.end);
		offset = Math.max(offset, rest.at);
		const rows = fresh.slice(0, wanted - given);
		fresh = [];
		given += rows.length;
		if (rows.length > 0) yield rows;
	}
	const there = total - startAt;
	if (given >= Math.min(wanted, there)) return;
	const since = startAt > 0 ? ' from Start At on' : '';
	onMissing?.(`The service tells of ${there} rows${since}, but gave only ${given} of them.`);
}

/** What tells a row from others; undefined if it has nothing that does. */
function idOf(row: IDataObject | undefined): unknown {
	const id = row?.id;
	if (id === null || id === '') return undefined;
	return typeof id === 'number' && Math.abs(id) > Number.MAX_SAFE_INTEGER ? undefined : id;
}

const tells = (total: number) => `The service tells of ${total} rows`;

const fromTheBeginning = ({ total, rows }: Page) =>
	new UserError(`${tells(total)}, but gives ${rows.length} where fewer are left from Start At on`, {
		description: 'It seems to ignore "offset". Take Start At away, and tell the provider.',
	});

const sameAgain = (total: number, rows: number) =>
	new UserError(
		`${tells(total)}, but gives the same ${rows} again where the next ones are asked for`,
		{
			description: `It seems to ignore "offset". Set a Limit of ${rows} or less, and tell the provider.`,
		},
	);
