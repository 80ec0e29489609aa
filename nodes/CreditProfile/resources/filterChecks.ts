import type { IDataObject } from 'n8n-workflow';
import type { CreditProfileMapping } from '../../shared/credentials/apiMapping';
import type { Diagnosis } from '../../shared/operations/diagnosis';
import type { Reader, ServiceRequest } from '../../shared/transport/request';
import { encodeFilter } from '../filter';
import { rowsIn } from '../listing';

/** One plain read. */
export type Get = <T extends object>(
	reader: Reader<T>,
	path: string,
	query?: IDataObject,
	lists?: ServiceRequest['lists'],
) => Promise<T>;

/** No collection is called so. */
const UNLIKELY = 'no collection is called this way';

export type Encodings = Pick<CreditProfileMapping, 'filterEncoding' | 'listEncoding'>;
const FILTER_ENCODINGS = ['brackets', 'dots', 'json'] as const;
const LIST_ENCODINGS = ['brackets', 'indices', 'repeat'] as const;

/** Which encodings the service understands: one that it does not is refused, or lets everything pass. */
export async function checkFilters(
	diagnosis: Diagnosis,
	get: Get,
	mapping: CreditProfileMapping,
	collections: IDataObject[],
): Promise<Partial<Encodings>> {
	const countOf = async (filter: IDataObject, encodings: Encodings) => {
		const { query, lists } = encodeFilter(filter, { ...mapping, ...encodings });
		return await get(
			rowsIn('collection'),
			'/data/collection',
			{ ...query, limit: 100 },
			lists,
		).then(
			({ rows, total = rows.length }) => total,
			() => undefined,
		);
	};
	const found: Partial<Encodings> = {};
	await diagnosis.run('Filter encoding', async () => {
		if (collections.length === 0) return cannotTell;
		for (const filterEncoding of FILTER_ENCODINGS) {
			const total = await countOf({ name__eq: UNLIKELY }, { ...mapping, filterEncoding });
			if (total !== 0) continue;
			found.filterEncoding = filterEncoding;
			return understood('Filters', 'filterEncoding', filterEncoding, mapping);
		}
		return {
			ok: false,
			seen: 'A filter that nothing passes was refused, or everything passed it, in each encoding.',
			advice:
				'Ask the service how the filter is written in the query string; do not filter until then.',
		};
	});
	await diagnosis.run('List encoding', async () => {
		const names = [...new Set(collections.map(({ name }) => name as string))].slice(0, 2);
		const { filterEncoding } = found;
		const expected = collections.filter(({ name }) => names.includes(name as string)).length;
		if (expected === collections.length || !filterEncoding) return cannotTell;
		for (const listEncoding of LIST_ENCODINGS) {
			const total = await countOf({ name__eq: names }, { filterEncoding, listEncoding });
			if (total !== expected) continue;
			found.listEncoding = listEncoding;
			return understood('Several values', 'listEncoding', listEncoding, mapping);
		}
		return {
			ok: false,
			seen: 'A filter with two values was not understood in any encoding.',
			advice: 'Filter by one value at a time.',
		};
	});
	return found;
}

function understood(what: string, key: keyof Encodings, encoding: string, mapping: Encodings) {
	const ok = mapping[key] === encoding;
	const advice = ok ? '' : `Set ${key} in the API Mapping to "${encoding}".`;
	return { ok, seen: `${what} are understood as ${encoding}.`, advice };
}

const cannotTell = {
	ok: 'unknown' as const,
	seen: 'There are too few collections to tell.',
	advice: 'Diagnose again once there are three.',
};
