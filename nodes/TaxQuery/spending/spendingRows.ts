import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { UNITS, type Prices } from '../../shared/credentials/prices';
import { queryTypes } from '../../shared/queryTypes/catalog';
import type { QueryRecord } from '../client/model';
import { amountOf, type Amount } from './amounts';
import type { SpendingPeriod } from './spendingPeriod';

export type SpendingUnit = 'day' | 'month';

const FORMATS: Record<SpendingUnit, string> = { day: 'yyyy-MM-dd', month: 'yyyy-MM' };

/** How many queries there are, by their status; the parts add up to `queries`. */
interface Counts {
	queries: number;
	successful: number;
	notFound: number;
	failed: number;
	pending: number;
	unknown: number;
}

const none = (): Counts => ({
	...{ queries: 0, successful: 0, notFound: 0, failed: 0, pending: 0, unknown: 0 },
});

function countIn(counts: Counts, { state, isNotFound }: QueryRecord): void {
	counts.queries++;
	if (state === 'success') counts.successful++;
	else if (state === 'failed' && isNotFound) counts.notFound++;
	else counts[state]++;
}

interface Group extends Counts {
	period: string;
	/** Undefined where the API Mapping does not know the service's name of the query type. */
	operation?: string;
	queryType: string;
}

export interface SpendingReport {
	groups: Group[];
	total: Counts;
	/** Of all queries of the period. */
	amount?: Amount;
}

/** Groups the queries of a period by the dates that the service gives them, so that each report of a period is the same. */
export function reportSpending(
	records: QueryRecord[],
	{ start, end }: SpendingPeriod,
	unit: SpendingUnit,
	prices: Prices | undefined,
): SpendingReport {
	const groups = new Map<string, Group>();
	const total = none();
	for (const record of records) {
		const made = DateTime.fromMillis(record.createdAt ?? NaN, { zone: start.zone });
		if (!made.isValid || made < start || made >= end) continue;
		const period = made.toFormat(FORMATS[unit]);
		const { operation } = record;
		const known = queryTypes.find((queryType) => queryType.operation === operation);
		const queryType = known?.label ?? (record.code || 'not shown');
		const key = JSON.stringify([period, queryType]);
		const group = groups.get(key) ?? { period, operation, queryType, ...none() };
		groups.set(key, group);
		countIn(group, record);
		countIn(total, record);
	}
	const sorted = [...groups.values()].sort(
		(a, b) => a.period.localeCompare(b.period) || a.queryType.localeCompare(b.queryType),
	);
	return { groups: sorted, total, ...(prices && { amount: amountOfGroups(sorted, prices) }) };
}

function amountOfGroups(groups: Group[], prices: Prices): Amount {
	const amounts = groups.map((group) => amountOfGroup(group, prices));
	return {
		units: amounts.reduce((sum, { units }) => sum + units, 0),
		unpriced: amounts.reduce((sum, { unpriced }) => sum + unpriced, 0),
	};
}

const amountOfGroup = ({ operation = '', queries }: Group, prices: Prices): Amount =>
	amountOf(new Map([[operation, queries]]), prices);

/**
 * The rows of a report, and the total as the last one if that is wanted. `amount` is that of the queries whose price is
 * known, and null where none is.
 */
export function spendingRows(
	{ groups, total, amount }: SpendingReport,
	{
		prices,
		hasTotal,
		isComplete,
	}: { prices: Prices | undefined; hasTotal: boolean; isComplete: boolean },
): IDataObject[] {
	const row = (
		{ period, queryType }: Pick<Group, 'period' | 'queryType'>,
		{ queries, successful, notFound, failed, pending, unknown }: Counts,
		{ units, unpriced }: Amount = { units: 0, unpriced: queries },
	) => ({
		...{ period, queryType, queries },
		amount: !prices || (unpriced > 0 && unpriced === queries) ? null : units / UNITS,
		currency: prices?.currency ?? null,
		withoutPrice: unpriced,
		...{ successful, notFound, failed, pending, unknown },
		complete: isComplete,
	});
	const rows = groups.map((group) => row(group, group, prices && amountOfGroup(group, prices)));
	return hasTotal ? [...rows, row({ period: 'total', queryType: 'all' }, total, amount)] : rows;
}
