import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { joinSentences } from '../../shared/utils/joinSentences';
import { CodedError } from '../../shared/utils/codedError';
import { mappingHint } from '../../shared/errors/sentences';
import type { CollectedQueryList, QueryRecord } from '../client/model';
import { GET_PATH_MAPPING_KEYS, type QueryClient } from '../client/queryClient';
import {
	readListChunks,
	fetchRecordIfIncomplete,
	fetchRecordOfRow,
	mayHaveMore,
} from '../client/queryList';
import { mayOmitExistingResponse } from '../client/record';
import { incompleteQueryListText, outputRowsOfTotalHint } from '../errors/queryError';
import type { Filter } from './recordFilters';

interface SearchOptions {
	filter: Filter;
	/** The highest number of queries to return; Infinity for all. */
	limit: number;
	/** Queries that the list has without a result are read by their ID. */
	isCompleting: boolean;
}

/** What a reading of the list of queries (TQ §4.12) found, and what it met on its way. */
interface QuerySearch {
	/** The queries that fit, in the order of the service. */
	found: QueryRecord[];
	/** There are as many as were wanted, so that the list was not read further. */
	isFull: boolean;
	/** The number of queries read from the list, and of rows that show no ID. */
	listed: number;
	unreadable: number;
	/** Queries that do not show what the filters compare. */
	unsearched: number;
	/** One query of each type and status. */
	kinds: QueryRecord[];
	/** How the list ended, unless the search was full before. */
	end?: Pick<CollectedQueryList, 'completeness' | 'longest' | 'total'>;
	/** The number of queries that the service reports. */
	total?: number;
}

/** Rows that are read by their ID at a time. */
const AT_ONCE = 40;

/** Throws a CodedError if the list does not show what the filters compare, and may not be completed. */
export async function searchQueries(
	client: QueryClient,
	{ filter, limit, isCompleting }: SearchOptions,
): Promise<QuerySearch> {
	const complete = async (row: QueryRecord) =>
		filter.isComparable(row)
			? await fetchRecordIfIncomplete(client, row)
			: await fetchRecordOfRow(client, row);
	const found: QueryRecord[] = [];
	const kinds = new Map<string, QueryRecord>();
	let [listed, unreadable, unsearched] = [0, 0, 0];
	let end: QuerySearch['end'];
	let total: number | undefined;
	for await (const chunk of readListChunks(client)) {
		const { records } = chunk;
		listed += records.length;
		unreadable += chunk.unreadable;
		total = chunk.total;
		for (const row of records) kinds.set(`${row.code} ${row.status ?? ''}`, row);
		for (let at = 0; at < records.length && found.length < limit; at += AT_ONCE) {
			const some = records.slice(at, at + AT_ONCE).filter(filter.mayFit);
			const read = isCompleting ? await Promise.all(some.map(complete)) : some;
			for (const row of read) {
				if (found.length >= limit) break;
				const isFitting = filter.fits(row);
				if (isFitting) found.push(row);
				if (isFitting !== undefined) continue;
				if (!isCompleting && !filter.isComparable(row)) throw unsearchable();
				unsearched++;
			}
		}
		if (found.length >= limit) break;
		if (chunk.isLast) end = chunk;
	}
	return {
		...{ found, isFull: found.length >= limit, kinds: [...kinds.values()] },
		...{ listed, unreadable, unsearched, end, total },
	};
}

const unsearchable = () =>
	new CodedError('list.asked', 'The list of queries does not show what these filters compare', {
		description: "Add the option 'Complete Rows', which reads each query by its ID.",
	});

/** Returns what the operator should know of the search. Throws a CodedError if the list was not read to its end. */
export function hintsOf(
	search: QuerySearch,
	{ filter, limit, isCompleting }: SearchOptions,
	mapping: TaxQueryMapping,
): string[] {
	const { found, isFull, listed, unreadable, unsearched, total, kinds } = search;
	const incomplete = isCompleting ? found.filter(mayOmitExistingResponse).length : 0;
	const others = isFull ? 'limit' : found.length < listed ? 'filters' : undefined;
	const hints = [
		hintOfEnd(search, limit, mapping),
		unreadable > 0 &&
			joinSentences(
				`${unreadable} rows of the list show no ID (_id or queryId) and are left out`,
				mappingHint(['record._id']),
			),
		unsearched > 0 &&
			(isCompleting
				? `${unsearched} queries were not searched: their records do not show what the filters compare.`
				: `${unsearched} queries without a result in the list were not searched. Add the option 'Complete Rows'.`),
		incomplete > 0 &&
			joinSentences(
				`${incomplete} rows have no result, or were not found by their ID`,
				mappingHint(GET_PATH_MAPPING_KEYS),
			),
		total !== undefined && outputRowsOfTotalHint(found.length, total, others),
		filter.leftOut(kinds),
	];
	return hints.filter((hint) => typeof hint === 'string');
}

function hintOfEnd(
	{ end, listed, total }: QuerySearch,
	limit: number,
	mapping: TaxQueryMapping,
): string | undefined {
	if (!end || !mayHaveMore(end, mapping)) return undefined;
	const { completeness } = end;
	const text = incompleteQueryListText({ completeness, listed, total });
	if (!text) return undefined;
	const { message, description } = text;
	if (completeness !== 'truncated') return joinSentences(message, description);
	const lower = limit === Infinity ? 'Or set a Limit' : 'Or set a lower Limit';
	throw new CodedError('list.cut', message, {
		...{ listed, total },
		description: joinSentences(description, lower),
	});
}
