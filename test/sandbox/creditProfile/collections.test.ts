import type {
	Collection,
	CollectionsPage,
	AllTagsResponse,
	CollectionVersionsPage,
} from '../../../contract/creditProfile';
import { sharedSandboxWithClients } from '../support/clients';

const bench = sharedSandboxWithClients();

const get = async <T>(path: string, params: object = {}): Promise<T> =>
	(await bench.creditProfile.get<T>(path, { params })).data;
const pageOf = async (params: object) => await get<CollectionsPage>('/data/collection', params);
const allCollections = async () => (await pageOf({ limit: 100 })).data;
const idsOf = (collections: Collection[]) => collections.map(({ id }) => id);

it('there are 25 collections or more, in a tree of three levels without a loop', async () => {
	const collections = await allCollections();
	const byId = new Map(collections.map((collection) => [collection.id, collection]));
	const depthOf = ({ parentCollectionId }: Collection): number => {
		const parent = byId.get(parentCollectionId ?? 0);
		return parent ? 1 + depthOf(parent) : 0;
	};
	expect(collections.length).toBeGreaterThanOrEqual(25);
	expect(Math.max(...collections.map(depthOf))).toBeGreaterThanOrEqual(2);
	const parents = collections.flatMap(({ parentCollectionId }) => parentCollectionId ?? []);
	expect(parents.filter((id) => !byId.has(id))).toEqual([]);
});

it('a collection has exactly one active version, the one that it names', async () => {
	for (const { id, activeDataCollectionVersionId } of await allCollections()) {
		const { data, total } = await get<CollectionVersionsPage>(`/data/collection/${id}/versions`);
		const active = data.filter(({ isActive }) => isActive).map((version) => version.id);
		expect([active, total]).toEqual([[activeDataCollectionVersionId], data.length]);
	}
});

it('a collection read by its ID is the one of the list', async () => {
	for (const collection of await allCollections()) {
		expect(await get(`/data/collection/${collection.id}`)).toEqual(collection);
	}
});

it('limit and offset page through the collections with no duplicate and no gap', async () => {
	const all = idsOf(await allCollections());
	const ids: number[] = [];
	for (let offset = 0; offset < all.length; offset += 7) {
		const { data, total } = await pageOf({ limit: 7, offset });
		expect([data.length, total]).toEqual([Math.min(7, all.length - offset), all.length]);
		ids.push(...idsOf(data));
	}
	expect(ids).toEqual(all);
	expect((await pageOf({})).data).toHaveLength(10);
});

it('limit and offset page through the versions of a collection, newest first', async () => {
	const path = '/data/collection/2/versions';
	const { data: all, total } = await get<CollectionVersionsPage>(path);
	const page = await get<CollectionVersionsPage>(path, { limit: 1, offset: 1 });
	expect([all.length, total, page]).toEqual([3, 3, { data: [all[1]], total: 3 }]);
	const instants = all.map(({ createdAt }) => createdAt);
	expect(instants).toEqual([...instants].sort().reverse());
});

const VERSION = 'activeDataCollectionVersion';
it.each([
	[{}, ['creator', VERSION], []],
	[{ includeCreator: true }, [VERSION], ['creator']],
	[{ includeActiveDataCollectionVersion: true }, ['creator', `${VERSION}.creator`], [VERSION]],
	[
		{ includeActiveDataCollectionVersion: true, includeCreator: true },
		[],
		['creator', `${VERSION}.creator`],
	],
])('collections with %j leave out %j and include %j', async (params, absent, present) => {
	const { data } = await pageOf(params);
	for (const path of absent) expect(data[0]).not.toHaveProperty(path);
	for (const path of present) expect(data[0]).toHaveProperty(path);
});

it('the tags of collections are the unique ones of all (CP §4.3)', async () => {
	const { count, data } = await get<AllTagsResponse>('/data/collection/tags');
	const tags = new Set((await allCollections()).flatMap((collection) => collection.tags));
	expect([new Set(data), count, data.length]).toEqual([tags, tags.size, tags.size]);
});

const NAME = 'Domicilios fiscales';
const filters: Array<[key: string, value: unknown, isFound: (collection: Collection) => boolean]> =
	[
		['name__eq', NAME, ({ name }) => name === NAME],
		['name__eq', [NAME, 'Identidad'], ({ name }) => [NAME, 'Identidad'].includes(name)],
		['name__like', 'judicial', ({ name }) => name.includes('judicial')],
		['name__like', 'DOMICILIO', ({ name }) => name.toLowerCase().includes('domicilio')],
		['organizationId__eq', 101, () => true],
		['organizationId__eq', [7, 8], () => false],
		['parentCollectionId__eq', 1, ({ parentCollectionId: id }) => id === 1],
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

it.each(filters)(
	'the filter %s %j is found alike in each encoding',
	async (key, value, isFound) => {
		const ids = idsOf((await allCollections()).filter(isFound));
		for (const encoded of [
			{ filter: JSON.stringify({ [key]: value }) },
			{ [`filter[${key}]`]: value },
			{ [`filter.${key}`]: value },
		]) {
			const { data, total } = await pageOf({ ...encoded, limit: 100 });
			expect({ encoded, ids: idsOf(data), total }).toEqual({ encoded, ids, total: ids.length });
		}
	},
);

it('a filter of several keys finds what passes all of them', async () => {
	const filter = JSON.stringify({ tags__anyOf: 'PF', parentCollectionId__eq: 2 });
	const { data } = await pageOf({ filter });
	expect(data.map(({ name }) => name)).toEqual(['Obligados solidarios', 'Cónyuges']);
});
