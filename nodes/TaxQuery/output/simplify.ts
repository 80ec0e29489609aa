import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { contradict } from '../../shared/identifiers';
import { hasEntries, isObject } from '../../shared/utils/json';
import { joinSentences } from '../../shared/utils/joinSentences';
import { MASK } from '../../shared/utils/redact';
import { failureMessageIn } from '../../shared/errors/serviceMessage';
import { capitalize, textOf } from '../../shared/utils/primitiveText';
import { findQueryTypeByRecordCode } from '../client/names';
import type { QueryType } from '../../shared/queryTypes/catalog';
import { requestIn } from '../client/record';
import { toRecordWireNames } from '../client/recordNames';
import type { KnownOutputColumns } from '../../shared/operations/inputColumns';
import type { Item } from '../../shared/operations/operation';
import { FAILURE_COLUMNS, type OutcomeColumns } from '../../shared/operations/outcome';
import { ruleForWholeQueryRecord } from './personalData';
import type { QueryRecord } from '../client/model';
import type { OutputRowWarning } from '../fields/identifiers';
import { mapKeys, mapValues, pickBy } from '../../shared/utils/objects';

/** Columns of the query itself, behind its result. */
const TAIL = ['status', 'service', 'createdAt', 'queryId'];
const DATES = ['certificateValidUntil', 'birthDate'];

/**
 * Returns a query record (TQ §2.1) as one row: the person or company, the result, then the query, its ID last. Names
 * are readable, dates ISO 8601. An undocumented result keeps its own names. A documented result always has the same
 * columns, with null for a missing field. `outcome` and `reason` say whether there is a result, and why not. `asRead`
 * is the record before personal data was hidden: only it shows whether the result names somebody else. docs/output.md
 * has the columns.
 */
export function simplifyRecordToRow(
	record: QueryRecord,
	mapping: TaxQueryMapping,
	queryType = findQueryTypeByRecordCode(record.code, mapping),
	asRead = record,
): IDataObject {
	const { raw, state } = record;
	const response = responseOf(raw);
	const isEnd = state === 'success' || state === 'unknown';
	const unfound = isEnd ? unfoundReasonIn(responseOf(asRead.raw), queryType) : undefined;
	const named = unfound === undefined ? namesIn(response, queryType) : queryType?.resultFields;
	const fields = isEnd ? named : undefined;
	const isWhole = fields !== undefined && hasEntries(response);
	const requested = {
		...(isWhole && emptyRequestedColumns(queryType)),
		...requestedColumns(record.request ?? {}),
	};
	const hasInvoices =
		queryType?.operation === 'getInvoices' && state === 'success' && record.hasResponse;
	const resultIn = (one: IDataObject) =>
		withoutUndefined(
			fields ? renamed(one, fields) : ownNames(hasInvoices ? withInvoices(one) : one),
		);
	const columns = isWhole ? Object.keys(fields).map((name) => [name, requested[name] ?? null]) : [];
	const result = withMeaning({ ...Object.fromEntries(columns), ...resultIn(response) });
	const [requestedAsRead, resultAsRead] = [
		requestedColumns(asRead.request ?? {}),
		resultIn(responseOf(asRead.raw)),
	];
	const isOther = (name: string) => contradict(requestedAsRead[name], resultAsRead[name]);
	const isEmpty = state === 'failed' || unfound !== undefined;
	return withoutUndefined({
		...joinRequestAndResult(requested, result, isOther),
		...(isEmpty && { message: undefined }), // it is the reason
		...recordColumns(raw, queryType),
		...outcomeOfRecord(record, queryType, asRead),
		status: raw.status,
		service: raw.service,
		createdAt: raw.createdAt,
		queryId: record.id,
	});
}

export const RESULT_COMES_LATER =
	"It comes through a Tax Query Trigger with the query type in 'Trigger On', or read it with Query → Get";
const PENDING_REASON = joinSentences('The result has not arrived yet', RESULT_COMES_LATER);

/** The account of a query that the service has accepted and has no record of yet. */
export const ACCEPTED: OutcomeColumns = { outcome: 'pending', reason: PENDING_REASON };

/** Returns what became of a query, by its record; the service's words in it are hidden like the record. */
export function outcomeOfRecord(
	record: QueryRecord,
	queryType: QueryType | undefined,
	asRead = record,
): OutcomeColumns {
	const { raw, state, isNotFound, status = '' } = record;
	switch (state) {
		case 'pending':
			return ACCEPTED;
		case 'failed':
			return {
				outcome: isNotFound ? 'notFound' : 'failed',
				reason:
					failureMessageIn(responseOf(raw)) ??
					failureMessageIn(raw) ??
					`The query ended without a result: its status is ${status}`,
			};
		case 'unknown':
			return {
				outcome: 'uncertain',
				reason: `The status "${textOf(raw.status)}" is not known, so this is no result`,
			};
		case 'success': {
			if (lacksDueResult(record, queryType)) {
				return { outcome: 'pending', reason: DUE_RESULT_MISSING_WARNING.message };
			}
			const reason = unfoundReasonIn(responseOf(asRead.raw), queryType) ?? null;
			return { outcome: reason === null ? 'result' : 'notFound', reason };
		}
	}
}

