import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { isRefreshRefused } from '../../shared/credentials/accessToken';
import {
	checkClock,
	checkRateLimit,
	checkTls,
	Diagnosis,
	type Found,
} from '../../shared/operations/diagnosis';
import { operation } from '../../shared/operations/field';
import type { Resource } from '../../shared/operations/operation';
import { isObject, readObject } from '../../shared/utils/json';
import { sentences } from '../../shared/utils/sentences';
import { textOf } from '../../shared/utils/text';
import { findQuery, getQuery, serviceOfItem, type QueryService } from '../service/client';
import { listQueries, readListPage } from '../service/list';
import { pathOf, queryServices } from '../service/names';
import type { QueryRecord } from '../service/types';
import { cutWords } from '../telling/messages';
import { impersonal } from '../telling/leftOut';
import { countBy, guessPaging, guessRows, guessWords } from './guesses';

const diagnose = operation({
	name: 'Diagnose',
	value: 'diagnose',
	action: 'Diagnose connection to tax query service',
	tool: 'Check how the query service answers, and propose settings for its credential. It makes no new query and returns no personal data. No fields.',
	subtitle: 'Diagnose connection',
	description:
		'Check the responses of the service with plain reads (no new query), and propose the API Mapping. The output has no personal data.',
	fields: {},
	async execute(item) {
		if (item.index > 0) return []; // it is about the credential, not about items
		let headers: IDataObject = {};
		let answeredAt = 0;
		const own = await serviceOfItem(item);
		const { mapping } = own;
		const request: QueryService['request'] = async (asked) =>
			await own.request({
				...asked,
				onAnswer(answer) {
					headers = answer.headers;
					answeredAt = Date.now();
				},
			});
		// what a proposal reads says nothing of the credential as it is; and nobody's words come out
		const client = `${own.client} diagnosed`;
		let service: QueryService = { ...own, client, request, said: () => ({}) };
		const diagnosis = new Diagnosis();
		const first = await checkList(diagnosis, service);
		const credentials = await item.credentials('taxQueryApi');
		await diagnosis.run('TLS', async () => checkTls(credentials.baseUrl, answeredAt));
		await diagnosis.run('Token lifetime', async () => tokenLifetime(credentials));
		await diagnosis.run('Clock', async () => checkClock(headers, answeredAt));
		await diagnosis.run('Rate limit', async () => checkRateLimit(headers, answeredAt));
		let list: IDataObject = {};
		/** The checks behind one that proposes something go by its proposal. */
		const adopt = (found: IDataObject = {}) => {
			list = { ...list, ...found };
			service = { ...service, mapping: { ...mapping, list: { ...mapping.list, ...list } } };
		};
		adopt(first?.found);
		const rows = first?.rows ?? [];
		const reading = service;
		if (first) {
			adopt(
				await diagnosis.run('Paging of the list', async () => await checkPaging(reading, rows)),
			);
		}
		await checkOne(diagnosis, service, rows);
		const words = first && (await checkWords(diagnosis, service, rows));
		await diagnosis.run('Paths of the queries', async () => ({
			ok: 'unknown',
			seen: 'No free check: the service bills each of these requests.',
			advice: `Compare with your contract: ${queryServices.map(({ operation: name, path }) => `paths.${name} (now ${pathOf(name, path, mapping)})`).join(', ')}.`,
		}));
		const held = readObject(credentials.apiMapping) ?? {};
		return diagnosis.items(suggestion(held, { ...words, list }), held, item);
	},
});

interface FirstPage {
	rows: QueryRecord[];
	/** What of `list` must be set for that. */
	found: IDataObject;
}

