import { DateTime } from 'luxon';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { Warning } from '../fields/identifiers';
import type { Period } from '../fields/period';
import type { QueryInput } from '../question/question';
import { CodedError } from '../../shared/utils/codedError';

/**
 * TQ §4.11: one query for each month, with the chosen days. One request covers months that follow each other, for
 * with one request, but where the environment has one field for a period instead of two.
 */
export function invoicesOf(
	rfc: string,
	period: Period,
	mapping: TaxQueryMapping,
	warnings: Warning[],
): QueryInput {
	const { from, to, unit } = period;
	const format = mapping.periodFormat[unit];
	const isOneField = fieldsOf(mapping).length === 1;
	const months = monthsOf(period);
	if (isOneField && unit === 'days' && months.some(({ from, to }) => !from.hasSame(to, 'day'))) {
		throw new CodedError(
			'period.days',
			'This environment takes one period for a query, not a first and a last day',
			{
				description: `Choose Month or Months as 'Period': by its API Mapping (fields.getInvoices) only one of "from" and "to" is sent.`,
			},
		);
	}
	const records = months.map((month) => ({
		asked: { rfc, period: nameOf(month), from: month.from.toISODate(), to: month.to.toISODate() },
		wholeSince: wholeSince(month),
	}));
	return {
		fields: { rfc, from: from.toFormat(format), to: to.toFormat(format) },
		records,
		only(wanted = []) {
			const missing = months.filter((_, index) => wanted.includes(records[index]));
			const ranges = isOneField ? missing.map((month) => [month]) : neighbours(missing);
			return ranges.map((range) => ({
				...invoicesOf(
					rfc,
					{ from: range[0].from, to: range[range.length - 1].to, unit },
					mapping,
					warnings,
				),
				only: undefined,
			}));
		},
		warnings,
	};
}

/** Which of the two ends of a period the environment has fields for. Throws a UserError if it has none. */
function fieldsOf({ fields: { getInvoices: names = {} } }: TaxQueryMapping): string[] {
	const sent = ['from', 'to'].filter((name) => names[name] !== '');
	if (sent.length > 0) return sent;
	throw new CodedError('period.unmapped', 'By the API Mapping no period is sent', {
		description:
			'Name fields.getInvoices.from, fields.getInvoices.to, or both, in the API Mapping of the credential.',
	});
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
