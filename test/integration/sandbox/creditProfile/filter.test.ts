import type { Collection, CollectionsPage } from '../../../../contract/creditProfile';
import { benchForTests } from '../support/creditProfile';

const bench = benchForTests();

const get = async <T>(path: string, params: object = {}): Promise<T> =>
	(await bench.service.get<T>(path, { params })).data;
const allCollections = async () =>
	(await get<CollectionsPage>('/data/collection', { limit: 100 })).data;

describe('the filter of collections (CP §4.4)', () => {
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
