import Fastify, { type FastifyInstance } from 'fastify';
import type {
	Collection,
	CollectionsPage,
	DataDocument,
	DocumentsPage,
	TagList,
	VersionsPage,
} from '../../../../contract/creditProfile';
import { benchForTests, startBench } from '../support/creditProfile';

const LARGEST = 2;
const DOCUMENTS = 12_000;
const PAGE = 100;

const bench = benchForTests();

const get = async <T>(path: string, params: object = {}): Promise<T> =>
	(await bench.service.get<T>(path, { params })).data;
const documentsOf = (id: number, params: object = {}) =>
	get<DocumentsPage>(`/data/collection/${id}/document`, params);
const allCollections = async () =>
	(await get<CollectionsPage>('/data/collection', { limit: 100 })).data;

/** All documents of the largest collection, page by page. */
async function allDocuments(params: object = {}): Promise<DataDocument[]> {
	const documents: DataDocument[] = [];
	for (;;) {
		const page = await documentsOf(LARGEST, { ...params, limit: PAGE, offset: documents.length });
		documents.push(...page.documents);
		if (page.documents.length < PAGE) return documents;
	}
}

/** Checks documents by the schema of their version, with the JSON Schema validator that Fastify brings. */
async function invalidBy(schema: unknown, documents: unknown[]): Promise<string> {
	const validator: FastifyInstance = Fastify({
		bodyLimit: 2 ** 30,
		ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
	});
	const body = { type: 'array', items: schema };
	validator.post('/', { schema: { body } }, async () => 'valid');
	const answer = await validator.inject({ method: 'POST', url: '/', payload: documents });
	await validator.close();
	return answer.payload;
}

describe('the documents of the largest collection', () => {
	let documents: DataDocument[];

	beforeAll(async () => {
		documents = await allDocuments();
	});

	it('page through with no duplicate and no gap', async () => {
		const { total } = await documentsOf(LARGEST);
		const ids = documents.map(({ id }) => id);
		expect({ total, read: ids.length, distinct: new Set(ids).size }).toEqual({
			total: DOCUMENTS,
			read: DOCUMENTS,
			distinct: DOCUMENTS,
		});
	});

	it('are valid by the schema of the version that each names', async () => {
		const { data: versions } = await get<VersionsPage>(`/data/collection/${LARGEST}/versions`);
		for (const { id, schema } of versions) {
			const some = documents.filter(
				({ dataCollectionVersionId }) => dataCollectionVersionId === id,
			);
			expect(some.length).toBeGreaterThan(1000);
			expect(
				await invalidBy(
					schema,
					some.map(({ document }) => document),
				),
			).toBe('valid');
		}
	});

	it('come oldest first, each at its own instant', () => {
		const instants = documents.map(({ createdAt }) => createdAt ?? '');
		expect(instants).toEqual([...new Set(instants)].sort());
	});

	it('come newest first with -document.createdAt', async () => {
		const { documents: first } = await documentsOf(LARGEST, { order: '-document.createdAt' });
		expect(first).toEqual(documents.slice(-50).reverse());
	});

	it('are the same again whichever page they are read by', async () => {
		const { documents: page } = await documentsOf(LARGEST, { limit: 10, offset: 7_775 });
		expect(page).toEqual(documents.slice(7_775, 7_785));
	});

	it('are about people with accents and Ñ in their names', () => {
		const names = JSON.stringify(documents.map(({ document }) => document?.primerApellido));
		expect(['á', 'é', 'í', 'ó', 'ú', 'ñ'].filter((letter) => !names.includes(letter))).toEqual([]);
	});

	it('are about people whom the query service knows by the same name', async () => {
		const { clientId, clientSecret } = bench.sandbox.taxQuery;
		const { data: token } = await bench.anyone.post<{ access_token: string }>('/api/oauth/token', {
			client_id: clientId,
			client_secret: clientSecret,
		});
		const { nombre, primerApellido, curp, rfc } = documents[4_321].document ?? {};
		const { data: record } = await bench.anyone.post<{ response: object }>(
			'/api/query/curp-data',
			{ curp },
			{ headers: { Authorization: `Bearer ${token.access_token}` } },
		);
		expect(record.response).toMatchObject({ curp, rfc });
		expect(JSON.stringify(record.response).toUpperCase()).toContain(
			String(primerApellido).toUpperCase(),
		);
		expect(JSON.stringify(record.response).toUpperCase()).toContain(String(nombre).toUpperCase());
	});

	it('are none beyond the last', async () => {
		const { documents: none, total } = await documentsOf(LARGEST, { offset: DOCUMENTS });
		expect({ none, total }).toEqual({ none: [], total: DOCUMENTS });
	});
});

