import { UserError, type IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { Item } from '../../shared/operations/operation';
import type { Connection, ServiceRequest } from '../../shared/transport/request';
import { RequestError } from '../../shared/transport/result';
import { hasWorked, noteSuccess } from '../../shared/transport/worked';
import { isObject } from '../../shared/utils/json';
import { sentences } from '../../shared/utils/sentences';
import type { Said } from '../../shared/http/problem';
import { said as quoted } from '../../shared/messages/words';
import { readListPage, type ListPage } from './list';
import { pathOf } from './names';
import { isCalled, readRecord } from './record';
import type { Extent, Id, Listing, QueryRecord } from './types';

/** The query service, for who reads from it. `request` resolves with the body of a response, and throws else. */
export interface QueryService {
	mapping: TaxQueryMapping;
	/** The same for all connections of this process to the same base URL as the same client. */
	client: string;
	/** The same for the same client of the same base URL, whatever its token is. */
	account: string;
	/** Milliseconds by which the service's clock is ahead of this machine's. */
	clockOffsetMs(): number;
	request(request: ServiceRequest): Promise<IDataObject | IDataObject[]>;
	/** The service's own words in a body. */
	said(body: unknown): Said;
}

/** What reading takes. */
export type ReadingService = Pick<QueryService, 'mapping' | 'request'> &
	Partial<Pick<QueryService, 'said' | 'client'>>;

export type How = Pick<ServiceRequest, 'timeoutMs' | 'patienceMs' | 'itemIndex'>;

/** The service as an item uses it: with its timeout, and its index in each error. */
export async function serviceOfItem(item: Item): Promise<QueryService> {
	const connection = (await item.connection()) as Connection<TaxQueryMapping>;
	return { ...connection, request: item.request };
}

/** The same for reading what is billed: it goes on when another item fails, until the execution is cancelled. */
export async function lastingServiceOf(item: Item): Promise<QueryService> {
	const signal = item.run.cancelled ?? new AbortController().signal;
	const request = async (asked: ServiceRequest) => await item.request({ ...asked, signal });
	return { ...(await serviceOfItem(item)), request };
}

/** A deployment without a list of queries says so in its API Mapping: `{"paths": {"getAll": ""}}`. */
export const hasList = ({ paths }: TaxQueryMapping): boolean => paths.getAll !== '';

/** The response was read and is not what was asked for: `expected` of it. */
export class ShapeError extends UserError {
	/** Stable, for programs and tests. */
	readonly code: 'shape' | 'noList' | 'otherQuery';

	constructor(
		readonly expected: 'list' | 'record' | 'noList' | 'sameQuery',
		readonly mappingKeys: string[],
		words: Said = {},
	) {
		super(SHAPES[expected], {
			description: sentences(
				quoted(words),
				TODO[expected],
				`API Mapping: ${mappingKeys.join(', ')}. Connection → Diagnose shows what the service answers`,
			),
		});
		this.code = CODES[expected];
	}
}
const CODES = {
	list: 'shape',
	record: 'shape',
	noList: 'noList',
	sameQuery: 'otherQuery',
} as const;
const SHAPES = {
	list: 'The response of the query service holds no list of queries',
	record: 'The response of the query service holds no query record',
	noList: 'This deployment has no list of queries',
	sameQuery: 'The query service answered with another query than the one asked for',
};
const TODO = {
	list: 'Expected a list of objects with an ID, by itself or under one key.',
	record: 'Expected an object with an ID, by itself or under one key.',
	noList: 'Its API Mapping says so.',
	sameQuery: 'Nothing of it was taken.',
};

/** TQ §4.13. Throws what the request throws, and a ShapeError if the response is no record, or another query's. */
export async function getQuery(
	{ mapping, request, said }: ReadingService,
	id: string,
	how: How = {},
): Promise<QueryRecord> {
	const template = pathOf('get', '/query/{queryId}', mapping);
	const path = template.replace('{queryId}', () => encodeURIComponent(id));
	const body = await request({ method: 'GET', path, emptyAs: 'not found', ...how });
	const record = onlyRecord(body, mapping);
	if (!record) throw new ShapeError('record', ['paths.get'], said?.(body));
	if (!isCalled(record.raw, id)) throw new ShapeError('sameQuery', ['paths.get']);
	return { ...record, id: id as Id };
}

/** A record by itself, or the only one that is wrapped. */
function onlyRecord(body: unknown, mapping: TaxQueryMapping): QueryRecord | undefined {
	const own = readRecord(body, mapping);
	if (own) return own;
	const inside = Array.isArray(body) ? body : isObject(body) ? Object.values(body) : [];
	const found = inside.map((one) => readRecord(one, mapping)).filter((one) => one !== undefined);
	return found.length === 1 ? found[0] : undefined;
}

/** What one response of the list brought. */
export interface Piece extends Listing {
	/** Nothing is read behind it; only then `extent` is of the whole list. */
	isLast: boolean;
}

const MAX_PAGES = 500;
/** TQ §4.12 returns all queries; a list that reports nothing may yet be a page, and none is as short as this. */
const SHORTEST_PAGE = 10;

/**
 * TQ §4.12, page by page, each query once, to the end of the list. Paging is not shown. A further page is asked for where
 * the service reports more queries than came, or where the API Mapping says how; from then on only an empty page, a
 * shorter one, or the total reached proves the end.
 */
export async function* readList(
	{ mapping, request, said, client }: ReadingService,
	how: How = {},
	parameters: IDataObject = {},
): AsyncGenerator<Piece> {
	const { list } = mapping;
	if (!hasList(mapping)) throw new ShapeError('noList', ['paths.getAll']);
	const path = pathOf('getAll', '/query', mapping);
	const limit = list.limit === undefined ? {} : { [list.limit]: list.pageSize };
	const ask = async (place: IDataObject): Promise<ListPage> => {
		const query = { ...list.parameters, ...limit, ...place, ...parameters };
		const asked = { method: 'GET' as const, path, query, emptyAs: [] as [], ...how };
		const body = await request(asked).catch((error: unknown) => withKeys(error, client));
		const page = readListPage(body, mapping);
		if (!page) throw new ShapeError('list', ['list.rows', 'paths.getAll'], said?.(body));
		if (client !== undefined) noteSuccess(client, 'list');
		return page;
	};
	const seen = new Set<string>();
	let [rowsRead, unreadable, longest] = [0, 0, 0];
	let place: IDataObject = list.page === undefined ? {} : { [list.page]: list.firstPage };
	for (let number = 1; ; number++) {
		const page = await ask(place);
		const { total } = page;
		const records = page.records.filter(({ id }) => !seen.has(id) && seen.add(id));
		const length = page.records.length + page.unreadable;
		rowsRead += length;
		unreadable += page.unreadable;
		const extent = extentOf(mapping, {
			...{ number, length, longest, total, isNew: records.length + page.unreadable > 0 },
			...{ known: seen.size + unreadable, rowsRead },
		});
		longest = Math.max(longest, length);
		const told = total === undefined ? {} : { total };
		const piece = { records, unreadable: page.unreadable, longest: length, ...told };
		if (extent) return yield { ...piece, extent, isLast: true };
		yield { ...piece, extent: 'untold', isLast: false };
		place =
			list.page === undefined
				? { [list.offset ?? 'offset']: rowsRead }
				: { [list.page]: list.firstPage + number };
	}
}

/** Adds to the error of a list that was never read which keys of the API Mapping say how it is asked for. */
function withKeys(error: unknown, client?: string): never {
	const hasBeenRead = client !== undefined && hasWorked(client, 'list');
	if (!(error instanceof RequestError) || hasBeenRead) throw error;
	const key = LIST_KEYS[error.status ?? 0];
	throw key === undefined ? error : error.withAdvice({ mappingKeys: [key] });
}

const LIST_KEYS: Record<number, string | undefined> = {
	400: 'list.parameters',
	404: 'paths.getAll',
	422: 'list.parameters',
};

interface Progress {
	number: number;
	length: number;
	longest: number;
	total?: number;
	isNew: boolean;
	/** Different rows. */
	known: number;
	rowsRead: number;
}

/** How much of the list was read, once nothing can be read behind it; undefined as long as something can. */
function extentOf(
	{ list }: TaxQueryMapping,
	{ number, length, longest, total, isNew, known, rowsRead }: Progress,
): Extent | undefined {
	const isPaged = (list.offset ?? list.page) !== undefined;
	if (total !== undefined) {
		// a query that was made meanwhile moves the others by one, so that the last page may be empty
		if (known >= total || (length === 0 && rowsRead >= total)) return 'whole';
		return isNew && number < MAX_PAGES ? undefined : 'cut';
	}
	if (!isPaged) {
		return list.paging === 'none' || length < SHORTEST_PAGE ? 'whole' : 'untold';
	}
	if (length === 0 || length < longest) return 'whole';
	if (!isNew) return 'untold'; // what is asked for is ignored, or the last page came again
	return number < MAX_PAGES ? undefined : 'cut';
}

/** The whole list. */
export async function listQueries(service: ReadingService, how: How = {}): Promise<Listing> {
	return await gather(readList(service, how));
}

/**
 * The queries made since a moment of the service's clock: the list is read to its end, or, where it is seen to run from
 * the newest to the oldest, until it is older. That much of it is then whole.
 */
export async function listSince(
	service: ReadingService,
	since: number,
	how: How = {},
): Promise<Listing> {
	let [last, falls, isSorted] = [Infinity, false, true];
	return await gather(readList(service, how), ({ records }) => {
		for (const { createdAt = NaN } of records) {
			falls ||= createdAt < last && last < Infinity;
			isSorted &&= createdAt <= last;
			last = createdAt;
		}
		return falls && isSorted && last < since;
	});
}

async function gather(
	pieces: AsyncGenerator<Piece>,
	isEnough: (piece: Piece) => boolean = () => false,
): Promise<Listing> {
	const whole: Listing = { records: [], unreadable: 0, extent: 'untold', longest: 0 };
	for await (const piece of pieces) {
		for (const record of piece.records) whole.records.push(record);
		whole.unreadable += piece.unreadable;
		whole.total = piece.total ?? whole.total;
		whole.longest = Math.max(whole.longest, piece.longest);
		whole.extent = piece.extent;
		if (isEnough(piece)) return { ...whole, extent: 'whole' };
	}
	return whole;
}
