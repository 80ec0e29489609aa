import type { IDataObject } from 'n8n-workflow';
import { mapPath, type CreditProfileMapping } from '../../../shared/credentials/apiMapping';
import { providers } from '../../../shared/credentials/dataProviders';
import type { RowsPage } from '../../../shared/http/rows';
import {
	checkClock,
	checkRateLimitHeaders,
	checkShape,
	checkHttps,
	ConnectionDiagnosis,
	type CheckOutcome,
} from '../../../shared/operations/diagnosis';
import { defineOperation } from '../../../shared/operations/fields';
import type { Resource } from '../../../shared/operations/operation';
import { hasEntries, isObject, parseObjectBlankAsEmpty } from '../../../shared/utils/json';
import {
	collectionDocumentsRequest,
	rowKinds,
	singleRowBodyParser,
	rowsBodyParser,
	parseTagListOrProblem,
	collectionVersionsRequest,
	type RowKindName,
} from '../../lists';
import { apiMappingOfItemCredential, pathKeysOf, rethrowWithPathAdvice } from '../../pathAdvice';
import { collectionRules, documentRules, loginRules, versionRules } from '../../personalData';
import { allAssociations } from '../documentOutput';
import {
	detectFilterEncodings,
	type FilterEncodingSettings,
	type SendGet,
} from './filterEncodings';

const COLLECTIONS_TRIED = 5;

const diagnose = defineOperation({
	name: 'Diagnose',
	value: 'diagnose',
	action: 'Diagnose connection to credit profile service',
	tool: 'Check how the credit profile service answers, and propose settings for its credential. It only reads and returns no personal data. No fields.',
	subtitle: 'Diagnose connection',
	hasNoPersonalData: true,
	description:
		'Check the responses of the service with plain reads, and propose the API Mapping. The output has no personal data.',
	fields: {},
	async execute(item) {
		if (item.index > 0) return []; // it is about the credential, not about items
		const mapping = await apiMappingOfItemCredential(item);
		const { baseUrl, apiMapping } = await item.credentials('creditProfileApi');
		let headers: IDataObject = {};
		let respondedAt = 0;
		const get: SendGet = async (reader, path, query, lists) =>
			await item.read(
				{
					method: 'GET',
					path: mapPath(mapping, path),
					...(path === '/credential' && { pathKeys: pathKeysOf(path) }),
					query,
					lists,
					onResponse(response) {
						headers = response.headers;
						respondedAt = Date.now();
					},
				},
				reader,
			);

		const diagnosis = new ConnectionDiagnosis();
		await checkLogins(diagnosis, get);
		await diagnosis.run('TLS', async () => checkHttps(baseUrl, respondedAt));
		await diagnosis.run('Clock', async () => checkClock(headers, respondedAt));
		await diagnosis.run('Rate limit', async () => checkRateLimitHeaders(headers, respondedAt));
		const collections = await checkData(diagnosis, get);
		const encodings = await detectFilterEncodings(diagnosis, get, mapping, collections);
		await diagnosis.run('Names of login paths', async () => ({
			ok: 'unknown',
			seen: 'Not checked: such a request would change a login.',
			advice: `Take them from your contract: paths.${providerPaths.join(', paths.')} and fields.bureauPublicKey.`,
		}));
		const held = parseObjectBlankAsEmpty(apiMapping) ?? {};
		return diagnosis.items(suggestion(mapping, encodings), held, item);
	},
});

const providerPaths = [...new Set(providers.map(({ value }) => value.split('/')[0]))];

const RULES = {
	login: loginRules,
	collection: collectionRules,
	version: versionRules,
	document: documentRules,
};

/** The fields that the output relies on are needed. */
function firstRowFinding(
	kind: RowKindName,
	{ rows, total }: RowsPage,
	...needed: string[]
): CheckOutcome<IDataObject[]> {
	if (rows.length === 0) return { ok: 'unknown', seen: 'There is none.', advice: '', value: rows };
	const name = `A ${rowKinds[kind].noun}`;
	const shape = checkShape(name, rows[0], Object.keys(RULES[kind]), ['id', ...needed]);
	return { ...shape, seen: `${total ?? rows.length} found. ${shape.seen}`, value: rows };
}

