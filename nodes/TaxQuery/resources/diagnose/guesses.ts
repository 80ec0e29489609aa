import type { IDataObject } from 'n8n-workflow';
import type { RecordFieldName, TaxQueryMapping } from '../../../shared/credentials/apiMapping';
import { checkCurp, checkRfc } from '../../../shared/identifiers';
import { hasEntries, isObject } from '../../../shared/utils/json';
import { isFilledText } from '../../../shared/utils/primitiveText';
import type { QueryClient as Service } from '../../client/queryClient';
import { listAllQueries, parseListPage } from '../../client/queryList';
import { stateOfStatus } from '../../client/record';
import { fromRecordWireNames } from '../../client/recordNames';
import { pathOf, findQueryTypeByRecordCode } from '../../client/names';
import { queryTypesByOperation, type QueryType } from '../../../shared/queryTypes/catalog';
import type { QueryRecord, QueryState } from '../../client/model';
import { isImpersonal, uniqueTexts } from '../../errors/unknownRecords';

// All that this package guesses. Nothing is at stake here: each guess becomes a proposal for the API Mapping.

export const withListSettings = (mapping: TaxQueryMapping, list: IDataObject): TaxQueryMapping => ({
	...mapping,
	list: { ...mapping.list, ...list },
});

/** Usual keys of the rows of a list. */
const ROWS = 'data queries results items records rows list docs content'.split(' ');

/** Serves a response that holds several lists; unusual keys give undefined. */
export function guessRowsKey(body: unknown, mapping: TaxQueryMapping): string | undefined {
	return ROWS.find((rows) => {
		const page = parseListPage(body, withListSettings(mapping, { rows }));
		return page && page.records.length > 0;
	});
}

export const withRecordNames = (
	mapping: TaxQueryMapping,
	record: TaxQueryMapping['record'],
): TaxQueryMapping => ({ ...mapping, record: { ...mapping.record, ...record } });

const isId = (value: unknown) => isFilledText(value) || typeof value === 'number';
const isDate = (value: unknown) => isFilledText(value) && !Number.isNaN(Date.parse(String(value)));
const isContent = (value: unknown) => value === null || typeof value === 'object';

/** Usual names of a record's fields, without hyphens and underscores, and a check of the values. */
const RECORD: Array<[RecordFieldName, string, (value: unknown) => boolean]> = [
	['_id', 'id uuid guid identifier queryid queryuuid idconsulta', isId],
	['service', 'type kind querytype servicename servicetype product servicio tipo', isFilledText],
	['status', 'state estado estatus querystatus statuscode result', isFilledText],
	['query', 'request params parameters input fields payload solicitud', isContent],
	['response', 'result data output answer resultado respuesta', isContent],
	['createdAt', 'created creation creationdate createddate createdon date timestamp fecha', isDate],
];
/** Names of TQ §2.1, which have a meaning of their own. */
const DOCUMENTED_FIELDS =
	'_id queryId service status authentication metadata query response organizationId organizationSlug profileId createdAt updatedAt'.split(
		' ',
	);

const plainFieldName = (name: string) => name.toLowerCase().replace(/[-_]/g, '').replace(/at$/, '');

/** Leaves out what is unclear. */
export function guessRecordMapping(
	rows: IDataObject[],
	mapping: TaxQueryMapping,
): TaxQueryMapping['record'] {
	const [first] = rows;
	if (!first) return {};
	const known = rows.map((row) => fromRecordWireNames(row, mapping));
	const wrapper = mapping.record.wrapper ?? guessWrapper(known);
	const inside =
		wrapper === undefined
			? known
			: rows.map((row) => fromRecordWireNames(row, withRecordNames(mapping, { wrapper })));
	const names: TaxQueryMapping['record'] = {
		...(mapping.record.wrapper === undefined && wrapper !== undefined && { wrapper }),
	};
	for (const [name, usual, isValid] of RECORD) {
		if (
			inside.some((row) => row[name] !== undefined || (name === '_id' && row.queryId !== undefined))
		)
			continue;
		const candidates = Object.keys(inside[0]).filter(
			(own) =>
				!DOCUMENTED_FIELDS.includes(own) &&
				usual.split(' ').includes(plainFieldName(own)) &&
				inside.every((row) => row[own] === undefined || isValid(row[own])),
		);
		const [only, another] = candidates.filter((own) => !Object.values(names).includes(own));
		if (only !== undefined && another === undefined) names[name] = only;
	}
	return names;
}

