import type { IDataObject } from 'n8n-workflow';
import { queryIdOf, readQueryList } from './index';
import { pathOf } from './catalog';
import type { QueryConnection } from './client';

const LIMITS = ['limit', 'pageSize', 'page_size', 'perPage', 'per_page', 'size', 'take'];
const OFFSETS = ['offset', 'skip', 'start', 'from'];
const PAGES = ['page', 'pageNumber', 'page_number', 'currentPage'];

/**
 * The names of the paging parameters, found by asking for the second query alone; undefined if none of the usual ones
 * works. `rows` is the first page.
 */
export async function findPaging(
	{ mapping, send }: QueryConnection,
	rows: IDataObject[],
): Promise<IDataObject | undefined> {
	if (rows.length < 2) return undefined;
	const path = pathOf('getAll', '/query', mapping);
	const ids = async (query: IDataObject) => {
		const parameters = { ...mapping.list.parameters, ...query };
		const answer = await send({ method: 'GET', path, query: parameters }).catch(() => []);
		return readQueryList(answer).map(queryIdOf);
	};
	const second = queryIdOf(rows[1]);
	const isSecond = (found: unknown[]) => found.length === 1 && found[0] === second;
	for (const limit of LIMITS) {
		if ((await ids({ [limit]: 1 })).length !== 1) continue;
		const pageSize = rows.length;
		for (const offset of OFFSETS) {
			if (isSecond(await ids({ [limit]: 1, [offset]: 1 }))) return { limit, offset, pageSize };
		}
		for (const page of PAGES) {
			if (isSecond(await ids({ [limit]: 1, [page]: 2 }))) return { limit, page, pageSize };
		}
	}
	return undefined;
}
