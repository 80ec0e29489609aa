import Fastify, { type FastifyInstance } from 'fastify';
import type {
	Collection,
	CollectionsPage,
	DataDocument,
	DocumentsPage,
	TagList,
	VersionsPage,
} from '../../../contract/creditProfile';
import { startBench, type TestBench } from './creditProfileClient';

const LARGEST = 2;
const DOCUMENTS = 12_000;
const PAGE = 100;

jest.setTimeout(60_000);

let bench: TestBench;

beforeAll(async () => {
	bench = await startBench();
});
afterAll(() => bench.sandbox.close());

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

describe('the filter of collections (§4.4)', () => {
	const one = 'Domicilios fiscales';
	const cases: Array<[key: string, value: unknown, wanted: (collection: Collection) => boolean]> = [
		['name__eq', one, ({ name }) => name === one],
		['name__eq', [one, 'Identidad'], ({ name }) => [one, 'Identidad'].includes(name)],
		['name__like', 'judicial', ({ name }) => name.includes('judicial')],
		['name__like', 'DOMICILIO', ({ name }) => name.toLowerCase().includes('domicilio')],
		['organizationId__eq', 101, () => true],
		['organizationId__eq', [7, 8], () => false],
		['parentCollectionId__eq', 1, ({ parentCollectionId }) => parentCollectionId === 1],
		['parentCollectionId__eq', [1, 2], ({ parentCollectionId: id }) => id === 1 || id === 2],
		[
			'activeDataCollectionVersionId__eq',
			[5003, 5006],
			({ activeDataCollectionVersionId: id }) => id === 5003 || id === 5006,
		],
		['tags__anyOf', 'PF', ({ tags }) => tags.includes('PF')],
		['tags__anyOf', ['PM', 'legal'], ({ tags }) => tags.includes('PM') || tags.includes('legal')],
		['tags__eq', 'PF', ({ tags }) => tags.join() === 'PF'],
		['tags__eq', ['PF', 'originación'], ({ tags }) => tags.join() === 'originación,PF'],
		['processorKey__eq', 'bureau-pf', ({ processorKey }) => processorKey === 'bureau-pf'],
		['processorKey__eq', ['bureau-pf', 'x'], ({ processorKey }) => processorKey === 'bureau-pf'],
	];
	const encodings: Array<[name: string, encode: (key: string, value: unknown) => object]> = [
		['JSON', (key, value) => ({ filter: JSON.stringify({ [key]: value }) })],
		['filter[key]', (key, value) => ({ [`filter[${key}]`]: value })],
		['filter.key', (key, value) => ({ [`filter.${key}`]: value })],
	];

	describe.each(encodings)('as %s', (_name, encode) => {
		it.each(cases)('%s %j finds these and no others', async (key, value, wanted) => {
			const params = { ...encode(key, value), limit: 100 };
			const { data, total } = await get<CollectionsPage>('/data/collection', params);
			const expected = (await allCollections()).filter(wanted).map(({ id }) => id);
			expect({ ids: data.map(({ id }) => id), total }).toEqual({
				ids: expected,
				total: expected.length,
			});
		});
	});

	it('wants all keys at once', async () => {
		const filter = JSON.stringify({ tags__anyOf: 'PF', parentCollectionId__eq: 2 });
		const { data } = await get<CollectionsPage>('/data/collection', { filter });
		expect(data.map(({ name }) => name)).toEqual(['Obligados solidarios', 'Cónyuges']);
	});
});

