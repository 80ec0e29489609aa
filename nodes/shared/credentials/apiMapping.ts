import {
	UserError,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INodeProperties,
} from 'n8n-workflow';
import { isObject, readObject } from '../utils/json';
import { queryServices } from '../queries/catalog';

/**
 * What a deployment calls the things that the documents write with neutral words or do not show. Entered once, as
 * JSON, in the credential; what is left out is as in the documents. docs/api-mapping.md explains each key.
 */
export interface CreditProfileMapping {
	/** Path segment of the document → segment, or several, of the deployment. */
	paths: Record<string, string>;
	fields: { bureauPublicKey?: string };
	filterEncoding: 'brackets' | 'dots' | 'json';
	listEncoding: 'brackets' | 'indices' | 'repeat';
}

export interface TaxQueryMapping {
	/** `tax` and `oauth/token` replace that part of a path, an operation's value its whole path. */
	paths: Record<string, string>;
	/** By operation: the node's name of a field → the deployment's; '' leaves the field out. */
	fields: Record<string, Record<string, string>>;
	/** How the start and end of a period are written, in luxon's letters. */
	periodFormat: { months: string; days: string };
	/** By operation: what records call its service. */
	services: Record<string, string>;
	statuses: { success: string[]; pending: string[]; failed: string[] };
	list: {
		/** Sent with each request for the list. */
		parameters: IDataObject;
		/** Names of the paging parameters; none is sent unless named. */
		limit?: string;
		offset?: string;
		page?: string;
		pageSize: number;
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

/** The operations of the query service that a mapping may name. */
export const MAPPED_OPERATIONS = [
	...queryServices.map(({ operation }) => operation),
	'get',
	'getAll',
].sort();

/** What a value must be; a table of such under the keys that are known, or the same for any key. */
type Shape = 'text' | 'whole number' | 'texts' | 'object' | string[] | Table | { any: Shape };
interface Table {
	keys: Record<string, Shape>;
}

const texts = (names: string[]): Table => ({
	keys: Object.fromEntries(names.map((name) => [name, 'text'])),
});

const CREDIT_PROFILE: Table = {
	keys: {
		paths: texts([
			'credential',
			'bureau',
			'prospector',
			'identity-verification',
			'sanctions-screening',
			'credit-bureau-b',
			'legal-records',
		]),
		fields: texts(['bureauPublicKey']),
		filterEncoding: ['brackets', 'dots', 'json'],
		listEncoding: ['brackets', 'indices', 'repeat'],
	},
};

const TAX_QUERY: Table = {
	keys: {
		paths: texts(['tax', 'oauth/token', ...MAPPED_OPERATIONS]),
		fields: {
			keys: Object.fromEntries(MAPPED_OPERATIONS.map((name) => [name, { any: 'text' }])),
		},
		periodFormat: texts(['months', 'days']),
		services: texts(MAPPED_OPERATIONS),
		statuses: { keys: { success: 'texts', pending: 'texts', failed: 'texts' } },
		list: {
			keys: {
				parameters: 'object',
				limit: 'text',
				offset: 'text',
				page: 'text',
				pageSize: 'whole number',
			},
		},
		token: {
			keys: {
				fields: texts(['client_id', 'client_secret', 'grant_type', 'refresh_token']),
				grantType: 'text',
				body: ['json', 'form'],
				clientAuthentication: ['body', 'basic'],
				additional: 'object',
				scheme: 'text',
			},
		},
	},
};

/** The field of both services' credentials. */
export const apiMappingField = (example: string): INodeProperties => ({
	displayName: 'API Mapping',
	name: 'apiMapping',
	type: 'json',
	default: '{}',
	description: `For whoever has the contract in hand: what this deployment calls paths, fields and words, as JSON, e.g. ${example}. What is left out is as in the service's document. Connection → Diagnose proposes it. No secrets here.`,
});

/** The mapping in a credential. Throws a UserError that names what is not known or of the wrong type. */
export function readCreditProfileMapping(
	credentials: ICredentialDataDecryptedObject,
): CreditProfileMapping {
	const given = check(credentials.apiMapping, CREDIT_PROFILE);
	return {
		paths: {},
		fields: {},
		filterEncoding: 'brackets',
		listEncoding: 'brackets',
		...given,
	} as CreditProfileMapping;
}

/** The mapping in a credential. Throws a UserError that names what is not known or of the wrong type. */
export function readTaxQueryMapping(credentials: ICredentialDataDecryptedObject): TaxQueryMapping {
	const given = check(credentials.apiMapping, TAX_QUERY);
	const part = (name: string, defaults: IDataObject) => ({
		...defaults,
		...(given[name] as IDataObject | undefined),
	});
	return {
		paths: part('paths', {}),
		fields: part('fields', {}),
		periodFormat: part('periodFormat', { months: 'yyyy-MM', days: 'yyyy-MM-dd' }),
		services: part('services', {}),
		statuses: part('statuses', { success: [], pending: [], failed: [] }),
		list: part('list', { parameters: {}, pageSize: 100 }),
		token: part('token', {
			fields: {},
			grantType: 'client_credentials',
			body: 'json',
			clientAuthentication: 'body',
			additional: {},
			scheme: 'Bearer',
		}),
	} as unknown as TaxQueryMapping;
}

function check(value: unknown, table: Table): IDataObject {
	const mapping = readObject(value);
	if (!mapping) throw flaw('it must be a JSON object');
	checkTable(mapping, table, '');
	return mapping;
}

function checkTable(values: IDataObject, { keys }: Table, path: string): void {
	for (const [name, value] of Object.entries(values)) {
		const at = path === '' ? name : `${path}.${name}`;
		if (!Object.hasOwn(keys, name)) {
			throw flaw(`"${at}" is not known; known are ${Object.keys(keys).join(', ')}`);
		}
		checkValue(value, keys[name], at);
	}
}

function checkValue(value: unknown, shape: Shape, at: string): void {
	const must = (be: string) => flaw(`"${at}" must be ${be}`);
	if (Array.isArray(shape)) {
		if (!shape.includes(value as string)) throw must(`one of ${shape.join(', ')}`);
	} else if (typeof shape === 'object') {
		if (!isObject(value)) throw must('an object');
		if ('keys' in shape) return checkTable(value, shape, at);
		for (const [name, one] of Object.entries(value)) checkValue(one, shape.any, `${at}.${name}`);
	} else if (shape === 'object') {
		if (!isObject(value)) throw must('an object');
	} else if (shape === 'whole number') {
		const isOne = Number.isSafeInteger(value) && (value as number) > 0;
		if (!isOne) throw must('a whole number, 1 or more');
	} else if (shape === 'texts') {
		const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
		if (!isList) throw must('a list of texts');
	} else if (typeof value !== 'string') {
		throw must('a text');
	}
}

const flaw = (what: string) =>
	new UserError(`API Mapping: ${what}`, {
		description: 'Open the credential and correct API Mapping; docs/api-mapping.md explains it.',
	});
