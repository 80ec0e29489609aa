import { DateTime } from 'luxon';
import type { INodeProperties } from 'n8n-workflow';
import { numberAtLeastParser, type Field } from '../../shared/operations/fields';
import type { Item } from '../../shared/operations/operation';
import { normalizeText } from '../../shared/utils/cleanText';
import { textOf } from '../../shared/utils/primitiveText';
import { fieldError } from '../../shared/utils/codedError';

/** The tax authority's time zone, which decides the date of today. */
export const MEXICO = 'America/Mexico_City';
/** Matches full dates. A year alone, a number or a week is none, though luxon would read one. */
const ISO = /^\d{4}-\d\d-\d\d($|[T ]\d\d:)/;
const FIRST_YEAR = 1900;

export const dayProperty = (
	displayName: string,
	name: string,
	example: string,
	more: Partial<INodeProperties> = {},
): INodeProperties => ({
	displayName,
	name,
	type: 'dateTime',
	typeOptions: { dateOnly: true },
	default: '',
	placeholder: `e.g. ${example}`,
	description: `Year-month-day, e.g. ${example}`,
	...more,
});

/**
 * Reads a point in time: ISO with or without time, day/month/year, a Date, or luxon's DateTime. It is in its own
 * zone, or in `zone` if it has none. The result is invalid for other values and impossible days.
 */
function toMoment(value: unknown, zone: string): DateTime {
	if (DateTime.isDateTime(value)) return value;
	if (value instanceof Date) return DateTime.fromJSDate(value, { zone: 'utc' });
	const text = typeof value === 'string' ? normalizeText(value) : '';
	const date = DateTime.fromFormat(text, 'd/M/yyyy', { zone });
	if (date.isValid || !ISO.test(text)) return date;
	return DateTime.fromISO(text.replace(' ', 'T'), { zone, setZone: true });
}

const DAY_FORM = 'Enter it as year-month-day, e.g. 1956-12-31.';

/**
 * Reads a point in time. Throws a UserError that names the field, and the `form` to enter, for other values; a number
 * does not say which day was meant.
 */
export function readMoment(value: unknown, label: string, zone: string, form = DAY_FORM): DateTime {
	if (/^\d+([.,]\d+)?$/.test(textOf(value).trim())) {
		throw fieldError(
			'field.serial',
			label,
			'is a number, not a date',
			`Five digits are Excel's serial number of a date: format the column as text. ${form}`,
		);
	}
	const moment = toMoment(value, zone);
	if (moment.isValid) return moment;
	throw fieldError('field.date', label, 'is not a date that exists', form);
}

/**
 * A calendar day as entered or given by an expression. At midnight it is the day as written: so dates come from
 * databases and sheets. With another time it is the day on which that moment falls in the workflow's time zone. Days
 * are given in UTC, so that they can be compared. Throws a UserError that names the field if it is none.
 */
export function readDay(value: unknown, label: string, zone: string, form?: string): DateTime {
	const moment = readMoment(value, label, zone, form);
	const { year, month, day } = isMidnight(moment) ? moment : moment.setZone(zone);
	return DateTime.utc(year, month, day);
}

/**
 * Reads a calendar day without a time, such as a birth date. An instant is accepted only at midnight, as written or
 * in the workflow's time zone. At another time the day would depend on the reader. Throws a UserError that names the
 * field.
 */
export function readPlainDay(value: unknown, label: string, zone: string): DateTime {
	const moment = readMoment(value, label, zone);
	const local = moment.setZone(zone);
	if (isMidnight(moment) || !isInstant(value)) return readDay(value, label, zone);
	if (isMidnight(local)) return DateTime.utc(local.year, local.month, local.day);
	throw fieldError(
		'field.instant',
		label,
		"is a moment, not a day: it is not midnight in the workflow's time zone",
		'Enter a plain day, e.g. 1956-12-31. If a database gives it, convert its date to text.',
	);
}

/** It has a zone, or is a Date or luxon's DateTime. */
const isInstant = (value: unknown): boolean =>
	typeof value !== 'string' || /(Z|[+-]\d\d(:?\d\d)?)$/i.test(normalizeText(value).slice(10));

const isMidnight = (moment: DateTime) => moment.equals(moment.startOf('day'));

/** Throws a UserError. `format` says whether the day or the month has begun in Mexico. */
export function refuseFuture(date: DateTime, format: string, label: string): void {
	if (date.toFormat(format) <= DateTime.now().setZone(MEXICO).toFormat(format)) return;
	throw fieldError('field.future', label, 'lies in the future', 'Check the year.');
}

const birthDateParts = [
	['Day', 'birthDay', '1 to 31'],
	['Month', 'birthMonth', '1 to 12'],
	['Year', 'birthYear', 'Four digits, e.g. 1956'],
].map(([displayName, name, description]): INodeProperties => ({
	displayName,
	name,
	type: 'number',
	default: '', // no default: a date that nobody entered would be billed
	required: true,
	description,
	displayOptions: { show: { birthDateAs: ['parts'] } },
}));

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
		dayProperty('Birth Date', 'birthDate', '1956-12-31', {
			required: true,
			description: 'Year-month-day, e.g. 1956-12-31, or day/month/year, e.g. 31/12/1956',
			displayOptions: { show: { birthDateAs: ['date'] } },
		}),
		...birthDateParts,
	],
	read(item) {
		const isOne = item.parameter('birthDateAs') !== 'parts';
		const label = isOne ? 'Birth Date' : 'Day, Month and Year';
		const written = isOne ? item.parameter('birthDate') : birthDateText(item);
		const date = readPlainDay(written, label, item.timezone);
		refuseFuture(date, 'yyyy-MM-dd', label);
		const { day, month, year } = date;
		if (year >= FIRST_YEAR) return { day, month, year };
		throw fieldError(
			'field.past',
			label,
			`lies before ${FIRST_YEAR}`,
			'Check the year: it needs four digits.',
		);
	},
};

function birthDateText(item: Item): string {
	const [day, month, year] = birthDateParts.map(({ name, displayName }) =>
		numberAtLeastParser(1)(item.parameter(name), displayName),
	);
	return `${day}/${month}/${String(year).padStart(4, '0')}`;
}
