import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { areOthers } from '../../shared/identifiers';
import { textOf } from '../../shared/utils/text';
import type { QueryRecord } from '../client/types';

/** One query that a question makes, as its record must say it. */
export interface Expected {
	/** The name of this query type in records of this environment. */
	code: string;
	/** Neither the API reference nor the API Mapping has the code. */
	isCodeGuessed?: boolean;
	/** What records of other query types surely are called. */
	otherCodes: string[];
	/** Under the API reference's names, with periods in ISO 8601; without secrets. */
	asked: IDataObject;
	/** A record that was made earlier (milliseconds) does not have all of it. */
	wholeSince?: number;
	/** An earlier try has sent other values under these names, which only a hash knows. */
	further?: { names: string[]; fits(values: IDataObject): boolean };
}

export type Comparison = 'same' | 'other' | 'untold';

/**
 * Whether a record is the query that is expected: the only answer to "is it mine?". `other` is proved: another query
 * type, person, birth date or period. What neither proves it nor shows all that was asked, and nothing else, is `untold`.
 */
export function compare(expected: Expected, record: QueryRecord): Comparison {
	const { asked, createdAt } = record;
	const type = compareType(expected, record);
	if (type === 'other') return 'other';
	if (asked === undefined) return 'untold';
	const content = compareAsked(expected, asked);
	if (content !== 'same') return content;
	if (expected.wholeSince !== undefined) {
		if (createdAt === undefined) return 'untold';
		if (createdAt < expected.wholeSince) return 'other';
	}
	return type;
}

function compareType(expected: Expected, { code, asked }: QueryRecord): Comparison {
	const name = comparable(code);
	if (name === comparable(expected.code)) return 'same';
	if (!expected.otherCodes.some((other) => comparable(other) === name)) return 'untold';
	// a guessed code may be another type's in this environment: then the person decides
	return expected.isCodeGuessed && asked && holdsPerson(expected.asked, asked) ? 'untold' : 'other';
}

const PERSON = ['rfc', 'curp'];
const holdsPerson = (expected: IDataObject, asked: IDataObject): boolean =>
	PERSON.some((name) => {
		const wanted = comparable(expected[name]);
		return wanted !== '' && Object.values(asked).some((value) => comparable(value) === wanted);
	});

function compareAsked({ asked: wanted, further }: Expected, asked: IDataObject): Comparison {
	const period = comparePeriods(wanted, asked);
	if (period === 'other') return 'other';
	const left = new Map(
		Object.entries(asked).filter(([name, value]) => !isAside(name) && comparable(value) !== ''),
	);
	let isSame = period === 'same';
	for (const [name, value] of Object.entries(wanted)) {
		if (isAside(name)) continue;
		const own = left.get(name);
		left.delete(name);
		if (isEqual(name, own, value)) continue;
		if (isOther(name, own, value)) return 'other';
		isSame = false;
	}
	if (further) {
		const values = further.names.map((name) => [name, left.get(name) ?? ''] as const);
		for (const name of further.names) left.delete(name);
		if (isSame && left.size === 0 && !further.fits(Object.fromEntries(values) as IDataObject)) {
			return 'other';
		}
	}
	if (left.size === 0) return isSame ? 'same' : 'untold';
	// a field may only have another name: then another person under it proves another query
	const isOfOther = (value: unknown) => PERSON.some((name) => areOthers(value, wanted[name]));
	return !isSame && [...left.values()].some(isOfOther) ? 'other' : 'untold';
}

/** A record shows the CIEC masked, if at all; periods are compared by their days. */
const isAside = (name: string) => /^ciec$/i.test(name) || ['period', 'from', 'to'].includes(name);

/** An identifier may be written with blanks and hyphens. */
const isEqual = (name: string, one: unknown, other: unknown): boolean => {
	const [a, b] = [one, other].map(comparable);
	return a === b || (PERSON.includes(name) && a.replace(/[\s-]/g, '') === b.replace(/[\s-]/g, ''));
};

const BIRTH: Record<string, RegExp> = { day: /^\d\d?$/, month: /^\d\d?$/, year: /^\d{4}$/ };

/** Whether a field surely holds something else: another whole identifier, or another number of a birth date. */
function isOther(name: string, one: unknown, other: unknown): boolean {
	if (areOthers(one, other)) return true;
	const [a, b] = [one, other].map((value) => textOf(value).trim());
	return (BIRTH[name]?.test(a) && BIRTH[name].test(b) && Number(a) !== Number(b)) ?? false;
}

/** TQ §4.11: each query has one month, possibly only some of its days. */
function comparePeriods(wanted: IDataObject, asked: IDataObject): Comparison {
	if (wanted.period === undefined && wanted.from === undefined) return 'same';
	const [own, other] = [daysOf(wanted), daysOf(asked)];
	if (own === undefined || other === undefined) return 'untold';
	return own === other ? 'same' : 'other';
}

/** The days of the month that a query is about. Undefined if they cannot be read, or are those of several months. */
function daysOf({ period, from, to }: IDataObject): string | undefined {
	const read = (value: unknown) => {
		const text = textOf(value);
		const format = text.length === 7 ? 'yyyy-MM' : 'yyyy-MM-dd';
		const start = DateTime.fromFormat(text, format, { zone: 'utc' });
		return [start, text.length === 7 ? start.endOf('month').startOf('day') : start];
	};
	const [first] = read(from ?? period ?? to);
	const [, last] = read(to ?? period ?? from);
	const ownMonth = first.hasSame(last, 'month') ? first.toFormat('yyyy-MM') : '';
	const [start, end] = read(period ?? ownMonth);
	if (![first, last, start].every(({ isValid }) => isValid)) return undefined;
	return `${DateTime.max(start, first).toISODate()}/${DateTime.min(end, last).toISODate()}`;
}

/**
 * Texts without regard to case, blanks, acute accents and diaereses (never Ñ) and the zero of 05; a field that is
 * missing is an empty one.
 */
export const comparable = (value: unknown): string =>
	typeof value === 'object' && value !== null
		? JSON.stringify(value)
		: String(value ?? '')
				.normalize('NFD')
				.replace(/[\u0301\u0308]/g, '')
				.normalize('NFC')
				.replace(/\s+/g, ' ')
				.trim()
				.toUpperCase()
				.replace(/^0(?=\d$)/, '');

const isMasked = (value: string) => /[*•]{2}/.test(value);

/**
 * Records by what they asked, so that a long list is gone through once for all items. Returns those that may be
 * expected: all that hold the most distinctive value, or that show nothing.
 */
export function recordIndex(records: QueryRecord[]): (expected: Expected) => QueryRecord[] {
	const byValue = new Map<string, QueryRecord[]>();
	const under = (value: string) => byValue.get(value) ?? [];
	for (const record of records) {
		const values = Object.values(record.asked ?? {})
			.map(comparable)
			.filter(Boolean);
		if (values.length === 0 || values.some(isMasked)) values.push(''); // it shows nothing
		for (const value of new Set(values)) {
			const list = byValue.get(value);
			if (list) list.push(record);
			else byValue.set(value, [record]);
		}
	}
	return ({ asked }) => {
		const [fewest = []] = Object.entries(asked)
			.filter(([name, value]) => !isAside(name) && comparable(value) !== '')
			.map(([, value]) => under(comparable(value)))
			.sort((a, b) => a.length - b.length);
		return [...new Set([...fewest, ...under('')])];
	};
}
