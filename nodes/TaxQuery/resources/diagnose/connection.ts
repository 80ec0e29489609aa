import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../../shared/credentials/apiMapping';
import { wasRefreshTokenRefused } from '../../../shared/credentials/accessToken';
import {
	checkClock,
	checkRateLimitHeaders,
	checkHttps,
	ConnectionDiagnosis,
	type CheckOutcome,
} from '../../../shared/operations/diagnosis';
import { defineOperation } from '../../../shared/operations/fields';
import type { Resource } from '../../../shared/operations/operation';
import { hasEntries, isObject, parseObjectBlankAsEmpty } from '../../../shared/utils/json';
import { joinSentences } from '../../../shared/utils/joinSentences';
import { findQueryById, getQuery, itemClient, type QueryClient } from '../../client/queryClient';
import {
	listAllQueries,
	rethrowListErrorWithAdvice,
	parseListPage,
	LIST_PATH_MAPPING_KEY,
} from '../../client/queryList';
import { pathOf } from '../../client/names';
import { queryTypes } from '../../../shared/queryTypes/catalog';
import { toRecordWireNames } from '../../client/recordNames';
import type { QueryRecord } from '../../client/model';
import { incompleteQueryListText } from '../../errors/queryError';
import { joinMaskingPersonal } from '../../errors/unknownRecords';
import {
	countQueriesWithPaging,
	probePaging,
	guessRecordMapping,
	guessRowsKey,
	guessTypesAndStatuses,
	withListSettings,
	withRecordNames,
} from './guesses';

const DIAGNOSE =
	'Check the service with plain reads (no new query), and propose the API Mapping. The output has no personal data.';

const diagnose = defineOperation({
	name: 'Diagnose',
	value: 'diagnose',
	action: 'Diagnose connection to tax query service',
	tool: `${DIAGNOSE} No fields.`,
	subtitle: 'Diagnose connection',
	hasNoPersonalData: true,
	description: DIAGNOSE,
	fields: {},
	async execute(item) {
		if (item.index > 0) return []; // it is about the credential, not about items
		let headers: IDataObject = {};
		let respondedAt = 0;
		const own = await itemClient(item);
		const { mapping } = own;
		const request: QueryClient['request'] = async (listRequest) =>
			await own.request({
				...listRequest,
				onResponse(response) {
					headers = response.headers;
					respondedAt = Date.now();
				},
			});
		// no message of the service comes out; `ConnectionDiagnosis` leaves it out of errors
		let client: QueryClient = { ...own, request, serviceMessage: () => ({}) };
		const diagnosis = new ConnectionDiagnosis();
		const first = await checkList(diagnosis, client);
		const credentials = await item.credentials('taxQueryApi');
		await diagnosis.run('TLS', async () => checkHttps(credentials.baseUrl, respondedAt));
		await diagnosis.run('Token lifetime', async () => tokenLifetime(credentials));
		await diagnosis.run('Clock', async () => checkClock(headers, respondedAt));
		await diagnosis.run('Rate limit', async () => checkRateLimitHeaders(headers, respondedAt));
		let list: IDataObject = {};
		let record: TaxQueryMapping['record'] = {};
		let labels: IDataObject | undefined;
		if (first) {
			const { rows } = first;
			/** Applies a proposal, so that the following checks use it. */
			const adopt = (found: IDataObject = {}) => {
				list = { ...list, ...found };
				client = {
					...client,
					mapping: withRecordNames(withListSettings(mapping, list), record),
				};
			};
			record = first.record;
			adopt(first.found);
			adopt(await diagnosis.run('Paging of the list', async () => await checkPaging(client, rows)));
			if (rows.length > 0) {
				const more = await diagnosis.run(
					'One query by its ID',
					async () => await checkOne(client, rows[0]),
				);
				record = { ...record, ...more };
				adopt();
			}
			labels = await diagnosis.run(
				'Query types and statuses of past queries',
				async () => await checkLabels(client, rows),
			);
		}
		await diagnosis.run('Paths of the queries', async () => ({
			ok: 'unknown',
			seen: 'No free check: each of these requests is billed.',
			advice: `Compare with your contract: ${queryTypes.map(({ operation: name, path }) => `paths.${name} (now ${pathOf(name, path, mapping)})`).join(', ')}.`,
		}));
		const held = parseObjectBlankAsEmpty(credentials.apiMapping) ?? {};
		return diagnosis.items(suggestion(held, { ...labels, list, record }), held, item);
	},
});

