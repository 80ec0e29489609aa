import type { IDataObject } from 'n8n-workflow';
import { pathIn, type CreditProfileMapping } from '../../shared/credentials/apiMapping';
import { providers } from '../../shared/credentials/providerLogin';
import {
	checkClock,
	checkRateLimit,
	checkShape,
	checkTls,
	Diagnosis,
} from '../../shared/operations/diagnosis';
import { operation } from '../../shared/operations/field';
import type { Item, Resource } from '../../shared/operations/operation';
import { isObject, readObject } from '../../shared/utils/json';
import { documentsOf, rowIn, rowsIn, tagsIn } from '../listing';
import { mappingOf, throwUnknownPath } from '../mapping';
import { checkFilters, type Encodings, type Get } from './filterChecks';

/** Fields of CP §2.1, §2.2, §2.4 and §2.7; those that the output relies on are needed. */
const LOGIN =
	'id createdAt updatedAt organizationId type user metadata configuration isEnabled ownerId'.split(
		' ',
	);
const COLLECTION =
	'id name creatorId creator activeDataCollectionVersionId activeDataCollectionVersion createdAt updatedAt slug parentCollectionId tags processorKey'.split(
		' ',
	);
const VERSION = 'id createdAt creatorId isActive schema'.split(' ');
const DOCUMENT =
	'id externalId tags document dataCollectionVersionId dataCollectionId creatorId createdAt updatedAt associations'.split(
		' ',
	);
/** In how many collections a document is looked for. */
const COLLECTIONS_TRIED = 5;

const diagnose = operation({
	name: 'Diagnose',
	value: 'diagnose',
	action: 'Diagnose connection to credit profile service',
	tool: 'Check how the credit profile service answers, and propose settings for its credential. It only reads and returns no personal data. No fields.',
	subtitle: 'Diagnose connection',
	description:
		'Check the responses of the service with plain reads, and propose the API Mapping. The output has no personal data.',
	fields: {},
	async execute(item) {
		if (item.index > 0) return []; // it is about the credential, not about items
		const mapping = await mappingOf(item);
		const { baseUrl, apiMapping } = await item.credentials('creditProfileApi');
		let headers: IDataObject = {};
		let answeredAt = 0;
		const get: Get = async (reader, path, query, lists) =>
			await item.read(
				{
					method: 'GET',
					path: pathIn(mapping, path),
					query,
					lists,
					onAnswer(answer) {
						headers = answer.headers;
						answeredAt = Date.now();
					},
				},
				reader,
			);

		const diagnosis = new Diagnosis();
		await checkLogins(diagnosis, get, item);
		await diagnosis.run('TLS', async () => checkTls(baseUrl, answeredAt));
		await diagnosis.run('Clock', async () => checkClock(headers, answeredAt));
		await diagnosis.run('Rate limit', async () => checkRateLimit(headers, answeredAt));
		await checkTags(diagnosis, get);
		const collections = (await checkCollections(diagnosis, get)) ?? [];
		await checkDetails(diagnosis, get, collections);
		const encodings = await checkFilters(diagnosis, get, mapping, collections);
		await diagnosis.run('Names of login paths', async () => ({
			ok: 'unknown',
			seen: 'No check: each of these requests would change a login.',
			advice: `Take them from your contract: paths.${providerPaths.join(', paths.')} and fields.bureauPublicKey.`,
		}));
		const held = readObject(apiMapping) ?? {};
		return diagnosis.items(suggestion(mapping, encodings), held, item);
	},
});

const providerPaths = [...new Set(providers.map(({ value }) => value.split('/')[0]))];

async function checkLogins(diagnosis: Diagnosis, get: Get, item: Item): Promise<void> {
	await diagnosis.run('Address, token and provider logins', async () => {
		const { rows } = await get(rowsIn('login'), '/credential').catch(
			async (error: unknown) => await throwUnknownPath(item, error, '/credential'),
		);
		const types = [...new Set(rows.map(({ type }) => String(type)))];
		const others = types.filter((type) => !providers.some(({ value }) => value === type));
		const listed = `Reached, and the token is accepted. ${rows.length} logins; types: ${types.join(', ') || 'none'}.`;
		if (rows.length === 0) return { ok: true, seen: listed, advice: '' };
		const shape = checkShape('A login', rows[0], LOGIN, ['id', 'type', 'isEnabled']);
		const strange = `Types that no path ends with: ${others.join(', ')}. The paths of your contract may have these names: compare both.`;
		return {
			...shape,
			seen: `${listed} ${shape.seen}`,
			advice: others.length > 0 ? strange : shape.advice,
		};
	});
}