async function checkList(
	diagnosis: Diagnosis,
	{ mapping, request }: QueryService,
): Promise<FirstPage | undefined> {
	return await diagnosis.run<FirstPage>('Address, token and list of queries', async () => {
		const path = pathOf('getAll', '/query', mapping);
		const body = await request({ method: 'GET', path, query: mapping.list.parameters });
		const guessed = readListPage(body, mapping) ? undefined : guessRows(body, mapping);
		const found = guessed === undefined ? {} : { rows: guessed };
		const page = readListPage(body, { ...mapping, list: { ...mapping.list, ...found } });
		const keys = isObject(body)
			? `under one of the keys ${Object.keys(body).join(', ')}`
			: 'as a plain array';
		if (!page) {
			return {
				ok: false,
				seen: `Reached, and the token is accepted, but no list of queries was found ${keys}.`,
				advice: 'Set list.rows in the API Mapping to the key of the rows, or correct paths.getAll.',
			};
		}
		const { records, unreadable } = page;
		const advices = [
			guessed === undefined ? '' : `Set list.rows in the API Mapping to "${guessed}".`,
			unreadable === 0
				? ''
				: 'Queries without an ID (_id or queryId) cannot be read again: ask your provider for the name of the ID.',
		];
		return {
			ok: unreadable === 0 && guessed === undefined,
			seen: `Reached, and the token is accepted. ${records.length + unreadable} queries ${keys}, ${records.length} of them with an ID.`,
			advice: advices.filter(Boolean).join(' '),
			value: { rows: records, found },
		};
	});
}

/** Whether the list is read to its end, and what to set where it is not; `rows` are those of the first page. */
async function checkPaging(
	service: QueryService,
	rows: QueryRecord[],
): Promise<Found<IDataObject>> {
	const { list } = service.mapping;
	const listing = await listQueries(service);
	const listed = listing.records.length;
	const told =
		listing.total === undefined ? 'It reports no total' : `It reports ${listing.total} queries`;
	const isFirstThere = rows.length === 0 || listing.records.some(({ id }) => id === rows[0].id);
	if (listing.extent !== 'whole' || !isFirstThere) {
		const paging = await guessPaging(service, rows);
		const count = paging ? await countBy(service, paging) : 0;
		if (paging && count >= listed) {
			return {
				ok: count === listed ? 'unknown' : false,
				seen: `${told}. ${listed} came at once, ${count} page by page.`,
				advice: `Set list in the API Mapping: ${JSON.stringify(paging)}.`,
				value: paging,
			};
		}
		return {
			ok: listing.extent === 'untold' && isFirstThere ? 'unknown' : false,
			seen: isFirstThere
				? sentences(cutWords({ ...listing, listed })?.message)
				: 'The first queries are not in the list.',
			advice:
				'Ask your provider how the list is paged. Set list.limit, and list.offset, or list.page and list.firstPage, in the API Mapping. If all queries always come at once, set list.paging to "none".',
		};
	}
	const seen = `${told}. ${listed} came, at most ${listing.longest} at once.`;
	const isOneSize = listed <= listing.longest || listing.longest === list.pageSize;
	if (list.limit === undefined && listed > listing.longest) {
		const advice = 'The list is read whole. Larger pages need list.limit in the API Mapping.';
		return { ok: true, seen, advice, value: {} };
	}
	if (list.limit === undefined || isOneSize) return { ok: true, seen, advice: '', value: {} };
	const isIgnored = listing.longest > list.pageSize;
	return {
		ok: !isIgnored,
		seen,
		advice: isIgnored
			? 'The service ignores the page size: correct list.limit in the API Mapping.'
			: `The service gives no larger pages: set list.pageSize in the API Mapping to ${listing.longest}.`,
		value: isIgnored ? {} : { pageSize: listing.longest },
	};
}

