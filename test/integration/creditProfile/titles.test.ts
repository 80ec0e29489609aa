import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { startStubServer } from '../apiVariants/stubServer';
import { runNode } from '../support/runNode';

type Fields = Record<string, string | undefined>;
const schemaOf = (titles: Fields) => ({
	type: 'object',
	properties: Object.fromEntries(
		Object.entries(titles).map(([key, title]) => [key, { type: 'string', title }]),
	),
});

/** Documents of one collection, each with its version, and the titles that the versions have. */
async function documents(
	versions: Record<number, Fields>,
	rows: Array<[version: number, document: unknown, associations?: unknown]>,
	{ options, ...parameters }: INodeParameters & { options?: INodeParameters } = {},
) {
	const data = Object.entries(versions).map(([id, titles]) => ({
		id: Number(id),
		schema: schemaOf(titles),
	}));
	const list = rows.map(([version, document, associations], at) => ({
		...{ id: at + 1, dataCollectionVersionId: version, document, associations },
	}));
	const service = await startStubServer(({ path }) => ({
		body: path.endsWith('/versions')
			? { data, total: data.length }
			: { documents: list, total: list.length },
	}));
	const { items, error } = await runNode({
		type: 'creditProfile',
		parameters: {
			...{ resource: 'dataDocument', operation: 'getAll', returnAll: true },
			collection: { __rl: true, mode: 'id', value: 7 },
			columnNames: 'titles',
			options,
			...parameters,
		},
		credentials: {
			creditProfileApi: {
				...{ baseUrl: service.url, apiToken: 'token-1' },
				pseudonymKey: 'sixteen or more letters',
			},
		},
	});
	await service.close();
	const file = items[0]?.binary?.data.data ?? '';
	return {
		error,
		rows: items.map(({ json }) =>
			Object.fromEntries(Object.entries(json).filter(([key]) => key !== 'id')),
		),
		lines: Buffer.from(file, 'base64').toString().trim().split('\r\n'),
	};
}
const csv = { output: 'file', fileFormat: 'csv' };
const ndjson = { output: 'file', fileFormat: 'ndjson' };

describe('a document whose titles say nothing of what is in it', () => {
	const titles = {
		nombre: '¿Cómo te llamas?',
		telefono: 'Número a diez dígitos',
		domicilio: '¿Dónde vives?',
		rfc: 'Clave fiscal',
		solicitante: '¿Quién lo pide?',
		datos: 'Más',
		nota: undefined,
	};
	const document = {
		nombre: 'Eva Muñoz',
		telefono: '5512345678',
		domicilio: { calle: 'Siempre Viva', pisos: ['Alto 2'], n: { x: 'Roma' } },
		rfc: 'GODE561231GR8',
		solicitante: { tipo: 'PF', curp: 'GODE561231HVZRSN09' },
		datos: [{ correo: 'eva@example.com', monto: 5 }],
		nota: 'RFC GODE561231GR8',
	};
	const get = async (personalData: string, more: INodeParameters = {}) =>
		await documents({ 9: titles }, [[9, document]], { options: { personalData }, ...more });
	const titled = (row: IDataObject) =>
		Object.fromEntries(
			Object.entries(row).map(([key, value]) => [titles[key as 'nombre'] ?? key, value]),
		);
	const STARS = '******';
	const masked = {
		nombre: STARS,
		telefono: STARS,
		domicilio: { calle: STARS, pisos: [STARS], n: { x: STARS } },
		rfc: STARS,
		solicitante: { tipo: STARS, curp: STARS },
		datos: [{ correo: STARS, monto: STARS }],
		nota: STARS,
	};

	it('is masked whole', async () => {
		expect((await get('masked')).rows).toEqual([titled(masked)]);
	});

	it('shows the Fields to Keep', async () => {
		const options = { personalData: 'masked', fieldsToKeep: ['monto', 'rfc'] };
		expect((await get('masked', { options })).rows).toEqual([
			titled({ ...masked, rfc: document.rfc, datos: [{ correo: STARS, monto: 5 }] }),
		]);
	});

	it('is masked whole in a file, too', async () => {
		const { lines } = await get('masked', ndjson);
		expect(lines.map((line) => JSON.parse(line) as object)).toEqual([{ ...titled(masked), id: 1 }]);
		const sheet = (await get('masked', csv)).lines.join('\n');
		expect(sheet).toContain(`${STARS},${STARS},`);
		expect(sheet).not.toMatch(/Eva|5512345678|Siempre|GODE561231/);
	});

	it.each(['masked', 'pseudonym'])('is the same with Simplify on and off: %s', async (mode) => {
		const [{ document: raw }] = (
			await get(mode, { options: { personalData: mode, simplify: false } })
		).rows;
		expect((await get(mode)).rows).toEqual([titled(raw as IDataObject)]);
	});

	it('is as it came where all is to come out', async () => {
		expect((await get('full')).rows).toEqual([titled(document)]);
	});
});

