import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { Warning } from '../fields/identifiers';
import type { Period } from '../fields/period';
import type { QueryInput } from '../paidQuery/definition';

type Formats = TaxQueryMapping['periodFormat'];

/** TQ §4.11: one query for each month, from and to the days of it that are asked for. */
export function invoicesOf(
	rfc: string,
	period: Period,
	formats: Formats,
	warnings: Warning[],
): QueryInput {
	const { from, to, unit } = period;
	const months = monthsOf(period);
	const records = months.map((month) => ({
		echo: { rfc, period: nameOf(month) },
		isExact: (echo: IDataObject) => isSamePart(echo, month, formats),
		wholeSince: wholeSince(month),
	}));
	return {
		fields: { rfc, from: from.toFormat(formats[unit]), to: to.toFormat(formats[unit]) },
		records,
		only: (wanted) =>
			neighbours(months.filter((_, index) => wanted.includes(records[index]))).map((range) =>
				invoicesOf(
					rfc,
					{ from: range[0].from, to: range[range.length - 1].to, unit },
					formats,
					warnings,
				),
			),
		warnings,
	};
}

/** The days of one month that a period holds. */
type Part = Pick<Period, 'from' | 'to'>;

const nameOf = ({ from }: Part) => from.toFormat('yyyy-MM');

/** Invoices come in until a day is over; of days that are not, those of today's records are as good as new ones. */
const wholeSince = ({ to }: Part): number =>
	Math.min(to.endOf('day').toMillis(), DateTime.now().setZone(to.zone).startOf('day').toMillis());

function monthsOf({ from, to }: Part): Part[] {
	const parts: Part[] = [];
	for (let at = from.startOf('month'); at <= to; at = at.plus({ months: 1 })) {
		parts.push({
			from: DateTime.max(at, from.startOf('day')),
			to: DateTime.min(at.endOf('month').startOf('day'), to.startOf('day')),
		});
	}
	return parts;
}

/** Months that follow each other, together. */
function neighbours(parts: Part[]): Part[][] {
	const ranges: Part[][] = [];
	for (const part of parts) {
		const last = ranges.at(-1);
		const before = part.from.minus({ months: 1 }).toFormat('yyyy-MM');
		if (last && nameOf(last[last.length - 1]) === before) last.push(part);
		else ranges.push([part]);
	}
	return ranges;
}

/** Whether a record holds the same days of its month; one that names no days holds all of them. */
function isSamePart(echo: IDataObject, { from, to }: Part, { days, months }: Formats): boolean {
	const { from: first, to: last } = echo;
	if (Object.keys(echo).some((name) => !['rfc', 'period', 'from', 'to'].includes(name)))
		return false;
	const start = from.startOf('month');
	const end = from.endOf('month').startOf('day');
	const read = (value: unknown, otherwise: DateTime, toDay: (month: DateTime) => DateTime) => {
		if (value === undefined || value === null || value === '') return otherwise;
		const day = DateTime.fromFormat(String(value), days, { zone: from.zone });
		if (day.isValid) return day;
		return toDay(DateTime.fromFormat(String(value), months, { zone: from.zone }));
	};
	const firstDay = DateTime.max(
		start,
		read(first, start, (month) => month),
	);
	const lastDay = DateTime.min(
		end,
		read(last, end, (month) => month.endOf('month').startOf('day')),
	);
	return firstDay.toISODate() === from.toISODate() && lastDay.toISODate() === to.toISODate();
}