/** By what is kept of the login (its time and that of the next), or by the pasted token's own claims. */
function tokenLifetime(credentials: ICredentialDataDecryptedObject): Found<never> {
	const { accessToken, pastedToken, grant } = credentials;
	const isPasted = grant === 'accessToken';
	if (!isPasted && isRefreshRefused(credentials)) {
		return {
			ok: false,
			seen: 'The service refused its own refresh token. The node logged in again.',
			advice:
				'This does no harm. Compare token.fields.refresh_token and token.fields.grant_type of the API Mapping with your contract.',
		};
	}
	const kept = readObject(accessToken) ?? {};
	if (!isPasted && !kept.token) {
		return { ok: 'unknown', seen: 'The credential keeps no token yet.', advice: '' };
	}
	const [, payload = ''] = textOf(isPasted ? pastedToken : kept.token).split('.');
	const claims = readObject(Buffer.from(payload, 'base64url').toString()) ?? {};
	const { exp, iat } = claims;
	if (typeof exp === 'number' && typeof iat === 'number') {
		const then = isPasted ? 'then paste another one' : 'a new one is fetched before';
		return { ok: !isPasted, seen: `It is valid for ${exp - iat} s; ${then}.`, advice: '' };
	}
	const { issuedAt, renewAt } = kept;
	if (!isPasted && typeof issuedAt === 'number' && typeof renewAt === 'number') {
		const seconds = Math.round((renewAt - issuedAt) / 1000);
		return { ok: true, seen: `A new one is fetched after ${seconds} s.`, advice: '' };
	}
	return {
		ok: 'unknown',
		seen: 'Neither the token nor its response says how long it is valid.',
		advice: 'A new one is fetched when the service refuses it.',
	};
}

async function checkOne(
	diagnosis: Diagnosis,
	service: QueryService,
	rows: QueryRecord[],
): Promise<void> {
	if (rows.length === 0) return;
	await diagnosis.run('One query by its ID', async () => {
		const [{ id }] = rows;
		const record = await findQuery(service, id);
		if (!record) {
			return {
				ok: false,
				seen: 'The service finds no query under an ID of its list.',
				advice: 'Set paths.get in the API Mapping: a path that holds {queryId}.',
			};
		}
		return { ok: true, seen: `It has the keys ${Object.keys(record.raw).join(', ')}.`, advice: '' };
	});
}

async function checkWords(
	diagnosis: Diagnosis,
	service: QueryService,
	firstRows: QueryRecord[],
): Promise<IDataObject | undefined> {
	return await diagnosis.run<IDataObject>('Query types and statuses of past queries', async () => {
		const { records } = await listQueries(service);
		const bare = records.filter(({ asked, raw }) => !asked || !('response' in raw));
		const sample = await sampleOf(service, records.length > 0 ? records : firstRows);
		const words = guessWords(sample, service.mapping);
		const strange = [
			...words.strangeServices.map((code) => `the query type ${impersonal([code])}`),
			...words.strangeStatuses.map((status) => `the status ${impersonal([status])}`),
		];
		return {
			ok: records.length === 0 ? 'unknown' : strange.length === 0,
			seen: `Query types: ${impersonal(words.services) || 'none'}. Statuses: ${impersonal(words.statuses) || 'none'}. ${bare.length} of ${records.length} rows lack the query or its response.`,
			advice:
				strange.length === 0
					? ''
					: `Not known: ${strange.join(', ')}. Compare the proposal with your contract: a query with an unknown status never counts as a success.`,
			value: words.found as unknown as IDataObject,
		};
	});
}

/** Rows for each combination of query type and status, read by their IDs where the list shows no result. */
async function sampleOf(service: QueryService, rows: QueryRecord[]): Promise<QueryRecord[]> {
	const chosen = new Map<string, QueryRecord>();
	for (const row of rows) {
		const key = `${row.code} ${row.status ?? ''}`;
		if (!chosen.has(key)) chosen.set(key, row);
	}
	const sample: QueryRecord[] = [];
	for (const row of [...chosen.values()].slice(0, MAX_SAMPLE)) {
		const isWhole = 'response' in row.raw && ('query' in row.raw || 'metadata' in row.raw);
		sample.push(isWhole ? row : await getQuery(service, row.id));
	}
	return sample;
}
const MAX_SAMPLE = 40;

/** What the credential holds, with what was found beside it. */
function suggestion(held: IDataObject, found: IDataObject): IDataObject {
	const merged = { ...held };
	for (const [key, value] of Object.entries(found)) {
		if (!isObject(value) || Object.keys(value).length === 0) continue;
		const before = isObject(held[key]) ? held[key] : {};
		merged[key] = { ...before, ...value };
	}
	return merged;
}

export const connection: Resource = {
	name: 'Connection',
	value: 'connection',
	operations: [diagnose],
};
