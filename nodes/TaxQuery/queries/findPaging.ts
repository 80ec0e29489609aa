import type { IDataObject } from 'n8n-workflow';
import { queryIdOf, readQueryList } from './index';
import { pathOf } from './catalog';
import { listQueries, type QueryConnection } from './client';

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
		const rows = await send({ method: 'GET', path, query: parameters })
			.then(readQueryList)
			.catch(() => []); // refused, or of another shape: it is not called so
		return rows.map(queryIdOf);
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

/** A list that tells nothing of further pages: whether more come where they are asked for. */
export async function checkUntold(connection: QueryConnection, rows: IDataObject[]) {
	const { mapping } = connection;
	const seen = `It tells no total. ${rows.length} queries came at once`;
	const found = await findPaging(connection, rows);
	if (!found) {
		const advice = 'Ask the service whether the list is cut off, and how the others are asked for.';
		return {
			ok: 'unknown' as const,
			seen: `${seen}; whether there are more, no read tells.`,
			advice,
		};
	}
	const paged = { ...connection, mapping: { ...mapping, list: { ...mapping.list, ...found } } };
	const { records } = await listQueries(paged);
	const isWhole = records.length <= rows.length;
	return {
		ok: isWhole,
		seen: isWhole ? `${seen}, and there are no more.` : `${seen}, but there are ${records.length}.`,
		advice: isWhole ? '' : `Set list in the API Mapping: ${JSON.stringify(found)}.`,
		value: isWhole ? {} : found,
	};
}
