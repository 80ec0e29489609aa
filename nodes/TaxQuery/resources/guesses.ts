import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { checkCurp, checkRfc } from '../../shared/identifiers';
import { isFilled, isObject } from '../../shared/utils/json';
import type { QueryService as Service } from '../service/client';
import { listQueries, readListPage } from '../service/list';
import { catalog, pathOf, serviceOf, type QueryService } from '../service/names';
import type { QueryRecord, State } from '../service/types';
import { isImpersonal, uniqueWords } from '../telling/leftOut';

// All that this package guesses. Nothing is at stake here: each guess becomes a proposal for the API Mapping.

/** Where services put the rows of a list. */
const ROWS = ['data', 'queries', 'results', 'items', 'records', 'rows', 'list', 'docs', 'content'];

/** Under which key a response has its rows, where it holds several lists; undefined if none of the usual ones. */
export function guessRows(body: unknown, mapping: TaxQueryMapping): string | undefined {
	return ROWS.find((rows) => {
		const page = readListPage(body, { ...mapping, list: { ...mapping.list, rows } });
		return page && page.records.length > 0;
	});
}

const SIZES = ['limit', 'pageSize', 'page_size', 'perPage', 'per_page', 'size', 'take'];
const OFFSETS = ['offset', 'skip', 'start', 'from'];
const PAGES = ['page', 'pageNumber', 'page_number', 'currentPage'];

/**
 * The names of the paging parameters, found by a request for the second query alone; undefined if none of the usual ones
 * works. `rows` is the first page.
 */
export async function guessPaging(
	{ mapping, request }: Service,
	rows: QueryRecord[],
): Promise<Partial<TaxQueryMapping['list']> | undefined> {
	if (rows.length < 2) return undefined;
	const path = pathOf('getAll', '/query', mapping);
	const ids = async (asked: IDataObject) => {
		const query = { ...mapping.list.parameters, ...asked };
		const body = await request({ method: 'GET', path, query }).catch(() => undefined); // it is not called so
		return readListPage(body, mapping)?.records.map(({ id }) => id) ?? [];
	};
	const isSecond = (found: string[]) => found.length === 1 && found[0] === rows[1].id;
	for (const limit of SIZES) {
		if ((await ids({ [limit]: 1 })).length !== 1) continue;
		const pageSize = rows.length;
		for (const offset of OFFSETS) {
			if (isSecond(await ids({ [limit]: 1, [offset]: 1 }))) return { limit, offset, pageSize };
		}
		for (const page of PAGES) {
			for (const firstPage of [1, 0] as const) {
				if (!isSecond(await ids({ [limit]: 1, [page]: firstPage + 1 }))) continue;
				const isKnown = firstPage === mapping.list.firstPage;
				return { limit, page, ...(!isKnown && { firstPage }), pageSize };
			}
		}
	}
	return undefined;
}

/** How many queries there are by that paging. */
export async function countBy(service: Service, paging: Partial<TaxQueryMapping['list']>) {
	const { mapping } = service;
	const list = { ...mapping.list, ...paging };
	return (await listQueries({ ...service, mapping: { ...mapping, list } })).records.length;
}

/** The words of past queries that the mapping does not know, and what they seem to mean. */
interface Words {
	services: string[];
	strangeServices: string[];
	statuses: string[];
	strangeStatuses: string[];
	/** What to add to the API Mapping; of the others nobody can tell. */
	found: Pick<TaxQueryMapping, 'services' | 'fields'> & { statuses: Record<string, string[]> };
}

