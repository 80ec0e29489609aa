import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { contradict } from '../../shared/identifiers';
import { identity } from '../../shared/operations/commonFields';
import type { BillingSummary, Item } from '../../shared/operations/operation';
import type { OutcomeColumns } from '../../shared/operations/outcome';
import { isObject } from '../../shared/utils/json';
import { redactSecretsInValue } from '../../shared/utils/redact';
import { joinSentences } from '../../shared/utils/joinSentences';
import { failureMessageIn, extractServiceMessage } from '../../shared/errors/serviceMessage';
import { textOf } from '../../shared/utils/primitiveText';
import { getResultIdentifierMismatchWarnings, type OutputRowWarning } from '../fields/identifiers';
import { monthWarnings } from '../fields/period';
import { requestPersonalDataRules, ruleForWholeQueryRecord } from './personalData';
import {
	normalizeForComparison,
	matchRecord,
	withoutCompleteness,
	type ExpectedRecord,
} from '../request/matchRecord';
import type { PaidQueryDefinition } from '../request/queryRequest';
import { fromWireNames, findQueryTypeByRecordCode } from '../client/names';
import type { QueryType } from '../../shared/queryTypes/catalog';
import { mayStillEnd } from '../client/record';
import { toRecordWireNames } from '../client/recordNames';
import type { RecordOrAcknowledgement, QueryRecord } from '../client/model';
import { QueryError, mappingKeysAdvice, renderQueryError, subjectOf } from '../errors/queryError';
import {
	ACCEPTED,
	joinRequestAndResult,
	RESULT_COMES_LATER,
	withoutUndefined,
	lacksDueResult,
	DUE_RESULT_MISSING_WARNING,
	buildProtectedRow,
} from './simplify';
import { pickBy } from '../../shared/utils/objects';

/** A response without an ID, for whose query no list has a record. */
export interface ResponseWithoutId {
	kind: 'withoutId';
	raw: IDataObject;
}
export type SubmittedQuery = RecordOrAcknowledgement | ResponseWithoutId;

/** A query that an item has got, and how. */
export interface ObtainedQuery {
	query: SubmittedQuery;
	/** The way in which the query was obtained; `resumed` means that an earlier try of this execution sent it. */
	how: 'sent' | 'recovered' | 'reused' | 'resumed';
	ageMs?: number;
	/** Set if there was no result when the time to wait was over; `problem` is why the last check failed. */
	overdue?: { problem?: string };
	unread?: string;
}

export interface RowContext {
	definition: PaidQueryDefinition;
	mapping: TaxQueryMapping;
	/** One record for each query that is billed. */
	expected: ExpectedRecord[];
	/** The requested fields under the API reference's names, since an acknowledgement does not repeat them. */
	requested: IDataObject;
	/** The requested fields that a record must echo. */
	mustEcho: IDataObject;
	isSimple: boolean;
	externalReference: unknown;
	warnings: OutputRowWarning[];
	secrets: string[];
	protect: Item['protect'];
	billed(): BillingSummary['billed'];
}

/**
 * Returns one row for each query; another month becomes a warning instead. Throws a QueryError if no query has a
 * result and none is pending, or none matches the item.
 */
export function buildRows(settings: RowContext, outcomes: ObtainedQuery[]): IDataObject[] {
	const { definition, expected, secrets } = settings;
	const other = recordsOf(outcomes).filter((record) => isOtherRecord(record, expected));
	const own = outcomes.filter(({ query }) => !other.some((one) => one === query));
	if (other.length > 0 && (own.length === 0 || expected.length === 1)) {
		throw new QueryError(buildRecordMismatchProblem(other[0], settings));
	}
	const failed = recordsOf(own).filter(({ state }) => state === 'failed');
	if (own.length > 0 && failed.length === own.length) {
		const [{ raw, status = '' }] = failed;
		const { response, ...record } = raw;
		throw new QueryError({
			kind: 'failed',
			name: definition.name,
			ids: failed.map(({ id }) => id),
			status,
			notFound: failed.every((one) => one.isNotFound) ? subjectOf(settings.requested) : undefined,
			...extractServiceMessage(
				failureMessageIn(response) ?? failureMessageIn(record) ?? '',
				secrets,
			),
		});
	}
	const ofMonths = [
		...other.map((query) => {
			const { message, description } = renderQueryError(
				buildRecordMismatchProblem(query, settings),
			);
			return warning('Response', 'otherQuery', message, description);
		}),
		...mismatchedMonths(outcomes, settings),
	];
	const billed = billedByRow(own, settings.billed());
	return own.map((outcome, index) => {
		const json = redactSecretsInValue(shownResponse(outcome.query, settings), secrets);
		const row = annotate(json, outcome, settings, ofMonths, billed[index]);
		return settings.protect(row, 'written', identity);
	});
}