/** The only key under which every row holds an object with an ID, where the row itself has none. */
function guessWrapper(rows: IDataObject[]): string | undefined {
	const isCalled = (row: unknown) =>
		isObject(row) &&
		Object.entries(row).some(
			([name, value]) => /^(_id|id|uuid|guid|queryid)$/.test(name.toLowerCase()) && isId(value),
		);
	if (rows.some(isCalled)) return undefined;
	const [only, another] = Object.keys(rows[0]).filter((name) =>
		rows.every((row) => isCalled(row[name])),
	);
	return another === undefined ? only : undefined;
}

const SIZES = 'limit pageSize page_size perPage per_page size take'.split(' ');
const OFFSETS = 'offset skip start from'.split(' ');
const PAGES = 'page pageNumber page_number currentPage'.split(' ');
/** Requests for the second query alone, in pages of one, and the settings that each would prove. */
const PLACES: Array<{ parameters: IDataObject; list: IDataObject }> = [
	...OFFSETS.map((offset) => ({ parameters: { [offset]: 1 }, list: { offset } })),
	...PAGES.flatMap((page) =>
		[1, 0].map((firstPage) => ({
			parameters: { [page]: firstPage + 1 },
			list: { page, firstPage },
		})),
	),
];

/**
 * The names of the paging parameters, found by a request for the second query alone; undefined if none of the usual ones
 * works. `rows` is the first page.
 */
export async function probePaging(
	{ mapping, request }: Service,
	rows: QueryRecord[],
): Promise<IDataObject | undefined> {
	const path = pathOf('getAll', '/query', mapping);
	const ids = async (parameters: IDataObject) => {
		const query = { ...mapping.list.parameters, ...parameters };
		const body = await request({ method: 'GET', path, query }).catch(() => undefined); // it has another name
		return parseListPage(body, mapping)?.records.map(({ id }) => id) ?? [];
	};
	for (const limit of rows.length < 2 ? [] : SIZES) {
		if ((await ids({ [limit]: 1 })).length !== 1) continue;
		for (const { parameters, list } of PLACES) {
			const [id, another] = await ids({ [limit]: 1, ...parameters });
			if (id !== rows[1].id || another) continue;
			const { firstPage = mapping.list.firstPage, ...names } = list;
			const isKnown = firstPage === mapping.list.firstPage;
			return { limit, ...names, ...(!isKnown && { firstPage }), pageSize: rows.length };
		}
	}
	return undefined;
}

export async function countQueriesWithPaging(
	client: Service,
	paging: IDataObject,
): Promise<number> {
	const mapping = withListSettings(client.mapping, paging);
	return (await listAllQueries({ ...client, mapping })).records.length;
}

/** Labels of past queries, and the likely meanings of those that the mapping does not know. */
interface GuessedLabels {
	services: string[];
	statuses: string[];
	unknown: string[];
	/** Additions to the API Mapping; the other labels stay unknown. */
	found: IDataObject;
}