/** Reads the words of past queries, and concludes what the shapes of TQ §2.2 to §2.4 allow. */
export function guessWords(records: QueryRecord[], mapping: TaxQueryMapping): Words {
	const services = uniqueWords(records.map(({ code }) => code));
	const statuses = uniqueWords(records.map(({ status = '' }) => status));
	const found: Words['found'] = { services: {}, fields: {}, statuses: {} };
	const strangeServices = services.filter((code) => serviceOf(code, mapping) === undefined);
	const strange = records.filter(({ state }) => state === 'unknown');
	const strangeStatuses = uniqueWords(strange.map(({ status = '' }) => status));

	const operationOf = new Map<string, string>();
	for (const record of records) {
		const service = serviceOf(record.code, mapping) ?? serviceByShape(record);
		if (!service) continue;
		operationOf.set(record.code, service.operation);
		const renamed = renamedField(record, service, mapping);
		if (renamed) found.fields[service.operation] = renamed;
	}
	for (const code of strangeServices.filter(isImpersonal)) {
		const operation = operationOf.get(code);
		if (operation !== undefined) found.services[operation] = code;
	}
	for (const status of strangeStatuses.filter(isImpersonal)) {
		const state =
			stateByShape(strange.filter((one) => one.status === status)) ?? stateByWord(status);
		if (state !== undefined) found.statuses[state] = [...(found.statuses[state] ?? []), status];
	}
	return { services, strangeServices, statuses, strangeStatuses, found };
}

/** The query types whose response the API reference shows. */
function serviceByShape({ raw: { response } }: QueryRecord): QueryService | undefined {
	if (!isObject(response)) return undefined;
	if ('RegimenesFiscales' in response) return catalog.getCrf;
	if ('RazonSocial' in response) return catalog.getRfcData;
	if ('estatusCurp' in response) return catalog.getCurpData;
	return Object.keys(response).join() === 'rfc' ? catalog.calculateRfc : undefined;
}

/** The only field of a query about one identifier, where it has another name. */
function renamedField(
	{ asked = {} }: QueryRecord,
	{ operation, fields }: QueryService,
	mapping: TaxQueryMapping,
): Record<string, string> | undefined {
	const [entry, another] = Object.entries(asked);
	if (entry === undefined || another !== undefined) return undefined;
	const [name, value] = entry;
	const identifier = checkCurp(value).valid ? 'curp' : checkRfc(value).valid ? 'rfc' : undefined;
	if (identifier === undefined || fields.includes(name)) return undefined;
	return mapping.fields[operation]?.[identifier] === name ? undefined : { [identifier]: name };
}

/** A result of a known shape is a success, a message alone a failure, nothing at all is still pending. */
function stateByShape(records: QueryRecord[]): State | undefined {
	const states = new Set(
		records.map((record): State | undefined => {
			const { response } = record.raw;
			if (!('response' in record.raw)) return undefined;
			if (!isFilled(response)) return 'pending';
			if (serviceByShape(record)) return 'success';
			return Object.keys(response as object).join() === 'message' ? 'failed' : undefined;
		}),
	);
	const [state] = states;
	return states.size === 1 ? state : undefined;
}

const plain = (word: string) =>
	word
		.trim()
		.toUpperCase()
		.replace(/[\s_-]+/g, '');
const wordsOf = (text: string) => text.trim().split(/\s+/).map(plain);

/** What services commonly say. */
const COMMON: Partial<Record<State, string[]>> = {
	failed:
		wordsOf(`FAIL FAILED FAILURE FALLIDO FALLIDA FALLO ERROR ERRORED REJECTED RECHAZADO RECHAZADA DENIED REFUSED
		CANCELLED CANCELED CANCELADO CANCELADA ABORTED EXPIRED EXPIRADO INVALID NOT_FOUND NO_ENCONTRADO TIMEOUT TIMED_OUT
		UNSUCCESSFUL KO`),
	pending:
		wordsOf(`PENDING PENDIENTE PROCESSING IN_PROCESS EN_PROCESO PROCESANDO IN_PROGRESS QUEUED ENQUEUED SUBMITTED
		WORKING RUNNING STARTED CREATED ACCEPTED RECEIVED WAITING SCHEDULED NEW OPEN INITIATED RETRYING`),
	success: wordsOf(
		'SUCCESS SUCCEEDED COMPLETED COMPLETE DONE FINISHED OK READY LISTO EXITO EXITOSO',
	),
};

const stateByWord = (status: string): State | undefined =>
	(Object.keys(COMMON) as State[]).find((state) => COMMON[state]?.includes(plain(status)));