interface FirstPage {
	rows: QueryRecord[];
	/** Settings of `list` with which the rows were read. */
	found: IDataObject;
	/** Settings of `record` with which the rows were read. */
	record: TaxQueryMapping['record'];
}

async function checkList(
	diagnosis: ConnectionDiagnosis,
	{ mapping, request }: QueryClient,
): Promise<FirstPage | undefined> {
	return await diagnosis.run<FirstPage>('Address, token and list of queries', async () => {
		const path = pathOf('getAll', '/query', mapping);
		const query = mapping.list.parameters;
		const listRequest = { method: 'GET' as const, path, pathKeys: [LIST_PATH_MAPPING_KEY], query };
		const body = await request(listRequest).catch(rethrowListErrorWithAdvice);
		const guessed = parseListPage(body, mapping) ? undefined : guessRowsKey(body, mapping);
		const found = guessed === undefined ? {} : { rows: guessed };
		const { rows: written = [] } = parseListPage(body, withListSettings(mapping, found)) ?? {};
		const record = guessRecordMapping(written, mapping);
		const page = parseListPage(body, withRecordNames(withListSettings(mapping, found), record));
		const where = isObject(body)
			? `in an object of ${Object.keys(body).join(', ')}`
			: 'as a plain array';
		const reached = 'Reached, and the token is accepted';
		if (!page) {
			return {
				ok: false,
				seen: `${reached}, but no list of queries was found ${where}.`,
				advice: 'Set list.rows in the API Mapping to their key, or correct paths.getAll.',
			};
		}
		const { records, unreadable } = page;
		return {
			ok: unreadable === 0 && guessed === undefined && !hasEntries(record),
			seen: `${reached}. ${records.length + unreadable} queries ${where}, ${records.length} of them with an ID.`,
			advice: joinSentences(
				guessed === undefined ? '' : `Set list.rows in the API Mapping to "${guessed}"`,
				hasEntries(record) ? namesFound(record) : '',
				unreadable === 0
					? ''
					: 'Ask your provider under which name queries have their ID, and set record._id to it: it is neither _id nor queryId',
			),
			value: { rows: records, found, record },
		};
	});
}

/** `rows` are those of the first page. The value holds the settings to change. */
async function checkPaging(
	client: QueryClient,
	rows: QueryRecord[],
): Promise<CheckOutcome<IDataObject>> {
	const { list } = client.mapping;
	const { limit, offset, page, pageSize } = list;
	const listing = await listAllQueries(client);
	const { longest, total, completeness } = listing;
	const listed = listing.records.length;
	const reported = total === undefined ? 'It reports no total' : `It reports ${total} queries`;
	const isFirstThere = rows.length === 0 || listing.records.some(({ id }) => id === rows[0].id);
	// a few queries are taken for a whole list, and show nothing of how a longer one comes
	const isPagingUnknown =
		total === undefined && list.paging !== 'none' && (offset ?? page) === undefined;
	if (completeness === 'complete' && isFirstThere && !isPagingUnknown) {
		const isSmaller = limit !== undefined && longest < Math.min(listed, pageSize);
		return {
			ok: true,
			seen: `${reported}. ${listed} came, at most ${longest} at once.`,
			advice: joinSentences(
				limit === undefined && longest < listed
					? 'Larger pages need list.limit in the API Mapping'
					: '',
				isSmaller
					? `The service gives no larger pages: set list.pageSize in the API Mapping to ${longest}`
					: '',
			),
			value: isSmaller ? { pageSize: longest } : {},
		};
	}
	const found = await probePaging(client, rows);
	const count = found ? await countQueriesWithPaging(client, found) : -1;
	if (found && count >= listed) {
		const paging = count > listed ? found : await withoutTodaysSize(client, found, count);
		return {
			ok: count === listed ? 'unknown' : false,
			seen: `${reported}. ${listed} came at once, ${count} page by page.`,
			advice: `Set list in the API Mapping: ${JSON.stringify(paging)}.`,
			value: paging,
		};
	}
	if (completeness === 'complete' && isFirstThere) {
		return {
			ok: 'unknown',
			seen: `${reported}. ${listed} came: too few to show whether the list has pages.`,
			advice: 'Diagnose again once there are ten queries.',
		};
	}
	return {
		ok: completeness === 'unknown' && isFirstThere ? 'unknown' : false,
		seen: isFirstThere
			? joinSentences(incompleteQueryListText({ ...listing, listed })?.message)
			: 'The first queries are not in the list.',
		advice:
			'Ask your provider how the list is paged. Set list.limit with list.offset, or with list.page and list.firstPage. If all come at once, set list.paging to "none".',
	};
}