describe('associations of documents (§4.8)', () => {
	const read = async (params: object) => (await documentsOf(LARGEST, params)).documents;

	it('are left out unless requested', async () => {
		expect((await read({}))[0]).not.toHaveProperty('associations');
	});

	it.each([
		['includeProfileAssociation', 'Profiles'],
		['includeFormAssociation', 'Forms'],
		['includeFileAssociation', 'Files'],
	])('with %s are those of type %s alone', async (flag, type) => {
		const associations = (await read({ [flag]: true })).flatMap(({ associations: some }) => some);
		expect(associations.length).toBeGreaterThan(5);
		expect(new Set(associations.map((one) => one?.type))).toEqual(new Set([type]));
		expect(associations.every((one) => one?.association)).toBe(true);
	});

	it('with includeDataDocumentAssociations are listed, with null for what was not requested', async () => {
		const [first] = await read({
			includeDataDocumentAssociations: true,
			includeFormAssociation: true,
		});
		expect(first.associations).toEqual([
			{ type: 'Profiles', association: null },
			{ type: 'Forms', association: expect.objectContaining({ accountType: 'PF' }) as object },
			{ type: 'Files', association: null },
		]);
	});

	it('tell of the same person as the document', async () => {
		const [{ document, associations }] = await read({ includeProfileAssociation: true });
		expect(associations?.[0].association).toMatchObject({
			rfc: document?.rfc as string,
			curp: document?.curp as string,
			firstLastName: document?.primerApellido as string,
		});
	});

	it('are of companies where the collection is of companies', async () => {
		const { documents } = await documentsOf(3, { includeProfileAssociation: true });
		expect(documents[0].associations?.[0].association).toMatchObject({ accountType: 'PM' });
	});
});

describe('the files of documents (§2.10)', () => {
	const signatures: Record<string, string> = {
		pdf: '%PDF-',
		jpeg: '\xff\xd8\xff',
		png: '\x89PNG',
		csv: 'fecha,',
		json: '{',
	};
	const files = async () =>
		(await documentsOf(LARGEST, { includeFileAssociation: true })).documents.flatMap(
			({ associations = [] }) => associations.flatMap((one) => (one.type === 'Files' ? [one] : [])),
		);

	it('are downloaded from their address, as long and of the type that they say', async () => {
		const seen = new Set<string>();
		for (const { association } of await files()) {
			const { url, size, filetype } = association ?? {};
			const { data } = await bench.anyone.get<Buffer>(url ?? '', { responseType: 'arraybuffer' });
			expect(data).toHaveLength(size ?? -1);
			expect(data.toString('latin1').startsWith(signatures[filetype ?? ''])).toBe(true);
			seen.add(filetype ?? '');
		}
		expect([...seen].sort()).toEqual(Object.keys(signatures).sort());
	});

	it('are not served from an address that has expired', async () => {
		const [{ association }] = await files();
		const url = (association?.url ?? '').replace(/expires=\d+/, `expires=${Date.now() - 1}`);
		expect((await bench.anyone.get(url)).status).toBe(403);
	});
});

describe('the tags of documents (§4.7)', () => {
	it('are those that the documents carry', async () => {
		const { documents } = await documentsOf(LARGEST);
		const { data } = await get<TagList>('/data/document/tags');
		expect(new Set(data)).toEqual(new Set(documents.flatMap(({ tags }) => tags)));
	});
});

describe('credentials (§4.1, 4.2)', () => {
	it('are created once per provider, and replaced after that', async () => {
		const post = async (user: string) =>
			(await bench.service.post<{ id: number }>('/credential/bureau/pm', { user, password: 'A' }))
				.data;
		const { id } = await post('FIRST');
		expect(await post('SECOND')).toMatchObject({ id, user: 'SECOND', type: 'bureau/pm' });
		const list = await get<Array<{ user: string; type: string }>>('/credential');
		expect(list.filter(({ type }) => type === 'bureau/pm')).toHaveLength(1);
	});

	it('never return a secret', async () => {
		const secrets = { apiKey: 'S1', password: 'S2', clientPrivateKey: 'S3', bureauPublicKey: 'S4' };
		const { data } = await bench.service.post<object>('/credential/credit-bureau-b', {
			...secrets,
			username: 'someone',
		});
		const said = JSON.stringify([data, await get('/credential')]);
		expect(Object.values(secrets).filter((secret) => said.includes(secret))).toEqual([]);
	});

	it('are refused with 415 in JSON in any other form', async () => {
		const headers = { 'Content-Type': 'text/xml' };
		const { status, data } = await bench.service.post<{ statusCode: number }>(
			'/credential/prospector/pf',
			'<user/>',
			{ headers },
		);
		expect({ status, statusCode: data.statusCode }).toEqual({ status: 415, statusCode: 415 });
	});

	it('are taken from form-encoded bodies too (§1)', async () => {
		const form = new URLSearchParams({ user: 'FORM_1', password: 'B' });
		const { status, data } = await bench.service.post<object>('/credential/prospector/pf', form);
		expect({ status, data }).toMatchObject({ status: 200, data: { user: 'FORM_1' } });
	});
});