async function checkTags(diagnosis: Diagnosis, get: Get): Promise<void> {
	for (const kind of ['collection', 'document']) {
		await diagnosis.run(`Tags of ${kind}s`, async () => {
			const { texts } = await get(tagsIn, `/data/${kind}/tags`);
			return { ok: true, seen: `${texts.length} tags.`, advice: '' };
		});
	}
}

async function checkCollections(
	diagnosis: Diagnosis,
	get: Get,
): Promise<IDataObject[] | undefined> {
	return await diagnosis.run('Collections with version and creator', async () => {
		const includes = { includeActiveDataCollectionVersion: true, includeCreator: true };
		const { rows, total = 'An unknown number of' } = await get(
			rowsIn('collection'),
			'/data/collection',
			{ limit: 100, ...includes },
		);
		if (rows.length === 0) {
			return { ok: 'unknown', seen: 'There is no collection.', advice: '', value: rows };
		}
		const needed = ['id', 'name', 'tags', 'activeDataCollectionVersion', 'creator'];
		const shape = checkShape('A collection', rows[0], COLLECTION, needed);
		return { ...shape, seen: `${total} collections. ${shape.seen}`, value: rows };
	});
}

async function checkDetails(
	diagnosis: Diagnosis,
	get: Get,
	collections: IDataObject[],
): Promise<void> {
	const [first] = collections;
	if (!first) return;
	await diagnosis.run('One collection by its ID', async () => {
		const { row } = await get(rowIn('collection'), `/data/collection/${String(first.id)}`);
		return checkShape('A collection', row, COLLECTION, ['id', 'name', 'tags']);
	});
	await diagnosis.run('Versions', async () => {
		const path = `/data/collection/${String(first.id)}/versions`;
		const { rows, total = 'An unknown number of' } = await get(rowsIn('version'), path, {
			limit: 10,
		});
		if (rows.length === 0) return { ok: 'unknown', seen: 'It has no version.', advice: '' };
		const shape = checkShape('A version', rows[0], VERSION, ['id', 'isActive', 'schema']);
		return { ...shape, seen: `${total} versions. ${shape.seen}` };
	});
	await diagnosis.run('Documents with associations', async () => {
		for (const { id } of collections.slice(0, COLLECTIONS_TRIED)) {
			const { path, kind } = documentsOf(Number(id));
			const includes = {
				includeDataDocumentAssociations: true,
				includeProfileAssociation: true,
				includeFormAssociation: true,
				includeFileAssociation: true,
			};
			const { rows } = await get(rowsIn(kind), path, { limit: 10, ...includes });
			if (rows.length === 0) continue;
			const shape = checkShape('A document', rows[0], DOCUMENT, ['id', 'document', 'associations']);
			return { ...shape, seen: `${shape.seen} ${associationsSeen(rows)}` };
		}
		return { ok: 'unknown', seen: 'No document was found in the first collections.', advice: '' };
	});
}

function associationsSeen(documents: IDataObject[]): string {
	const entries = documents.flatMap(({ associations }) =>
		Array.isArray(associations) ? associations.filter(isObject) : [],
	);
	const types = [...new Set(entries.map(({ type }) => String(type)))];
	return `${entries.length} associations in ${documents.length} documents; types: ${types.join(', ') || 'none'}.`;
}

/** What the credential should hold: what it held, and what was found; defaults of the API reference are left out. */
function suggestion(
	{ paths, fields, ...held }: CreditProfileMapping,
	found: Partial<Encodings>,
): IDataObject {
	const { filterEncoding, listEncoding } = { ...held, ...found };
	return {
		...(Object.keys(paths).length > 0 && { paths }),
		...(Object.keys(fields).length > 0 && { fields }),
		...(filterEncoding !== 'brackets' && { filterEncoding }),
		...(listEncoding !== 'brackets' && filterEncoding !== 'json' && { listEncoding }),
	};
}

export const connection: Resource = {
	name: 'Connection',
	value: 'connection',
	operations: [diagnose],
};
