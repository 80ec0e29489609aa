import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import { contradict } from '../../shared/identifiers';
import { isObject } from '../../shared/utils/json';
import { decodeJsonHtmlUrlEscapes } from '../../shared/utils/escapes';
import { hasEncodingDamage, normalizeText } from '../../shared/utils/cleanText';
import { textOf } from '../../shared/utils/primitiveText';
import { isCiecReferenceName } from '../client/ciec';
import type { QueryRecord } from '../client/model';

/** One query that a request makes, as its record must show it. */
export interface ExpectedRecord {
	code: string;
	/** Neither the API reference nor the API Mapping has the code. */
	isCodeGuessed?: boolean;
	/** Names that surely belong to other query types in records. */
	otherCodes: string[];
	/** The fields under the API reference's names, with periods in ISO 8601 and without secrets. */
	fields: IDataObject;
	/** A record created before this time (milliseconds) does not hold all data, so it does not match. */
	completeSince?: number;
}

/** What a record must show to be that of a query that was sent, whenever that was. */
export const withoutCompleteness = <Expected extends Pick<ExpectedRecord, 'completeSince'>>(
	expected: Expected,
): Expected => ({
	...expected,
	completeSince: undefined,
});

export type RecordMatchResult = 'match' | 'mismatch' | 'inconclusive';

/**
 * `recover.ts` decides by time and claims whose a matching record is. `mismatch` is proved, such as by another
 * query type, person, birth date or period. A record that neither proves it nor shows every requested field is
 * `inconclusive`.
 */
export function matchRecord(expected: ExpectedRecord, record: QueryRecord): RecordMatchResult {
	const { request: requested, createdAt } = record;
	const type = matchType(expected, record);
	if (type === 'mismatch') return 'mismatch';
	if (requested === undefined) return 'inconclusive';
	const content = matchFields(expected.fields, requested);
	if (content !== 'match') return content;
	if (expected.completeSince !== undefined) {
		if (createdAt === undefined) return 'inconclusive';
		if (createdAt < expected.completeSince) return 'mismatch';
	}
	return type;
}

function matchType(
	expected: ExpectedRecord,
	{ code, request: requested }: QueryRecord,
): RecordMatchResult {
	const name = normalizeForComparison(code);
	if (name === normalizeForComparison(expected.code)) return 'match';
	if (!expected.otherCodes.some((other) => normalizeForComparison(other) === name))
		return 'inconclusive';
	// a guessed code may be another type's in this environment: then the person decides
	return expected.isCodeGuessed && requested && holdsPerson(expected.fields, requested)
		? 'inconclusive'
		: 'mismatch';
}

const PERSON_IDENTIFIERS = ['rfc', 'curp'];
const holdsPerson = (expected: IDataObject, requested: IDataObject): boolean =>
	PERSON_IDENTIFIERS.some((name) => {
		const wanted = normalizeForComparison(expected[name]);
		return (
			wanted !== '' &&
			Object.values(requested).some((value) => normalizeForComparison(value) === wanted)
		);
	});

function matchFields(wanted: IDataObject, requested: IDataObject): RecordMatchResult {
	const period = matchPeriods(wanted, requested);
	if (period === 'mismatch') return 'mismatch';
	const left = new Map(
		Object.entries(requested).filter(
			([name, value]) => !isComparedElsewhere(name) && normalizeForComparison(value) !== '',
		),
	);
	let isSame = period === 'match';
	for (const [name, value] of Object.entries(wanted)) {
		if (isComparedElsewhere(name)) continue;
		const own = left.get(name);
		left.delete(name);
		if (isEqual(name, own, value)) continue;
		if (isSurelyDifferent(name, own, value)) return 'mismatch';
		isSame = false;
	}
	if (left.size === 0) return isSame ? 'match' : 'inconclusive';
	return !isSame &&
		PERSON_IDENTIFIERS.some((name) => namesOnlyOthers(name, wanted[name], [...left.values()]))
		? 'mismatch'
		: 'inconclusive';
}

/** A service may use other names for its fields, so the values count, whatever their names. */
const namesOnlyOthers = (name: string, wanted: unknown, values: unknown[]): boolean =>
	values.some((value) => contradict(value, wanted)) &&
	!values.some((value) => isEqual(name, value, wanted));

/** A record shows the CIEC masked, if at all; periods are compared by their days. */
const isComparedElsewhere = (name: string) =>
	isCiecReferenceName(name) || ['period', 'from', 'to'].includes(name);

const isEqual = (name: string, one: unknown, other: unknown): boolean =>
	canonicalValue(name, one) === canonicalValue(name, other);

const BIRTH: ReadonlyMap<string, RegExp> = new Map([
	['day', /^\d\d?$/],
	['month', /^\d\d?$/],
	['year', /^\d{4}$/],
]);

/** Another whole identifier counts, or another number of a birth date. */
function isSurelyDifferent(name: string, one: unknown, other: unknown): boolean {
	if (contradict(one, other)) return true;
	const [a, b] = [one, other].map((value) => textOf(value).trim());
	const format = BIRTH.get(name);
	return format !== undefined && format.test(a) && format.test(b) && Number(a) !== Number(b);
}

