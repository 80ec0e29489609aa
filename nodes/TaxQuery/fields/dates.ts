import { DateTime } from 'luxon';
import type { INodeProperties } from 'n8n-workflow';
import { parseNumber, type Field } from '../../shared/operations/field';
import { textOf } from '../../shared/utils/text';
import { CodedError } from '../../shared/utils/codedError';

/** The tax authority's own zone: what counts as today. */
const MEXICO = 'America/Mexico_City';
/** A year alone, a number or a week is none, though luxon would read one. */
const ISO = /^\d{4}-\d\d-\d\d($|[T ]\d\d:)/;
/** Nobody who is asked about was born before. */
const FIRST_YEAR = 1900;
const DAY_EXAMPLE = 'Enter it as year-month-day, e.g. 1956-12-31.';

/**
 * A point in time as entered or given by an expression: ISO with or without time, day/month/year, a Date, or luxon's
 * DateTime; in its own zone, or in `zone` if it has none. Invalid if it is none of these, or no such day exists.
 */
export function toMoment(value: unknown, zone: string): DateTime {
	if (DateTime.isDateTime(value)) return value;
	if (value instanceof Date) return DateTime.fromJSDate(value, { zone: 'utc' });
	const text = typeof value === 'string' ? value.trim() : '';
	const date = DateTime.fromFormat(text, 'd/M/yyyy', { zone });
	if (date.isValid || !ISO.test(text)) return date;
	return DateTime.fromISO(text.replace(' ', 'T'), { zone, setZone: true });
}

/**
 * A calendar day as entered or given by an expression. At midnight it is the day as written: so dates come from
 * databases and sheets. With another time it is the day on which that moment falls in the workflow's time zone. Days
 * are given in UTC, so that they can be compared. Throws a UserError that names the field if it is none.
 */
export function readDay(value: unknown, label: string, zone: string): DateTime {
	refuseSerial(value, label);
	const moment = toMoment(value, zone);
	if (moment.isValid) {
		const { year, month, day } = isMidnight(moment) ? moment : moment.setZone(zone);
		return DateTime.utc(year, month, day);
	}
	throw new CodedError('field.date', `'${label}' is not a date that exists`, {
		field: label,
		description: DAY_EXAMPLE,
	});
}

const isMidnight = (moment: DateTime) => moment.equals(moment.startOf('day'));

/** Throws a UserError if a value is a number, as spreadsheets hold dates: nobody can tell which day was meant. */
export function refuseSerial(value: unknown, label: string): void {
	const text = textOf(value).trim();
	if (!/^\d+([.,]\d+)?$/.test(text)) return;
	throw new CodedError('field.serial', `'${label}' is a number, not a date`, {
		field: label,
		description: `A number of five digits is Excel's serial number of a date: format the column as text, e.g. 1956-12-31, or convert it before. A year alone is no date.`,
	});
}

/** Throws a UserError if a day or month, written in this format, has not begun in Mexico. */
export function refuseFuture(written: string, format: string, label: string): void {
	if (written <= DateTime.now().setZone(MEXICO).toFormat(format)) return;
	throw new CodedError('field.future', `'${label}' lies in the future`, {
		field: label,
		description: 'Check the year.',
	});
}

const part = (displayName: string, name: string, description: string): INodeProperties => ({
	displayName,
	name,
	type: 'number',
	default: '', // no default: a date that nobody entered would be billed
	required: true,
	description,
	displayOptions: { show: { birthDateAs: ['parts'] } },
});
const parts = [
	part('Day', 'birthDay', 'Day of birth, a number from 1 to 31'),
	part('Month', 'birthMonth', 'Month of birth, a number from 1 to 12'),
	part('Year', 'birthYear', 'Year of birth with four digits, e.g. 1956'),
];

/** TQ §4.3 */
interface BirthDate {
	day: number;
	month: number;
	year: number;
}

/** Throws a UserError if there is no such day, it lies in the future, or nobody born then lives. */
export const birthDate: Field<BirthDate> = {
	properties: [
		{
			displayName: 'Birth Date As',
			name: 'birthDateAs',
			type: 'options',
			noDataExpression: true,
			options: [
				{ name: 'One Date', value: 'date' },
				{ name: 'Day, Month and Year', value: 'parts' },
			],
			default: 'date',
			description: 'Whether the birth date comes as one value or as three',
		},
		{
			displayName: 'Birth Date',
			name: 'birthDate',
			type: 'dateTime',
			typeOptions: { dateOnly: true },
			default: '',
			required: true,
			placeholder: 'e.g. 1956-12-31',
			description: 'Year-month-day, e.g. 1956-12-31, or day/month/year, e.g. 31/12/1956.',
			displayOptions: { show: { birthDateAs: ['date'] } },
		},
		...parts,
	],
	read(item) {
		if (item.parameter('birthDateAs') !== 'parts') {
			const label = 'Birth Date';
			return checked(readDay(item.parameter('birthDate'), label, item.timezone), label);
		}
		const [day, month, year] = parts.map(({ name, displayName }) =>
			parseNumber(1)(item.parameter(name), displayName),
		);
		const label = 'Day, Month and Year';
		const written = `${day}/${month}/${String(year).padStart(4, '0')}`;
		return checked(readDay(written, label, item.timezone), label);
	},
};

function checked(date: DateTime, label: string): BirthDate {
	refuseFuture(date.toFormat('yyyy-MM-dd'), 'yyyy-MM-dd', label);
	const { day, month, year } = date;
	if (year >= FIRST_YEAR) return { day, month, year };
	throw new CodedError('field.past', `'${label}' lies before ${FIRST_YEAR}`, {
		field: label,
		description: 'Check the year: it needs four digits.',
	});
}
