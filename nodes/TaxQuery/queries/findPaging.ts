import type { IDataObject } from 'n8n-workflow';
import { SIZE_KEYS } from '../../shared/http/envelope';
import type { Found } from '../../shared/operations/diagnosis';
import type { PageMarks } from './answer';
import { queryIdOf, readQueryList } from './index';
import { pathOf } from './catalog';
import { listQueries, type QueryConnection } from './client';

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
	for (const limit of SIZE_KEYS) {
		if ((await ids({ [limit]: 1 })).length !== 1) continue;
		const pageSize = rows.length;
		for (const offset of OFFSETS) {
			if (isSecond(await ids({ [limit]: 1, [offset]: 1 }))) return { limit, offset, pageSize };
		}
		for (const page of PAGES) {
			for (const firstPage of [1, 0]) {
				if (!isSecond(await ids({ [limit]: 1, [page]: firstPage + 1 }))) continue;
				const isKnown = firstPage === mapping.list.firstPage;
				return { limit, page, ...(!isKnown && { firstPage }), pageSize };
			}
		}
	}
	return undefined;
}

/** Whether the list is read to its end, and what to set where it is not; `rows` and `marks` are of the first page. */
export async function checkPaging(
	connection: QueryConnection,
	rows: IDataObject[],
	{ total, hasMore, next }: PageMarks,
): Promise<Found<IDataObject>> {
	const { list } = connection.mapping;
	const isUntold = (total ?? hasMore ?? next) === undefined;
	if (isUntold && (list.limit ?? list.page ?? list.offset) === undefined) {
		return await checkUntold(connection, rows);
	}
	const isWhole = !isUntold && !(hasMore ?? (next !== undefined || rows.length < (total ?? 0)));
	const told = total === undefined ? 'It tells no total.' : `It tells of ${total} queries.`;
	if (isWhole) {
		return { ok: true, seen: `${told} All of them came at once.`, advice: '', value: {} };
	}
	const { cutOff: lacking, doubt, records, largestPage = 0 } = await listQueries(connection);
	const listed = records.map(queryIdOf);
	const isFirstThere = rows.length === 0 || listed.includes(queryIdOf(rows[0]));
	const cutOff = lacking ?? (isFirstThere ? undefined : 'The first queries are not in the list');
	if (cutOff !== undefined) {
		const found = await findPaging(connection, rows);
		return {
			ok: false,
			seen: `${cutOff}.`,
			advice: found
				? `Set list in the API Mapping: ${JSON.stringify(found)}.`
				: 'Ask the service how the list is paged, and name the parameters in the API Mapping: list.limit, and list.offset, or list.page and list.firstPage.',
			value: found ?? {},
		};
	}
	const seen = `${told} ${records.length} came, page by page, at most ${largestPage} at once.`;
	const isOneSize = records.length <= largestPage || largestPage === list.pageSize;
	if (doubt !== undefined)
		return { ok: 'unknown', seen: `${seen} ${doubt}`, advice: '', value: {} };
	if (list.limit === undefined) {
		const advice = 'The list is read whole. Larger pages need list.limit in the API Mapping.';
		return { ok: true, seen, advice, value: {} };
	}
	if (isOneSize) return { ok: true, seen, advice: '', value: {} };
	const isIgnored = largestPage > list.pageSize;
	return {
		ok: !isIgnored,
		seen,
		advice: isIgnored
			? 'The service ignores the page size: correct list.limit in the API Mapping.'
			: `The service gives no larger pages: set list.pageSize in the API Mapping to ${largestPage}.`,
		value: isIgnored ? {} : { pageSize: largestPage },
	};
}

/** A list that tells nothing of further pages: whether more come where they are asked for. */
async function checkUntold(connection: QueryConnection, rows: IDataObject[]) {
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