async function checkLogins(diagnosis: ConnectionDiagnosis, get: SendGet): Promise<void> {
	await diagnosis.run('Address, token and provider logins', async () => {
		const path = '/credential';
		const page = await get(rowsBodyParser('login'), path).catch(rethrowWithPathAdvice);
		const shape = firstRowFinding('login', page, 'type', 'isEnabled');
		const types = [...new Set(page.rows.map(({ type }) => String(type)))];
		const others = types.filter((type) => !providers.some(({ value }) => value === type));
		return {
			ok: page.rows.length === 0 || shape.ok,
			seen: `Reached, and the token is accepted. ${shape.seen} Types: ${types.join(', ') || 'none'}.`,
			advice:
				others.length > 0
					? `No path ends with the types ${others.join(', ')}. Compare them with the paths of your contract.`
					: shape.advice,
		};
	});
}

/** Resolves with the collections. */
async function checkData(diagnosis: ConnectionDiagnosis, get: SendGet): Promise<IDataObject[]> {
	for (const kind of ['collection', 'document']) {
		await diagnosis.run(`Tags of ${kind}s`, async () => {
			const { texts } = await get(parseTagListOrProblem, `/data/${kind}/tags`);
			return { ok: true, seen: `${texts.length} tags.`, advice: '' };
		});
	}
	const path = '/data/collection';
	const query = { limit: 100, includeActiveDataCollectionVersion: true, includeCreator: true };
	const collections =
		(await diagnosis.run('Collections with version and creator', async () =>
			firstRowFinding(
				'collection',
				await get(rowsBodyParser('collection'), path, query),
				...['name', 'tags', 'activeDataCollectionVersion', 'creator'],
			),
		)) ?? [];
	const [first] = collections;
	if (!first) return collections;
	await diagnosis.run('One collection by its ID', async () => {
		const { row } = await get(singleRowBodyParser('collection'), `${path}/${String(first.id)}`);
		return firstRowFinding('collection', { rows: [row] }, 'name', 'tags');
	});
	await diagnosis.run('Versions', async () => {
		const page = await get(
			rowsBodyParser('version'),
			collectionVersionsRequest(Number(first.id)).path,
			{
				limit: 10,
			},
		);
		return firstRowFinding('version', page, 'isActive', 'schema');
	});
	await diagnosis.run('Documents with associations', async () => {
		let page: RowsPage = { rows: [] };
		for (const { id } of collections.slice(0, COLLECTIONS_TRIED)) {
			page = await get(rowsBodyParser('document'), collectionDocumentsRequest(Number(id)).path, {
				limit: 10,
				...allAssociations,
			});
			if (page.rows.length > 0) break;
		}
		const shape = firstRowFinding('document', page, 'document', 'associations');
		const entries = page.rows.flatMap(({ associations }) => associations).filter(isObject);
		const types = [...new Set(entries.map(({ type }) => String(type)))];
		return {
			...shape,
			seen: `${shape.seen} Associations: ${entries.length}; types: ${types.join(', ') || 'none'}.`,
		};
	});
	return collections;
}

/** The defaults are left out. */
function suggestion(
	mapping: CreditProfileMapping,
	found: Partial<FilterEncodingSettings>,
): IDataObject {
	const { paths, fields, filterEncoding, listEncoding } = { ...mapping, ...found };
	return {
		...(hasEntries(paths) && { paths }),
		...(hasEntries(fields) && { fields }),
		...(filterEncoding !== 'brackets' && { filterEncoding }),
		...(listEncoding !== 'brackets' && filterEncoding !== 'json' && { listEncoding }),
	};
}

export const connection: Resource = {
	name: 'Connection',
	value: 'connection',
	operations: [diagnose],
};
