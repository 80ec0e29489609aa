import Fastify, { type FastifyInstance } from 'fastify';
import type {
	DataDocument,
	DocumentsPage,
	AllTagsResponse,
	CollectionVersionsPage,
} from '../../../contract/creditProfile';
import type { QueryRecord } from '../../../contract/taxQuery';
import {
	sharedSandboxWithClients,
	withSandboxClients,
	type SandboxWithClients,
} from '../support/clients';

const LARGEST = 2;
const OF_COMPANIES = 3;
const DOCUMENTS = 12_000;
const PAGE = 100;
const DAY_MS = 86_400_000;

const bench = sharedSandboxWithClients();

const pageOf = async (
	id: number,
	params: object = {},
	{ creditProfile }: SandboxWithClients = bench,
) => (await creditProfile.get<DocumentsPage>(`/data/collection/${id}/document`, { params })).data;
const read = async (params: object) => (await pageOf(LARGEST, params)).documents;

/** Validates by a JSON Schema, with the validator that Fastify brings. Returns 'valid' or the error. */
async function validate(schema: unknown, documents: unknown[]): Promise<string> {
	const app: FastifyInstance = Fastify({
		bodyLimit: 2 ** 30,
		ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
	});
	app.post('/', { schema: { body: { type: 'array', items: schema } } }, async () => 'valid');
	const { payload } = await app.inject({ method: 'POST', url: '/', payload: documents });
	await app.close();
	return payload;
}

describe('the documents of the largest collection', () => {
	let documents: DataDocument[];

	beforeAll(async () => {
		const pages = [];
		for (let offset = 0; offset < DOCUMENTS; offset += PAGE) {
			pages.push(await read({ limit: PAGE, offset }));
		}
		documents = pages.flat();
	});

	it('limit and offset page through 12,000 documents with no duplicate and no gap', async () => {
		const { documents: none, total } = await pageOf(LARGEST, { offset: DOCUMENTS });
		const ids = new Set(documents.map(({ id }) => id));
		expect([documents.length, ids.size, total, none]).toEqual([
			...[DOCUMENTS, DOCUMENTS, DOCUMENTS, []],
		]);
		expect(await read({ limit: 10, offset: 7_775 })).toEqual(documents.slice(7_775, 7_785));
	});

	it('each document is valid by the schema of the version that it names', async () => {
		const path = `/data/collection/${LARGEST}/versions`;
		const { data: versions } = (await bench.creditProfile.get<CollectionVersionsPage>(path)).data;
		for (const { id, schema } of versions) {
			const own = documents.filter(({ dataCollectionVersionId: version }) => version === id);
			expect(own.length).toBeGreaterThan(1000);
			const contents = own.map(({ document }) => document);
			expect(await validate(schema, contents)).toBe('valid');
		}
	});

	it('documents come oldest first, each at its own instant, or newest first', async () => {
		const instants = documents.map(({ createdAt }) => createdAt ?? '');
		expect(instants).toEqual([...new Set(instants)].sort());
		const newest = await read({ order: '-document.createdAt' });
		expect(newest).toEqual(documents.slice(-50).reverse());
	});

	it('documents are about people with accents and Ñ in their names', () => {
		const names = JSON.stringify(documents.map(({ document }) => document?.primerApellido));
		expect([...'áéíóúñ'].filter((letter) => !names.includes(letter))).toEqual([]);
	});

	it('the query service knows the people of documents by the same name', async () => {
		const { nombre, primerApellido, curp, rfc } = documents[4_321].document ?? {};
		const { data } = await bench.taxQuery.post<QueryRecord>('/query/curp-data', { curp });
		const { response } = data;
		expect(response).toMatchObject({ curp, rfc });
		expect([response.nombre, response.apellidoPaterno]).toEqual(
			[nombre, primerApellido].map((name) => String(name).toUpperCase()),
		);
	});

	it('the tags of documents are those that the documents carry (CP §4.7)', async () => {
		const { count, data } = (await bench.creditProfile.get<AllTagsResponse>('/data/document/tags'))
			.data;
		const tags = new Set(documents.flatMap((document) => document.tags));
		expect([new Set(data), count]).toEqual([tags, tags.size]);
	});
});

it('documents have no associations unless they are requested', async () => {
	expect((await read({}))[0]).not.toHaveProperty('associations');
});

