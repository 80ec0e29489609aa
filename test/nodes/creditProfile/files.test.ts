import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { codeOf } from '../../support/errorCode';
import { startSandboxWithHelpers } from '../../support/sandbox';
import { EMPTY_COLLECTION_ID, LOANS_COLLECTION_ID, createSandboxNodeRunner } from './support';
import { serverForTestGroup } from '../../support/testServer';
import { sandboxForTestGroup } from '../../support/sandboxForTestGroup';

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
/** Returns what a file holds; tests keep binary data in memory. */
const contentOf = ({ binary }: INodeExecutionData) =>
	Buffer.from(binary?.data.data ?? '', 'base64').toString();

describe('files of documents', () => {
	const sandbox = sandboxForTestGroup(startSandboxWithHelpers, { rateLimit: 0 });
	const run = createSandboxNodeRunner(sandbox);

	describe('downloaded', () => {
		it('are those of the documents, each with name, type and whose it is', async () => {
			const { items, error } = await run({ ...download, limit: 20 });
			expect(error).toBeUndefined();
			expect(items.length).toBe(5); // every fourth document has one
			for (const { json, binary } of items) {
				expect(binary?.data).toMatchObject({
					fileName: json.originalFilename,
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
		/** Describes the host's response; its body is a megabyte and a half, with or without a length. */
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