/** Concludes what the shapes of TQ §2.2 to §2.4 allow. */
export function guessTypesAndStatuses(
	records: QueryRecord[],
	mapping: TaxQueryMapping,
): GuessedLabels {
	const codes = uniqueTexts(records.map(({ code }) => code));
	const labels = uniqueTexts(records.map(({ status = '' }) => status));
	const unknownCodes = codes.filter(
		(code) => findQueryTypeByRecordCode(code, mapping) === undefined,
	);
	const unknownStatuses = labels.filter((label) => stateOfStatus(label, mapping) === 'unknown');
	const [services, fields]: IDataObject[] = [{}, {}];
	const statuses: Record<string, string[]> = {};
	for (const record of records) {
		const { code } = record;
		const queryType = findQueryTypeByRecordCode(code, mapping) ?? serviceByShape(record);
		if (!queryType) continue;
		const { operation } = queryType;
		if (unknownCodes.includes(code) && isImpersonal(code)) services[operation] = code;
		const renamed = renamedField(record, queryType, mapping);
		if (renamed) fields[operation] = renamed;
	}
	for (const label of unknownStatuses.filter(isImpersonal)) {
		const byName = stateByStatus(label);
		const byShape = stateByShape(records.filter(({ status }) => status === label));
		const state = byName === 'notFound' ? byName : (byShape ?? byName);
		if (state) (statuses[state] ??= []).push(label);
	}
	return {
		services: codes,
		statuses: labels,
		unknown: [...unknownCodes, ...unknownStatuses],
		found: { services, fields, statuses },
	};
}

function serviceByShape({ raw: { response } }: QueryRecord): QueryType | undefined {
	if (!isObject(response)) return undefined;
	if ('RegimenesFiscales' in response) return queryTypesByOperation.getCrf;
	if ('RazonSocial' in response) return queryTypesByOperation.getRfcData;
	if ('estatusCurp' in response) return queryTypesByOperation.getCurpData;
	return Object.keys(response).join() === 'rfc' ? queryTypesByOperation.calculateRfc : undefined;
}

/** The only field of a query about one identifier, where it has another name. */
function renamedField(
	{ request = {} }: QueryRecord,
	{ operation, fields }: QueryType,
	mapping: TaxQueryMapping,
): Record<string, string> | undefined {
	const [[name, value] = [], another] = Object.entries(request);
	const identifier = checkCurp(value).valid ? 'curp' : checkRfc(value).valid ? 'rfc' : undefined;
	if (!name || another || !identifier || fields.includes(name)) return undefined;
	return mapping.fields[operation]?.[identifier] === name ? undefined : { [identifier]: name };
}

/** A known shape is a success, a message alone a failure, nothing at all is pending. */
function stateByShape(records: QueryRecord[]): QueryState | undefined {
	const states = new Set(
		records.map((record): QueryState | undefined => {
			const { response } = record.raw;
			if (!('response' in record.raw)) return undefined;
			if (!hasEntries(response)) return 'pending';
			if (serviceByShape(record)) return 'success';
			return Object.keys(response as object).join() === 'message' ? 'failed' : undefined;
		}),
	);
	const [state] = states;
	return states.size === 1 ? state : undefined;
}

/** Common statuses, without blanks, hyphens and underscores. */
const COMMON: Array<[keyof TaxQueryMapping['statuses'], string]> = [
	['notFound', 'NOTFOUND NOENCONTRADO NOENCONTRADA NOLOCALIZADO NOLOCALIZADA'],
	[
		'failed',
		'FAIL FAILED FAILURE FALLIDO ERROR REJECTED RECHAZADO DENIED CANCELLED CANCELED CANCELADO EXPIRED INVALID TIMEOUT',
	],
	[
		'pending',
		'PENDING PENDIENTE PROCESSING INPROCESS ENPROCESO INPROGRESS QUEUED RUNNING STARTED CREATED ACCEPTED RECEIVED WAITING NEW',
	],
	['success', 'SUCCESS COMPLETED COMPLETE DONE FINISHED OK READY LISTO EXITO EXITOSO'],
];

function stateByStatus(status: string): keyof TaxQueryMapping['statuses'] | undefined {
	const plain = status.toUpperCase().replace(/[\s_-]+/g, '');
	return COMMON.find(([, labels]) => labels.split(' ').includes(plain))?.[0];
}
