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
import { isNotFound } from '../../shared/transport/errors';
import { isObject, readObject } from '../../shared/utils/json';
import { textOf } from '../../shared/utils/text';
import { pageMarksOf, queryIdOf, readQueryList } from '../queries';
import { pathOf, queryServices } from '../queries/catalog';
import { connectionOf, getQuery, listQueries, type QueryConnection } from '../queries/client';
import { checkPaging } from '../queries/findPaging';
import { impersonal, wordsOf } from '../queries/pastQueries';

const diagnose = operation({
	name: 'Diagnose',
	value: 'diagnose',
	action: 'Diagnose the connection to the tax query service',
	subtitle: 'Diagnose connection',
	description:
		'Check what the service answers with plain reads (no new query is made), and propose the API Mapping of the credential. The output is free of personal data.',
	fields: {},
	async execute(item) {
		if (item.index > 0) return []; // it is about the credential, not about items
		let headers: IDataObject = {};
		let answeredAt = 0;
		const { mapping } = await connectionOf(item);
		const connection: QueryConnection = {
			mapping,
			send: async (request) =>
				await item.request({
					...request,
					onAnswer(answer) {
						headers = answer.headers;
						answeredAt = Date.now();
					},
				}),
		};
		const diagnosis = new Diagnosis();
		const first = await checkList(diagnosis, connection);
		const credentials = await item.credentials('taxQueryApi');
		await diagnosis.run('TLS', async () => checkTls(credentials.baseUrl, answeredAt));
		await diagnosis.run('Token lifetime', async () => tokenLifetime(credentials));
		await diagnosis.run('Clock', async () => checkClock(headers, answeredAt));
		await diagnosis.run('Rate limit', async () => checkRateLimit(headers, answeredAt));
		const list =
			first &&
			(await diagnosis.run(
				'Paging of the list',
				async () => await checkPaging(connection, first.rows, pageMarksOf(first.answer)),
			));
		await checkOne(diagnosis, connection, first?.rows ?? []);
		const words =
			first &&
			(await checkWords(
				diagnosis,
				{ ...connection, mapping: { ...mapping, list: { ...mapping.list, ...list } } },
				first.rows,
			));
		await diagnosis.run('Paths of the queries', async () => ({
			ok: 'unknown',
			seen: 'No read tells them: each of these requests would be paid for.',
			advice: `Compare with your contract: ${queryServices.map(({ operation: name, path }) => `paths.${name} (now ${pathOf(name, path, mapping)})`).join(', ')}.`,
		}));
		const held = readObject(credentials.apiMapping) ?? {};
		return diagnosis.items(suggestion(held, { ...words, list }), held, item.run);
	},
});

interface FirstPage {
	rows: IDataObject[];
	answer: unknown;
}

async function checkList(
	diagnosis: Diagnosis,
	{ mapping, send }: QueryConnection,
): Promise<FirstPage | undefined> {
	return await diagnosis.run('Address, token and list of queries', async () => {
		const path = pathOf('getAll', '/query', mapping);
		const answer = await send({ method: 'GET', path, query: mapping.list.parameters });
		const rows = readQueryList(answer);
		const keys = isObject(answer)
			? `under one of the keys ${Object.keys(answer).join(', ')}`
			: 'as a plain array';
		const withId = rows.filter((row) => queryIdOf(row) !== undefined).length;
		return {
			ok: withId === rows.length,
			seen: `Reached, and the token is accepted. ${rows.length} queries ${keys}, ${withId} of them with an ID.`,
			advice:
				withId === rows.length
					? ''
					: 'Queries without an ID cannot be found again: ask the service what it is called.',
			value: { rows, answer },
		};
	});
}

/** By what is kept of the login (its time and that of the next), or by the pasted token's own claims. */
function tokenLifetime(credentials: ICredentialDataDecryptedObject): Found<never> {
	const { accessToken, pastedToken, grant } = credentials;
	const isPasted = grant === 'accessToken';
	if (!isPasted && isRefreshRefused(credentials)) {
		return {
			ok: false,
			seen: 'It came with a refresh token, which the service then refused: a whole login was made instead.',
			advice:
				'Nothing is lost by it. Compare token.fields.refresh_token and token.fields.grant_type of the API Mapping with your contract.',
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
		const then = isPasted ? 'then another must be pasted' : 'a new one is fetched before';
		return { ok: !isPasted, seen: `It lives ${exp - iat} s; ${then}.`, advice: '' };
	}
	const { issuedAt, renewAt } = kept;
	if (!isPasted && typeof issuedAt === 'number' && typeof renewAt === 'number') {
		const seconds = Math.round((renewAt - issuedAt) / 1000);
		return { ok: true, seen: `A new one is fetched after ${seconds} s.`, advice: '' };
	}
	return {
		ok: 'unknown',
		seen: 'Neither the token nor the answer that brought it tells how long it lives.',
		advice: 'A new one is fetched when the service refuses it.',
	};
}

async function checkOne(
	diagnosis: Diagnosis,
	connection: QueryConnection,
	rows: IDataObject[],
): Promise<void> {
	const [id] = rows.map(queryIdOf).filter((one) => one !== undefined);
	if (id === undefined) return;
	await diagnosis.run('One query by its ID', async () => {
		const record = await getQuery(connection, id).catch((error: unknown) => {
			if (!isNotFound(error)) throw error as Error;
		});
		if (!record) {
			return {
				ok: false,
				seen: 'Nothing is there under an ID that the list tells.',
				advice: 'Set paths.get in the API Mapping: a path that holds {queryId}.',
			};
		}
		return { ok: true, seen: `It has the keys ${Object.keys(record).join(', ')}.`, advice: '' };
	});
}

async function checkWords(
	diagnosis: Diagnosis,
	connection: QueryConnection,
	firstRows: IDataObject[],
): Promise<IDataObject | undefined> {
	return await diagnosis.run<IDataObject>('Services and statuses of past queries', async () => {
		const { records } = await listQueries(connection);
		const bare = records.filter(
			(row) => !('response' in row) || Object.keys(row.query ?? row.metadata ?? {}).length === 0,
		);
		const seen = records.length > 0 ? records : firstRows;
		const sample = await sampleOf(connection, seen);
		const words = wordsOf(sample, connection.mapping);
		const strange = [
			...words.strangeServices.map((code) => `the service ${impersonal([code])}`),
			...words.strangeStatuses.map((status) => `the status ${impersonal([status])}`),
		];
		return {
			ok: records.length === 0 ? 'unknown' : strange.length === 0,
			seen: `Services: ${impersonal(words.services) || 'none'}. Statuses: ${impersonal(words.statuses) || 'none'}. ${bare.length} of ${records.length} rows lack the query or its response.`,
			advice:
				strange.length === 0
					? ''
					: `Not known: ${strange.join(', ')}. Compare the proposal with your contract: a query with an unknown status never counts as a success.`,
			value: words.found as unknown as IDataObject,
		};
	});
}

/** Rows for each combination of service and status, read by their IDs where the list shows no result. */
async function sampleOf(connection: QueryConnection, rows: IDataObject[]): Promise<IDataObject[]> {
	const chosen = new Map<string, IDataObject>();
	for (const row of rows) {
		const key = `${textOf(row.service)} ${textOf(row.status)}`;
		if (!chosen.has(key)) chosen.set(key, row);
	}
	const sample: IDataObject[] = [];
	for (const row of [...chosen.values()].slice(0, MAX_SAMPLE)) {
		const id = queryIdOf(row);
		const isWhole = 'response' in row && ('query' in row || 'metadata' in row);
		sample.push(isWhole || id === undefined ? row : await getQuery(connection, id));
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
