import type { IDataObject } from 'n8n-workflow';
import { defineOperation } from '../shared/operations/fields';
import { identity, simplifyField } from '../shared/operations/commonFields';
import type { Item, Operation } from '../shared/operations/operation';
import {
	IncompleteList,
	readPages,
	type WantedRowsOfList,
	type ReadPageAtOffset,
} from '../shared/http/pagination';
import type { ServiceRequest } from '../shared/http/sendOnce';
import { isNotFound, type JsonResponseBody } from '../shared/errors/requestProblem';
import { RequestError } from '../shared/http/requestError';
import { creditProfile } from '../shared/http/services';
import {
	readSingleRowOrProblem,
	readRowsOrProblem,
	readTextListOrProblem,
	idAndAnyFieldGuard,
	type RowsPage,
} from '../shared/http/rows';
import { tagRules } from './personalData';

const kind = (noun: string, required: string, key?: string) => ({
	...{ noun, key },
	isRow: idAndAnyFieldGuard(...required.split(' ')),
});
export const rowKinds = {
	/** CP §2.1 */
	login: kind('provider login', 'createdAt updatedAt organizationId type isEnabled'),
	/** CP §2.2 */
	collection: kind('data collection', 'name activeDataCollectionVersionId creatorId tags', 'data'),
	/** CP §2.4 */
	version: kind('version', 'createdAt creatorId isActive schema', 'data'),
	/** CP §2.7, which does not say which fields are required. */
	document: kind(
		'data document',
		'document dataCollectionId dataCollectionVersionId createdAt',
		'documents',
	),
};

export type RowKindName = keyof typeof rowKinds;

/** CP §4.2, or one page of CP §4.4, §4.6 or §4.8. */
export function rowsBodyParser(of: RowKindName) {
	const { noun, isRow, key } = rowKinds[of];
	return (body: JsonResponseBody) =>
		readRowsOrProblem(body, { isRow, expected: `a list of ${noun}s` }, key);
}

export function singleRowBodyParser(of: RowKindName) {
	const { noun, isRow } = rowKinds[of];
	return (body: JsonResponseBody) => readSingleRowOrProblem(body, { isRow, expected: `a ${noun}` });
}

/** CP §4.3, §4.7 */
export const parseTagListOrProblem = (body: JsonResponseBody) =>
	readTextListOrProblem(body, 'a list of tags');

interface ListRequest extends Pick<ServiceRequest, 'path' | 'query' | 'lists'>, WantedRowsOfList {
	kind: RowKindName;
	collectionId?: number;
}

/** CP §4.6 */
export const collectionVersionsRequest = (collectionId: number) =>
	({
		path: `/data/collection/${collectionId}/versions`,
		collectionId,
		kind: 'version',
		usualPage: 10,
	}) as const;

/** CP §4.8; the smallest page is larger than that of other lists. */
export const collectionDocumentsRequest = (collectionId: number) =>
	({
		path: `/data/collection/${collectionId}/document`,
		collectionId,
		kind: 'document',
		smallestPage: 10,
		usualPage: 50,
	}) as const;

/** Throws a RequestError if some rows are missing. */
export async function* listPages(
	item: Item,
	{ path, query, lists, kind, collectionId, ...range }: ListRequest,
): AsyncGenerator<IDataObject[]> {
	const read: ReadPageAtOffset = async (limit, offset) => {
		const page = { ...query, limit, offset };
		return await item.read({ method: 'GET', path, query: page, lists }, rowsBodyParser(kind));
	};
	try {
		yield* readPages(read, range);
	} catch (error) {
		if (error instanceof IncompleteList) throw incomplete(error.given, error.total);
		return rethrowWithCollection(collectionId)(error);
	}
}

/** The error of a collection that was not found names it. */
export const rethrowWithCollection =
	(id: number | undefined) =>
	(error: unknown): never => {
		const isMissing = error instanceof RequestError && isNotFound(error.problem);
		throw id !== undefined && isMissing ? error.withAdvice({ missing: `collection ${id}` }) : error;
	};

const incomplete = (given: number, total?: number) =>
	new RequestError(creditProfile, { kind: 'incomplete', given, total });

/** Throws a RequestError if the service reports more than it gives. */
export function requireWantedRows({ rows, total = 0 }: RowsPage, wanted: number): IDataObject[] {
	if (rows.length < Math.min(wanted, total)) throw incomplete(rows.length, total);
	return rows.slice(0, wanted);
}

export async function collectRows(
	pages: AsyncIterable<IDataObject[]>,
	shape: (row: IDataObject) => IDataObject = identity,
): Promise<IDataObject[]> {
	const rows: IDataObject[] = [];
	for await (const page of pages) for (const row of page) rows.push(shape(row));
	return rows;
}

/**
 * Takes one request, or a second one where the total may count the page. Throws a RequestError if the service does
 * not say, and what `check` throws of a row.
 */
export async function fetchTotal(
	item: Item,
	{
		path,
		query,
		lists,
		kind,
		smallestPage = 1,
		collectionId,
	}: Omit<ListRequest, 'startAt' | 'wanted'>,
	check: (row: IDataObject) => void = () => undefined,
): Promise<number> {
	const read = async (offset: number) => {
		const page = { ...query, limit: smallestPage, offset };
		const request = { method: 'GET' as const, path, query: page, lists };
		return await item
			.read(request, rowsBodyParser(kind))
			.catch(rethrowWithCollection(collectionId));
	};
	const { rows, total } = await read(0);
	for (const row of rows) check(row);
	const isOfPage =
		total !== undefined &&
		rows.length >= smallestPage &&
		total <= rows.length &&
		(await read(rows.length)).rows.length > 0;
	if (total !== undefined && !isOfPage) return total;
	throw new RequestError(creditProfile, { kind: 'shape', expected: 'a list with its total' });
}

/** CP §4.3 and §4.7 differ only by the path. */
export const getManyTagsOperation = (of: 'collection' | 'document'): Operation =>
	defineOperation({
		name: 'Get Many Tags',
		value: 'getTags',
		action: `Get many data ${of} tags`,
		tool: `List the different tags of all data ${of}s. It only reads. No fields.`,
		subtitle: `Get ${of} tags`,
		hasNoPersonalData: true,
		description: `Get the different tags of the organization's ${of}s`,
		fields: {},
		options: { simplify: simplifyField },
		async execute(item, { simplify: isSimple }) {
			const { texts, count } = await item.read(
				{ method: 'GET', path: `/data/${of}/tags` },
				parseTagListOrProblem,
			);
			const rows = isSimple ? texts.map((tag) => ({ tag })) : [{ count, data: texts }];
			return rows.map((row) => item.protect(row, tagRules, identity));
		},
	});
