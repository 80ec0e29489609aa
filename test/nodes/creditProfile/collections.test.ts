import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { LOANS_COLLECTION_ID, createSandboxNodeRunner, PEOPLE_COLLECTION_ID } from './support';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';

describe('data collections', () => {
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0 });
	const run = createSandboxNodeRunner(sandbox);

	const getMany = async (parameters: INodeParameters, options?: Parameters<typeof run>[1]) =>
		await run(
			{ resource: 'dataCollection', operation: 'getAll', returnAll: true, ...parameters },
			options,
		);
	const namesOf = ({ items }: Awaited<ReturnType<typeof getMany>>) =>
		items.map(({ json }) => json.name);
	const sentQuery = async () => (await sandbox.requests())[0].query;

	describe('filters', () => {
		/** §4.4: each key with one value, and with several where the service takes them. */
		const filters: Array<[key: string, value: unknown, passing: string[]]> = [
			['name__eq', ['Garantías'], ['Garantías']],
			['name__eq', ['Garantías', 'Domicilios'], ['Domicilios', 'Garantías']],
			['name__like', 'nómina', ['Recibos de nómina']],
			['parentCollectionId__eq', [LOANS_COLLECTION_ID], ['Personas físicas', 'Personas morales']],
			[
				'parentCollectionId__eq',
				[LOANS_COLLECTION_ID, PEOPLE_COLLECTION_ID],
				['Personas físicas', 'Personas morales', 'Obligados solidarios', 'Cónyuges'],
			],
			['activeDataCollectionVersionId__eq', [5003], ['Solicitudes de crédito']],
			['tags__anyOf', ['nómina', 'campo'], ['Recibos de nómina', 'Visitas domiciliarias']],
			['tags__anyOf', 'nómina, campo', ['Recibos de nómina', 'Visitas domiciliarias']],
			['tags__eq', ['originación', 'PF'], ['Personas físicas']],
			['processorKey__eq', ['legal-records'], ['Expedientes judiciales']],
			[
				'processorKey__eq',
				['bureau-pf', 'bureau-pm'],
				['Buró de personas físicas', 'Buró de personas morales'],
			],
			['organizationId__eq', [999], []],
		];

		it.each(filters)('%s %j', async (key, value, passing) => {
			const result = await getMany({ filters: { [key]: value } as INodeParameters });
			expect(namesOf(result)).toEqual(passing);
		});

		it('together let only pass what passes each', async () => {
			const filters = { tags__anyOf: ['ingresos'], name__like: 'compañías' };
			expect(namesOf(await getMany({ filters }))).toEqual(['Ingresos de compañías pequeñas']);
		});

		it('take numbers that an expression gives as text', async () => {
			const filters = { parentCollectionId__eq: '={{ $json.parent }}' };
			const { items } = await run(
				{ resource: 'dataCollection', operation: 'getAll', filters },
				{ items: [{ parent: '1' }] },
			);
			expect(items.map(({ json }) => json.name)).toEqual(['Personas físicas', 'Personas morales']);
		});
	});

	describe('filters as the API Mapping says', () => {
		const getMapped = async (filters: INodeParameters, apiMapping: object) =>
			await getMany({ filters }, { api: { apiMapping: JSON.stringify(apiMapping) } });
		const one = { name__like: 'Juicios' };
		const several = { name__eq: ['Garantías', 'Domicilios'] };
		const page = { limit: '100', offset: '0' };

		const encodings: Array<[name: string, mapping: object, query: object]> = [
			['brackets by default', {}, { 'filter[name__like]': 'Juicios' }],
			['brackets', { filterEncoding: 'brackets' }, { 'filter[name__like]': 'Juicios' }],
			['dots', { filterEncoding: 'dots' }, { 'filter.name__like': 'Juicios' }],
			['JSON', { filterEncoding: 'json' }, { filter: '{"name__like":"Juicios"}' }],
		];
		it.each(encodings)('%s: one value is sent', async (_name, mapping, query) => {
			await getMapped(one, mapping);
			expect(await sentQuery()).toEqual({ ...page, ...query });
		});
		it.each(encodings)('%s: one value is understood', async (_name, mapping) => {
			const result = await getMapped(one, mapping);
			expect(namesOf(result)).toEqual(['Juicios mercantiles', 'Juicios laborales']);
		});

		const lists: typeof encodings = [
			['brackets by default', {}, { 'filter[name__eq][]': several.name__eq }],
			['brackets', { listEncoding: 'brackets' }, { 'filter[name__eq][]': several.name__eq }],
			[
				'indices',
				{ listEncoding: 'indices' },
				{ 'filter[name__eq][0]': 'Garantías', 'filter[name__eq][1]': 'Domicilios' },
			],
			['repeat', { listEncoding: 'repeat' }, { 'filter[name__eq]': several.name__eq }],
			[
				'dots and repeat',
				{ filterEncoding: 'dots', listEncoding: 'repeat' },
				{ 'filter.name__eq': several.name__eq },
			],
			[
				'JSON',
				{ filterEncoding: 'json' },
				{ filter: JSON.stringify({ name__eq: several.name__eq }) },
			],
		];
		it.each(lists)('%s: several values are sent', async (_name, mapping, query) => {
			await getMapped(several, mapping);
			expect(await sentQuery()).toEqual({ ...page, ...query });
		});
		it.each(lists)('%s: several values are understood', async (_name, mapping) => {
			const result = await getMapped(several, mapping);
			expect(namesOf(result)).toEqual(['Domicilios', 'Garantías']);
		});
	});

	describe('switches', () => {
		it.each([
			['includeActiveDataCollectionVersion', true],
			['includeActiveDataCollectionVersion', false],
			['includeCreator', true],
			['includeCreator', false],
		])('%s: %s is sent as it is set', async (name, value) => {
			await getMany({ options: { [name]: value } });
			expect(await sentQuery()).toEqual({ limit: '100', offset: '0', [name]: String(value) });
		});

		it('bring the active version and the creator, flat', async () => {
			const { items } = await run({
				resource: 'dataCollection',
				operation: 'getAll',
				limit: 1,
				options: { includeActiveDataCollectionVersion: true, includeCreator: true },
			});
			expect(items[0].json).toEqual({
				id: LOANS_COLLECTION_ID,
				name: 'Solicitudes de crédito',
				slug: 'solicitudes-de-credito',
				tags: ['originación'],
				processorKey: null,
				parentCollectionId: null,
				activeDataCollectionVersionId: 5003,
				activeVersionFields: expect.arrayContaining(['rfc']),
				creatorName: expect.stringMatching(/\w+ \w+/),
				createdAt: expect.stringMatching(/^\d{4}-.+Z$/),
			});
		});
	});

	describe('Simplify off', () => {
		/** Returns what the service itself answers, read apart from the node. */
		const answerOf = async (path: string) =>
			(
				await sandbox.control.get<IDataObject>(path, {
					baseURL: `${sandbox.creditProfile.baseUrl}/api/v1`,
					headers: { Authorization: `Token ${sandbox.creditProfile.token}` },
				})
			).data;
		const raw = async (operation: string, parameters: INodeParameters = {}) =>
			(
				await run({
					resource: 'dataCollection',
					operation,
					...parameters,
					options: { simplify: false, ...(parameters.options as INodeParameters) },
				})
			).items.map(({ json }) => json);
		const collection = { __rl: true, mode: 'id', value: LOANS_COLLECTION_ID };

		it('gives a collection as the service does', async () => {
			expect(await raw('get', { collection })).toEqual([await answerOf('/data/collection/1')]);
		});

		it('gives collections as the service does', async () => {
			const options = { includeActiveDataCollectionVersion: true };
			const { data } = await answerOf(
				'/data/collection?limit=50&includeActiveDataCollectionVersion=true',
			);
			expect(await raw('getAll', { options })).toEqual(data);
		});

		it('gives versions as the service does', async () => {
			const { data } = await answerOf('/data/collection/1/versions');
			expect(await raw('getVersions', { collection })).toEqual(data);
		});

		it('gives the tags with their count as the service does', async () => {
			expect(await raw('getTags')).toEqual([await answerOf('/data/collection/tags')]);
		});
	});

	it('has one item for each tag', async () => {
		const { items } = await run({ resource: 'dataCollection', operation: 'getTags' });
		expect(items.map(({ json }) => json)).toContainEqual({ tag: 'originación' });
	});

	it('has one item for each version, with the names of its fields', async () => {
		const { items } = await run({
			resource: 'dataCollection',
			operation: 'getVersions',
			collection: { __rl: true, mode: 'list', value: LOANS_COLLECTION_ID },
		});
		expect(items.map(({ json }) => json)).toEqual([
			expect.objectContaining({ id: 5003, isActive: true }),
			expect.objectContaining({ id: 5002, isActive: false }),
			{
				id: 5001,
				isActive: false,
				title: expect.any(String),
				fields: expect.arrayContaining(['rfc']),
				requiredFields: expect.arrayContaining(['rfc']),
				creatorId: expect.any(Number),
				createdAt: expect.stringMatching(/^\d{4}-.+Z$/),
			},
		]);
	});

	it('takes the id of a collection from each item', async () => {
		const { items } = await run(
			{
				resource: 'dataCollection',
				operation: 'get',
				collection: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
			},
			{ items: [{ id: 3 }, { id: '2' }, { id: 1 }] },
		);
		expect(items.map(({ json, pairedItem }) => [json.id, pairedItem])).toEqual([
			[3, { item: 0 }],
			[2, { item: 1 }],
			[1, { item: 2 }],
		]);
	});
});
