import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { isFilled, isObject } from '../../shared/utils/json';
import { maskNamed, redactValues } from '../../shared/utils/redact';
import { messageOfService } from '../../shared/utils/serviceMessage';
import { idText, textOf } from '../../shared/utils/text';
import { isZoned, timeOf } from '../../shared/utils/time';
import { catalog, queryServices, serviceOf } from './catalog';

/**
 * The id of a record (TQ §2.1) or an acknowledgement (TQ §2.5); undefined if it has none. Of a record with several it
 * is the one by which the acknowledgement and the path of TQ §4.13 call it.
 */
export const queryIdOf = (record: IDataObject): string | undefined => idsOf(record)[0];

const idsOf = (record: IDataObject): string[] => {
	const { queryId, _id, id } = record;
	const ids = [queryId, _id, id].map(idText).filter((one) => one !== '');
	return ids.length > 0 ? ids : [ownIdOf(record)].filter((one) => one !== '');
};

/** What an ID is called. */
export const ID_NAME = /^(query[_-]?id|_id|id)$/i;

/** The ID under the name of an acknowledgement, however it is spelled; '' if there is none. */
export const ownIdOf = (record: IDataObject): string =>
	idText(record.queryId ?? Object.entries(record).find(([name]) => OWN.test(name))?.[1]);
const OWN = /^query[_-]?id$/i;

/** Whether a record has this ID under any of its names. */
export const hasQueryId = (record: IDataObject, id: string): boolean =>
	idsOf(record).some((one) => one.toLowerCase() === id.toLowerCase());

/** When a record was created, in milliseconds since the epoch; NaN if it does not tell. */
export const createdAt = (record: IDataObject): number => timeOf(record.createdAt) ?? NaN;

/** By so much a date may lie before what it means: whole minutes, a clock that is not known; a day, or no zone. */
const LATE_MS = 5 * 60_000;
const ZONELESS_MS = 36 * 3_600_000;

/** Whether a record was created before a moment of the service's clock, whatever its date leaves open. */
export const isSurelyBefore = (record: IDataObject, at: number) =>
	createdAt(record) < at - (isZoned(record.createdAt) ? LATE_MS : ZONELESS_MS);

/** Whether a date without a zone, which lies before a moment as UTC, may mean a later one. */
export const isMaybeSince = (record: IDataObject, at: number) =>
	createdAt(record) < at && !isZoned(record.createdAt) && !isSurelyBefore(record, at);

/** The request's fields, which a record echoes under the names they were sent by: in `query`, else in its metadata. */
export function echoOf({ query, metadata }: IDataObject): IDataObject {
	if (isObject(query) && isFilled(query)) return query;
	return isObject(metadata) && isObject(metadata.query) ? metadata.query : {};
}

/** Whether a record does not say what was asked; a service may keep technical fields in the metadata's `query`. */
export function isBare(record: IDataObject, { fields: names }: TaxQueryMapping): boolean {
	const echo = echoOf(record);
	if (echo === record.query) return false;
	const isSent = (name: string) => Object.hasOwn(echo, name);
	return !queryServices.some(({ operation, fields, echo: more = [] }) =>
		[...fields, ...more].some((name) => isSent(names[operation]?.[name] ?? name)),
	);
}

/** What the CIEC may be called, in lower case. */
export const namesOfCiec = ({ fields }: Pick<TaxQueryMapping, 'fields'>): string[] =>
	['ciec', textOf(fields.createTaxProfile?.ciec).toLowerCase()].filter((name) => name !== '');

const PASSWORDS = ['password', 'contrasena', 'contraseña'];

/** By which a record is known; a secret that reads the same does not change them. */
const IDENTITY = ['queryId', '_id', 'id', 'service', 'status', 'createdAt', 'updatedAt'];
/** Shorter ones (`"ciec": "SI"`) say that there is one. */
const SHORTEST_CIEC = 4;

/**
 * A record without the CIEC, which that of a tax profile may repeat (TQ §2.1, §4.8): masked where it stands by name, and
 * wherever the record repeats its text. A record of a service that the mapping does not know may be one, too.
 */
