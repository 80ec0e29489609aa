import type { IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { checkCurp, checkRfc } from '../../shared/identifiers';
import { protectionOf } from '../../shared/personalData/personalData';
import { sentences } from '../../shared/utils/sentences';
import { isObject } from '../../shared/utils/json';
import { textOf } from '../../shared/utils/text';
import { comparable, isMaybeOf, type EchoIndex } from './echoIndex';
import { createdAt, echoOf, isMaybeSince, stateOf } from './index';
import { catalog, serviceOf, type QueryService } from './catalog';

/** What past queries tell of a deployment's words: those that the mapping does not know, and what they seem to mean. */
interface Words {
	services: string[];
	strangeServices: string[];
	statuses: string[];
	strangeStatuses: string[];
	/** What to add to the API Mapping; of the others nobody can tell. */
	found: Pick<TaxQueryMapping, 'services' | 'fields'> & { statuses: Record<string, string[]> };
}

/** Reads the words of past queries, and concludes what the document's own shapes (TQ §2.2 to §2.4) allow. */
export function wordsOf(records: IDataObject[], mapping: TaxQueryMapping): Words {
	const services = unique(records.map(({ service }) => textOf(service)));
	const statuses = unique(records.map(({ status }) => textOf(status)));
	const found: Words['found'] = { services: {}, fields: {}, statuses: {} };
	const strangeServices = services.filter((code) => serviceOf(code, mapping) === undefined);
	const strangeStatuses = statuses.filter((status) => stateOf({ status }, mapping) === 'unknown');

	const operationOf = new Map<string, string>();
	for (const record of records) {
		const code = textOf(record.service);
		const service = serviceOf(code, mapping) ?? serviceByShape(record);
		if (!service) continue;
		operationOf.set(code, service.operation);
		const renamed = renamedField(record, service, mapping);
		if (renamed) found.fields[service.operation] = renamed;
	}
	for (const code of strangeServices.filter(isImpersonal)) {
		const operation = operationOf.get(code);
		if (operation !== undefined) found.services[operation] = code;
	}
	for (const status of strangeStatuses.filter(isImpersonal)) {
		const state = stateByShape(records.filter((record) => record.status === status));
		if (state !== undefined) found.statuses[state] = [...(found.statuses[state] ?? []), status];
	}
	return { services, strangeServices, statuses, strangeStatuses, found };
}

/** What is chosen from queries; nothing means all. */
interface Choice {
	operations: string[];
	states: string[];
	/** Services by their own names. */
	codes?: string[];
}

/**
 * Says which queries a choice leaves out only because the mapping does not know their words, though these may be what
 * is meant: a chosen query that the mapping does not name, and that does not occur by the document's name, may be called
 * so. Undefined if there are none.
 */
export function leftOut(
	records: IDataObject[],
	{ operations, states, codes = [] }: Choice,
	mapping: TaxQueryMapping,
): string | undefined {
	const seen = unique(records.map(({ service }) => textOf(service)));
	const met = seen.map((code) => serviceOf(code, mapping)?.operation);
	const untold = operations.filter(
		(name) => mapping.services[name] === undefined && !met.includes(name),
	);
	const named = codes.map((code) => code.toUpperCase());
	const strange = seen.filter(
		(code, index) => met[index] === undefined && !named.includes(code.toUpperCase()),
	);
	const isChosen = ({ service }: IDataObject) =>
		operations.length === 0 || operations.includes(serviceOf(service, mapping)?.operation ?? '');
	const unknown = records.filter((record) => stateOf(record, mapping) === 'unknown');
	const statuses = unique(unknown.filter(isChosen).map(({ status }) => textOf(status)));
	const areStatesChosen = states.length > 0 && !states.includes('unknown');
	return (
		sentences(
			toldOf(
				'service',
				untold.length > 0 ? strange : [],
				untold.map((name) => `services.${name}`),
			),
			toldOf(
				'status',
				areStatesChosen ? statuses : [],
				states.map((state) => `statuses.${state}`),
			),
		) || undefined
	);
}

/** Which rows may be of a service: also the strange ones, if none is called so and the mapping does not name it. */
export function meantBy(service: string, rows: IDataObject[], mapping: TaxQueryMapping) {
	const isOfIt = (row: IDataObject) => comparable(row.service) === comparable(service);
	const { operation = '' } = serviceOf(service, mapping) ?? {};
	const isNamed = mapping.services[operation] !== undefined || rows.some(isOfIt);
	return (row: IDataObject) =>
		isOfIt(row) || comparable(row.service) === '' || (!isNamed && isMaybeOf(row, service, mapping));
}

/** So many rows with the same surname are compared. */
const LIKE_READ = 300;

/** Why queries that may be the same are not reused, and what to set if they are; '' if they are surely no result of it. */
export function notReused(
	index: EchoIndex,
	{ service, echo }: { service: string; echo: IDataObject },
	mapping: TaxQueryMapping,
	since: number,
): string {
	const like = index.findLike(service, echo, LIKE_READ);
	const notFailed = like.filter((record) => stateOf(record, mapping) !== 'failed');
	const rows = notFailed.filter((record) => !isMaybeSince(record, since));
	const { operation } = serviceOf(service, mapping) ?? {};
	if (operation === undefined) return '';
	const own = namesOf(service, mapping);
	const isOdd = ([name, value]: [string, unknown]) =>
		Object.hasOwn(echo, name) ? comparable(value) !== comparable(echo[name]) : !own.includes(name);
	const same = rows.filter((row) => comparable(row.service) === comparable(service));
	const oddFields = same.flatMap((row) => Object.entries(echoOf(row)).filter(isOdd));
	const odd = unique(oddFields.map(([name]) => name)).filter(isImpersonal);
	const isUndated = same.some((row) => Number.isNaN(createdAt(row)));
	return sentences(
		leftOut(rows, { operations: [operation], states: ['success', 'pending'] }, mapping),
		odd.length > 0
			? `${service} queries that may be the same are left out, for what they hold under ${odd.slice(0, 5).join(', ')}. If a field is only called otherwise, set fields.${operation} in the credential's API Mapping`
			: '',
		isUndated ? `${service} queries are left out that tell no date (createdAt)` : '',
		notFailed.some((row) => !rows.includes(row) && comparable(row.service) === comparable(service))
			? `${service} queries that may be the same are left out: their date (createdAt) has no zone, and is too old if it means UTC`
			: '',
	);
}

/** The names under which records of a service say what was asked. */
function namesOf(service: string, mapping: TaxQueryMapping): string[] {
	const { operation = '', fields = [], echo = [] } = serviceOf(service, mapping) ?? {};
	return [...fields, ...echo].map((name) => mapping.fields[operation]?.[name] ?? name);
}

/** Why queries of a service are not reused whatever is asked: they do not say what was, or hide it; '' if none is so. */
export function muteNote(service: string, rows: IDataObject[], mapping: TaxQueryMapping): string {
	const names = namesOf(service, mapping);
	const isSaid = (value: unknown) => comparable(value) !== '' && !/[*•]{2}/.test(textOf(value));
	const mute = rows.filter(
		(row) =>
			comparable(row.service) === comparable(service) &&
			stateOf(row, mapping) !== 'failed' &&
			!names.some((name) => isSaid(echoOf(row)[name])),
	);
	return mute.length === 0
		? ''
		: `${service} queries are left out that do not say what was asked, or hide it: ${mute.length}`;
}

function toldOf(what: string, words: string[], keys: string[]): string {
	if (words.length === 0) return '';
	return `Queries are left out whose ${what} is not known: ${impersonal(words)}. If they are meant, set ${keys.join(' or ')} in the credential's API Mapping`;
}

const LONGEST_WORD = 30;
/** A text with an identifier or a phone in it, or a sentence, is of one query, and not for a proposal that others read. */
const isImpersonal = (word: string) =>
	word.length <= LONGEST_WORD &&
	!/\d{5}/.test(word) &&
	protectionOf('masked', undefined)?.text(word) === word;

/** Words for what others read: each that is of no one query, and the length of any other. */
export const impersonal = (words: string[]): string =>
	words
		.map((word) => (isImpersonal(word) ? word : `(a text of ${word.length} characters)`))
		.join(', ');

const unique = (texts: string[]) => [...new Set(texts.filter((text) => text !== ''))].sort();

/** The services whose response the document shows. */
function serviceByShape({ response }: IDataObject): QueryService | undefined {
	if (!isObject(response)) return undefined;
	if ('RegimenesFiscales' in response) return catalog.getCrf;
	if ('RazonSocial' in response) return catalog.getRfcData;
	if ('estatusCurp' in response) return catalog.getCurpData;
	return Object.keys(response).join() === 'rfc' ? catalog.calculateRfc : undefined;
}

/** The only field of a query about one identifier, where it is called otherwise. */
function renamedField(
	record: IDataObject,
	{ operation }: QueryService,
	mapping: TaxQueryMapping,
): Record<string, string> | undefined {
	const [entry, another] = Object.entries(echoOf(record));
	if (entry === undefined || another !== undefined) return undefined;
	const [name, value] = entry;
	const identifier = checkCurp(value).valid ? 'curp' : checkRfc(value).valid ? 'rfc' : undefined;
	if (
		identifier === undefined ||
		(mapping.fields[operation]?.[identifier] ?? identifier) === name
	) {
		return undefined;
	}
	return { [identifier]: name };
}

/** A result of a known shape is a success, a message alone a failure, nothing at all is still pending. */
function stateByShape(records: IDataObject[]): 'success' | 'failed' | 'pending' | undefined {
	const states = unique(
		records.map((record) => {
			const { response } = record;
			if (!('response' in record)) return 'unclear';
			if (!isObject(response) || Object.keys(response).length === 0) return 'pending';
			if (serviceByShape(record)) return 'success';
			return Object.keys(response).join() === 'message' ? 'failed' : '';
		}),
	);
	const [state, another] = states;
	return another === undefined && state !== 'unclear' ? (state as 'success') : undefined;
}