describe('the seed', () => {
	it('gives the same collections, creators and documents again, and others for another', async () => {
		const read = async (seed: number) => {
			const own = await startBench({ seed });
			const params = { limit: 100, includeCreator: true, includeProfileAssociation: undefined };
			const collections = await own.service.get<object>('/data/collection', { params });
			const documents = await own.service.get<object>(`/data/collection/${LARGEST}/document`);
			await own.sandbox.close();
			return [collections.data, documents.data];
		};
		const first = await read(5);
		expect(await read(5)).toEqual(first);
		expect(await read(6)).not.toEqual(first);
	});
});

describe('the collections', () => {
	it('are at least 25, in a tree of more than two levels without a loop', async () => {
		const collections = await allCollections();
		const byId = new Map(collections.map((collection) => [collection.id, collection]));
		const depthOf = ({ parentCollectionId }: Collection): number => {
			const parent = byId.get(parentCollectionId ?? 0);
			return parent ? 1 + depthOf(parent) : 0;
		};
		expect(collections.length).toBeGreaterThanOrEqual(25);
		expect(Math.max(...collections.map(depthOf))).toBeGreaterThanOrEqual(2);
		const orphans = collections.filter(
			({ parentCollectionId }) => parentCollectionId && !byId.has(parentCollectionId),
		);
		expect(orphans).toEqual([]);
	});

	it('have exactly one active version, the one that they name', async () => {
		for (const { id, activeDataCollectionVersionId } of await allCollections()) {
			const { data } = await get<VersionsPage>(`/data/collection/${id}/versions`);
			expect(data.filter(({ isActive }) => isActive).map((version) => version.id)).toEqual([
				activeDataCollectionVersionId,
			]);
		}
	});

	it('page through with no duplicate and no gap', async () => {
		const ids: number[] = [];
		for (let offset = 0; ; offset += 7) {
			const { data } = await get<CollectionsPage>('/data/collection', { limit: 7, offset });
			if (data.length === 0) break;
			ids.push(...data.map(({ id }) => id));
		}
		expect(ids).toEqual((await allCollections()).map(({ id }) => id));
	});

	it.each([
		[{}, ['creator', 'activeDataCollectionVersion'], []],
		[{ includeCreator: true }, ['activeDataCollectionVersion'], ['creator']],
		[
			{ includeActiveDataCollectionVersion: true },
			['creator', 'activeDataCollectionVersion.creator'],
			['activeDataCollectionVersion'],
		],
		[
			{ includeActiveDataCollectionVersion: true, includeCreator: true },
			[],
			['creator', 'activeDataCollectionVersion.creator'],
		],
	])('with %j leave out %j and include %j', async (params, absent, present) => {
		const { data } = await get<CollectionsPage>('/data/collection', params);
		for (const path of absent) expect(data[0]).not.toHaveProperty(path);
		for (const path of present) expect(data[0]).toHaveProperty(path);
	});

	it('have as tags the unique ones that 4.3 lists', async () => {
		const { count, data } = await get<TagList>('/data/collection/tags');
		const tags = new Set((await allCollections()).flatMap(({ tags: some }) => some));
		expect(new Set(data)).toEqual(tags);
		expect(count).toBe(tags.size);
	});
});