it.each([
	['includeProfileAssociation', 'Profiles'],
	['includeFormAssociation', 'Forms'],
	['includeFileAssociation', 'Files'],
])('%s includes associations of type %s alone', async (flag, type) => {
	const associations = (await read({ [flag]: true })).flatMap((one) => one.associations);
	expect(associations.length).toBeGreaterThan(5);
	expect(new Set(associations.map((one) => one?.type))).toEqual(new Set([type]));
	expect(associations.every((one) => one?.association)).toBe(true);
});

it('includeDataDocumentAssociations lists the other associations with null', async () => {
	const params = { includeDataDocumentAssociations: true, includeFormAssociation: true };
	expect((await read(params))[0].associations).toEqual([
		{ type: 'Profiles', association: null },
		{ type: 'Forms', association: expect.objectContaining({ accountType: 'PF' }) as object },
		{ type: 'Files', association: null },
	]);
});

it('a profile describes the person of its document, or the company', async () => {
	const params = { includeProfileAssociation: true };
	const [{ document, associations }] = await read(params);
	expect(associations?.[0].association).toMatchObject({
		rfc: document?.rfc as string,
		curp: document?.curp as string,
		firstLastName: document?.primerApellido as string,
	});
	const { documents } = await pageOf(OF_COMPANIES, params);
	expect(documents[0].associations?.[0].association).toMatchObject({
		accountType: 'PM',
		rfc: documents[0].document?.rfcEmpresa as string,
	});
});

it('some people live abroad, and some have no country or zip code', async () => {
	const params = { limit: 100, includeProfileAssociation: true, includeFormAssociation: true };
	const documents = [await read(params), await read({ ...params, offset: 100 })].flat();
	const associationsOf = (wanted: 'Profiles' | 'Forms') =>
		documents
			.flatMap(({ associations = [] }) => associations)
			.flatMap((one) => (one.type === wanted ? [one.association] : []));
	for (const people of [associationsOf('Profiles'), associationsOf('Forms')]) {
		const countries = people.map((person) => person?.country);
		expect(countries).toEqual(expect.arrayContaining(['MX', 'US', 'ES', 'DE', 'FR', null]));
		const nationalities = people.map((person) => person?.nationality);
		expect(nationalities).toEqual(expect.arrayContaining(['MX', null]));
		expect(new Set(nationalities).size).toBeGreaterThan(2);
	}
	expect(associationsOf('Profiles').map((profile) => profile?.zipCode)).toContain('');
	expect(associationsOf('Forms').map((form) => form?.zipCode)).toContain(null);
});

/** How the content of each type of file begins. */
const beginnings: Record<string, string> = {
	...{ pdf: '%PDF-', jpeg: '\xff\xd8\xff', png: '\x89PNG', csv: 'fecha,', json: '{' },
};
const filesOf = async (own: SandboxWithClients) =>
	(await pageOf(LARGEST, { includeFileAssociation: true }, own)).documents.flatMap(
		({ associations = [] }) =>
			associations.flatMap((one) => (one.type === 'Files' && one.association) || []),
	);

it('files are downloaded from their URL, with the size and type of their association', async () => {
	const files = await filesOf(bench);
	for (const { url, size, filetype = '' } of files) {
		const { data } = await bench.anyone.get<Buffer>(url ?? '', { responseType: 'arraybuffer' });
		expect(data).toHaveLength(size ?? -1);
		expect(data.toString('latin1').startsWith(beginnings[filetype])).toBe(true);
	}
	expect(new Set(files.map(({ filetype }) => filetype))).toEqual(new Set(Object.keys(beginnings)));
});

it.each([0, 7 * DAY_MS, -7 * DAY_MS])(
	"a file's URL expires after 24 hours of the sandbox's clock (%i ms ahead)",
	async (clockSkew) => {
		await withSandboxClients({ clockSkew, documents: 10 }, async (own) => {
			const [{ url }] = await filesOf(own);
			const statuses = [];
			for (const advance of [0, DAY_MS - 60_000, 60_001]) {
				await own.control.post('/clock', { advance });
				statuses.push((await own.anyone.get(url ?? '')).status);
			}
			expect(statuses).toEqual([200, 200, 403]);
		});
	},
);
