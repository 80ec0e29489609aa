import axios, { type AxiosInstance } from 'axios';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { QueryRecord } from '../../contract/taxQuery';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../sandbox';
import {
	OPERATION_PATHS_AND_SERVICE_CODES,
	RENAMABLE_PROVIDER_SEGMENTS,
	type Mapping,
	type OperationName,
} from '../../sandbox/apiMapping';

/** Words that no document uses, distinct within one dialect. */
const words = (count: number) =>
	fc.uniqueArray(fc.stringMatching(/^x[a-z]{4,9}$/), { minLength: count, maxLength: count });

const FIELDS: Partial<Record<OperationName, string[]>> = {
	getShareholders: ['rfc'],
	calculateRfc: ['name', 'firstLastName', 'secondLastName', 'day', 'month', 'year'],
	getCrf: ['rfc'],
	getRfcData: ['rfc'],
	getCurpData: ['curp'],
	getEmploymentHistory: ['curp'],
	createTaxProfile: ['rfc', 'ciec'],
	getCsf: ['rfc'],
	getComplianceOpinion: ['rfc'],
	getInvoices: ['rfc', 'from', 'to', 'period'],
};
const queries = Object.keys(FIELDS) as OperationName[];

/** A mapping with a random word for every key that there is. */
export const mappingArbitrary: fc.Arbitrary<Required<Mapping>> = fc
	.record({
		word: words(120),
		hasOwnPaths: fc.boolean(),
		filterEncoding: fc.constantFrom('brackets' as const, 'dots' as const, 'json' as const),
		listEncoding: fc.constantFrom('brackets' as const, 'indices' as const, 'repeat' as const),
		months: fc.constantFrom('MM/yyyy', 'yyyyMM', 'yyyy.MM'),
		days: fc.constantFrom('dd/MM/yyyy', 'yyyyMMdd', 'yyyy.MM.dd'),
		body: fc.constantFrom('json' as const, 'form' as const),
		clientAuthentication: fc.constantFrom('body' as const, 'basic' as const),
		pageSize: fc.integer({ min: 10, max: 100 }),
	})
	.map(({ word, hasOwnPaths, ...chosen }) => {
		let used = 0;
		const next = () => word[used++];
		const each = <T extends string>(names: T[], of: (name: T) => unknown) =>
			Object.fromEntries(names.map((name) => [name, of(name)]));
		return {
			creditProfile: {
				paths: each(RENAMABLE_PROVIDER_SEGMENTS, (name) =>
					name === 'bureau' ? `${next()}/${next()}` : next(),
				),
				fields: { bureauPublicKey: next() },
				filterEncoding: chosen.filterEncoding,
				listEncoding: chosen.listEncoding,
			},
			taxQuery: {
				paths: {
					tax: next(),
					'oauth/token': `${next()}/${next()}`,
					...(hasOwnPaths && {
						...each(queries, () => `/${next()}/${next()}`),
						get: `${next()}/{queryId}`,
						getAll: next(),
					}),
				},
				fields: each(queries, (operation) => each(FIELDS[operation] ?? [], next)),
				periodFormat: { months: chosen.months, days: chosen.days },
				services: each(queries, () => next().toUpperCase()),
				statuses: { success: [next()], pending: [next(), next()], failed: [next()] },
				list: {
					parameters: { [next()]: next() },
					limit: next(),
					offset: next(),
					page: next(),
					pageSize: chosen.pageSize,
				},
				token: {
					fields: each(['client_id', 'client_secret', 'grant_type', 'refresh_token'], next),
					grantType: next(),
					body: chosen.body,
					clientAuthentication: chosen.clientAuthentication,
					additional: { [next()]: next() },
					scheme: next(),
				},
			},
		} as Required<Mapping>;
	});

type Fields = Record<string, unknown>;

const MONTH = 'yyyy-MM';
const DAY = 'yyyy-MM-dd';

/** A text of one of these formats in the other one that stands at its place; else as it is. */
function reformatted(value: unknown, from: string[], to: string[]): unknown {
	const [day] = String(value).split('T');
	const times = from.map((format) => DateTime.fromFormat(day, format, { zone: 'utc' }));
	const index = times.findIndex(({ isValid }) => isValid);
	return index < 0 ? value : times[index].toFormat(to[index]);
}