/**
 * Returns what each row of an item has cost; the sum is what the item is billed for. A reused query costs nothing. A
 * billed query without a row counts in the first row that costs anything.
 */
function billedByRow(
	own: ObtainedQuery[],
	billed: BillingSummary['billed'],
): Array<BillingSummary['billed']> {
	const isPaid = own.map(({ how }) => how !== 'reused');
	const first = Math.max(0, isPaid.indexOf(true));
	if (billed === 'unknown') {
		return isPaid.map((isOwn, index) => (isOwn || index === first ? 'unknown' : 0));
	}
	let left = billed;
	const counts: number[] = isPaid.map((isOwn) => (isOwn && left-- > 0 ? 1 : 0));
	counts[first] += Math.max(0, left);
	return counts;
}

const recordsOf = (outcomes: ObtainedQuery[]): QueryRecord[] =>
	outcomes.map(({ query }) => query).filter((query) => query.kind === 'record');

const warning = (field: string, code: string, ...texts: string[]): OutputRowWarning => ({
	field,
	code,
	message: joinSentences(...texts),
});

/** Returns whether a result is still to come, or nobody knows whether one has. */
export const mayStillGetResult = (
	{ query }: ObtainedQuery,
	{ queryType }: PaidQueryDefinition,
): boolean =>
	query.kind === 'acknowledged' ||
	(query.kind === 'record' && (mayStillEnd(query.state) || lacksDueResult(query, queryType)));

/** Returns whether a record surely belongs to another query: of another person, birth date or type. */
export const isOtherRecord = (record: QueryRecord, expected: ExpectedRecord[]): boolean =>
	expected.every(({ fields, ...one }) => {
		const who = omit(fields, ['period', 'from', 'to']);
		return matchRecord({ ...withoutCompleteness(one), fields: who }, record) === 'mismatch';
	});

const omit = (values: IDataObject, names: string[]): IDataObject =>
	pickBy(values, (name) => !names.includes(name));

export function buildRecordMismatchProblem(
	record: QueryRecord,
	{ definition, expected: [one] }: Pick<RowContext, 'definition' | 'expected'>,
) {
	const { id, code } = record;
	const isOfOtherPerson = matchRecord({ ...one, code, otherCodes: [] }, record) === 'mismatch';
	const { name } = definition;
	return { kind: 'otherQuery' as const, name, id, ...(!isOfOtherPerson && { type: code }) };
}

/** A row as it comes out; personal data is hidden first. */
function shownResponse(query: SubmittedQuery, settings: RowContext): IDataObject {
	const { definition, mapping, isSimple, protect } = settings;
	const { queryType } = definition;
	if (query.kind === 'record') {
		const row = buildProtectedRow(settings, query, mapping, isSimple, queryType);
		return isSimple ? omit(row, ['service', 'createdAt', 'status']) : row;
	}
	return protect(query.raw, ruleForWholeQueryRecord(query.raw, mapping, queryType), (safe) => {
		if (query.kind === 'withoutId') {
			const account: OutcomeColumns = { outcome: 'result', reason: null };
			return isSimple ? { ...besideRequested(safe, settings), ...account } : safe;
		}
		if (!isSimple) return toRecordWireNames(safe, mapping);
		const words = ['status', 'queryId', mapping.record._id === undefined ? '' : '_id'];
		return { ...besideRequested(omit(safe, words), settings), ...ACCEPTED, queryId: query.id };
	});
}

const besideRequested = (
	raw: IDataObject,
	{ requested, definition, mapping, protect }: RowContext,
) =>
	joinRequestAndResult(
		protect(requested, requestPersonalDataRules, identity),
		fromWireNames(raw, definition.queryType.operation, mapping),
		(name) => contradict(requested[name], raw[name]),
	);

/**
 * Returns a row with the columns that the node adds to the service's record; `queryId` is the last of the query's own.
 * With Simplify off a plain result stays as the service wrote it.
 */
function annotate(
	{ queryId, ...json }: IDataObject,
	{ query, how, ageMs = 0, overdue, unread }: ObtainedQuery,
	settings: RowContext,
	ofMonths: OutputRowWarning[],
	billed: BillingSummary['billed'],
): IDataObject {
	const { definition, externalReference, requested } = settings;
	const record = query.kind === 'record' ? query : undefined;
	const isUnknown = record?.state === 'unknown';
	const lacks = record && lacksDueResult(record, definition.queryType);
	const { response } = query.raw;
	const warnings = [
		...settings.warnings,
		...(isUnknown ? [unknownStatus(record)] : []),
		...(query.kind === 'withoutId' ? [withoutIdWarning(definition)] : []),
		...(lacks ? [unread === undefined ? DUE_RESULT_MISSING_WARNING : unreadWarning(unread)] : []),
		...getResultIdentifierMismatchWarnings(requested, isObject(response) ? response : query.raw),
		...ofMonths,
		...(record ? unknownService(record, settings) : []),
		...(record && how !== 'reused' ? unechoedFields(record, settings) : []),
	];
	return withoutUndefined({
		...json,
		...(settings.isSimple && { reason: reasonOf(json, { overdue, unread }, warnings), billed }),
		queryId: queryId ?? (overdue && query.kind !== 'withoutId' ? query.id : undefined),
		externalReference: externalReference as IDataObject[string],
		reused: how === 'reused' || undefined,
		ageHours: how === 'reused' ? Math.round(ageMs / 36_000) / 100 : undefined,
		recovered: how === 'recovered' || undefined,
		warnings: warnings.length > 0 ? warnings : undefined,
	});
}

