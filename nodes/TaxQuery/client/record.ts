import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { RequestResult } from '../../shared/http/requestError';
import { hasEntries, isObject } from '../../shared/utils/json';
import { idText, textOf } from '../../shared/utils/primitiveText';
import { isUnambiguousTime, timeOf } from '../../shared/utils/parseTime';
import { maskCiecInRecord } from './ciec';
import { fromWireNames, findQueryTypeByRecordCode } from './names';
import { queryTypes } from '../../shared/queryTypes/catalog';
import { fromRecordWireNames } from './recordNames';
import type {
	Acknowledgement,
	UncertaintyReason,
	QueryId,
	SubmissionOutcome,
	RecordOrAcknowledgement,
	QueryRecord,
	QueryState,
} from './model';

/** The fields of TQ §2.1 beside the ID; a record has one of them at least. */
const FIELDS = ['service', 'status', 'metadata', 'query', 'response', 'state', 'createdAt'];

/** The ID of a query as an acknowledgement and TQ §4.13 call it, else as a record does. */
const idIn = ({ queryId, _id }: IDataObject): QueryId | undefined =>
	[queryId, _id].map(idText).find(Boolean) as QueryId | undefined;

/** Takes a text that somebody entered or delivered for a query ID, unchecked. */
export const asUncheckedQueryId = (text: string): QueryId => text as QueryId;

/** Case does not count; the object's own spelling comes out. */
export const findMatchingId = ({ queryId, _id }: IDataObject, id: string): QueryId | undefined =>
	[queryId, _id].map(idText).find((one) => one.toLowerCase() === id.toLowerCase()) as QueryId;

/** TQ §2.1. Anything else than a record is undefined. */
export const parseRecord = (body: unknown, mapping: TaxQueryMapping): QueryRecord | undefined =>
	isObject(body)
		? recordFromDocumentedFields(fromRecordWireNames(body, mapping), mapping)
		: undefined;

/** Takes fields under the API reference's names; undefined if they are no record. */
export function recordFromDocumentedFields(
	fields: IDataObject,
	mapping: TaxQueryMapping,
): QueryRecord | undefined {
	const id = idIn(fields);
	if (id === undefined || !FIELDS.some((name) => name in fields)) return undefined;
	const raw = maskCiecInRecord(fields, mapping);
	const { service, status, createdAt } = raw;
	return {
		kind: 'record',
		id,
		code: textOf(service),
		operation: findQueryTypeByRecordCode(service, mapping)?.operation,
		state: stateOfStatus(status, mapping),
		isNotFound: isNotFoundStatus(status, mapping),
		status: typeof status === 'string' ? status : undefined,
		createdAt: isUnambiguousTime(createdAt) ? timeOf(createdAt) : undefined,
		request: requestIn(raw, mapping),
		hasResponse: hasResponse(raw),
		raw,
	};
}

/** An empty list is a response: there are no invoices in that month. */
const hasResponse = ({ response }: IDataObject): boolean =>
	Array.isArray(response) || hasEntries(response) || textOf(response) !== '';

/** An acknowledgement (TQ §2.5), or one of several (TQ §4.11); undefined for anything else. */
function readAcknowledged(
	fields: IDataObject,
	mapping: TaxQueryMapping,
): Acknowledgement | undefined {
	// the name of a record's ID is that of an acknowledgement only where the operator says so
	const ids = [fields.queryId, mapping.record._id === undefined ? undefined : fields._id];
	const id = ids.map(idText).find(Boolean) as QueryId | undefined;
	if (id === undefined) return undefined;
	const raw = maskCiecInRecord(fields, mapping);
	const { period } = fromWireNames(raw, 'getInvoices', mapping);
	return { kind: 'acknowledged', id, period: typeof period === 'string' ? period : undefined, raw };
}

/**
 * Reads the response to a billed POST. The API reference shows what is accepted: a record (TQ §2.1), an
 * acknowledgement (TQ §2.5), or several under `results` (TQ §4.11). A single wrapped one counts, too. Any other 2xx,
 * or more queries than `most`, leaves the acceptance unknown.
 */
export function classifySubmissionResponse(
	result: RequestResult,
	mapping: TaxQueryMapping,
	most: number,
): SubmissionOutcome {
	if (!result.ok) {
		const { problem, accepted } = result;
		if (accepted === 'no') return { kind: 'rejected', problem };
		return { kind: 'uncertain', reason: uncertaintyReasonOfProblem(problem.kind), problem };
	}
	const { body } = result;
	const queries = findAcceptedQueries(body, mapping);
	if (queries && queries.length <= most) return { kind: 'accepted', queries };
	const [only, another] = [body].flat();
	const isContent = !queries && another === undefined && hasEntries(only);
	return isContent
		? { kind: 'uncertain', reason: 'noId', body: only }
		: { kind: 'uncertain', reason: 'unreadable' };
}

function uncertaintyReasonOfProblem(kind: string): UncertaintyReason {
	if (kind === 'network' || kind === 'cancelled') return 'noAnswer';
	return kind === 'body' || kind === 'shape' ? 'unreadable' : 'status';
}

