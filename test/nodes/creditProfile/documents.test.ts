import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { codeOf } from '../../support/errorCode';
import { startSandboxWithHelpers } from '../../support/sandbox';
import {
	EMPTY_COLLECTION_ID,
	LOANS_COLLECTION_ID,
	createSandboxNodeRunner,
	PEOPLE_COLLECTION_ID,
} from './support';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';

const page = { limit: '50', offset: '0' };

describe('data documents', () => {
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0 });
	const run = createSandboxNodeRunner(sandbox);

	const getMany = async (
		parameters: INodeParameters = {},
		collection: unknown = LOANS_COLLECTION_ID,
	) =>
		await run({
			resource: 'dataDocument',
			operation: 'getAll',
			collection: { __rl: true, mode: 'id', value: collection as number },
			...parameters,
		});
	const jsonOf = ({ items }: Awaited<ReturnType<typeof getMany>>) => items.map(({ json }) => json);
	/** Returns what the service itself answers, read apart from the node. */
	const documentsOf = async (query: string) =>
		(
			await sandbox.control.get<{ documents: IDataObject[] }>(
				`/data/collection/${LOANS_COLLECTION_ID}/document?limit=50${query}`,
				{
					baseURL: `${sandbox.creditProfile.baseUrl}/api/v1`,
					headers: { Authorization: `Token ${sandbox.creditProfile.token}` },
				},
			)
		).data.documents;

	/** Without the instant at which a download address ends, which differs from answer to answer. */
	const lasting = (rows: IDataObject[]) =>
		JSON.parse(JSON.stringify(rows).replaceAll(/expires=\d+/g, 'expires=…')) as IDataObject[];

	const general = { includeDataDocumentAssociations: 'true' };
	const profiles = { ...general, includeProfileAssociation: 'true' };
	const forms = { ...general, includeFormAssociation: 'true' };
	const ofFiles = { ...general, includeFileAssociation: 'true' };
	const include = (...includeAssociations: string[]) => ({ includeAssociations });
	/** §4.8: what the operator chooses, and what is sent for it. */
	const choices: Array<[options: INodeParameters, sent: object, output?: string]> = [
		[{}, {}],
		[include('types'), general],
		[include('profiles'), profiles],
		[include('forms'), forms],
		[include('files'), ofFiles],
		[{ includeAssociations: '={{ "files, forms" }}' }, { ...ofFiles, ...forms }],
		[{}, { ...profiles, ...forms, ...ofFiles }, 'associations'],
		[include('files'), ofFiles, 'associations'],
		[{ order: '-document.createdAt' }, { order: '-document.createdAt' }],
		[{ order: 'document.createdAt' }, { order: 'document.createdAt' }],
	];
	it.each(choices)('with %j', async (options, sent, output = 'items') => {
		await getMany({ options, output });
		const path = `/api/v1/data/collection/${LOANS_COLLECTION_ID}/document`;
		expect((await sandbox.requests(path))[0].query).toEqual({ ...page, ...sent });
	});

	it.each([
		['-document.createdAt', (a: string, b: string) => b.localeCompare(a)],
		['document.createdAt', (a: string, b: string) => a.localeCompare(b)],
	])('come in the order %s', async (order, compare) => {
		const dates = jsonOf(await getMany({ options: { order } })).map(({ createdAt }) => createdAt);
		expect(dates).toEqual([...(dates as string[])].sort(compare));
	});

	it('simplifies documents to their own fields, with tags, date and IDs last', async () => {
		const [first] = await documentsOf('');
		const { nombre, primerApellido, segundoApellido, rfc, curp, correo, ...more } =
			first.document as IDataObject;
		expect(Object.entries(jsonOf(await getMany({ limit: 1 }))[0])).toEqual(
			Object.entries({
				...{ nombre, primerApellido, segundoApellido, rfc, curp, correo },
				...('telefono' in more && { telefono: more.telefono }),
				...('domicilio' in more && { domicilio: more.domicilio }),
				tags: first.tags,
				createdAt: first.createdAt,
				updatedAt: first.updatedAt,
				externalId: first.externalId,
				id: first.id,
			}),
		);
	});

	it('documents with all associations have at most 15 columns in every collection', async () => {
		const associations = { includeAssociations: ['profiles', 'files'] };
		for (let collection = 1; collection <= 30; collection++) {
			const items = jsonOf(await getMany({ limit: 20, options: associations }, collection));
			for (const item of items) expect(Object.keys(item).length).toBeLessThanOrEqual(15);
			expect(JSON.parse(JSON.stringify(items))).toEqual(items); // nothing undefined
		}
	});

	it('cost one request for each hundred, simplified: 20 for 2,000', async () => {
		const large = await startSandboxWithHelpers({ rateLimit: 0, documents: 2_000 });
		const { items } = await createSandboxNodeRunner(large)({
			...{ resource: 'dataDocument', operation: 'getAll', returnAll: true },
			collection: { __rl: true, mode: 'id', value: PEOPLE_COLLECTION_ID },
		});
		const requests = await large.requests();
		await large.close();
		expect([items.length, requests.length]).toEqual([2_000, 20]);
	});

	it.each([
		['dataDocument', 40],
		['dataCollection', 30],
	])('%s are counted by one request', async (resource, total) => {
		await sandbox.reset();
		const collection = { __rl: true, mode: 'id', value: LOANS_COLLECTION_ID };
		const { items } = await run({ resource, operation: 'count', collection });
		expect([items[0].json.total, (await sandbox.requests()).length]).toEqual([total, 1]);
	});

	describe('with their associations', () => {
		const all = { includeAssociations: ['profiles', 'forms', 'files'] };
		const query =
			'&includeDataDocumentAssociations=true&includeProfileAssociation=true&includeFormAssociation=true&includeFileAssociation=true';

		it('have them in lists by type', async () => {
			const [{ profiles, forms, files }] = jsonOf(await getMany({ limit: 1, options: all }));
			const counts = [profiles, forms, files].map((list) => (list as unknown[]).length);
			expect(counts).toEqual([1, 1, 1]);
		});

		it.each([
			['profiles', ['name', 'accountType', 'rfc', 'curp', 'email']],
			['forms', ['name', 'loanAmount', 'completedDate', 'profileId']],
			['files', ['filelabel', 'filetype', 'url', 'uploadedAt']],
		])('documents have %s with the requested associations first', async (type, fields) => {
			const [first] = jsonOf(await getMany({ limit: 1, options: all }));
			const [association] = first[type] as IDataObject[];
			expect(Object.keys(association)).toEqual(expect.arrayContaining(['id', ...fields]));
		});

		it('have no field that is an object of objects', async () => {
			const [{ profiles, forms, files }] = jsonOf(await getMany({ limit: 1, options: all }));
			const values = [profiles, forms, files].flat().flatMap((one) => Object.values(one as object));
			expect(values.filter((value) => value?.constructor === Object)).toEqual([]);
		});

		it('are as the service gives them with Simplify off', async () => {
			const raw = jsonOf(await getMany({ options: { simplify: false, ...all } }));
			expect(lasting(raw)).toEqual(lasting(await documentsOf(query)));
		});

		it('are listed without content where the service does not fill them', async () => {
			const options = { includeAssociations: ['types'] };
			const [listed] = jsonOf(await getMany({ limit: 1, options }));
			expect([listed.profiles, listed.forms, listed.files]).toEqual([
				undefined,
				undefined,
				undefined,
			]);
			const separate = jsonOf(await getMany({ limit: 1, output: 'associations', options }));
			expect(separate).toEqual(
				['Profiles', 'Forms', 'Files'].map((associationType) => ({
					associationType,
					documentId: listed.id,
				})),
			);
		});

		it('associations are one item each if only they are requested', async () => {
			const items = jsonOf(await getMany({ limit: 1, output: 'associations' }));
			expect(items.map(({ associationType }) => associationType)).toEqual([
				'Profiles',
				'Forms',
				'Files',
			]);
		});

		it('can give one item for each association', async () => {
			const documents = await documentsOf(query);
			const expected = documents.flatMap(({ id, associations }) =>
				(associations as IDataObject[]).map(({ type, association }) => [
					id,
					type,
					(association as IDataObject).id,
				]),
			);
			const items = jsonOf(await getMany({ output: 'associations', options: all }));
			expect(
				items.map(({ documentId, associationType, id }) => [documentId, associationType, id]),
			).toEqual(expected);
		});

		it('can give one untouched association for each item', async () => {
			const [{ associations, ...document }] = await documentsOf(query);
			const { id, externalId } = document;
			const items = jsonOf(
				await getMany({
					limit: 1,
					output: 'associations',
					options: { simplify: false, ...all },
				}),
			);
			const entries = (associations as IDataObject[]).map((entry) => ({
				...document,
				documentId: id,
				documentExternalId: externalId,
				...entry,
			}));
			expect(lasting(items)).toEqual(lasting(entries));
		});
	});

	describe('whose associations are not made as the document says', () => {
		const answer = (associations: unknown) => ({
			status: 200,
			body: { total: 1, documents: [{ id: 7, document: {}, associations }] },
		});
		const path = `/api/v1/data/collection/${LOANS_COLLECTION_ID}/document`;
		const output = 'associations';

		it.each([
			['null', null, {}],
			['an object', { id: 3 }, { associations: { id: 3 } }],
			['a list with null in it', [null], { profiles: [], forms: [], files: [] }],
			[
				'a list with unknown types in it',
				[
					{ type: 'Profiles', association: { id: 2, rfc: 'A' } },
					{ type: 'Loans', association: { id: 3 } },
					{ type: 'files', association: { id: 5 } },
					{ type: 'constructor', association: { id: 4 } },
					null,
				],
				{
					profiles: [{ rfc: 'A', id: 2 }],
					forms: [],
					files: [],
					associations: [
						{ type: 'Loans', association: { id: 3 } },
						{ type: 'files', association: { id: 5 } },
						{ type: 'constructor', association: { id: 4 } },
					],
				},
			],
		])('come out, if that is %s', async (_name, associations, more) => {
			await sandbox.faults({ path, fault: answer(associations) });
			const result = await getMany({ limit: 1, options: include('files', 'forms', 'profiles') });
			expect([result.error, jsonOf(result)]).toEqual([undefined, [{ ...more, id: 7 }]]);
		});

		it.each([
			['null', null, undefined],
			['a list with null in it', [null], undefined],
			['an object', { id: 3 }, 'shape'],
		])('give no separate item, if that is %s', async (_name, associations, code) => {
			await sandbox.faults({ path, fault: answer(associations) });
			for (const simplify of [true, false]) {
				const { items, error } = await getMany({ limit: 1, output, options: { simplify } });
				expect([items, codeOf(error)]).toEqual([[], code]);
			}
		});
	});

	it('of an empty collection are no items and no error', async () => {
		const { items, error } = await getMany({ returnAll: true }, EMPTY_COLLECTION_ID);
		expect({ items, error }).toEqual({ items: [], error: undefined });
	});

	it('have tags, one item each', async () => {
		const { items } = await run({ resource: 'dataDocument', operation: 'getTags' });
		expect(items.map(({ json }) => json)).toContainEqual({ tag: 'revisión' });
	});

	it('have tags with their count, with Simplify off', async () => {
		const { items } = await run({
			resource: 'dataDocument',
			operation: 'getTags',
			options: { simplify: false },
		});
		const [{ json }] = items;
		expect(json.count).toBe((json.data as string[]).length);
	});
});
