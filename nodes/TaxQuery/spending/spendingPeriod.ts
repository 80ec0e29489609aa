import { DateTime } from 'luxon';
import { dayProperty, readDay } from '../fields/dates';
import { periodBackwards } from '../fields/period';
import { parseOneOf, type Field } from '../../shared/operations/fields';
import { fieldError } from '../../shared/utils/codedError';

/** Whole days of the workflow's time zone; `end` is the moment after the last one. */
export interface SpendingPeriod {
	start: DateTime;
	end: DateTime;
}

// not required: n8n would miss them where an expression chooses another period
const shownForDates = { displayOptions: { show: { spendingPeriod: ['dates'] } } };
const firstDay = dayProperty('First Day', 'firstDay', '2026-10-01', shownForDates);
const lastDay = dayProperty('Last Day', 'lastDay', '2026-10-31', shownForDates);
const kinds = ['today', 'lastWeek', 'thisMonth', 'lastMonth', 'dates'] as const;

/** Throws a UserError that names the field if a day is none, or the period runs backwards. */
export const spendingPeriod: Field<SpendingPeriod> = {
	properties: [
		{
			displayName: 'Period',
			name: 'spendingPeriod',
			type: 'options',
			options: [
				{ name: 'Dates', value: 'dates', description: 'From one day to another' },
				{ name: 'Last Month', value: 'lastMonth' },
				{ name: 'Last Week', value: 'lastWeek', description: 'Monday to Sunday' },
				{ name: 'This Month', value: 'thisMonth' },
				{ name: 'Today', value: 'today' },
			],
			default: 'thisMonth',
			description: "When the queries were made, in the workflow's time zone",
		},
		firstDay,
		lastDay,
	],
	read(item) {
		const kind = parseOneOf(...kinds)(item.parameter('spendingPeriod'), 'Period');
		if (kind !== 'dates') return periodBefore(kind, DateTime.now().setZone(item.timezone));
		const [start, last] = [firstDay, lastDay].map(({ name, displayName }) => {
			const entered: unknown = item.parameter(name);
			if ((entered ?? '') === '') {
				const todo = 'Enter it as year-month-day, e.g. 2026-10-01.';
				throw fieldError('field.empty', displayName, 'is empty', todo);
			}
			const day = readDay(entered, displayName, item.timezone);
			return day.setZone(item.timezone, { keepLocalTime: true });
		});
		if (start <= last) return { start, end: last.plus({ days: 1 }) };
		throw periodBackwards();
	},
};

/** The period that a name means now. */
export function periodBefore(
	kind: Exclude<(typeof kinds)[number], 'dates'>,
	now: DateTime,
): SpendingPeriod {
	switch (kind) {
		case 'today':
			return { start: now.startOf('day'), end: now.startOf('day').plus({ days: 1 }) };
		case 'lastWeek': {
			const end = now.startOf('week');
			return { start: end.minus({ weeks: 1 }), end };
		}
		case 'thisMonth':
			return { start: now.startOf('month'), end: now.startOf('month').plus({ months: 1 }) };
		case 'lastMonth': {
			const end = now.startOf('month');
			return { start: end.minus({ months: 1 }), end };
		}
	}
}
