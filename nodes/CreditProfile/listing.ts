import { UserError, type IDataObject } from 'n8n-workflow';
import { operation } from '../shared/operations/field';
import { simplify } from '../shared/operations/fields';
import type { Item, Operation } from '../shared/operations/operation';
import { readPages, type Page, type Range } from '../shared/transport/pagination';
import type { ServiceRequest } from '../shared/transport/request';
import { isGoodWord, tellsFailure } from '../shared/http/failure';
import { findList, findMarks, findOne, isNone, type IsRow } from '../shared/http/envelope';
import { isObject } from '../shared/utils/json';
import { sentences } from '../shared/utils/sentences';
import { findMessage, messageOfService } from '../shared/utils/serviceMessage';

type Body = IDataObject | IDataObject[];

/** What to say where an answer is not made as the document says. */
export const withoutExpected = (missing: string, first?: string) =>
	new UserError(`The Credit Profile Service answered without ${missing}`, {
		description: sentences(
			first,
			'Check that the base URL of the credential points to the service itself. Connection → Diagnose tells what it answers',
		),
	});

const hasId: IsRow = ({ id }) => id !== undefined;

/** What to say where an answer says itself that it is an error. */
const failureOf = (body: unknown, missing: string, secrets: string[] = []) =>
	new UserError(`The Credit Profile Service answered with an error instead of ${missing}`, {
		description: messageOfService(isObject(body) ? body : [body].flat()[0], secrets),
	});

/**
 * The rows of a list in an answer. Throws a UserError if there is none, if something else is in it, or if it is empty
 * because of an error.
 */
export function rowsOf(body: unknown, name: string, field?: string): IDataObject[] {
	const rows = findList(body, hasId, field === undefined ? [] : [field]);
	const documented: unknown = isObject(body) && field !== undefined ? body[field] : body;
	const isWhole = !Array.isArray(documented) || documented.every(isObject);
	const hasRows = rows !== undefined && rows.length > 0;
	if (!hasRows && tellsFailure(body)) throw failureOf(body, name);
	if (rows && isWhole) return rows;
	throw withoutExpected(name);
}

/** One object with an ID. Throws a UserError if the answer holds none or says that it is an error. */
export function recordOf(body: Body, name: string, secrets: string[] = []): IDataObject {
	const record = findOne(body, hasId, ['data']);
	// A record may have a state of its own; an error was created by nobody, at no time.
	const isSure = [record?.createdAt, record?.creatorId].some((value) => value !== undefined);
	if (!isSure && tellsFailure(body)) throw failureOf(body, name, secrets);
	if (record) return record;
	throw withoutExpected(name);
}

/** Whether an answer neither holds one row nor says that it is an error. */
export const tellsNothing = (body: Body): boolean =>
	!tellsFailure(body) && findOne(body, hasId, ['data']) === undefined;

/** One page of CP §4.4, §4.6 or §4.8; `field` names its array. Throws a UserError if the answer is not made like that. */
export function pageOf(body: Body, field: 'data' | 'documents'): Page {
	const rows = rowsOf(body, `"${field}"`, field);
	const { total } = findMarks(body, hasId, rows.length);
	const said = total === undefined && rows.length === 0 ? findMessage(body) : undefined;
	if (said !== undefined && !isGoodWord(said)) throw failureOf(body, `"${field}"`);
	return { rows, total };
}

/** Says so where a list that comes at once tells of more than it holds. */
export function hintAtMore(item: Item, body: Body, what: string, given: number): void {
	const { total = 0 } = findMarks(body, hasId, given);
	if (total <= given) return;
	item.run.hint(`The service tells of ${total} ${what}, but gave only ${given} of them.`);
}

/** The tags of CP §4.3 or §4.7. Throws a UserError if the answer is not made like that. */
export function tagsOf(body: Body): string[] {
	if (isObject(body) && isNone(body, hasId)) return [];
	const { data }: IDataObject = isObject(body) ? body : { data: body };
	const lists = data === undefined ? Object.values(body).filter(Array.isArray) : [data];
	const [tags] = lists as unknown[][];
	const areTags = Array.isArray(tags) && tags.every((tag) => typeof tag === 'string');
	if (!tags?.length && tellsFailure(body)) throw failureOf(body, '"data"');
	if (areTags && lists.length === 1) return tags;
	throw withoutExpected('"data"');
}

export interface ListRequest extends Pick<ServiceRequest, 'path' | 'query' | 'lists'>, Range {
	/** What the answer calls its rows. */
	field: 'data' | 'documents';
}

/** CP §4.8; the smallest page is larger than that of other lists. */
export const documentsOf = (collectionId: number) =>
	({
		path: `/data/collection/${collectionId}/document`,
		field: 'documents',
		smallestPage: 10,
	}) satisfies Partial<ListRequest>;

/** The wanted rows of a list, a page at a time. */
export const listPages = (
	item: Item,
	{ path, query, lists, field, ...range }: ListRequest,
): AsyncGenerator<IDataObject[]> =>
	readPages(
		async (limit, offset) => {
			const page = { ...query, limit, offset };
			const request = { method: 'GET' as const, path, query: page, lists, emptyAs: [] as [] };
			return pageOf(await item.request(request), field);
		},
		{ ...range, onMissing: (message) => item.run.hint(message) },
	);

/** All rows of the pages in one list. */
export async function collect(pages: AsyncIterable<IDataObject[]>): Promise<IDataObject[]> {
	const rows: IDataObject[] = [];
	for await (const page of pages) for (const row of page) rows.push(row);
	return rows;
}

/** The wanted rows of a list, each in the shape asked for. */
export async function readList(
	item: Item,
	list: ListRequest,
	shape: (row: IDataObject) => IDataObject,
): Promise<IDataObject[]> {
	const rows: IDataObject[] = [];
	for await (const page of listPages(item, list)) for (const row of page) rows.push(shape(row));
	return rows;
}

/** CP §4.3 and §4.7, which differ only by the path: Get Many Tags. */
export const getManyTags = (of: 'collection' | 'document'): Operation =>
	operation({
		name: 'Get Many Tags',
		value: 'getTags',
		action: `Get many data ${of} tags`,
		subtitle: `Get ${of} tags`,
		description: `Get the different tags that the ${of}s of the organization have, each once`,
		fields: { simplify },
		async execute(item, { simplify: isSimple }) {
			const body = await item.request({ method: 'GET', path: `/data/${of}/tags`, emptyAs: [] });
			const tags = tagsOf(body);
			hintAtMore(item, body, 'tags', tags.length);
			if (isSimple) return tags.map((tag) => ({ tag }));
			return isObject(body) ? body : { data: tags };
		},
	});
