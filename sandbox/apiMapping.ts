import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { firstViolation } from '../contract/check';
import { upsertBodies } from '../contract/creditProfile';
import { closed, oneOf } from '../contract/builders';

/** The queries of TQ §4.2 to §4.13 by the names that a mapping gives them: path and, for POSTs, service. */
export const OPERATION_PATHS_AND_SERVICE_CODES = {
	getShareholders: { path: '/query/company-shareholders', service: 'COMPANY_SHAREHOLDERS' },
	calculateRfc: { path: '/query/rfc-calculator', service: 'RFC_CALCULATOR' },
	getCrf: { path: '/query/crf', service: 'CRF' },
	getRfcData: { path: '/query/rfc-data', service: 'RFC' },
	getCurpData: { path: '/query/curp-data', service: 'CURP' },
	getEmploymentHistory: { path: '/query/job-history', service: 'JOB_HISTORY' },
	createTaxProfile: { path: '/query/tax/profile', service: 'TAX_PROFILE' },
	getCsf: { path: '/query/tax/csf', service: 'CSF' },
	getComplianceOpinion: { path: '/query/tax/compliance-opinion', service: 'COMPLIANCE_OPINION' },
	getInvoices: { path: '/query/tax/invoice', service: 'INVOICE' },
	get: { path: '/query/{queryId}', service: '' },
	getAll: { path: '/query', service: '' },
} as const;
export type OperationName = keyof typeof OPERATION_PATHS_AND_SERVICE_CODES;
const operations = Object.keys(OPERATION_PATHS_AND_SERVICE_CODES) as OperationName[];

/** Fields without which the sandbox would not know whom or what a query is about. */
const NEEDED = ['rfc', 'curp', 'name', 'firstLastName', 'day', 'month', 'year', 'from', 'to'];

/** Fields of TQ §2.1 and §4.11 that an environment may call otherwise. */
const RECORD_FIELDS = [
	...(['_id', 'service', 'status', 'query', 'response', 'createdAt', 'period'] as const),
];
export type RenamableRecordFieldName = (typeof RECORD_FIELDS)[number];

const word = Type.String({ minLength: 1 });
const words = Type.Array(word, { minItems: 1 });
const some = (properties: Record<string, TSchema>) => Type.Partial(closed(properties));
const same = (names: readonly string[], schema: TSchema) =>
	some(Object.fromEntries(names.map((name) => [name, schema])));
const anything = Type.Record(Type.String(), Type.Unknown());
const namesOfFields = Type.Record(Type.String(), Type.String());

/** The first segments of the providers' paths; each may have another name. */
export const RENAMABLE_PROVIDER_SEGMENTS = [
	'credential',
	...new Set(Object.keys(upsertBodies).map((path) => path.split('/')[0])),
];

const MappingSchema = some({
	creditProfile: some({
		paths: same(RENAMABLE_PROVIDER_SEGMENTS, word),
		fields: some({ bureauPublicKey: word }),
		filterEncoding: oneOf(['brackets', 'dots', 'json']),
		listEncoding: oneOf(['brackets', 'indices', 'repeat']),
	}),
	taxQuery: some({
		paths: same(['tax', 'oauth/token', ...operations], word),
		fields: same(operations, namesOfFields),
		periodFormat: some({ months: word, days: word }),
		services: same(operations, word),
		statuses: some({ success: words, pending: words, failed: words, notFound: words }),
		record: same([...RECORD_FIELDS, 'wrapper'], word),
		list: some({
			parameters: anything,
			limit: word,
			offset: word,
			page: word,
			firstPage: Type.Union([Type.Literal(0), Type.Literal(1)]),
			pageSize: Type.Integer({ minimum: 1 }),
		}),
		token: some({
			fields: same(['client_id', 'client_secret', 'grant_type', 'refresh_token'], Type.String()),
			grantType: word,
			body: oneOf(['json', 'form']),
			clientAuthentication: oneOf(['body', 'basic']),
			additional: anything,
			scheme: word,
		}),
	}),
});

/** The simulated environment has these names for those of the Credit Profile document. */
export interface CreditProfileMapping {
	/** Path segment of CP §4.1 and §4.2 → what stands in its place. */
	paths?: Record<string, string>;
	fields?: { bureauPublicKey?: string };
	filterEncoding?: 'brackets' | 'dots' | 'json';
	listEncoding?: 'brackets' | 'indices' | 'repeat';
}

/** What is left out is as in the Tax Query document. */
export interface TaxQueryMapping {
	/** `tax` and `oauth/token` replace that part of a path, an operation its whole path. */
	paths?: Partial<Record<OperationName | 'tax' | 'oauth/token', string>>;
	/** The document's name of a field → the environment's; '' if it has no such field. */
	fields?: Partial<Record<OperationName, Record<string, string>>>;
	/** Formats are in luxon's letters. */
	periodFormat?: { months?: string; days?: string };
	services?: Partial<Record<OperationName, string>>;
	/** The first word of each list is served. */
	statuses?: Partial<Record<'success' | 'pending' | 'failed' | 'notFound', string[]>>;
	/** The names of a record's fields, and the key that it is wrapped in. */
	record?: Partial<Record<RenamableRecordFieldName | 'wrapper', string>>;
	list?: {
		parameters?: Record<string, unknown>;
		limit?: string;
		offset?: string;
		page?: string;
		firstPage?: 0 | 1;
		pageSize?: number;
	};
	token?: {
		fields?: Record<string, string>;
		grantType?: string;
		body?: 'json' | 'form';
		clientAuthentication?: 'body' | 'basic';
		additional?: Record<string, unknown>;
		scheme?: string;
	};
}

/** The file of `--mapping` holds it. */
export interface Mapping {
	creditProfile?: CreditProfileMapping;
	taxQuery?: TaxQueryMapping;
}

/** Throws an Error that names what is not known or of the wrong type. */
export function parseMapping(value: unknown): Mapping {
	const violation = firstViolation(MappingSchema, value);
	if (!violation) return withWhatIsNeeded(value as Static<typeof MappingSchema> as Mapping);
	const { field, message } = violation;
	const steps = field.split('.');
	const name = steps.pop() ?? '';
	const parent = steps.reduce<TSchema | undefined>(
		(schema, step) => (schema?.properties as Record<string, TSchema> | undefined)?.[step],
		MappingSchema,
	);
	const known = Object.keys((parent?.properties ?? {}) as object);
	if (known.length > 0 && !known.includes(name)) {
		throw new Error(`Mapping: "${field}" is not known; known are ${known.join(', ')}`);
	}
	throw new Error(`Mapping: "${field}": ${message}`);
}

/** Throws an Error if a field is left out that identifies the query's subject. */
function withWhatIsNeeded(mapping: Mapping): Mapping {
	for (const [operation, fields] of Object.entries(mapping.taxQuery?.fields ?? {})) {
		const lost = NEEDED.find((field) => fields[field] === '');
		if (!lost) continue;
		throw new Error(
			`Mapping: "taxQuery.fields.${operation}.${lost}": the sandbox needs this field`,
		);
	}
	return mapping;
}

export function wireNamesOfSecretFields({ creditProfile = {}, taxQuery = {} }: Mapping): string[] {
	const { client_secret, refresh_token } = taxQuery.token?.fields ?? {};
	const names: Array<string | undefined> = [
		creditProfile.fields?.bureauPublicKey,
		taxQuery.fields?.createTaxProfile?.ciec,
		client_secret,
		refresh_token,
	];
	return names.filter((name): name is string => name !== undefined && name !== '');
}
