import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { isObject } from '../../shared/utils/json';
import { readRecord } from './record';
import type { QueryRecord } from './types';

/** One response of GET /query (TQ §4.12, whose shape is not shown). */
export interface ListPage {
	records: QueryRecord[];
	/** Rows that show no ID. */
	unreadable: number;
	total?: number;
	/** Where the rows were: '' for a plain array. */
	key: string;
}

interface Rows {
	rows: IDataObject[];
	key: string;
	/** The object that holds them. */
	beside: IDataObject;
}

/**
 * The rows of the list: the response itself, what the API Mapping's `list.rows` names, or the only list in it, on top or
 * in an object. Undefined if there is none, or more than one that may be it.
 */
export function readListPage(body: unknown, mapping: TaxQueryMapping): ListPage | undefined {
	const found = Array.isArray(body)
		? { rows: body as unknown[], key: '', beside: {} }
		: isObject(body)
			? onlyRows(body, mapping)
			: undefined;
	if (!found || !found.rows.every(isObject)) return undefined;
	const records: QueryRecord[] = [];
	for (const row of found.rows) {
		const record = readRecord(row, mapping);
		if (record) records.push(record);
	}
	const totals = [found.beside, body].flatMap((level) =>
		isObject(level) ? [level.total, level.totalCount] : [],
	);
	const total = totals.find((value) => Number.isSafeInteger(value)) as number | undefined;
	return {
		records,
		unreadable: found.rows.length - records.length,
		...(total !== undefined && { total }),
		key: found.key,
	};
}

function onlyRows(body: IDataObject, mapping: TaxQueryMapping): Rows | undefined {
	const inside = Object.values(body).filter(isObject);
	const lists = [body, ...inside].flatMap((beside) => listsIn(beside));
	const { rows: named } = mapping.list;
	if (named !== undefined) return lists.find(({ key }) => key === named);
	const filled = lists.filter(({ rows }) => rows.some((row) => readRecord(row, mapping)));
	if (filled.length > 0) return filled.length === 1 ? filled[0] : undefined;
	return lists.length === 1 ? lists[0] : undefined;
}

/** Lists by their keys; null beside a total of 0 is an empty one. */
function listsIn(beside: IDataObject): Rows[] {
	const isNone = beside.total === 0 || beside.totalCount === 0;
	return Object.entries(beside).flatMap(([key, value]) => {
		if (Array.isArray(value)) return [{ rows: value as IDataObject[], key, beside }];
		return value === null && isNone ? [{ rows: [], key, beside }] : [];
	});
}
