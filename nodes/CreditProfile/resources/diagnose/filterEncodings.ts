import type { IDataObject } from 'n8n-workflow';
import type { CreditProfileMapping } from '../../../shared/credentials/apiMapping';
import type { ConnectionDiagnosis } from '../../../shared/operations/diagnosis';
import type { ParsedBodyReader } from '../../../shared/http/connection';
import type { ServiceRequest } from '../../../shared/http/sendOnce';
import { encodeFilter } from '../../filters';
import { rowsBodyParser } from '../../lists';

export type SendGet = <T extends object>(
	reader: ParsedBodyReader<T>,
	path: string,
	query?: IDataObject,
	lists?: ServiceRequest['lists'],
) => Promise<T>;

/** No collection has this name. */
const UNLIKELY = 'no collection is called this way';

export type FilterEncodingSettings = Pick<CreditProfileMapping, 'filterEncoding' | 'listEncoding'>;

/** Any encoding that the service does not understand is refused, or lets every row pass. */
export async function detectFilterEncodings(
	diagnosis: ConnectionDiagnosis,
	get: SendGet,
	mapping: CreditProfileMapping,
	collections: IDataObject[],
): Promise<Partial<FilterEncodingSettings>> {
	const found: Partial<FilterEncodingSettings> = {};
	const check = async <Key extends keyof FilterEncodingSettings>(
		name: string,
		key: Key,
		encodings: Array<FilterEncodingSettings[Key]>,
		wanted: { filter: IDataObject; total: number },
		otherwise: string,
	) =>
		await diagnosis.run(name, async () => {
			if (wanted.total === collections.length) {
				const advice = 'Diagnose again once there are three collections and filters work.';
				return { ok: 'unknown', seen: 'There is nothing to compare yet.', advice };
			}
			for (const encoding of encodings) {
				const { query, lists } = encodeFilter(wanted.filter, {
					...mapping,
					...found,
					[key]: encoding,
				});
				const total = await get(
					rowsBodyParser('collection'),
					'/data/collection',
					{ ...query, limit: 100 },
					lists,
				).then(
					(page) => page.total ?? page.rows.length,
					() => undefined,
				);
				if (total !== wanted.total) continue;
				found[key] = encoding;
				const ok = mapping[key] === encoding;
				return {
					ok,
					seen: `The service understands ${encoding}.`,
					advice: ok ? '' : `Set ${key} in the API Mapping to "${encoding}".`,
				};
			}
			return { ok: false, seen: 'The service understands no encoding.', advice: otherwise };
		});
	await check(
		'Filter encoding',
		'filterEncoding',
		['brackets', 'dots', 'json'],
		{ filter: { name__eq: UNLIKELY }, total: 0 },
		'Ask your provider how the query string holds a filter. Do not filter until then.',
	);
	const names = [...new Set(collections.map(({ name }) => name as string))].slice(0, 2);
	const passing = collections.filter(
		({ name }) => !found.filterEncoding || names.includes(name as string),
	);
	await check(
		'List encoding',
		'listEncoding',
		['brackets', 'indices', 'repeat'],
		{ filter: { name__eq: names }, total: passing.length },
		'Filter by one value at a time.',
	);
	return found;
}