/** Returns why a row is not simply a result: the record's own reason, or what is odd about it. */
function reasonOf(
	{ outcome, reason }: IDataObject,
	{ overdue, unread }: Pick<ObtainedQuery, 'overdue' | 'unread'>,
	[first]: OutputRowWarning[],
): string | null {
	if (unread !== undefined) return unreadWarning(unread).message;
	if (outcome === 'pending' && overdue) {
		const problem =
			overdue.problem === undefined ? '' : `; the last check failed: ${overdue.problem}`;
		return joinSentences(
			`There was no result within 'Max Wait (Seconds)'${problem}`,
			RESULT_COMES_LATER,
		);
	}
	return (reason as string | null) ?? first?.message ?? null;
}

/** Returns whether a response is the whole documented result of a query (TQ §2.2 to §2.4), though no record. */
export function bodyHasAllResultFields(
	body: IDataObject | undefined,
	{ resultFields }: QueryType,
): boolean {
	const names = Object.values(resultFields ?? {});
	return body !== undefined && names.length > 0 && names.every((name) => name in body);
}

const withoutIdWarning = ({ hasNoShownResponse }: PaidQueryDefinition): OutputRowWarning =>
	hasNoShownResponse
		? warning(
				'Response',
				'unconfirmed',
				'The service reported success but returned no record. Your next query about this RFC will confirm it',
			)
		: warning(
				'Response',
				'noId',
				'The response has no query ID, and the list of queries does not show it. Keep this result: it cannot be read again',
			);

/** Warns of a record whose query type the mapping does not know. */
function unknownService(
	{ code }: QueryRecord,
	{ definition, mapping, expected: [{ code: own, otherCodes }] }: RowContext,
): OutputRowWarning[] {
	if (code === '' || code.toUpperCase() === own.toUpperCase()) return [];
	return [
		warning(
			'Service',
			'unknownService',
			`'Reuse Results' and the trigger do not know the service's name for this query type: "${code}"`,
			otherCodes.includes(code) && findQueryTypeByRecordCode(code, mapping)
				? 'Another query type has this name: compare the result with this item'
				: `If it is right, ${mappingKeysAdvice([`services.${definition.queryType.operation}`])} to that name`,
		),
	];
}

/** A field that the service does not know under this name may be ignored in silence, and a wrong result billed. */
function unechoedFields(
	{ request }: QueryRecord,
	{ mustEcho, definition }: RowContext,
): OutputRowWarning[] {
	if (!request) return [];
	const plain = (value: unknown) => normalizeForComparison(value).replace(/[^\p{L}\p{N}]/gu, '');
	const echoed = Object.values(request).map(plain);
	const lost = Object.keys(mustEcho).filter((name) => !echoed.includes(plain(mustEcho[name])));
	if (lost.length === 0) return [];
	const keys = lost.map((name) => `fields.${definition.queryType.operation}.${name}`);
	return [
		warning(
			lost.join(', '),
			'notEchoed',
			"The service's record does not repeat this field, so the service may have ignored it",
			`If your environment uses another name, ${mappingKeysAdvice(keys)}`,
		),
	];
}

const unknownStatus = ({ raw }: QueryRecord): OutputRowWarning =>
	warning(
		'Status',
		'unknownStatus',
		`The status "${textOf(raw.status)}" is not known, so this is no result`,
		`If you know it, ${mappingKeysAdvice(['statuses.success', 'statuses.pending', 'statuses.failed'])}`,
	);

const unreadWarning = (problem: string): OutputRowWarning =>
	warning(
		'Result',
		'notRead',
		`The service reports success without a result, and the query could not be read by its ID: ${problem}`,
		'Read it later with Query → Get; do not send it again',
	);

function mismatchedMonths(outcomes: ObtainedQuery[], { expected }: RowContext): OutputRowWarning[] {
	const monthOf = (period: unknown) =>
		/^(\d{4})\D?(\d\d)$/.exec(textOf(period))?.slice(1).join('-') ?? '';
	return monthWarnings(
		expected.map(({ fields: { period } }) => monthOf(period)),
		outcomes.map(({ query }) => {
			if (query.kind === 'withoutId') return '';
			return monthOf(query.kind === 'record' ? query.request?.period : query.period);
		}),
	);
}
