import type { IDataObject } from 'n8n-workflow';
import { operation } from '../shared/operations/field';
import { asItIs, simplify } from '../shared/operations/fields';
import type { Item, Operation } from '../shared/operations/operation';
import {
	IncompleteList,
	readPages,
	type Range,
	type ReadPage,
} from '../shared/transport/pagination';
import type { ServiceRequest } from '../shared/transport/request';
import { RequestError, type JsonBody } from '../shared/transport/result';
import { creditProfile } from '../shared/transport/service';
import { readRow, readRows, readTexts, rowWith, type Page } from '../shared/http/read';
import { tagsRule } from './personal';

/** What rows are, by the fields that their sections require; `expected` of several and of one. */
export const kinds = {
	/** CP §2.1 */
	login: {
		isRow: rowWith('createdAt', 'updatedAt', 'organizationId', 'type', 'isEnabled'),
		list: 'a list of provider logins',
		one: 'a provider login',
	},
	/** CP §2.2 */
	collection: {
		isRow: rowWith('name', 'activeDataCollectionVersionId', 'creatorId', 'tags'),
		list: 'a list of data collections',
		one: 'a data collection',
	},
	/** CP §2.4 */
	version: {
		isRow: rowWith('createdAt', 'creatorId', 'isActive', 'schema'),
		list: 'a list of versions',
		one: 'a version',
	},
	/** CP §2.7, which does not say which fields are required. */
	document: {
		isRow: rowWith('document', 'dataCollectionId', 'dataCollectionVersionId', 'createdAt'),
		list: 'a list of data documents',
		one: 'a data document',
	},
} as const;

export type Kind = keyof typeof kinds;

const FIELDS: Partial<Record<Kind, string>> = {
	collection: 'data',
	version: 'data',
	document: 'documents',
};

/** Reads CP §4.2, or one page of CP §4.4, §4.6 or §4.8. */
export const rowsIn = (kind: Kind) => (body: JsonBody) =>
	readRows(body, { isRow: kinds[kind].isRow, expected: kinds[kind].list }, FIELDS[kind]);

/** Reads one row. */
export const rowIn = (kind: Kind) => (body: JsonBody) =>
	readRow(body, { isRow: kinds[kind].isRow, expected: kinds[kind].one });

/** Reads the tags of CP §4.3 or §4.7. */
export const tagsIn = (body: JsonBody) => readTexts(body, 'a list of tags');

interface ListRequest extends Pick<ServiceRequest, 'path' | 'query' | 'lists'>, Range {
	kind: Kind;
}

/** CP §4.8; the smallest page is larger than that of other lists. */
export const documentsOf = (collectionId: number) =>
	({
		path: `/data/collection/${collectionId}/document`,
		kind: 'document',
		smallestPage: 10,
	}) satisfies Partial<ListRequest>;

/** The wanted rows of a list, a page at a time. Throws a RequestError if some are missing. */
export async function* listPages(
	item: Item,
	{ path, query, lists, kind, ...range }: ListRequest,
): AsyncGenerator<IDataObject[]> {
	const read: ReadPage = async (limit, offset) => {
		const page = { ...query, limit, offset };
		return await item.read({ method: 'GET', path, query: page, lists }, rowsIn(kind));
	};
	try {
		yield* readPages(read, range);
	} catch (error) {
		throw withWords(error);
	}
}

/** The wanted rows of a list that comes at once. Throws a RequestError if the service reports more than it gives. */
export function wholeOf({ rows, total = 0 }: Page, wanted: number): IDataObject[] {
	if (rows.length >= Math.min(wanted, total)) return rows.slice(0, wanted);
	throw withWords(new IncompleteList(rows.length, total));
}

/** The error of a list, with words where rows are missing. */
function withWords(error: unknown): Error {
	if (!(error instanceof IncompleteList)) return error as Error;
	const { given, total } = error;
	return new RequestError(creditProfile, { kind: 'incomplete', given, total });
}

/** All rows of the pages in one list. */
export async function collect(pages: AsyncIterable<IDataObject[]>): Promise<IDataObject[]> {
	const rows: IDataObject[] = [];
	for await (const page of pages) for (const row of page) rows.push(row);
	return rows;
}

/** How many rows a list has: one request. Throws a RequestError if the service does not say. */
export async function countOf(
	item: Item,
	{ path, query, lists, kind, smallestPage = 1 }: Omit<ListRequest, 'startAt' | 'wanted'>,
): Promise<number> {
	const page = { ...query, limit: smallestPage, offset: 0 };
	const request = { method: 'GET' as const, path, query: page, lists };
	const { total } = await item.read(request, rowsIn(kind));
	if (total !== undefined) return total;
	throw new RequestError(creditProfile, { kind: 'shape', expected: 'a list with its total' });
}

/** The wanted rows of a list, each in the wanted shape. */
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
		tool: `List the different tags of all data ${of}s, each once. It only reads. No fields.`,
		subtitle: `Get ${of} tags`,
		description: `Get the different tags that the ${of}s of the organization have, each once`,
		fields: {},
		options: { simplify },
		async execute(item, { simplify: isSimple }) {
			const { texts, count } = await item.read({ method: 'GET', path: `/data/${of}/tags` }, tagsIn);
			const rows = isSimple ? texts.map((tag) => ({ tag })) : [{ count, data: texts }];
			return rows.map((row) => item.protect(row, tagsRule, asItIs));
		},
	});