/** The number of queries in a list that came whole is no page size, unless the service refuses larger pages. */
async function withoutTodaysSize(
	client: QueryClient,
	{ pageSize, ...names }: IDataObject,
	count: number,
): Promise<IDataObject> {
	const counted = await countQueriesWithPaging(client, names).catch(() => undefined);
	return counted === count ? names : { ...names, pageSize };
}

/** The stored times of this login and the next show it. */
function tokenLifetime(credentials: ICredentialDataDecryptedObject): CheckOutcome<never> {
	if (credentials.grant === 'accessToken') {
		return {
			ok: 'unknown',
			seen: 'The token was pasted: the node cannot renew it.',
			advice: 'Paste another one when the service refuses it.',
		};
	}
	if (wasRefreshTokenRefused(credentials)) {
		return {
			ok: false,
			seen: 'The service refused its own refresh token. The node logged in again.',
			advice: 'Compare token.fields.refresh_token and token.fields.grant_type with your contract.',
		};
	}
	const { token, issuedAt, renewAt } = parseObjectBlankAsEmpty(credentials.accessToken) ?? {};
	if (typeof issuedAt === 'number' && typeof renewAt === 'number') {
		const seconds = Math.round((renewAt - issuedAt) / 1000);
		return { ok: true, seen: `A new one is fetched after ${seconds} s.`, advice: '' };
	}
	return {
		ok: 'unknown',
		seen: token
			? 'Nothing says how long it is valid. A new one is fetched when the service refuses it.'
			: 'The credential keeps no token yet.',
		advice: '',
	};
}

const namesFound = (record: TaxQueryMapping['record']): string =>
	`Set record in the API Mapping: ${JSON.stringify(record)}`;

/** The value holds settings of `record` that the list did not show. */
async function checkOne(
	client: QueryClient,
	{ id }: QueryRecord,
): Promise<CheckOutcome<TaxQueryMapping['record']>> {
	const record = await findQueryById(client, id);
	if (!record) {
		return {
			ok: false,
			seen: 'The service finds no query under an ID of its list.',
			advice: 'Set paths.get in the API Mapping: a path that holds {queryId}.',
		};
	}
	const written = toRecordWireNames(record.raw, client.mapping);
	const names = guessRecordMapping([written], client.mapping);
	return {
		ok: !hasEntries(names),
		seen: `It has the keys ${Object.keys(written).join(', ')}.`,
		advice: hasEntries(names) ? joinSentences(namesFound(names)) : '',
		value: names,
	};
}

async function checkLabels(
	client: QueryClient,
	firstRows: QueryRecord[],
): Promise<CheckOutcome<IDataObject>> {
	const { records } = await listAllQueries(client);
	const sample = await sampleOf(client, records.length > 0 ? records : firstRows);
	const { services, statuses, unknown, found } = guessTypesAndStatuses(sample, client.mapping);
	return {
		ok: records.length === 0 ? 'unknown' : unknown.length === 0,
		seen: `Query types: ${joinMaskingPersonal(services) || 'none'}. Statuses: ${joinMaskingPersonal(statuses) || 'none'}.`,
		advice:
			unknown.length === 0
				? ''
				: `Not known: ${joinMaskingPersonal(unknown)}. Compare the proposal with your contract. An unknown status never counts as a success.`,
		value: found,
	};
}

/** Rows for each combination of query type and status, read by their IDs where the list does not show all of them. */
async function sampleOf(client: QueryClient, rows: QueryRecord[]): Promise<QueryRecord[]> {
	const chosen = new Map<string, QueryRecord>();
	for (const row of [...rows].reverse()) chosen.set(`${row.code} ${row.status ?? ''}`, row);
	const sample: QueryRecord[] = [];
	for (const row of [...chosen.values()].slice(0, MAX_SAMPLE)) {
		const isWhole = 'response' in row.raw && ('query' in row.raw || 'metadata' in row.raw);
		sample.push(isWhole ? row : await getQuery(client, row.id));
	}
	return sample;
}
const MAX_SAMPLE = 40;

function suggestion(held: IDataObject, found: IDataObject): IDataObject {
	const filled = Object.entries(found).filter(([, value]) => hasEntries(value));
	const merged = filled.map(([key, value]) => [key, Object.assign({}, held[key], value)]);
	return { ...held, ...(Object.fromEntries(merged) as IDataObject) };
}

export const connection: Resource = {
	name: 'Connection',
	value: 'connection',
	operations: [diagnose],
};