/** The person's own fields of TQ §2.4: without any of them, the registry knows nobody. */
const PERSON = ['rfc', 'nombre', 'apellidoPaterno', 'apellidoMaterno', 'fechaNacimiento'];

/** Returns the registry's words for a CURP that it did not find, though the query succeeded; undefined if it found one. */
function unfoundReasonIn(
	{ estatus, codigoMensaje, ...response }: IDataObject,
	queryType: QueryType | undefined,
): string | undefined {
	if (queryType?.operation !== 'getCurpData') return undefined;
	const words = [estatus, codigoMensaje].map((one) => textOf(one).trim()).filter(Boolean);
	const isNobody = PERSON.every((name) => textOf(response[name]).trim() === '');
	return words.length > 0 && isNobody ? words.join(': ') : undefined;
}

/** Fields of the record itself, beside its response, that are part of a query's result. */
const recordColumns = (raw: IDataObject, queryType: QueryType | undefined): IDataObject =>
	Object.fromEntries((queryType?.recordFields ?? []).map((name) => [name, raw[name]]));

/** A record as it comes out of an item: what is personal hidden first. */
export const buildProtectedRow = (
	{ protect }: Pick<Item, 'protect'>,
	record: QueryRecord,
	mapping: TaxQueryMapping,
	isSimple: boolean,
	queryType = findQueryTypeByRecordCode(record.code, mapping),
): IDataObject =>
	protect(record.raw, ruleForWholeQueryRecord(record.raw, mapping, queryType), (safe) => {
		if (!isSimple) return toRecordWireNames(safe, mapping);
		const shown = { ...record, raw: safe, request: requestIn(safe, mapping) };
		return simplifyRecordToRow(shown, mapping, queryType, record);
	});

/** Returns whether a record says success and does not hold its result (TQ §4.13 does not show whether it should). */
export const lacksDueResult = (
	{ state, hasResponse }: QueryRecord,
	queryType: QueryType | undefined,
): boolean => state === 'success' && !hasResponse && queryType?.operation !== 'createTaxProfile';

export const DUE_RESULT_MISSING_WARNING: OutputRowWarning = {
	field: 'Result',
	code: 'noResult',
	message: "The service's record has no result; it arrives by webhook.",
};

export const withoutUndefined = (fields: IDataObject): IDataObject =>
	pickBy(fields, (_, value) => value !== undefined);

/**
 * Puts the requested fields before the result. An identifier that differs from the result's gets a name of its own.
 */
export const joinRequestAndResult = (
	requested: IDataObject,
	result: IDataObject,
	isOther: (name: string) => boolean,
): IDataObject => ({
	...pickBy(requested, (name) => !(name in result)),
	...result,
	...Object.fromEntries(
		['rfc', 'curp'].filter(isOther).map((name) => [`asked${capitalize(name)}`, requested[name]]),
	),
});

/** The request's fields, the person or company first; three numbers as one birth date. */
export function requestedColumns(all: IDataObject): IDataObject {
	const { rfc, curp, from, to, day, month, year, ...requested } = pickBy(
		all,
		(name, value) => !TAIL.includes(name) && value !== MASK,
	) as IDataObject;
	const born = DateTime.fromFormat([day, month, year].map(textOf).join('/'), 'd/M/yyyy');
	const isWholePeriod = from === requested.period && to === requested.period;
	return {
		...withoutUndefined({ rfc, curp }),
		...requested,
		...(!isWholePeriod && { from, to }),
		...birthOf(born, { day, month, year }),
	};
}

/** A birth date as one text; of one that is hidden the year is left. */
function birthOf(born: DateTime, { day, month, year }: IDataObject): IDataObject {
	if (born.isValid) return { birthDate: born.toISODate() };
	const isHidden = typeof day === 'string' && typeof month === 'string' && typeof year === 'number';
	return isHidden ? { birthDate: textOf(year) } : { day, month, year };
}

/** Returns a response as an object; any other one becomes its only field. */
const responseOf = ({ response }: IDataObject): IDataObject =>
	isObject(response)
		? response
		: hasEntries(response) || textOf(response) !== ''
			? { response }
			: {};

/** The documented names of a result; undefined where the response holds none of them, though it is filled. */
function namesIn(response: IDataObject, queryType: QueryType | undefined) {
	const fields = queryType?.resultFields;
	const isNamed = Object.values(fields ?? {}).some((name) => Object.hasOwn(response, name));
	return isNamed || !hasEntries(response) ? fields : undefined;
}

/** Returns the requested columns, which every result has, though a record does not echo them. */
const emptyRequestedColumns = (queryType: QueryType | undefined): IDataObject =>
	Object.fromEntries(
		(queryType?.fields ?? [])
			.map((name) => (name === 'day' ? 'birthDate' : name))
			.filter((name) => !['month', 'year'].includes(name))
			.map((name) => [name, null]),
	);