/** IDs are on top, or under the only key with any beside the reported errors. */
export const findAcceptedQueries = (
	body: unknown,
	mapping: TaxQueryMapping,
): RecordOrAcknowledgement[] | undefined =>
	readQueries(body, mapping) ?? onlyWrapped(body, mapping);

function readQueries(
	body: unknown,
	mapping: TaxQueryMapping,
): RecordOrAcknowledgement[] | undefined {
	if (!isObject(body)) return undefined;
	const fields = fromRecordWireNames(body, mapping);
	if (Array.isArray(fields.results)) {
		const { message } = fields; // TQ §4.11: it is there once, beside its queries
		const rows = fields.results.filter(isObject).map((row) => ({
			...(message !== undefined && { message }),
			...fromRecordWireNames(row, mapping),
		}));
		return readOnes(rows.map((row) => readQuery(row, mapping)));
	}
	return readOnes([readQuery(fields, mapping)]);
}

function readOnes(
	queries: Array<RecordOrAcknowledgement | undefined>,
): RecordOrAcknowledgement[] | undefined {
	const read = queries.filter((one) => one !== undefined);
	return read.length > 0 ? read : undefined;
}

/** A record has a query type or a response; an ID alone, whatever its status, is an acknowledgement. */
function readQuery(
	fields: IDataObject,
	mapping: TaxQueryMapping,
): RecordOrAcknowledgement | undefined {
	const isStored =
		'service' in fields ||
		'response' in fields ||
		stateOfStatus(fields.status, mapping) === 'failed';
	return (
		(isStored ? recordFromDocumentedFields(fields, mapping) : undefined) ??
		readAcknowledged(fields, mapping)
	);
}

/** What an error names may be another query. */
const REPORTED_ERRORS = ['error', 'errors'];

function onlyWrapped(
	body: unknown,
	mapping: TaxQueryMapping,
): RecordOrAcknowledgement[] | undefined {
	const inside = Object.entries(body ?? {}).flatMap(([key, value]) =>
		REPORTED_ERRORS.includes(key) ? [] : [value as unknown],
	);
	if (Array.isArray(body) && inside.length > 1) return undefined;
	return soleDefined(inside.map((one) => readQueries(one, mapping)));
}

/** Is undefined if there is none, or more than one. */
export function soleDefined<T>(values: Array<T | undefined>): T | undefined {
	const [one, another] = values.filter((value) => value !== undefined);
	return another === undefined ? one : undefined;
}

/** TQ §3 shows SUCCESS and PENDING; FAILED is their opposite. The API Mapping explains any other status. */
const DOCUMENTED_STATUSES: ReadonlyMap<string, QueryState> = new Map([
	['SUCCESS', 'success'],
	['PENDING', 'pending'],
	['FAILED', 'failed'],
]);

/** Of two entries of the API Mapping the worse one counts. */
export function stateOfStatus(
	status: unknown,
	{ statuses }: Pick<TaxQueryMapping, 'statuses'>,
): QueryState {
	if (typeof status !== 'string') return 'unknown';
	const mapped = (['failed', 'pending', 'success'] as const).find((state) =>
		statuses[state]?.includes(status),
	);
	return (
		mapped ??
		(isNotFoundStatus(status, { statuses }) ? 'failed' : DOCUMENTED_STATUSES.get(status)) ??
		'unknown'
	);
}

/** Returns whether a status says that nobody was found: sending the query again would bill the same finding. */
function isNotFoundStatus(
	status: unknown,
	{ statuses: { notFound = [], failed, pending, success } }: Pick<TaxQueryMapping, 'statuses'>,
): boolean {
	const isOther = [failed, pending, success].some((words) => words?.includes(status as string));
	return notFound.includes(status as string) && !isOther;
}

/**
 * A record echoes the fields under the names they were sent by. They are in `query`, or in its metadata, where a
 * service may store other things. Undefined if the record shows no request.
 */
export function requestIn(
	{ query, metadata, service }: IDataObject,
	mapping: TaxQueryMapping,
): IDataObject | undefined {
	const isOwn = isObject(query) && hasEntries(query);
	const echo = isOwn ? query : isObject(metadata) && isObject(metadata.query) && metadata.query;
	if (!echo || (!isOwn && !hasSent(echo, mapping))) return undefined;
	return fromWireNames(echo, findQueryTypeByRecordCode(service, mapping)?.operation ?? '', mapping);
}

const hasSent = (echo: IDataObject, { fields: names }: TaxQueryMapping): boolean =>
	queryTypes.some(({ operation, fields, echo: more = [] }) =>
		[...fields, ...more].some((name) => Object.hasOwn(echo, names[operation]?.[name] ?? name)),
	);

/** The record may hold more than a row of the list, or than what was just accepted. */
export const mayOmitExistingResponse = ({ state, hasResponse }: QueryRecord): boolean =>
	!hasResponse && state !== 'pending' && state !== 'failed';

export const mayStillEnd = (state: QueryState): boolean =>
	state === 'pending' || state === 'unknown';

/** Returns the state by which a record may replace a new query: that nobody was found is a result, too. */
export const reuseStateOf = ({ state, isNotFound }: QueryRecord): QueryState =>
	isNotFound ? 'success' : state;