/** Somebody who holds the mapping says and hears this; written without the sandbox's own reader of it. */
export function mappedClient({ creditProfile = {}, taxQuery = {} }: Mapping) {
	const { months = MONTH, days = DAY } = taxQuery.periodFormat ?? {};
	const operations = Object.keys(OPERATION_PATHS_AND_SERVICE_CODES) as OperationName[];
	const fieldOf = (operation: OperationName, field: string) =>
		taxQuery.fields?.[operation]?.[field] ?? field;
	const statusOf = (status: string) => {
		const { success = [], pending = [], failed = [] } = taxQuery.statuses ?? {};
		if (success.includes(status)) return 'SUCCESS';
		if (pending.includes(status)) return 'PENDING';
		return failed.includes(status) ? 'FAILED' : status;
	};
	return {
		fieldOf,
		statusOf,
		path(operation: OperationName): string {
			const { [operation]: own, tax = 'tax' } = taxQuery.paths ?? {};
			const path = own ?? OPERATION_PATHS_AND_SERVICE_CODES[operation].path.replace('tax', tax);
			return path.startsWith('/') ? path : `/${path}`;
		},
		body(operation: OperationName, body: object): object {
			return Object.fromEntries(
				Object.entries(body).map(([field, value]) => [
					fieldOf(operation, field),
					['from', 'to'].includes(field)
						? reformatted(value, [MONTH, DAY], [months, days])
						: (value as unknown),
				]),
			);
		},
		/** A record in the document's words. */
		record(record: QueryRecord): QueryRecord {
			const operation = operations.find(
				(one) =>
					(taxQuery.services?.[one] ?? OPERATION_PATHS_AND_SERVICE_CODES[one].service) ===
						record.service && record.service !== '',
			);
			if (!operation) return record;
			const names = Object.entries(taxQuery.fields?.[operation] ?? {});
			const read = (query: Fields) =>
				Object.fromEntries(
					Object.entries(query).map(([name, value]) => {
						const [field] = names.find(([, own]) => own === name) ?? [name];
						const isPeriod = ['from', 'to'].includes(field);
						return [field, isPeriod ? reformatted(value, [months, days], [MONTH, DAY]) : value];
					}),
				);
			const { clientType, query } = record.metadata;
			return {
				...record,
				service: OPERATION_PATHS_AND_SERVICE_CODES[operation].service,
				status: statusOf(record.status),
				query: read(record.query),
				metadata: { ...(clientType && { clientType }), query: read(query) },
			};
		},
		listParameters(limit: number, offset: number): object {
			const { list = {} } = taxQuery;
			return {
				...list.parameters,
				[list.limit ?? 'limit']: limit,
				[list.offset ?? 'offset']: offset,
			};
		},
		credentialPath: (provider = '') =>
			`/credential/${provider}`
				.split('/')
				.filter(Boolean)
				.map((segment) => `/${creditProfile.paths?.[segment] ?? segment}`)
				.join(''),
		credentialBody: (body: object) => {
			const { bureauPublicKey = 'bureauPublicKey' } = creditProfile.fields ?? {};
			return Object.fromEntries(
				Object.entries(body).map(([name, value]) => [
					name === 'bureauPublicKey' ? bureauPublicKey : name,
					value as unknown,
				]),
			);
		},
		/** The parameters of one key of the filter. */
		filter(key: string, values: string[]): URLSearchParams {
			const { filterEncoding = 'brackets', listEncoding = 'brackets' } = creditProfile;
			if (filterEncoding === 'json') {
				return new URLSearchParams({ filter: JSON.stringify({ [key]: values }) });
			}
			const name = filterEncoding === 'dots' ? `filter.${key}` : `filter[${key}]`;
			const suffix = (index: number) =>
				({ brackets: '[]', indices: `[${index}]`, repeat: '' })[listEncoding];
			return new URLSearchParams(
				values.map((value, index): [string, string] => [name + suffix(index), value]),
			);
		},
	};
}

/** A token by the mapping's request. Every status resolves. */
export async function postMappedTokenRequest(
	{ taxQuery }: Sandbox,
	mapping: Mapping,
	change: Fields = {},
) {
	const { token = {}, paths = {} } = mapping.taxQuery ?? {};
	const { fields = {}, grantType = 'client_credentials', body = 'json', additional = {} } = token;
	const isBasic = token.clientAuthentication === 'basic';
	const mapped: Fields = {
		[fields.grant_type ?? 'grant_type']: grantType,
		...(!isBasic && {
			[fields.client_id ?? 'client_id']: taxQuery.clientId,
			[fields.client_secret ?? 'client_secret']: taxQuery.clientSecret,
		}),
		...additional,
		...change,
	};
	const { clientId: username, clientSecret: password } = taxQuery;
	return await axios.post<Record<string, string>>(
		`${taxQuery.baseUrl}/${paths['oauth/token'] ?? 'oauth/token'}`,
		body === 'form' ? new URLSearchParams(mapped as Record<string, string>) : mapped,
		{ validateStatus: () => true, ...(isBasic && { auth: { username, password } }) },
	);
}

/** A sandbox with a mapping, and clients of both services that hold their tokens. */
export async function startMappedSandbox(mapping: Mapping, options: Partial<SandboxOptions> = {}) {
	const sandbox = await startSandbox({
		mapping,
		rateLimit: 0,
		resultDelay: 0,
		documents: 10,
		...options,
	});
	const { data } = await postMappedTokenRequest(sandbox, mapping);
	const client = (baseURL: string, Authorization: string): AxiosInstance =>
		axios.create({ baseURL, headers: { Authorization }, validateStatus: () => true });
	const { scheme = 'Bearer' } = mapping.taxQuery?.token ?? {};
	return {
		sandbox,
		taxQuery: client(
			sandbox.taxQuery.baseUrl,
			`${scheme} ${data.access_token ?? data.accessToken}`,
		),
		creditProfile: client(
			`${sandbox.creditProfile.baseUrl}/api/v1`,
			`Token ${sandbox.creditProfile.token}`,
		),
	};
}