export function withoutCiec(record: IDataObject, mapping: TaxQueryMapping): IDataObject {
	const { createTaxProfile } = catalog;
	const known = serviceOf(record.service, mapping);
	const anywhere =
		(known ?? createTaxProfile) === createTaxProfile ? ['ciec', ...PASSWORDS] : ['ciec'];
	const inEcho = [...(anywhere.length > 1 ? namesOfCiec(mapping) : []), ...anywhere];
	if (known === createTaxProfile) inEcho.push('clave');
	const found: string[] = [];
	const masked = Object.entries(record).map(([key, value]) => {
		const isEcho = key === 'query' || key === 'metadata';
		return [
			key,
			maskNamed(value, isEcho ? inEcho : anywhere, found, anywhere.includes(key.toLowerCase())),
		];
	});
	if (masked.every(([key, value]) => value === record[key as string])) return record;
	const ciecs = found.filter(({ length }) => length >= SHORTEST_CIEC);
	const safe = redactValues(Object.fromEntries(masked) as IDataObject, ciecs);
	for (const key of IDENTITY) if (key in record) safe[key] = record[key];
	return safe;
}

/** The service's own words for why a query failed, as a sentence to be appended, or ''. `secrets` are masked. */
export const reasonOf = ({ response, ...record }: IDataObject, secrets: string[] = []): string =>
	messageOfService(response, secrets) || messageOfService(record, secrets);

export type QueryState = 'pending' | 'success' | 'failed' | 'unknown';

const words = (text: string) => text.trim().split(/\s+/).map(plain);
/** A word however it is written: IN_PROGRESS, in progress and InProgress are one. */
const plain = (word: string) =>
	word
		.trim()
		.toUpperCase()
		.replace(/(?<=[\p{L}\p{N}])[\s_-]+(?=[\p{L}\p{N}])/gu, '');

/** Of status words only SUCCESS and PENDING are shown (TQ §3); the others are what services commonly say. */
const KNOWN = {
	failed:
		words(`FAILED FAIL FAILURE FALLIDO FALLIDA FALLO ERROR ERRORED REJECTED RECHAZADO RECHAZADA DENIED REFUSED
		CANCELLED CANCELED CANCELADO CANCELADA ABORTED EXPIRED EXPIRADO INVALID NOT_FOUND NO_ENCONTRADO TIMEOUT TIMED_OUT
		UNSUCCESSFUL KO`),
	pending:
		words(`PENDING PENDIENTE PROCESSING PROCESS IN_PROCESS EN_PROCESO PROCESANDO PROGRESS IN_PROGRESS ONGOING
		QUEUE QUEUED ENQUEUED SUBMITTED WORKING RUNNING STARTED STARTING CREATED ACCEPTED RECEIVED WAITING SCHEDULED NEW
		OPEN INITIATED RETRYING`),
	success: words('SUCCESS SUCCEEDED COMPLETED COMPLETE DONE FINISHED OK READY'),
};

/**
 * What a query's status says. Success is only what is known as such: a word that neither is known nor stands in the
 * API Mapping's `statuses` is unknown, and so is a result without a status. What stands there wins over what is known,
 * and of two entries the worse one.
 */
export function stateOf(
	{ status, response }: IDataObject,
	{ statuses }: Pick<TaxQueryMapping, 'statuses'>,
): QueryState {
	// An acknowledgement (TQ §2.5) has no status.
	if (status === undefined || status === null) return isFilled(response) ? 'unknown' : 'pending';
	if (typeof status !== 'string') return 'unknown';
	const word = plain(status);
	const holds = (list: string[] = []) => list.some((one) => plain(one) === word);
	const states = ['failed', 'pending', 'success'] as const;
	return (
		states.find((state) => holds(statuses[state])) ??
		states.find((state) => KNOWN[state].includes(word)) ??
		'unknown'
	);
}

/**
 * Whether a row of a list may hold less than its record: it has no response; or an empty one, or null, and does not say
 * that the query is pending or has failed, when there is none.
 */
export function isLean(row: IDataObject, mapping: Pick<TaxQueryMapping, 'statuses'>): boolean {
	if (isFilled(row.response) || textOf(row.response) !== '') return false;
	const isWithout = ['pending', 'failed'].includes(stateOf(row, mapping));
	return !('response' in row) || !isWithout || (row.status ?? '') === '';
}
