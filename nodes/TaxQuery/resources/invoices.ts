import { DateTime } from 'luxon';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { MEXICO } from '../fields/dates';
import type { OutputRowWarning } from '../fields/identifiers';
import type { Period } from '../fields/period';
import type { ValidatedQueryInput } from '../request/queryRequest';
import { mappingKeysAdvice } from '../errors/queryError';
import { CodedError } from '../../shared/utils/codedError';

/**
 * TQ §4.11: one query for each month, with the chosen days. One request covers consecutive months, except where the
 * environment has one field for a period instead of two.
 */
export function invoiceInput(
	rfc: string,
	period: Period,
	mapping: TaxQueryMapping,
	warnings: OutputRowWarning[],
): ValidatedQueryInput {
	const { from, to, unit } = period;
	const format = mapping.periodFormat[unit];
	const isOneField = hasOneField(mapping);
	const months = monthsOf(period);
	if (isOneField && unit === 'days' && months.some(({ from, to }) => !from.hasSame(to, 'day'))) {
		throw new CodedError(
			'period.days',
			'This environment takes one period for a query, not a first and a last day',
			{ description: `Choose Month or Months as 'Period'. If it has both, ${SET_FIELDS}.` },
		);
	}
	const records = months.map((month) => ({
		fields: {
			rfc,
			period: monthName(month),
			from: month.from.toISODate(),
			to: month.to.toISODate(),
		},
		completeSince: completeSince(month),
	}));
	return {
		fields: { rfc, from: from.toFormat(format), to: to.toFormat(format) },
		records,
		only(wanted = []) {
			const missing = months.filter((_, index) => wanted.includes(records[index]));
			const ranges = isOneField ? missing : neighbours(missing);
			return ranges.map((range) => ({
				...invoiceInput(rfc, { ...range, unit }, mapping, warnings),
				only: undefined,
			}));
		},
		warnings,
	};
}

const SET_FIELDS = mappingKeysAdvice(['fields.getInvoices.from', 'fields.getInvoices.to']);

/** Throws a UserError if the environment has no field for a period. */
function hasOneField({
	fields: { getInvoices: { from = 'from', to = 'to' } = {} },
}: TaxQueryMapping) {
	if (from !== '' || to !== '') return from === '' || to === '';
	throw new CodedError('period.unmapped', 'By the API Mapping no period is sent', {
		description: `If it has them, ${SET_FIELDS}.`,
	});
}

/** Days of a period, in one or several months. */
type Part = Pick<Period, 'from' | 'to'>;

const monthName = ({ from }: Part) => from.toFormat('yyyy-MM');

/** That is the end of its last day in Mexico. For days that are not over, records of today suffice. */
function completeSince({ to }: Part): number {
	const lastDay = to.setZone(MEXICO, { keepLocalTime: true });
	const today = DateTime.now().setZone(MEXICO);
	return Math.min(lastDay.endOf('day').toMillis(), today.startOf('day').toMillis());
}

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

function neighbours(parts: Part[]): Part[] {
	const ranges: Part[] = [];
	for (const part of parts) {
		const last = ranges.at(-1);
		if (last?.to.plus({ days: 1 }).hasSame(part.from, 'day')) last.to = part.to;
		else ranges.push({ ...part });
	}
	return ranges;
}
