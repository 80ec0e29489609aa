import { DateTime } from 'luxon';
import { UserError, type INodeProperties } from 'n8n-workflow';
import { readNumber } from './fields';
import type { Item } from '../shared/operation';

/** The tax authority's own zone: what counts as today. */
export const MEXICO = 'America/Mexico_City';

/**
 * A date as entered or given by an expression: ISO with or without time (the date as written counts, whatever its
 * zone), day/month/year, a Date, or luxon's DateTime. Invalid if it is none, or no such day exists.
 */
export function toDate(value: unknown): DateTime {
	if (DateTime.isDateTime(value)) return value;
	if (value instanceof Date) return DateTime.fromJSDate(value);
	const text = typeof value === 'string' ? value.trim() : '';
	const date = DateTime.fromFormat(text, 'd/M/yyyy');
	return date.isValid ? date : DateTime.fromISO(text, { setZone: true });
}

/** A date of an item; throws a UserError that names the field if it is none, or lies in the future. */
export function readDate(value: unknown, label: string): DateTime {
	const date = toDate(value);
	if (!date.isValid) {
		throw new UserError(`"${label}" is not a date that exists`, {
			description: 'Enter it as year-month-day, e.g. 1956-12-31.',
		});
	}
	refuseFuture(date.toFormat('yyyy-MM-dd'), 'yyyy-MM-dd', label);
	return date;
}

/** Throws a UserError if a day or month, written in this format, has not begun in Mexico. */
export function refuseFuture(written: string, format: string, label: string): void {
	if (written <= DateTime.now().setZone(MEXICO).toFormat(format)) return;
	throw new UserError(`"${label}" lies in the future`, { description: 'Check the year.' });
}

const part = (displayName: string, name: string, most: number): INodeProperties => ({
	displayName,
	name,
	type: 'number',
	typeOptions: { minValue: 1, maxValue: most },
	default: 1,
	required: true,
	displayOptions: { show: { birthDateAs: ['parts'] } },
});

export const birthDateFields: INodeProperties[] = [
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
	},
	{
		displayName: 'Birth Date',
		name: 'birthDate',
		type: 'dateTime',
		typeOptions: { dateOnly: true },
		default: '',
		required: true,
		placeholder: 'e.g. 1956-12-31',
		displayOptions: { show: { birthDateAs: ['date'] } },
	},
	part('Day', 'birthDay', 31),
	part('Month', 'birthMonth', 12),
	{ ...part('Year', 'birthYear', 9999), default: 1990 },
];

/** §4.3; throws a UserError if there is no such day or it lies in the future. */
export function readBirthDate(item: Item): { day: number; month: number; year: number } {
	if (item.parameter('birthDateAs') !== 'parts') {
		const { day, month, year } = readDate(item.parameter('birthDate'), 'Birth Date');
		return { day, month, year };
	}
	const [day, month, year] = ['Day', 'Month', 'Year'].map((label) =>
		readNumber(item.parameter(`birth${label}`), label, 1),
	);
	const date = DateTime.fromObject({ day, month, year });
	readDate(date, 'Day, Month and Year');
	return { day, month, year };
}