const renamed = (response: IDataObject, fields: Record<string, string>): IDataObject =>
	mapValues(fields, (original) => response[original]);

/** Columns of a query itself, or of how its result came. */
const OF_QUERY = [
	...'outcome reason billed askedRfc askedCurp queryId'.split(' '),
	...'externalReference reused ageHours recovered warnings'.split(' '),
];
const TAKEN = [
	...OF_QUERY,
	...FAILURE_COLUMNS,
	...'status service createdAt event envelope deliveryId confirmed'.split(' '),
];

/** The columns that an item's rows may have, whether its query is pending, has ended or failed. */
export function possibleColumnsOfQueryType(queryType: QueryType): KnownOutputColumns {
	const requested = Object.keys(emptyRequestedColumns(queryType));
	const { resultFields = {}, recordFields = [] } = queryType;
	const result = [...requested, ...Object.keys(withMeaning(resultFields)), ...recordFields];
	return { requested, own: [...result, 'message', ...OF_QUERY, ...FAILURE_COLUMNS] };
}

/** Lists the columns of Query → Get, whose rows are of any query type. */
export const queryGetReservedColumns: KnownOutputColumns = {
	requested: ['queryId'],
	own: [
		...OF_QUERY.filter((name) => name !== 'billed'),
		...['message', 'status', 'service', 'createdAt'],
		...FAILURE_COLUMNS,
	],
};

/** A response whose contents are not shown, under its own names; `result…` where the query has a column of that name. */
function ownNames(response: IDataObject): IDataObject {
	const isFree = (name: string, own: string) =>
		!TAKEN.includes(name) && (name === own || !Object.hasOwn(response, name));
	return mapKeys(response, (own) => {
		let name = own;
		while (!isFree(name, own)) name = `result${capitalize(name)}`;
		return name;
	});
}

/** Fields of a response of invoices that hold none. */
const BESIDE_INVOICES = ['rfc', 'period', 'from', 'to', 'message'];

/**
 * Gives the column `invoices` to a response (TQ §4.11 does not show one) that is a list, or that only repeats what was
 * asked: a month without any.
 */
function withInvoices({ invoices, ...response }: IDataObject): IDataObject {
	if (Array.isArray(response.response)) return { invoices: response.response };
	const isWithout = Object.keys(response).every((name) => BESIDE_INVOICES.includes(name));
	return withoutUndefined({ ...response, invoices: invoices ?? (isWithout ? [] : undefined) });
}

/** Dates as ISO 8601, and what the status of a CURP means. */
function withMeaning(result: IDataObject): IDataObject {
	const columns = Object.entries(result).flatMap(([name, value]) => {
		const own = [name, DATES.includes(name) && typeof value === 'string' ? isoOf(value) : value];
		return name === 'curpStatus' ? curpStatusColumns(value) : [own];
	});
	return Object.fromEntries(columns) as IDataObject;
}

/**
 * TQ §2.3: local date-time without zone, TQ §2.4: day/month/year. As it came where it is neither: of a hidden date the
 * year is left, and no day is invented for it.
 */
function isoOf(text: string): string {
	const day = DateTime.fromFormat(text, 'd/M/yyyy');
	if (day.isValid) return day.toISODate();
	const local = DateTime.fromISO(text, { setZone: true });
	if (!local.isValid || !/^\d{4}-\d\d-\d\d/.test(text)) return text;
	if (!text.includes('T')) return local.toISODate();
	const includeOffset = /T.*(Z|[+-]\d\d:?\d\d)$/.test(text);
	return local.toISO({ suppressMilliseconds: true, includeOffset });
}

/** What the civil registry's codes mean; TQ §2.4 shows none. */
const CURPS_IN_USE: ReadonlyMap<string, string> = new Map([
	['AN', 'registered'],
	['AH', 'registered; another person has similar data'],
	['CRA', 'reactivated'],
	['RCN', 'corrected'],
	['RCC', 'corrected'],
]);
const ENDED_CURPS: ReadonlyMap<string, string> = new Map([
	['BAP', 'ended: false document'],
	['BCC', 'ended: another CURP replaces it'],
	['BCN', 'ended: correction'],
	['BD', 'ended: death'],
	['BDA', 'ended: duplicate'],
	['BDM', 'ended: administrative'],
	['BDP', 'ended: adoption'],
	['BJD', 'ended: court order'],
	['BSU', 'ended: never used'],
]);

/** Returns whether a CURP is in use, its status, and what that means; null for an unknown code, which says nothing. */
function curpStatusColumns(status: IDataObject[string]): Array<[string, IDataObject[string]]> {
	const code = textOf(status).trim().toUpperCase();
	const inUse = CURPS_IN_USE.get(code);
	const ended = ENDED_CURPS.get(code);
	return [
		['curpActive', inUse !== undefined || (ended !== undefined ? false : null)],
		['curpStatus', status],
		['curpStatusMeaning', inUse ?? ended ?? null],
	];
}
