import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { codeOf } from '../../support/errorCode';
import { startSandboxWithHelpers } from '../../support/sandbox';
import {
	EMPTY_COLLECTION_ID,
	LOANS_COLLECTION_ID,
	PEOPLE_COLLECTION_ID,
	createSandboxNodeRunner,
} from './support';
import { sandboxForTestGroup } from '../../support/sharedSandbox';
import { withoutWaiting } from '../../support/clock';
import {
	type NodeRunOptions,
	packageNodesByType,
	runNodeInEngine,
} from '../../support/runNodeInEngine';
import { respondJson, serve, serverForTestGroup } from '../../support/testServer';

describe('data documents', () => {
	const page = { limit: '50', offset: '0' };
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
	/** The service itself is read apart from the node. */
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

		it.each<[chosen: string[], expected: IDataObject]>([
			[['files'], { files: [] }],
			[['files', 'forms'], { forms: [], files: [] }],
			[['types'], { associations: [{ type: 'Files', association: null }] }],
		])('have a list for each type of %j, and for no other', async (chosen, expected) => {
			const associations = [{ type: 'Files', association: null }];
			await sandbox.faults({
				path: `/api/v1/data/collection/${LOANS_COLLECTION_ID}/document`,
				fault: {
					status: 200,
					body: { total: 1, documents: [{ id: 7, document: {}, associations }] },
				},
			});
			const found = jsonOf(await getMany({ limit: 1, options: include(...chosen) }));
			expect(found).toEqual([{ ...expected, id: 7 }]);
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
			[
				'of a company and of a person with a trade name',
				['PM', 'PF'].map((accountType) => ({
					type: 'Profiles',
					association: {
						accountType,
						firstName: 'Ana',
						firstLastName: 'Ruiz',
						tradeName: 'Ruiz SA',
					},
				})),
				{
					profiles: [
						{ name: 'Ruiz SA', accountType: 'PM' },
						{ name: 'Ana Ruiz', accountType: 'PF' },
					],
					forms: [],
					files: [],
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

const PERSON = 'JUAN PEREZ GODE561231GR8';

describe('the files of a collection', () => {
	/** Counts the requests of each path. */
	let requestsByPath: Record<string, number>;
	/** In the addresses of its files: where a run ends by an error, some are still on their way when the next test begins. */
	let round = 0;
	/** Files by path; a list of documents is answered beside them. */
	let hosts: Record<string, (response: ServerResponse) => void>;
	let types: string[];
	const send = (content: string) => (response: ServerResponse) => void response.end(content);
	const refuse = (status: number) => (response: ServerResponse) =>
		void response.writeHead(status).end();

	const server = serverForTestGroup((request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
		if (![null, String(round)].includes(searchParams.get('round'))) return refuse(410)(response);
		requestsByPath[pathname] = (requestsByPath[pathname] ?? 0) + 1;
		if (!pathname.endsWith('/document')) return (hosts[pathname] ?? refuse(410))(response);
		const documents = Object.keys(hosts).map((path, index) => ({
			...{ id: index + 1, document: {} },
			associations: [{ type: types[index] ?? 'Files', association: file(path, index) }],
		}));
		respondJson(response, { total: documents.length, documents });
	});
	beforeEach(() => {
		round++;
		requestsByPath = {};
		hosts = {};
		types = [];
	});
	const file = (path: string, index: number): IDataObject => ({
		id: 70 + index,
		url: `${server.url}${path}?round=${round}`,
		filetype: 'pdf',
		filelabel: 'INE',
		originalFilename: `${PERSON} ${path.slice(1)}.pdf`,
	});

	const run = async (parameters: INodeParameters = {}, more: Partial<NodeRunOptions> = {}) =>
		await runNodeInEngine({
			type: 'creditProfile',
			parameters: {
				...{
					resource: 'dataDocument',
					operation: 'downloadFiles',
					filesFrom: 'collection',
					returnAll: true,
				},
				collection: { __rl: true, mode: 'id', value: LOANS_COLLECTION_ID },
				...parameters,
			},
			credentials: {
				creditProfileApi: {
					...{ baseUrl: server.url, apiToken: 'token-1', pointsPerSecond: 0 },
					pseudonymKey: 'sixteen or more letters',
				},
			},
			...more,
		});
	const byLink = (path: string) => ({ filesFrom: 'link', fileUrl: server.url + path });

	it('are downloaded without a hint, whatever else is associated', async () => {
		hosts = { '/a': send('a'), '/b': send('b'), '/c': send('c') };
		types = ['Files', 'Files', 'Profiles'];
		const { items, hints } = await run();
		expect([items.map(({ json }) => json.id), hints]).toEqual([[70, 71], []]);
	});

	it('reports files that are not downloaded because of an unknown type', async () => {
		hosts = { '/a': send('a'), '/b': send('b'), '/c': send('c') };
		types = ['files', PERSON];
		const { items, hints } = await run();
		expect([items.map(({ json }) => json.id), hints.map(({ message }) => message)]).toEqual([
			[72],
			[expect.stringContaining(': 2.')],
		]);
	});

	describe('where one cannot be had', () => {
		/** The second file. */
		const LOST = [
			'file.status.404',
			expect.objectContaining({ fileId: '71', documentId: '2' }) as unknown,
		];
		const LOST_ROW: unknown = expect.objectContaining({
			errorCode: 'file.status.404',
			errorDetail: expect.stringContaining('file 71 of document 2') as unknown,
		});
		beforeEach(() => {
			hosts = { '/a': send('a'), '/b': refuse(404), '/c': send('c') };
		});

		it('keeps the other files when one download fails under Continue On Fail', async () => {
			const { items, failed } = await run({}, { onError: 'continueErrorOutput' });
			expect(items.map(({ json, binary }) => [json.id, binary?.data.fileName])).toEqual([
				[70, `1-${PERSON} a.pdf`],
				[72, `3-${PERSON} c.pdf`],
			]);
			expect(failed.map(({ json, binary }) => [Object.keys(json), binary])).toEqual([
				[['error', 'errorCode', 'errorDetail'], undefined],
			]);
			expect(failed.map(({ json }) => json)).toEqual([LOST_ROW]);
		});

		it('are beside its row in one output', async () => {
			const { items } = await run({}, { onError: 'continueRegularOutput' });
			expect(items.map(({ json, pairedItem }) => [json.id, json.error, pairedItem])).toEqual([
				[70, undefined, { item: 0 }],
				[undefined, expect.stringContaining(`${PERSON} b.pdf`), { item: 0 }],
				[72, undefined, { item: 0 }],
			]);
			expect(items[1].json).toEqual(LOST_ROW);
		});

		it('fail without Continue On Fail', async () => {
			const { items, error } = await run();
			expect([items, [codeOf(error), error?.context]]).toEqual([[], LOST]);
		});
	});

	it('are not fetched once a file of another item has failed', async () => {
		const began = new EventEmitter();
		const allBegan = once(began, 'all');
		hosts = {
			'/never': () => void (requestsByPath['/never'] === 5 && began.emit('all')),
			'/bad': (response) => void allBegan.then(() => refuse(404)(response)),
		};
		const items = [
			{ id: 1, files: Array.from({ length: 60 }, (_, at) => file('/never', at)) },
			{ id: 2, files: [file('/bad', 60)] },
		];
		const { error } = await run({ filesFrom: 'incoming' }, { items });
		expect([codeOf(error), requestsByPath]).toEqual([
			'file.status.404',
			{ '/never': 5, '/bad': 1 },
		]);
	});

	describe('from a host that reports too many requests', () => {
		const links = (count: number) => Array.from({ length: count }, (_, number) => ({ number }));

		it('all come, at the pace of CP §8.3', async () => {
			let [window, spent] = [0, 0];
			const limited = (response: ServerResponse) => {
				if (Date.now() > window + 1000) [window, spent] = [Date.now(), 0];
				response.writeHead(++spent > 10 ? 429 : 200).end('a');
			};
			hosts = Object.fromEntries(links(40).map(({ number }) => [`/${number}`, limited]));
			const link = { filesFrom: 'link', fileUrl: `=${server.url}/{{ $json.number }}` };
			const { items, error } = await run(link, { items: links(40) });
			expect([error?.message, items.filter(({ binary }) => binary).length]).toEqual([
				undefined,
				40,
			]);
		});

		it.each([429, 503])('a %i is waited out as long as Retry-After says', async (status) => {
			let since: number | undefined;
			hosts['/0'] = (response) => {
				since ??= Date.now();
				const isOver = Date.now() >= since + 4000;
				if (isOver) response.end('a');
				else response.writeHead(status, { 'retry-after': '4' }).end();
			};
			const { items } = await run(byLink('/0'));
			expect([items[0]?.binary?.data.data, requestsByPath['/0']]).toEqual(['YQ==', 2]);
		});

		it('repeats a download ten times with growing pauses after 429', async () => {
			const times: number[] = [];
			hosts['/0'] = (response) => {
				times.push(Date.now());
				refuse(429)(response);
			};
			const { error } = await withoutWaiting(async () => await run(byLink('/0')));
			const seconds = times.slice(1).map((at, index) => Math.floor((at - times[index]) / 1000));
			expect([codeOf(error), seconds]).toEqual([
				'file.status.429',
				[1, 2, 4, 8, 16, 32, 60, 60, 60],
			]);
		});
	});

	it('requests a file three times from a failing host, whatever its Retry-After', async () => {
		hosts['/0'] = (response) => void response.writeHead(503, { 'retry-after': '1' }).end();
		const { error } = await withoutWaiting(async () => await run(byLink('/0')));
		expect([codeOf(error), requestsByPath['/0']]).toEqual(['file.status.503', 3]);
	});

	it('a request that timed out at its host (408) is repeated, as other reads are', async () => {
		hosts['/0'] = (response) => (requestsByPath['/0'] === 1 ? refuse(408) : send('a'))(response);
		const { items } = await withoutWaiting(async () => await run(byLink('/0')));
		expect([items[0]?.binary?.data.data, requestsByPath['/0']]).toEqual(['YQ==', 2]);
	});

	describe('are not mistaken for what else a host sends', () => {
		const answer =
			(status: number, type: string, body = '') =>
			(response: ServerResponse) =>
				void response.writeHead(status, { 'content-type': type }).end(body);
		const page = '<title>Sign in</title>';

		it.each<[string, (response: ServerResponse) => void, string]>([
			['a page', answer(200, 'text/html; charset=utf-8', page), 'file.instead'],
			['an error', answer(200, 'application/json', '{"error":"Link expired"}'), 'file.instead'],
			['a problem', answer(200, 'application/problem+json', '{}'), 'file.instead'],
			['XML', answer(200, 'application/xml', '<Error/>'), 'file.instead'],
			['nothing', answer(200, 'application/pdf'), 'file.instead'],
			['204', answer(204, 'application/pdf'), 'file.status.204'],
			['a part', answer(206, 'application/pdf', '%PDF'), 'file.status.206'],
		])('%s', async (_what, host, code) => {
			hosts = { '/a.pdf': host };
			const { items, error } = await run();
			expect([items, codeOf(error), error?.context]).toEqual([
				[],
				code,
				expect.objectContaining({ fileId: '70', documentId: '1' }),
			]);
			const alone = await run(byLink('/a.pdf'));
			expect(codeOf(alone.error)).toBe(code);
		});

		it('a page behind a redirect', async () => {
			hosts = {
				'/a': (response) => void response.writeHead(302, { location: '/sign-in' }).end(),
				'/sign-in': answer(200, 'text/html', page),
			};
			const { items } = await run({}, { onError: 'continueErrorOutput' });
			expect(items).toEqual([]);
		});

		it('a packed file that is cut', async () => {
			const packed = gzipSync(Buffer.from(PERSON.repeat(300)));
			let encodings: unknown;
			hosts['/a'] = (response) => {
				encodings = response.req.headers['accept-encoding'];
				const isPacked = String(encodings).includes('gzip');
				if (isPacked) response.setHeader('content-encoding', 'gzip');
				response.end(isPacked ? packed.subarray(0, packed.length / 2) : 'whole');
			};
			const { items } = await run();
			expect([items[0]?.binary?.data.data, encodings]).toEqual(['d2hvbGU=', 'identity']);
		});
	});

	it.each([
		[
			'/Identificaci%C3%B3n%20oficial.pdf',
			undefined,
			'Identificación oficial.pdf',
			'application/pdf',
		],
		['/9f3c', `attachment; filename="INE.png"`, 'INE.png', 'image/png'],
		['/9f3c', `attachment; filename=x.csv; filename*=UTF-8''A%C3%B1o.csv`, 'Año.csv', 'text/csv'],
		['/a%2Fb%5C..', undefined, 'a_b_..', 'application/octet-stream'],
		['/100%', undefined, '100%', 'application/octet-stream'],
	])('by a link are called as their host says: %s, %s', async (path, header, name, mimeType) => {
		hosts[path] = (response) => {
			if (header) response.setHeader('content-disposition', header);
			response.setHeader('content-type', 'binary/octet-stream').end('a');
		};
		const { items } = await run(byLink(`${path}?X-Amz=1`));
		expect(items.map(({ binary }) => binary?.data)).toEqual([
			expect.objectContaining({ fileName: name, mimeType }),
		]);
	});

	it.each([
		['application/PDF;charset=binary', '/9f3c', 'application/pdf', 'pdf'],
		['pdf', '/INE.png', 'image/png', 'png'],
		['text/html charset=utf-8', '/page', 'text/html', 'html'],
		['', '/9f3c', 'application/octet-stream', 'bin'],
	])(
		'of the type %j at %s have a type that n8n can show',
		async (type, path, mimeType, fileExtension) => {
			hosts[path] = (response) => void response.setHeader('content-type', type).end('a');
			const { items } = await run(byLink(path));
			expect(items.map(({ binary }) => binary?.data)).toEqual([
				expect.objectContaining({ mimeType, fileExtension }),
			]);
		},
	);

	it('of several people are told apart by the ID of their document, though they have one name', async () => {
		hosts = { '/a': send('a'), '/b': send('b') };
		const documentOf = (id: number, path: string) => ({
			id,
			files: [
				{ id: id + 60, url: server.url + path, originalFilename: 'INE.pdf', filetype: 'pdf' },
			],
		});
		const { items } = await run(
			{ filesFrom: 'incoming' },
			{ items: [documentOf(9, '/a'), documentOf(10, '/b')] },
		);
		const names = items.map(({ binary }) => binary?.data.fileName);
		expect(names).toEqual(['9-INE.pdf', '10-INE.pdf']);
	});

	it('without a name and a format are called by their label alone', async () => {
		hosts['/a'] = send('a');
		const association = { id: 1, url: `${server.url}/a`, filelabel: 'INE' };
		const document = { id: 9, files: [association] };
		const { items } = await run({ filesFrom: 'incoming' }, { items: [document] });
		expect(items.map(({ binary }) => binary?.data.fileName)).toEqual(['9-INE']);
	});

	describe.each(['masked', 'pseudonym'])('with Personal Data %s', (personalData) => {
		const options = { personalData };

		it('are called by their ID and type, in errors, too', async () => {
			hosts = { '/a': send('a'), '/b': refuse(404) };
			const { items } = await run({ options }, { onError: 'continueRegularOutput' });
			expect(items.map(({ binary }) => binary?.data.fileName)).toEqual([
				'1-file-70.pdf',
				undefined,
			]);
			expect(items[1].json.error).toContain('"file-71.pdf"');
			expect(JSON.stringify(items)).not.toMatch(/JUAN|PEREZ|GODE561231GR8/);
		});

		it.each([
			['/JUAN%20PEREZ.pdf', 'file.pdf'],
			['/GODE561231GR8', 'file'],
		])('that come by a link, too: %s', async (path, fileName) => {
			hosts = { [path]: send('a') };
			const { items } = await run({ ...byLink(path), options });
			expect(items.map(({ binary }) => binary?.data.fileName)).toEqual([fileName]);
		});
	});

	describe('of a host that is slow', () => {
		const link = (path: string, timeout: number) => ({ ...byLink(path), options: { timeout } });

		it('are given up where nothing comes for the Timeout, before an answer', async () => {
			hosts = { '/never': () => {} };
			const { error } = await run(link('/never', 0.5));
			expect(codeOf(error)).toBe('file.silent');
		});

		it('are given up where nothing comes for the Timeout, within the file', async () => {
			const closed: Array<Promise<unknown>> = [];
			hosts = {
				'/stops': (response) => {
					closed.push(once(response, 'close'));
					response.writeHead(200, { 'content-length': 1000 }).write('some of it');
				},
			};
			const { error } = await run(link('/stops', 0.5));
			expect(codeOf(error)).toBe('file.silent');
			await Promise.all(closed); // the connections were not left open
		});

		it('come whole where they take longer than the Timeout, but never stop', async () => {
			hosts = {
				'/slow': (response) => {
					let left = 12;
					const more = setInterval(() => {
						response.write('x');
						if (--left > 0) return;
						clearInterval(more);
						response.end();
					}, 250);
				},
			};
			const { items, error } = await run(link('/slow', 2));
			expect([error?.message, items[0]?.binary?.data.data]).toEqual([
				undefined,
				Buffer.from('x'.repeat(12)).toString('base64'),
			]);
		});

		it('are not waited for once the execution is cancelled', async () => {
			let cancel = () => {};
			hosts = { '/never': () => cancel() };
			const onStart = (how: () => void) => void (cancel = how);
			await run(link('/never', 3600), { onStart });
			expect(requestsByPath).toEqual({ '/never': 1 });
		});
	});

	describe('of incoming documents', () => {
		const incoming = async (items: IDataObject[], parameters: INodeParameters = {}) =>
			await run({ filesFrom: 'incoming', ...parameters }, { items });
		const ine = () => file('/ine', 0);
		const other = { id: 3, association: { url: 'x' } };
		beforeEach(() => (hosts = { '/ine': send('INE'), '/id': send('ID') }));

		it.each<[string, () => IDataObject]>([
			[
				'a document as it came',
				() => ({
					...{ id: 9, externalId: 'E-9' },
					associations: [
						{ type: 'Files', association: ine() },
						{ type: 'Forms', ...other },
					],
				}),
			],
			[
				'a simplified document',
				() => ({ id: 9, externalId: 'E-9', files: [ine()], forms: [other] }),
			],
			[
				'a separate association',
				() => ({ associationType: 'Files', ...ine(), documentId: 9, documentExternalId: 'E-9' }),
			],
			[
				'a separate association as it came',
				() => ({
					...{ type: 'Files', association: ine() },
					...{ id: 9, documentId: 9, documentExternalId: 'E-9' },
				}),
			],
		])(
			'downloads files of incoming documents from %s, without other requests',
			async (_what, row) => {
				const { items, error } = await incoming([row()]);
				expect([error, items.map(({ json }) => json), requestsByPath]).toEqual([
					undefined,
					[expect.objectContaining({ id: 70, documentId: 9 })],
					{ '/ine': 1 },
				]);
				expect(JSON.stringify(items[0].json)).not.toContain('http');
			},
		);

		it('give nothing for a form, or for a document without files', async () => {
			const { items, error } = await incoming([
				{ associationType: 'Forms', ...ine() },
				{ id: 9, files: [] },
			]);
			expect([error, items]).toEqual([undefined, []]);
		});

		it('are an error where the item holds no associations', async () => {
			const { error } = await incoming([{ id: 9 }]);
			expect(codeOf(error)).toBe('noAssociations');
		});

		it('come with all their fields, Simplify off', async () => {
			const { items } = await incoming([{ id: 9, files: [ine()] }], {
				options: { simplify: false },
			});
			expect(items[0].json).toMatchObject({ ...ine(), documentId: 9 });
		});
	});

	it('hints once at a collection that several items name', async () => {
		const { hints } = await run({}, { items: [{}, {}, {}] });
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringContaining('more than once: 1.'),
		]);
	});

	it.each<[string, INodeParameters, IDataObject[], string[]]>([
		['of one document in several items', {}, [1, 1, 2].map((id) => ({ files: [{ id }] })), ['1']],
		['of different documents', {}, [{ files: [{ id: 1 }, { id: 1 }] }, { files: [{ id: 2 }] }], []],
		[
			'by links',
			{ filesFrom: 'link', fileUrl: '={{ $json.url }}' },
			['ftp://a', 'ftp://b', 'ftp://a', 'ftp://b'].map((url) => ({ url })),
			['2'],
		],
	])('hints at files that several items download: %s', async (_what, parameters, items, text) => {
		const { hints } = await run(
			{ filesFrom: 'incoming', ...parameters },
			{ items, onError: 'continueRegularOutput' },
		);
		expect(hints.map(({ message }) => /: (\d)\./.exec(message)?.[1])).toEqual(text);
	});

	it('are those of the incoming documents unless another source is chosen', () => {
		const { properties } = packageNodesByType.creditProfile.description;
		const field = properties.find(({ name }) => name === 'filesFrom');
		expect(field?.default).toBe('incoming');
	});
});

describe('the option Timeout (Seconds)', () => {
	const at = async (timeout: number, type: 'creditProfile' | 'taxQuery' = 'creditProfile') => {
		let requests = 0;
		const { url: baseUrl, close } = await serve((_request, response) => {
			requests++;
			respondJson(response, []);
		});
		const { error } = await runNodeInEngine({
			type,
			parameters: {
				...(type === 'creditProfile'
					? { resource: 'providerLogin', operation: 'getAll' }
					: { resource: 'query', operation: 'getAll' }),
				options: { timeout },
			},
			credentials: {
				creditProfileApi: { baseUrl, apiToken: 'token-1', pointsPerSecond: 0 },
				taxQueryApi: { baseUrl, grant: 'accessToken', accessToken: 't-1', pointsPerSecond: 0 },
			},
		});
		await close();
		return { reported: error && [codeOf(error), error.context?.field], requests };
	};

	it.each([16.1, 64.1, 33.33333, 86_400])('may be %d', async (timeout) => {
		expect(await at(timeout)).toEqual({ reported: undefined, requests: 1 });
	});

	it.each([86_401, 2_147_484, 4_294_969, 1e300])(
		'is refused by its name if it is %d, before a request',
		async (timeout) => {
			for (const type of ['creditProfile', 'taxQuery'] as const) {
				expect(await at(timeout, type)).toEqual({
					reported: ['field.number', 'Timeout (Seconds)'],
					requests: 0,
				});
			}
		},
	);
});

describe('files of documents', () => {
	const collection = { __rl: true, mode: 'id', value: LOANS_COLLECTION_ID };
	const download = {
		resource: 'dataDocument',
		operation: 'downloadFiles',
		filesFrom: 'collection',
		collection,
	};
	const link = (fileUrl: string, options: INodeParameters = {}) => ({
		...download,
		filesFrom: 'link',
		fileUrl,
		options,
	});
	/** Tests keep binary data in memory. */
	const contentOf = ({ binary }: INodeExecutionData) =>
		Buffer.from(binary?.data.data ?? '', 'base64').toString();

	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0 });
	const run = createSandboxNodeRunner(sandbox);

	describe('downloaded', () => {
		it('are those of the documents, each with name, type and whose it is', async () => {
			const { items, error } = await run({ ...download, limit: 20 });
			expect(error).toBeUndefined();
			expect(items.length).toBe(5); // every fourth document has one
			for (const { json, binary } of items) {
				expect(binary?.data).toMatchObject({
					fileName: `${String(json.documentId)}-${String(json.originalFilename)}`,
					mimeType: expect.stringContaining(String(json.filetype)),
				});
				expect(json).toEqual(expect.objectContaining({ documentId: expect.any(Number) }));
				expect(json).not.toHaveProperty('url');
			}
			expect(contentOf(items[0])).toMatch(/^%PDF-1.4/);
		});

		it('are none of a collection without documents', async () => {
			const { items } = await run({
				...download,
				collection: { ...collection, value: EMPTY_COLLECTION_ID },
			});
			expect(items).toEqual([]);
		});

		it('come from where Offset says', async () => {
			const { items } = await run({ ...download, limit: 10, options: { offset: 4 } });
			const all = await run({ ...download, limit: 14 });
			expect(items.map(({ json }) => json.id)).toEqual(
				all.items.slice(1).map(({ json }) => json.id),
			);
		});

		it('are those of the newest documents, by Order and Limit in one node', async () => {
			const newest = { order: '-document.createdAt' };
			const { items } = await run({ ...download, limit: 20, options: newest });
			const all = await run({ ...download, returnAll: true });
			const documents = all.items.map(({ json }) => json.id).reverse();
			expect(items.map(({ json }) => json.id)).toEqual(documents.slice(0, items.length));
			const [{ query }] = await sandbox.requests(
				`/api/v1/data/collection/${LOANS_COLLECTION_ID}/document`,
			);
			expect([items.length, query]).toEqual([5, expect.objectContaining(newest)]);
		});

		it('reports an expired link as expired', async () => {
			const ended = `${sandbox.page}sandbox/files/download/firma.png?expires=1`;
			const { error } = await run(link(ended));
			expect(codeOf(error)).toBe('file.status.403');
		});

		it('returns a row for a document without file associations', async () => {
			const associations = [{ type: 'Files', association: null }, null];
			const documents = [{ id: 7, document: {}, associations }];
			await sandbox.faults({
				path: `/api/v1/data/collection/${LOANS_COLLECTION_ID}/document`,
				fault: { status: 200, body: { total: 1, documents } },
			});
			const { items, error } = await run({ ...download, limit: 1 });
			expect([error, items.map(({ json }) => json)]).toEqual([
				undefined,
				[
					{
						associationType: 'Files',
						documentId: 7,
						problem: expect.any(String),
					},
				],
			]);
		});

		it.each(['file:///etc/passwd', 'not a link', 'ftp://127.0.0.1/x'])('not by %s', async (url) => {
			const { error } = await run(link(url));
			expect(codeOf(error)).toBe('file.link');
		});
	});

	describe('of another host', () => {
		let headers: IDataObject[];
		/** A body is a megabyte and a half, with or without a length. */
		let answers: Array<'withLength' | 'withoutLength' | 'broken' | 401 | 403 | 404 | 503>;
		const body = Buffer.alloc(1_500_000, 'x');
		const server = serverForTestGroup((request, response) => {
			headers.push(request.headers as IDataObject);
			const answer = answers.shift() ?? 'withLength';
			if (typeof answer === 'number') response.writeHead(answer).end();
			else if (answer === 'broken') {
				response.writeHead(200, { 'content-length': body.length });
				response.write(body.subarray(0, 1000), () => response.destroy());
			} else {
				const length = answer === 'withLength' ? { 'content-length': body.length } : {};
				response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', ...length });
				response.end(body);
			}
		});
		beforeEach(() => {
			headers = [];
			answers = [];
		});
		const url = () => `${server.url}/a/ine.txt?sig=secret-1`;

		it('are fetched without our token', async () => {
			const { items } = await run(link(url()));
			expect({ ...items[0].binary?.data, data: contentOf(items[0]).length }).toMatchObject({
				fileName: 'ine.txt',
				mimeType: 'text/plain',
				data: body.length,
			});
			expect(headers.map(({ authorization }) => authorization)).toEqual([undefined]);
		});

		it.each([401, 403, 404] as const)('that answers %i are not fetched with it', async (status) => {
			answers = [status];
			const { error } = await run(link(url()));
			expect(codeOf(error)).toBe(`file.status.${status}`);
			expect(headers.map(({ authorization }) => authorization)).toEqual([undefined]);
		});

		it.each(['withLength', 'withoutLength'] as const)(
			'are refused if too large, their length %s',
			async (how) => {
				answers = [how];
				const { error } = await run(link(url(), { maxFileSize: 1 }));
				expect(codeOf(error)).toBe('file.tooLarge');
			},
		);

		it('are fetched again after a fault that passes', async () => {
			answers = [503, 'broken', 'withLength'];
			const { items } = await run(link(url()));
			expect([contentOf(items[0]).length, headers.length]).toEqual([body.length, 3]);
		});

		it('gives up after three faults without revealing the link', async () => {
			answers = ['broken', 'broken', 'broken'];
			const { error } = await run(link(url()), { secrets: [] });
			expect(codeOf(error)).toBe('file.network');
			expect(JSON.stringify({ ...error, message: error?.message })).not.toContain('secret-1');
		});
	});

	describe('as Output: File', () => {
		const list = async (parameters: INodeParameters) => {
			const base = { resource: 'dataDocument', operation: 'getAll', collection, output: 'file' };
			const { items, error } = await run({ ...base, returnAll: true, ...parameters });
			if (error) throw error;
			return items[0];
		};
		const asItems = async (parameters: INodeParameters) =>
			(
				await run({
					resource: 'dataDocument',
					operation: 'getAll',
					collection,
					returnAll: true,
					...parameters,
				})
			).items.map(({ json }) => json);

		it.each([{ options: { simplify: true } }, { options: { simplify: false } }])(
			'NDJSON holds what the items would: %j',
			async (parameters) => {
				const file = await list({ ...parameters, fileFormat: 'ndjson' });
				const rows = contentOf(file).trim().split('\n').map((line) => JSON.parse(line) as object);
				expect({ json: file.json, rows, name: file.binary?.data.fileName }).toEqual({
					json: { rows: 40, collectionId: LOANS_COLLECTION_ID },
					rows: await asItems(parameters),
					name: 'solicitudes-de-credito.ndjson',
				});
			},
		); // prettier-ignore

		it('is a CSV, where nothing else is chosen', async () => {
			expect((await list({})).binary?.data.fileName).toBe('solicitudes-de-credito.csv');
		});

		const atMost = (count: number) => expect.stringContaining(` ${count} `) as string;
		it.each<[string, INodeParameters, string[]]>([
			['ends at the Limit', { limit: 10 }, [atMost(10)]],
			[
				'ends at the Limit, however many associations it holds',
				{ limit: 12, output: 'associationsFile' },
				[atMost(12)],
			],
			['holds fewer than the Limit', { limit: 41 }, []],
			['holds all', { returnAll: true }, []],
		])('says whether the file %s', async (_what, parameters, text) => {
			const base = { resource: 'dataDocument', operation: 'getAll', collection, output: 'file' };
			const { hints } = await run({ ...base, returnAll: false, ...parameters });
			expect(hints.map(({ message }) => message)).toEqual(text);
		});

		it('CSV has a column for each field, and a line for each document', async () => {
			const file = await list({ fileFormat: 'csv', limit: 10, returnAll: false });
			const [header, first] = contentOf(file).split('\r\n');
			const [item] = await asItems({ limit: 10, returnAll: false });
			expect(header).toContain('nombre,primerApellido,segundoApellido,rfc,curp,correo');
			expect(first).toContain(String(item.rfc));
			expect(contentOf(file).trimEnd().split('\r\n').length).toBe(11);
		});

		it.each([
			['csv', '\uFEFF'],
			['csvPlain', 'n'],
		])('%s begins with a byte order mark, unless it is chosen without', async (fileFormat, sign) =>
			expect(contentOf(await list({ fileFormat }))[0]).toBe(sign),
		);

		it('CSV has no column that is empty', async () => {
			const lines = contentOf(await list({ fileFormat: 'csv' }))
				.trim()
				.split('\r\n');
			expect(lines[0]).not.toMatch(/profiles|forms|files|other/);
		});

		it.each([
			[true, /^\uFEFFassociationType,name,.*,id,documentId$/, 'Profiles,'],
			[
				false,
				/^\uFEFFtype,association,document,.*,tags,.*,documentExternalId,documentId$/,
				'Profiles,"{""',
			],
		])('CSV of separate associations has their columns, Simplify %s', async (...row) => {
			const [simplify, columns, start] = row;
			const output = 'associationsFile';
			const file = await list({ output, fileFormat: 'csv', options: { simplify } });
			const [header, first] = contentOf(file).split('\r\n');
			expect(header).toMatch(columns);
			expect(first.startsWith(start)).toBe(true);
		});

		it('is written masked, if personal data is to be', async () => {
			const file = await list({ fileFormat: 'ndjson', options: { personalData: 'masked' } });
			expect(contentOf(file)).not.toMatch(/[A-Z]{4}\d{6}[A-Z0-9]{3}/);
		});
	});
});
