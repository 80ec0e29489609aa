import { UserError, type IDataObject } from 'n8n-workflow';
import { queryIdOf, readQueryList, totalOf } from '../shared/queries';
import type { Connection } from '../shared/request';

const MAX_PAGES = 200;

/**
 * All queries made (§4.12), each once. Paging is not shown: the answer is the whole list, unless it tells a larger
 * `total`; then the rest is asked for by `offset`. Throws if a part of it cannot be had: half a list is no list.
 */
export async function readQueries({ send }: Connection): Promise<IDataObject[]> {
	const queries = new Map<unknown, IDataObject>();
	let offset = 0;
	for (let page = 0; page < MAX_PAGES; page++) {
		const answer = await send({
			method: 'GET',
			path: '/query',
			...(offset > 0 && { query: { offset } }),
		});
		const rows = readQueryList(answer);
		for (const row of rows) queries.set(queryIdOf(row), row);
		offset += rows.length;
		const total = totalOf(answer);
		if (total === undefined || queries.size >= total) return [...queries.values()];
		if (rows.length === 0) break;
	}
	throw new UserError('The list of queries could not be read as a whole', {
		description:
			'The query service tells more queries than it lists. Nothing was taken from it; the next poll tries again.',
	});
}
