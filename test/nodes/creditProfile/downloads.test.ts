import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { withoutWaiting } from '../../support/clock';
import { codeOf } from '../../support/errorCode';
import {
	packageNodesByType,
	runNodeInEngine,
	type NodeRunOptions,
} from '../../support/runNodeInEngine';
import { respondJson, serve, serverForTestGroup } from '../../support/testServer';
import { LOANS_COLLECTION_ID } from './support';

const PERSON = 'JUAN PEREZ GODE561231GR8';

describe('the files of a collection', () => {
	/** Counts the requests of each path. */
	let sentRequests: Record<string, number>;
	/** In the addresses of its files: where a run ends by an error, some are still on their way when the next test begins. */
	let round = 0;
	/** Files by path; a list of documents is answered beside them. */
	let hosts: Record<string, (response: ServerResponse) => void>;
	/** Defines what the associations are called, if not Files. */
	let types: string[];
	const send = (content: string) => (response: ServerResponse) => void response.end(content);
	const refuse = (status: number) => (response: ServerResponse) =>
		void response.writeHead(status).end();

	const server = serverForTestGroup((request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
		if (![null, String(round)].includes(searchParams.get('round'))) return refuse(410)(response);
		sentRequests[pathname] = (sentRequests[pathname] ?? 0) + 1;
		if (!pathname.endsWith('/document')) return (hosts[pathname] ?? refuse(410))(response);
		const documents = Object.keys(hosts).map((path, index) => ({
			...{ id: index + 1, document: {} },
			associations: [{ type: types[index] ?? 'Files', association: file(path, index) }],
		}));
		respondJson(response, { total: documents.length, documents });
	});
	beforeEach(() => {
		round++;
		sentRequests = {};
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
				[70, `${PERSON} a.pdf`],
				[72, `${PERSON} c.pdf`],
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
			expect([items[0]?.binary?.data.data, sentRequests['/0']]).toEqual(['YQ==', 2]);
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
		expect([codeOf(error), sentRequests['/0']]).toEqual(['file.status.503', 3]);
	});

	it('a request that timed out at its host (408) is repeated, as other reads are', async () => {
		hosts['/0'] = (response) => (sentRequests['/0'] === 1 ? refuse(408) : send('a'))(response);
		const { items } = await withoutWaiting(async () => await run(byLink('/0')));
		expect([items[0]?.binary?.data.data, sentRequests['/0']]).toEqual(['YQ==', 2]);
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

	it('without a name and a format are called by their label alone', async () => {
		hosts['/a'] = send('a');
		const association = { id: 1, url: `${server.url}/a`, filelabel: 'INE' };
		const document = { id: 9, files: [association] };
		const { items } = await run({ filesFrom: 'incoming' }, { items: [document] });
		expect(items.map(({ binary }) => binary?.data.fileName)).toEqual(['INE']);
	});

	describe.each(['masked', 'pseudonym'])('with Personal Data %s', (personalData) => {
		const options = { personalData };

		it('are called by their ID and type, in errors, too', async () => {
			hosts = { '/a': send('a'), '/b': refuse(404) };
			const { items } = await run({ options }, { onError: 'continueRegularOutput' });
			expect(items.map(({ binary }) => binary?.data.fileName)).toEqual(['file-70.pdf', undefined]);
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
			expect(sentRequests).toEqual({ '/never': 1 });
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
				expect([error, items.map(({ json }) => json), sentRequests]).toEqual([
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
