import {
	defineField,
	defineOperation,
	optionsEntryField,
	parseBoolean,
	parseOneOf,
} from '../../shared/operations/fields';
import type { Item, Run } from '../../shared/operations/operation';
import { mappingHint } from '../../shared/errors/sentences';
import { joinSentences } from '../../shared/utils/joinSentences';
import { detachedClient, itemClient, type QueryClient } from '../client/queryClient';
import { completeSelectedRows } from '../client/queryList';
import type { CollectedQueryList, QueryRecord } from '../client/model';
import { incompleteQueryListSentences } from '../errors/queryError';
import { moneyText } from '../spending/amounts';
import { spendingPeriod, type SpendingPeriod } from '../spending/spendingPeriod';
import { reportSpending, spendingRows, type SpendingReport } from '../spending/spendingRows';
import { sharedQueryListOf, EARLY_DATE_MS } from '../submission/sharedList';

const groupBy = defineField(
	{
		displayName: 'Group By',
		name: 'groupBy',
		type: 'options',
		options: [
			{ name: 'Day', value: 'day' },
			{ name: 'Month', value: 'month' },
		],
		default: 'day',
		description: 'What a row stands for, beside the query type',
	},
	parseOneOf('day', 'month'),
);

const totalRow = optionsEntryField(
	{
		displayName: 'Total Row',
		name: 'totalRow',
		type: 'boolean',
		default: false,
		description:
			'Whether the last row is the total. Switch it off for a chart, or a table that adds up its rows.',
	},
	parseBoolean,
	true,
);

const GET_SPENDING =
	'Count the queries of a period by day or month and query type, with amounts if the credential has prices. It makes no new query.';

export const getSpending = defineOperation({
	name: 'Get Spending',
	value: 'getSpending',
	action: 'Get spending',
	tool: `${GET_SPENDING} The last row is the total. If complete is false, the service's list may lack queries.`,
	description: GET_SPENDING,
	hasNoPersonalData: true,
	fields: { period: spendingPeriod, unit: groupBy },
	options: { hasTotal: totalRow },
	/** TQ §4.12 */
	async execute(item, { period, unit, hasTotal }) {
		const readings = item.run.shared(newReadings);
		const prices = (await itemClient(item)).prices();
		await readings.need(item, period.start.toMillis());
		const next = async () => {
			const { listing, records } = await readings.read(item);
			const report = reportSpending(records, period, unit, prices);
			const undated = listing.unreadable + records.filter(isUndated).length;
			const isComplete = listing.completeness === 'complete' && undated === 0;
			item.run.hint(
				joinSentences(
					spentText(report, period, prices?.currency),
					`${countedQueries(records.length)} read from the service's list`,
					incompleteQueryListSentences({ ...listing, listed: records.length }),
					undatedText(undated),
					unnamedText(report),
				),
			);
			return spendingRows(report, { prices, hasTotal, isComplete });
		};
		return { next };
	},
});

const isUndated = ({ createdAt }: QueryRecord) => createdAt === undefined;

const countedQueries = (count: number) => `${count} ${count === 1 ? 'query' : 'queries'}`;

/** "16 queries from 2026-11-01 to 2026-11-30: MXN 52.50" */
function spentText(
	{ total, amount }: SpendingReport,
	{ start, end }: SpendingPeriod,
	currency = '',
): string {
	const [first, last] = [start, end.minus({ days: 1 })].map((day) => day.toISODate());
	const when = first === last ? `on ${first}` : `from ${first} to ${last}`;
	const cost = amount ? `: ${moneyText(currency, amount.units)}` : '';
	return joinSentences(
		`${countedQueries(total.queries)} ${when}${cost}`,
		amount && amount.unpriced > 0
			? `Not in the amount, because the credential has no price ('Advanced', 'Prices'): ${countedQueries(amount.unpriced)}`
			: '',
	);
}

const undatedText = (undated: number): string =>
	undated === 0
		? ''
		: joinSentences(
				`Not counted, because the list shows no date with a time zone: ${countedQueries(undated)}`,
				mappingHint(['record.createdAt']),
			);

function unnamedText({ groups }: SpendingReport): string {
	const names = new Set(groups.filter((one) => !one.operation).map((one) => one.queryType));
	if (names.size === 0) return '';
	return joinSentences(
		`Query types that the API Mapping does not name: ${[...names].join(', ')}`,
		mappingHint(['services']),
	);
}

interface Reading {
	listing: Omit<CollectedQueryList, 'records'>;
	records: QueryRecord[];
}

/** Reads the list once for all items of a run with the same account: as far back as any of them needs it. */
function newReadings(run: Run) {
	const begunAt = performance.now();
	const since = new Map<string, number>();
	const readings = new Map<string, Promise<Reading>>();
	const keyOf = ({ clientKey, mapping }: QueryClient) => JSON.stringify([clientKey, mapping]);
	return {
		async need(item: Item, moment: number): Promise<void> {
			const key = keyOf(await itemClient(item));
			since.set(key, Math.min(moment, since.get(key) ?? Infinity));
		},
		async read(item: Item): Promise<Reading> {
			const client = await detachedClient(item);
			const key = keyOf(client);
			const from = (since.get(key) ?? 0) + client.clockOffsetMs() - EARLY_DATE_MS;
			const known =
				readings.get(key) ?? readCompleted(client, { owner: run, since: from, notBefore: begunAt });
			readings.set(key, known);
			return await known;
		},
	};
}

/** Rows that do not show when or what was asked are read by their ID. */
async function readCompleted(
	client: QueryClient,
	need: { owner: object; since: number; notBefore: number },
): Promise<Reading> {
	const list = sharedQueryListOf(client);
	const { records, ...listing } = await (await list.read(client, need)).listing;
	const lacks = (row: QueryRecord) => isUndated(row) || row.code === '';
	const complete = async (row: QueryRecord) => await list.completeRow(client, row);
	return { listing, records: await completeSelectedRows(records, lacks, complete) };
}
