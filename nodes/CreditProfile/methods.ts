import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { createServiceConnection } from '../shared/http/connection';
import { creditProfile } from '../shared/http/services';
import { encodeFilter } from './filters';
import { rowsBodyParser, parseTagListOrProblem } from './lists';

const LIST_PAGE = 50;

/**
 * Serves the "From List" of a resource locator. The service itself searches for `text` (CP §4.4, name__like);
 * `token` is the offset of the page.
 */
export async function searchCollections(
	this: ILoadOptionsFunctions,
	text?: string,
	token?: string,
): Promise<INodeListSearchResult> {
	const { read, mapping } = await createServiceConnection(this, creditProfile);
	const { query, lists } = encodeFilter(text ? { name__like: text } : {}, mapping);
	const offset = Number(token ?? 0);
	const { rows, total } = await read(
		{
			method: 'GET',
			path: '/data/collection',
			query: { ...query, limit: LIST_PAGE, offset },
			lists,
		},
		rowsBodyParser('collection'),
	);
	const next = offset + rows.length;
	return {
		results: rows.map(({ id, name }) => ({ name: String(name), value: id as number })),
		// a total may count the page alone
		...(rows.length > 0 &&
			(rows.length >= LIST_PAGE || next < (total ?? Infinity)) && {
				paginationToken: String(next),
			}),
	};
}

/** CP §4.3 */
export async function getCollectionTags(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const { read } = await createServiceConnection(this, creditProfile);
	const { texts } = await read(
		{ method: 'GET', path: '/data/collection/tags' },
		parseTagListOrProblem,
	);
	return texts.map((tag) => ({ name: tag, value: tag }));
}
