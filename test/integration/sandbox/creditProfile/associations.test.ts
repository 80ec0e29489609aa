import type { DocumentsPage, TagList } from '../../../../contract/creditProfile';
import { benchForTests, startBench } from '../support/creditProfile';

const LARGEST = 2;
const DAY_MS = 86_400_000;

const bench = benchForTests();

const get = async <T>(path: string, params: object = {}): Promise<T> =>
	(await bench.service.get<T>(path, { params })).data;
const documentsOf = (id: number, params: object = {}) =>
	get<DocumentsPage>(`/data/collection/${id}/document`, params);

describe('associations of documents (CP §4.8)', () => {
	const readPage = async (offset: number) =>
		await read({
			limit: 100,
			offset,
			includeProfileAssociation: true,
			includeFormAssociation: true,
		});
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

	it('lists associations with null for those not requested', async () => {
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

	it('associations describe the person of the document', async () => {
		const [{ document, associations }] = await read({ includeProfileAssociation: true });
		expect(associations?.[0].association).toMatchObject({
			rfc: document?.rfc as string,
			curp: document?.curp as string,
			firstLastName: document?.primerApellido as string,
		});
	});

	it('some associations are of people abroad, or without country or zip code', async () => {
		const documents = (await Promise.all([0, 100].map(readPage))).flat();
		const text = documents.flatMap(({ associations = [] }) =>
			associations.flatMap((one) => (one.type === 'Files' ? [] : [one])),
		);
		const of = (type: string) =>
			text.flatMap((one) => (one.type === type ? [one.association] : []));
		for (const people of [of('Profiles'), of('Forms')]) {
			const countries = new Set(people.map((person) => person?.country));
			expect([...countries]).toEqual(expect.arrayContaining(['MX', 'US', 'ES', 'DE', 'FR', null]));
			const nationalities = new Set(people.map((person) => person?.nationality));
			expect([...nationalities]).toEqual(expect.arrayContaining(['MX', null]));
			expect(nationalities.size).toBeGreaterThan(2);
		}
		expect(of('Profiles').map((person) => person?.zipCode)).toContain('');
		expect(of('Forms').map((person) => person?.zipCode)).toContain(null);
	});

	it('are of companies where the collection is of companies', async () => {
		const { documents } = await documentsOf(3, { includeProfileAssociation: true });
		expect(documents[0].associations?.[0].association).toMatchObject({ accountType: 'PM' });
	});
});

describe('the files of documents (CP §2.10)', () => {
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

	it.each([0, 7 * DAY_MS, -7 * DAY_MS])(
		'expire after 24 hours of the sandbox clock, which is %i ms ahead of this one',
		async (clockSkew) => {
			const { anyone, service, sandbox } = await startBench({ clockSkew, documents: 10 });
			const { data } = await service.get<DocumentsPage>(`/data/collection/${LARGEST}/document`, {
				params: { includeFileAssociation: true },
			});
			const [first] = data.documents[0].associations ?? [];
			const url = first.type === 'Files' ? (first.association?.url ?? '') : '';
			const statuses = [];
			for (const advance of [0, DAY_MS - 60_000, 60_001]) {
				await anyone.post('/sandbox/clock', { advance });
				statuses.push((await anyone.get(url)).status);
			}
			await sandbox.close();
			expect(statuses).toEqual([200, 200, 403]);
		},
	);
});

describe('the tags of documents (CP §4.7)', () => {
	it('are those that the documents carry', async () => {
		const { documents } = await documentsOf(LARGEST);
		const { data } = await get<TagList>('/data/document/tags');
		expect(new Set(data)).toEqual(new Set(documents.flatMap(({ tags }) => tags)));
	});
});
