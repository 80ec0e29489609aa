import type { CheckError } from './result';

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MONTHS =
	'January February March April May June July August September October November December'.split(
		' ',
	);

const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const COMPARE = 'Compare the date with an official document.';

/**
 * Reads the YYMMDD that begins at position `start` of an identifier, in each of the given centuries (1900, 2000).
 * Returns the ISO dates that exist, or a DATE error if there is none.
 */
export function readDate(
	digits: string,
	start: number,
	centuries: number[],
): { dates: string[]; errors: CheckError[] } {
	const [year, month, day] = [0, 2, 4].map((at) => Number(digits.slice(at, at + 2)));
	const refuse = (message: string) => ({
		dates: [],
		errors: [{ code: 'DATE' as const, message: `${message} ${COMPARE}` }],
	});
	if (month < 1 || month > 12) {
		return refuse(
			`Positions ${start + 2}–${start + 3} give the month ${digits.slice(2, 4)}; months run from 01 to 12.`,
		);
	}
	const at = `Positions ${start + 4}–${start + 5} give the day ${digits.slice(4)}`;
	if (day < 1 || day > DAYS[month - 1]) {
		return refuse(`${at}; ${MONTHS[month - 1]} has the days 01 to ${DAYS[month - 1]}.`);
	}
	const years = centuries.map((century) => century + year);
	const existing = years.filter((full) => day <= 28 || month !== 2 || isLeap(full));
	if (existing.length === 0) {
		return refuse(`${at} of February, but ${years.join(' or ')} is not a leap year.`);
	}
	return {
		dates: existing.map((full) => `${full}-${digits.slice(2, 4)}-${digits.slice(4)}`),
		errors: [],
	};
}

/** The day of a Date (in UTC) or of ISO text (YYYY-MM-DD, a time may follow) as YYYY-MM-DD; undefined if neither. */
export function isoDay(value: unknown): string | undefined {
	if (value instanceof Date) {
		return Number.isNaN(value.getTime()) ? undefined : value.toISOString().slice(0, 10);
	}
	if (typeof value !== 'string') return undefined;
	const found = /^(\d\d)(\d\d)-(\d\d)-(\d\d)(?=[T ]|$)/.exec(value.trim());
	if (!found) return undefined;
	const [, century, year, month, day] = found;
	return readDate(year + month + day, 1, [Number(century) * 100]).dates[0];
}
