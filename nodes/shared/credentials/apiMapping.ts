import type { ICredentialDataDecryptedObject, IDataObject, INodeProperties } from 'n8n-workflow';
import { queryTypes } from '../queryTypes/catalog';
import { getProcessState } from '../processState';
import { BoundedMap } from '../utils/boundedMap';
import { mapValues } from '../utils/objects';
import {
	requireDistinctValues,
	parseMapping,
	type ValueShape,
	type MappingShape,
} from './parseMapping';
import { providers } from './dataProviders';

/**
 * An environment's names where the API references are neutral or show none. They are entered as JSON in the credential;
 * a missing key means the API reference's name. docs/api-mapping.md explains each key.
 */
export interface CreditProfileMapping {
	/** Path segment of the API reference → segment, or several, of the environment. */
	paths: Record<string, string>;
	fields: { bureauPublicKey?: string };
	filterEncoding: 'brackets' | 'dots' | 'json';
	listEncoding: 'brackets' | 'indices' | 'repeat';
}

/** Fields of a query record (TQ §2.1) and of a row of an acknowledgement (TQ §4.11) that the nodes read. */
export const RECORD_FIELDS = [
	...(['_id', 'service', 'status', 'query', 'response', 'createdAt', 'period'] as const),
];
export type RecordFieldName = (typeof RECORD_FIELDS)[number];

export interface TaxQueryMapping {
	/** `tax` and `oauth/token` replace that part of a path, an operation's value its whole path. */
	paths: Record<string, string>;
	/** Maps, by operation, the node's name of a field to the environment's; '' leaves the field out. */
	fields: Record<string, Record<string, string>>;
	/** The format of a period's start and end, in luxon's letters. */
	periodFormat: { months: string; days: string };
	/** The name of each operation's service in records. */
	services: Record<string, string>;
	/** The words of each state; `notFound` is a failed one that surely found nobody. */
	statuses: Record<'success' | 'pending' | 'failed' | 'notFound', string[]>;
	/** The names of a record's own fields, and the key that wraps them. */
	record: Partial<Record<RecordFieldName, string>> & { wrapper?: string };
	list: {
		/** Sent with each request for the list. */
		parameters: IDataObject;
		/** Names of the paging parameters; none is sent unless named. */
		limit?: string;
		offset?: string;
		page?: string;
		firstPage: 0 | 1;
		pageSize: number;
		/** The key of the rows, if a response holds more than one list. */
		rows?: string;
		/** All queries come in one response, however many they are. */
		paging?: 'none';
		/** The order of the rows, if their dates do not show it. */
		order?: 'newestFirst' | 'oldestFirst';
	};
	token: {
		fields: Record<string, string>;
		grantType: string;
		body: 'json' | 'form';
		clientAuthentication: 'body' | 'basic';
		additional: IDataObject;
		scheme: string;
	};
}

const each = (names: readonly string[], shape: ValueShape): MappingShape =>
	Object.fromEntries(names.map((name) => [name, shape]));

export const CREDIT_PROFILE_KEYS: MappingShape = {
	paths: each(['credential', ...providers.map(({ value }) => value.split('/')[0])], 'path'),
	fields: { bureauPublicKey: 'word' },
	filterEncoding: ['brackets', 'dots', 'json'],
	listEncoding: ['brackets', 'indices', 'repeat'],
};

const operations = queryTypes.map(({ operation }) => operation);

export const TAX_QUERY_KEYS: MappingShape = {
	paths: {
		tax: 'path',
		'oauth/token': 'whole path',
		...each(operations, 'whole path'),
		get: 'path of one',
		getAll: 'path', // '' where there is no list
	},
	fields: Object.fromEntries(
		queryTypes.map(({ operation, fields, echo = [] }) => [
			operation,
			each([...fields, ...echo], 'text'),
		]),
	),
	periodFormat: { months: 'month', days: 'day' },
	services: each(operations, 'word'),
	statuses: each(['success', 'pending', 'failed', 'notFound'], 'words'),
	record: each([...RECORD_FIELDS, 'wrapper'], 'word'),
	list: {
		parameters: 'object',
		...each(['limit', 'offset', 'page', 'rows'], 'word'),
		paging: ['none'],
		order: ['newestFirst', 'oldestFirst'],
		firstPage: '0 or 1',
		pageSize: 'count',
	},
	token: {
		fields: each(['client_id', 'client_secret', 'grant_type', 'refresh_token'], 'text'),
		grantType: 'word',
		body: ['json', 'form'],
		clientAuthentication: ['body', 'basic'],
		additional: 'object',
		scheme: 'text',
	},
};

