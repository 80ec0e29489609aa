import { finding, type CheckErrorFinding } from './checkResult';

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/**
 * Reads YYMMDD from `start` of the identifier `name`, in each of the given centuries (1900, 2000): the ISO dates
 * that exist, or a DATE error if there is none.
 */
export function readIdentifierDate(
	digits: string,
	name: string,
	start: number,
	centuries: number[],
): { dates: string[]; errors: CheckErrorFinding[] } {
	const [yy, mm, dd] = [0, 2, 4].map((at) => digits.slice(at, at + 2));
	const [month, day] = [Number(mm), Number(dd)];
	const years = centuries.map((century) => century + Number(yy));
	const dates = years
		.filter((year) => day >= 1 && day <= (month === 2 && !isLeap(year) ? 28 : DAYS[month - 1]))
		.map((year) => `${year}-${mm}-${dd}`);
	if (dates.length > 0) return { dates, errors: [] };
	const issue = DAYS[month - 1]
		? `${start + 4}–${start + 5} give day ${dd}, which month ${mm} of ${years.join(' or ')} does not have`
		: `${start + 2}–${start + 3} give month ${mm}; months run from 01 to 12`;
	const problem = `In the ${name}, positions ${issue}`;
	const todo = 'Compare the date with an official document.';
	return { dates, errors: [finding('DATE', problem, todo)] };
}
