import { type DateTime } from 'luxon';
import { UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/operation';
import { readDate, refuseFuture, toDate } from './dates';

const MONTH = 'yyyy-MM';
const DAY = 'yyyy-MM-dd';

const month = (displayName: string, name: string, kind: string): INodeProperties => ({
	displayName,
	name,
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. 2026-10',
	description: 'Year and month; a date stands for its month',
	displayOptions: { show: { period: [kind] } },
});
const date = (displayName: string, name: string): INodeProperties => ({
	displayName,
	name,
	type: 'dateTime',
	typeOptions: { dateOnly: true },
	default: '',
	required: true,
	placeholder: 'e.g. 2026-10-15',
	displayOptions: { show: { period: ['dates'] } },
});

export const periodFields: INodeProperties[] = [
	{
		displayName: 'Period',
		name: 'period',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'Dates', value: 'dates', description: 'From one day to another' },
			{ name: 'Month', value: 'month' },
			{ name: 'Months', value: 'months', description: 'From one month to another' },
		],
		default: 'month',
		description: 'Each month of the period is a query of its own, and costs as one',
	},
	month('Month', 'month', 'month'),
	month('First Month', 'firstMonth', 'months'),
	month('Last Month', 'lastMonth', 'months'),
	date('First Day', 'firstDay'),
	date('Last Day', 'lastDay'),
];

export const periodFormatOption: INodeProperties = {
	displayName: 'Period Format',
	name: 'periodFormat',
	type: 'string',
	default: '',
	placeholder: 'e.g. yyyy-MM',
	description:
		"How the start and the end of the period are written, in luxon's letters. The service's document does not show it; by default yyyy-MM for months and yyyy-MM-dd for days.",
};

/** A period as §4.11 wants it: the fields of the body, and each month that is a query of its own. */
export interface Period {
	fields: IDataObject;
	/** As year-month. */
	months: string[];
}

/** Throws a UserError that names the field if it is no period, lies in the future, or runs backwards. */
export function readPeriod(item: Item): Period {
	const kind = item.parameter<string>('period');
	const [from, to, format] =
		kind === 'dates'
			? [day(item, 'firstDay', 'First Day'), day(item, 'lastDay', 'Last Day'), DAY]
			: kind === 'months'
				? [
						monthOf(item, 'firstMonth', 'First Month'),
						monthOf(item, 'lastMonth', 'Last Month'),
						MONTH,
					]
				: [monthOf(item, 'month', 'Month'), monthOf(item, 'month', 'Month'), MONTH];
	if (from.toFormat(format) > to.toFormat(format)) {
		throw new UserError('The period runs backwards: its end lies before its start', {
			description: 'Exchange the two fields, or check the expressions that fill them.',
		});
	}
	const written = String(item.options.periodFormat ?? '') || format;
	return {
		fields: { from: from.toFormat(written), to: to.toFormat(written) },
		months: monthsBetween(from, to),
	};
}

const day = (item: Item, name: string, label: string) => readDate(item.parameter(name), label);

function monthOf(item: Item, name: string, label: string): DateTime {
	const value = toDate(item.parameter(name));
	if (!value.isValid) {
		throw new UserError(`"${label}" is not a month`, {
			description: 'Enter it as year-month, e.g. 2026-10.',
		});
	}
	refuseFuture(value.toFormat(MONTH), MONTH, label);
	return value.startOf('month');
}

function monthsBetween(from: DateTime, to: DateTime): string[] {
	const months: string[] = [];
	const last = to.toFormat(MONTH);
	for (let at = from.startOf('month'); at.toFormat(MONTH) <= last; at = at.plus({ months: 1 })) {
		months.push(at.toFormat(MONTH));
	}
	return months;
}