const TAX_QUERY_DEFAULTS = {
	paths: {},
	fields: {},
	periodFormat: { months: 'yyyy-MM', days: 'yyyy-MM-dd' },
	services: {},
	statuses: { success: [], pending: [], failed: [], notFound: [] },
	record: {},
	list: { parameters: {}, firstPage: 1, pageSize: 100 },
	token: {
		fields: {},
		grantType: 'client_credentials',
		body: 'json',
		clientAuthentication: 'body',
		additional: {},
		scheme: 'Bearer',
	},
};

export const apiMappingProperty = (example: string): INodeProperties => ({
	displayName: 'API Mapping',
	name: 'apiMapping',
	type: 'json',
	default: '{}',
	description: `Other paths, field names and words of your contract, as JSON, e.g. ${example}. Connection → Diagnose proposes it. No secrets here.`,
});

/** Mappings that were read before, by their text in a credential. */
const newCreditProfileMappings = () => new BoundedMap<string, CreditProfileMapping>(MAX_MAPPINGS);
const newTaxQueryMappings = () => new BoundedMap<string, TaxQueryMapping>(MAX_MAPPINGS);
const MAX_MAPPINGS = 100;

export const readCreditProfileApiMapping = ({
	apiMapping = '',
}: ICredentialDataDecryptedObject): CreditProfileMapping =>
	parseOnce(apiMapping, getProcessState().shared(newCreditProfileMappings), parseCreditProfile);

export const readTaxQueryApiMapping = ({
	apiMapping = '',
}: ICredentialDataDecryptedObject): TaxQueryMapping =>
	parseOnce(apiMapping, getProcessState().shared(newTaxQueryMappings), parseTaxQuery);

/** Parses each text once. */
function parseOnce<Mapping>(
	value: unknown,
	known: BoundedMap<string, Mapping>,
	parse: (value: unknown) => Mapping,
): Mapping {
	return typeof value === 'string' ? known.getOrMake(value, () => parse(value)) : parse(value);
}

function parseCreditProfile(value: unknown): CreditProfileMapping {
	const given = parseMapping(value, CREDIT_PROFILE_KEYS);
	const mapping = {
		paths: {},
		fields: {},
		filterEncoding: 'brackets',
		listEncoding: 'brackets',
		...given,
	} as CreditProfileMapping;
	// one provider's login would be stored as another's
	requireDistinctValues(
		providers.map(({ value }) => [value, mapPath(mapping, `/credential/${value}`)]),
		'paths',
	);
	return mapping;
}

/** A path of CP §4 in the environment: each segment that the mapping names is replaced. */
export function mapPath({ paths }: CreditProfileMapping, path: string): string {
	const segments = path.split('/').map((segment) => {
		return Object.hasOwn(paths, segment) ? paths[segment].split('/') : [segment];
	});
	return `/${segments.flat().filter(Boolean).join('/')}`;
}

function parseTaxQuery(value: unknown): TaxQueryMapping {
	const given = parseMapping(value, TAX_QUERY_KEYS);
	const mapping = mapValues<object, object>(TAX_QUERY_DEFAULTS, (defaults, name) => ({
		...defaults,
		...(given[name] as IDataObject | undefined),
	})) as unknown as TaxQueryMapping;
	checkNames(mapping);
	return mapping;
}

/** Two services of one name, or two fields of a body, would be confused: one result would be taken for another. */
function checkNames({ services, fields, record }: TaxQueryMapping): void {
	requireDistinctValues(Object.entries({ ...record, wrapper: '' }), 'record', true);
	requireDistinctValues(
		queryTypes.map(({ operation, code }) => [operation, services[operation] ?? code]),
		'services',
	);
	for (const { operation, fields: own, echo = [] } of queryTypes) {
		requireDistinctValues(
			[...own, ...echo].map((name) => [name, fields[operation]?.[name] ?? name]),
			`fields.${operation}`,
		);
	}
}