/** TQ §4.11: each query has one month, possibly only some of its days. */
function matchPeriods(wanted: IDataObject, requested: IDataObject): RecordMatchResult {
	if (wanted.period === undefined && wanted.from === undefined) return 'match';
	const [own, other] = [daysOf(wanted), daysOf(requested)];
	if (own === undefined || other === undefined) return 'inconclusive';
	return own === other ? 'match' : 'mismatch';
}

/** The days of the month that a query is about. Undefined if they cannot be read, or are those of several months. */
function daysOf({ period, from, to }: IDataObject): string | undefined {
	const [first] = readDays(from ?? period ?? to);
	const [, last] = readDays(to ?? period ?? from);
	const ownMonth = first.hasSame(last, 'month') ? first.toFormat('yyyy-MM') : '';
	const [start, end] = readDays(period ?? ownMonth);
	if (![first, last, start].every(({ isValid }) => isValid)) return undefined;
	return toSpan(DateTime.max(start, first), DateTime.min(end, last));
}

/** Both are invalid where the value is neither a month nor a day in ISO 8601. */
function readDays(value: unknown): [first: DateTime, last: DateTime] {
	const text = textOf(value);
	const format = text.length === 7 ? 'yyyy-MM' : 'yyyy-MM-dd';
	const start = DateTime.fromFormat(text, format, { zone: 'utc' });
	return [start, text.length === 7 ? start.endOf('month').startOf('day') : start];
}

const toSpan = (first: DateTime, last: DateTime) => `${first.toISODate()}/${last.toISODate()}`;

/**
 * Cleans as inputs are cleaned, and removes escapes, case, blanks, acute accents, diaereses (never Ñ) and the zero
 * of 05; '' for a missing field.
 */
export const normalizeForComparison = (value: unknown): string =>
	typeof value === 'object' && value !== null
		? stableText(value)
		: normalizeText(decodeEscapes(String(value ?? '')))
				.normalize('NFD')
				.replace(/[\u0301\u0308]/g, '')
				.normalize('NFC')
				.replace(/[’‘´`ʼ]/g, "'")
				.replace(/[‐-―−]/g, '-')
				.replace(/\s+/g, ' ')
				.trim()
				.toUpperCase()
				.replace(/^0(?=\d$)/, '');

/** A text may have been escaped at each of several steps. */
const MAX_ESCAPES = 3;

/** An object is compared as JSON. */
const decodedText = (value: unknown): string =>
	typeof value === 'object' ? stableText(value ?? '') : decodeEscapes(String(value ?? ''));

function decodeEscapes(text: string): string {
	if (!/[\\&%]/.test(text)) return text;
	let decoded = text;
	for (let step = 0; step < MAX_ESCAPES; step++) decoded = decodeJsonHtmlUrlEscapes(decoded);
	return decoded;
}

/** Is equal for objects of equal content. */
export const stableText = (json: unknown): string =>
	JSON.stringify(json, (_, value: unknown) =>
		isObject(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
	);

/** An identifier may be written with blanks and hyphens. */
const withoutSeparators = (text: string): string => text.replace(/[\s-]/g, '');

const canonicalValue = (name: string, value: unknown): string => {
	const text = normalizeForComparison(value);
	return PERSON_IDENTIFIERS.includes(name) ? withoutSeparators(text) : text;
};

/** They are equal for equal requests: in one order, with a period as its days. */
export function canonicalRequestFields(values: IDataObject): Array<[name: string, text: string]> {
	const { from, to, ...others } = values;
	const [[first], [, last]] = [readDays(from), readDays(to)];
	const compared =
		first.isValid && last.isValid ? { ...others, from: toSpan(first, last) } : values;
	return Object.entries(compared)
		.map(([name, value]): [string, string] => [name, canonicalValue(name, value)])
		.filter(([, text]) => text !== '')
		.sort();
}

/** It is masked, still escaped, or has lost letters. */
const isUnreadable = (value: string) =>
	/[*•]{2}|&#?\w+;|%[0-9A-F]{2}|\\/i.test(value) || hasEncodingDamage(value);

/**
 * Searches a long list once for all items. The returned function gives candidates: those with the most distinctive
 * value, or without any.
 */
export function indexRecords(records: QueryRecord[]): (expected: ExpectedRecord) => QueryRecord[] {
	const byValue = new Map<string, QueryRecord[]>();
	const under = (value: string) => byValue.get(value) ?? [];
	for (const record of records) {
		const texts = Object.values(record.request ?? {}).map(decodedText);
		const values = texts
			.map((value) => withoutSeparators(normalizeForComparison(value)))
			.filter(Boolean);
		const isShown = values.length > 0 && !texts.some(isUnreadable);
		if (!isShown) values.push('');
		for (const value of new Set(values)) {
			const list = byValue.get(value);
			if (list) list.push(record);
			else byValue.set(value, [record]);
		}
	}
	return ({ fields }) => {
		const [fewest = []] = Object.entries(fields)
			.filter(([name]) => !isComparedElsewhere(name))
			.map(([, value]) => withoutSeparators(normalizeForComparison(value)))
			.filter(Boolean)
			.map(under)
			.sort((a, b) => a.length - b.length);
		return [...new Set([...fewest, ...under('')])];
	};
}
