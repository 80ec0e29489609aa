import { DateTime } from 'luxon';
import type { INodeProperties } from 'n8n-workflow';
import type { Field } from '../../shared/operations/fields';
import { joinSentences } from '../../shared/utils/joinSentences';
import { dayProperty, MEXICO, readDay, refuseFuture } from './dates';
import type { OutputRowWarning } from './identifiers';
import { textProperty } from './textProperty';
import { CodedError } from '../../shared/utils/codedError';

const MONTH = 'yyyy-MM';
const DAY = 'yyyy-MM-dd';
const MONTH_FORM = 'Enter it as year-month, e.g. 2026-10.';
const YEAR_MONTH = /^\s*\d{4}-(0[1-9]|1[0-2])\s*$/;
/** A limit of this node: each month is billed, and more is rather a mistake than a wish. */
const MAX_MONTHS = 60;

const under = (kind: string) => ({ required: true, displayOptions: { show: { period: [kind] } } });
const month = (displayName: string, name: string, kind: string): INodeProperties => ({
	...textProperty(
		displayName,
		name,
		'2026-10',
		'Year-month, e.g. 2026-10. Of a date, the month counts.',
	),
	...under(kind),
});
const oneMonth = {
	...month('Month', 'month', 'month'),
	default: '={{ $now.minus({ months: 1 }).toFormat("yyyy-MM") }}',
};
const months = [
	month('First Month', 'firstMonth', 'months'),
	month('Last Month', 'lastMonth', 'months'),
];
const days = [
	dayProperty('First Day', 'firstDay', '2026-10-15', under('dates')),
	dayProperty('Last Day', 'lastDay', '2026-10-15', under('dates')),
];

/** A period from one day to another, both included; `unit` is what the operator entered. */
export interface Period {
	from: DateTime;
	to: DateTime;
	unit: 'days' | 'months';
}

/**
 * Throws a UserError that names the field if it is no period, lies in the future, runs backwards, or is too long.
 */
export const periodField: Field<Period> = {
	properties: [
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
			description: `Each month is billed as one query; at most ${MAX_MONTHS}. A period that is not over may still get invoices.`,
		},
		oneMonth,
		...months,
		...days,
	],
	async read(item) {
		const kind = item.parameter<string>('period');
		const isDays = kind === 'dates';
		const ends = isDays ? days : kind === 'months' ? months : [oneMonth, oneMonth];
		const format = isDays ? DAY : MONTH;
		const [from, to] = ends.map(({ name, displayName }) => {
			const value: unknown = item.parameter(name);
			const isMonth = !isDays && typeof value === 'string' && YEAR_MONTH.test(value);
			const written = isMonth ? `${value.trim()}-01` : value;
			const date = readDay(written, displayName, item.timezone, isDays ? undefined : MONTH_FORM);
			refuseFuture(date, format, displayName);
			return isDays ? date : date.startOf('month');
		});
		if (from > to) {
			throw periodBackwards();
		}
		const count = 12 * (to.year - from.year) + to.month - from.month + 1;
		if (count > MAX_MONTHS) {
			throw new CodedError(
				'period.long',
				`The period has ${count} months, but at most ${MAX_MONTHS} are asked for`,
				{
					...{ months: count, most: MAX_MONTHS },
					description: 'Each month is billed: choose a shorter period, or split it into items.',
				},
			);
		}
		if (isDays) return { from, to, unit: 'days' };
		return { from, to: to.endOf('month').startOf('day'), unit: 'months' };
	},
};

export const periodBackwards = (): CodedError =>
	new CodedError('period.backwards', 'The period runs backwards: its end lies before its start', {
		description: 'Swap the two fields, or check the expressions that fill them.',
	});

/** Warns of a period whose last day is not over: its invoices are billed now, and again when they are all there. */
export function getOpenPeriodWarnings({ to }: Period): OutputRowWarning[] {
	const [last, today] = [to, DateTime.now().setZone(MEXICO)].map((day) => day.toFormat(DAY));
	if (last < today) return [];
	const what = `The period is not over: its last day is ${last}`;
	const message = joinSentences(
		what,
		'More invoices may follow, and a later query is billed again',
	);
	return [{ field: 'Period', code: 'openPeriod', message }];
}

/** Missing or unexpected months; by their count where the response does not name all. */
export function monthWarnings(requested: string[], given: string[]): OutputRowWarning[] {
	const areNamed = ![...requested, ...given].includes('');
	const fewer = requested.length - given.length;
	const missing = requested.filter((month) => areNamed && !given.includes(month));
	const odd = given.filter(
		(month, at) => areNamed && (!requested.includes(month) || given.indexOf(month) < at),
	);
	if (fewer <= 0 && missing.length + odd.length === 0) return [];
	const message = joinSentences(
		fewer > 0 ? `The service accepted ${fewer} fewer of the months than were asked for` : '',
		missing.length > 0 ? `Missing: ${missing.join(', ')}` : '',
		odd.length > 0 ? `Twice, or not asked for: ${odd.join(', ')}` : '',
		'Compare the periods of these items before you ask again',
	);
	return [{ field: 'Answer', code: odd.length > 0 ? 'otherMonths' : 'fewerQueries', message }];
}