it('pseudonyms of two documents are the same for the same value', async () => {
	const options = { options: { personalData: 'pseudonym' } };
	const document = { campo1: 'Eva Muñoz', campo2: 'GODE561231GR8' };
	const [row] = (await documents({ 9: {} }, [[9, document]], options)).rows;
	const keys = { nombre: document.campo1, rfc: document.campo2 };
	const [other] = (await documents({ 9: {} }, [[9, keys]], options)).rows;
	expect(Object.values(row).slice(0, 2)).toEqual([other.nombre, other.rfc]);
});

it('associations of a masked document are masked', async () => {
	const profile = {
		type: 'Profiles',
		association: { id: 1, firstName: 'Eva', rfc: 'GODE561231GR8' },
	};
	const [row] = (
		await documents({ 9: { monto: 'Monto' } }, [[9, { monto: 5 }, [profile]]], {
			options: { personalData: 'masked' },
		})
	).rows;
	expect(row).toEqual({
		Monto: '******',
		profiles: [{ name: 'E***', rfc: 'GODE5612******', id: 1 }],
		forms: [],
		files: [],
	});
});

describe('a title that two fields of a version have', () => {
	it("adds the field's key to an ambiguous title in every version", async () => {
		const { rows } = await documents(
			{
				1: { a: 'Monto', c: 'Plazo' },
				2: { b: 'Monto', a: 'Monto' },
				3: { b: 'Monto', d: ' Monto ' },
			},
			[
				[1, { a: 1, c: 12 }],
				[2, { a: 2, b: 3 }],
				[3, { b: 4, d: 5 }],
			],
		);
		expect(rows).toEqual([
			{ 'Monto (a)': 1, Plazo: 12 },
			{ 'Monto (a)': 2, 'Monto (b)': 3 },
			{ 'Monto (b)': 4, 'Monto (d)': 5 },
		]);
	});

	it('is left to the field that has it as its key', async () => {
		const { rows } = await documents({ 1: { monto: undefined, b: 'monto' }, 2: { b: 'monto' } }, [
			[1, { monto: 1, b: 2 }],
			[2, { b: 3 }],
		]);
		expect(rows).toEqual([{ monto: 1, 'monto (b)': 2 }, { 'monto (b)': 3 }]);
	});

	it('is one column where the versions never have it twice', async () => {
		const { rows } = await documents({ 1: { nombr: 'Título' }, 2: { nombre: 'Título' } }, [
			[1, { nombr: 'x' }],
			[2, { nombre: 'y' }],
		]);
		expect(rows).toEqual([{ Título: 'x' }, { Título: 'y' }]);
	});

	it('is found among 3,000 fields', async () => {
		const fields = Array.from({ length: 3000 }, (_, at) => `f${at}`);
		const titles = Object.fromEntries(fields.map((key) => [key, 'Monto']));
		const { rows } = await documents({ 1: titles }, [
			[1, Object.fromEntries(fields.map((key, at) => [key, at]))],
		]);
		expect(rows).toEqual([Object.fromEntries(fields.map((key, at) => [`Monto (${key})`, at]))]);
	});
});
