import { runExampleCodeNode } from './runCodeNode';

const FILE = 'review-applicants';
const ROW = {
	...{ folio: 'S-AAAA-BBBB', estado: 'por revisar', paso: 'listo', revision: 'R2', motivo: '' },
	...{
		nombre: 'Elena',
		primerApellido: 'Éxito',
		segundoApellido: 'Seguro',
		nacimiento: '1985-03-14',
	},
	...{
		curp: 'EISE850314MDFXGL08',
		correo: 'elena@correo.mx',
		recibida: '2026-11-20T11:58:59.000-06:00',
	},
	...{
		acepto: '2026-11-20T11:58:59.000-06:00',
		autorizacion: 'Autorizo.',
		rfc: '',
		rfcCalculado: '',
	},
	...{ consultaCrf: '', consultas: '{}', hallazgos: '[]', registro: '{}' },
};
type Row = Record<string, unknown>;
interface Page {
	title: string;
	content: string;
	code: number;
	data: Record<string, unknown> & { findings: Array<{ code: string }> };
}

const dossierOf = (changes: Row = {}, more: Record<string, Row[]> = {}) => {
	const row = { ...ROW, ...changes };
	const nodes = {
		...{
			Application: [row],
			'Applications of this CURP': [row],
			'Its history': [],
			'Its result': [{}],
		},
		...more,
	};
	return runExampleCodeNode(FILE, 'Dossier', [{}], { nodes })[0] as unknown as Page;
};
const cellOf = ({ content }: Page, label: string) =>
	new RegExp(`<th scope="row">${label}</th><td>(.*?)</td>`).exec(content)?.[1];
const ask = (curp: object) => ({ consultas: JSON.stringify({ curp }) });

describe('the dossier', () => {
	const words: Array<[string, Row, label: string, expected: string]> = [
		['never asked, ready', { paso: 'consultar', estado: 'por consultar' }, 'Estatus de la CURP', 'Se consultará en unos minutos'],
		['being asked', { paso: 'en curso', estado: 'por consultar' }, 'Estatus de la CURP', 'Se está consultando'],
		['closed without a query', { estado: 'cerrada' }, 'Estatus de la CURP', 'No se consultó'],
		['not in the registry', ask({ estado: 'noEncontrada' }), 'Estatus de la CURP', 'El servicio no tiene registro de esta persona'],
		['failed', ask({ estado: 'fallida' }), 'Estatus de la CURP', 'La consulta terminó sin resultado'],
		['not ended', ask({ estado: 'pendiente' }), 'Estatus de la CURP', 'La consulta no ha terminado'],
		['uncertain', ask({ estado: 'incierta' }), 'Estatus de la CURP', 'No se sabe si la consulta fue aceptada'],
		['down, tried later', { ...ask({ estado: 'noDisponible' }), paso: 'consultar' }, 'Estatus de la CURP', 'No se pudo consultar; se intenta más tarde'],
		['down, given up', ask({ estado: 'noDisponible' }), 'Estatus de la CURP', 'No se pudo consultar'],
		['in use', { registro: '{"estatus":"AN","vigente":true}' }, 'Estatus de la CURP', 'Vigente (AN)'],
		['ended', { registro: '{"estatus":"BD","vigente":false}' }, 'Estatus de la CURP', 'Dada de baja (BD)'],
		['unknown code', { registro: '{"estatus":"ZZ","vigente":null}' }, 'Estatus de la CURP', 'Por confirmar (ZZ)'],
		['no RFC in the registry', { registro: '{"estatus":"AN","vigente":true}' }, 'RFC', 'El registro no lo dice'],
		['RFC calculated', { rfc: 'A', rfcCalculado: 'A' }, 'RFC', 'A<br>Coincide con el calculado'],
		['RFC differs', { rfc: 'A', rfcCalculado: 'B' }, 'RFC', 'A<br>No coincide con el calculado: B'],
		['RFC not calculated', { rfc: 'A' }, 'RFC', 'A<br>Cálculo del RFC: no se consultó'],
		['CRF never asked', {}, 'Régimen', 'No se consultó'],
		['CRF on its way', { consultaCrf: 'q3', consultas: '{"crf":{"estado":"pendiente","cuando":"2026-11-20T12:00:00.000-06:00"}}' }, 'Régimen', 'En espera del resultado desde el 20/11/2026 12:00'],
	]; // prettier-ignore
	it.each(words)('has the true words for %s', (_what, row, label, expected) => {
		expect(cellOf(dossierOf(row), label)).toBe(expected);
	});

	it('has words for each result of the CRF', () => {
		const row = { consultaCrf: 'q3', consultas: '{"crf":{"estado":"pendiente"}}' };
		const result = { deliveryId: 'd', queryId: 'q3', status: 'SUCCESS', legalName: 'ELENA' };
		const regime = (changes: Row) => {
			return cellOf(dossierOf(row, { 'Its result': [{ ...result, ...changes }] }), 'Régimen');
		};
		expect([
			regime({ regimes: '[{"clave":"605","descripcion":"Sueldos"}]' }),
			regime({ regimes: '[]' }),
			regime({ status: 'FAILED' }),
		]).toEqual([
			'605 · Sueldos',
			'El resultado no trae ningún régimen',
			'La consulta terminó sin resultado (FAILED)',
		]);
	});

	const states = ['por consultar', 'por revisar', 'consultada', 'aprobada', 'rechazada', 'cerrada'];
	const steps = ['consultar', 'en curso', 'listo'];
	const queries = [
		...[
			'encontrada',
			'noEncontrada',
			'fallida',
			'incierta',
			'noDisponible',
			'pendiente',
			'desconocida',
		],
		undefined,
	];
	it.each(states)('leaves no cell empty and says nothing false for a case that is %s', (estado) => {
		for (const paso of steps) {
			for (const query of queries) {
				const consultas = JSON.stringify(
					query ? { curp: { estado: query }, crf: { estado: query } } : {},
				);
				const page = dossierOf({ estado, paso, consultas });
				const cells = [
					'Estatus de la CURP',
					'Nombre en el registro',
					'RFC',
					'Régimen',
					'Nombre ante el SAT',
				];
				const shown = cells.map((label) => cellOf(page, label));
				expect(
					shown.filter((text) => !text || /undefined|null|Sin consultar|Pendiente/.test(text)),
				).toEqual([]);
				if (query === 'noEncontrada') expect(shown[0]).toContain('no tiene registro');
			}
		}
	});

	it('offers the decisions of the state, with the displayed revision', () => {
		const offered = (estado: string) =>
			[...dossierOf({ estado }).content.matchAll(/decision=(\w+)"/g)].map(([, one]) => one);
		expect(states.map((estado) => [estado, offered(estado)])).toEqual([
			['por consultar', ['Cerrar']],
			['por revisar', ['Aprobar', 'Rechazar', 'Cerrar']],
			['consultada', ['Aprobar', 'Rechazar', 'Cerrar']],
			['aprobada', ['Rechazar', 'Cerrar']],
			['rechazada', []],
			['cerrada', []],
		]);
		expect(dossierOf().content).toContain(
			'https://n8n.example/form/decision?folio=S-AAAA-BBBB&amp;revision=R2',
		);
	});

	it('marks the entries of the history that took no effect', () => {
		const entry = (que: string, revision: string, anterior: string) => ({
			...{
				folio: ROW.folio,
				cuando: ROW.recibida,
				quien: 'Ana',
				motivo: 'm',
				que,
				revision,
				anterior,
			},
		});
		const history = [
			entry('recibida', 'R0', ''),
			entry('por revisar', 'R1', 'R0'),
			entry('aprobada', 'R2', 'R1'),
			entry('rechazada', 'R3', 'R1'),
			entry('aprobada', '', ''),
		];
		const { data } = dossierOf({ estado: 'aprobada' }, { 'Its history': history });
		const effects = (data.historia as Array<{ efecto: boolean }>).map(({ efecto }) => efecto);
		expect(effects).toEqual([true, true, true, false, false]);
	});

	it('returns findings as data, with duplicates of the CURP', () => {
		const others = [ROW, { ...ROW, folio: 'S-CCCC-DDDD' }];
		const hallazgos = '[{"code":"NAME_DIFFERS","severity":"review","text":"x"}]';
		const { data } = dossierOf({ hallazgos }, { 'Applications of this CURP': others });
		expect(data.findings).toEqual([
			{ code: 'NAME_DIFFERS', severity: 'review', text: 'x' },
			{ code: 'DUPLICATE_CURP', severity: 'info', text: 'Hay otra solicitud con esta CURP.' },
		]);
	});

	it('has no finding while the CRF is still to come', () => {
		const asked = {
			...{ estado: 'consultada', consultaCrf: 'q3' },
			consultas: '{"crf":{"estado":"pendiente","cuando":"2026-11-20T12:00:00.000-06:00"}}',
		};
		const { data, content } = dossierOf(asked);
		expect(data).toMatchObject({ findings: [], waiting: [{ code: 'CRF_WAITING' }] });
		expect(content).toContain('Sin hallazgos.');
		expect(content).toContain('la consulta q3 no ha terminado');
		const arrived = { deliveryId: 'd', queryId: 'q3', status: 'SUCCESS', regimes: '[]' };
		expect(dossierOf(asked, { 'Its result': [arrived] }).data.waiting).toEqual([]);
	});

	it('shows nothing of a blocked person', () => {
		const page = dossierOf({ estado: 'bloqueada' });
		expect(JSON.stringify(page)).not.toMatch(/Elena|EISE850314|correo/);
	});

	it('says when a blocked case is deleted', () => {
		const borrarDesde = '2036-11-17T00:00:00.000-06:00';
		const { content } = dossierOf({ estado: 'bloqueada', borrarDesde });
		expect(content).toContain('a partir del 17/11/2036');
	});

	it('shows what is requested, and when the authorization ends and the case is deleted', () => {
		const page = dossierOf({
			...{ producto: 'Crédito personal', monto: 50_000, telefono: '5512345678' },
			...{ vence: '2027-02-18T00:00:00.000-06:00', borrarDesde: '2036-11-17T00:00:00.000-06:00' },
		});
		expect([
			cellOf(page, 'Solicita'),
			cellOf(page, 'Teléfono'),
			cellOf(page, 'La autorización vence'),
			cellOf(page, 'Se borra a partir de'),
		]).toEqual(['Crédito personal<br>$50,000.00', '5512345678', '18/02/2027', '17/11/2036']);
	});

	it('counts a letter as what took effect', () => {
		const letter = { folio: ROW.folio, cuando: ROW.recibida, quien: 'el sistema', motivo: 'm' };
		const history = [{ ...letter, que: 'carta enviada', revision: '', anterior: '' }];
		const { data } = dossierOf({}, { 'Its history': history });
		expect(data.historia).toMatchObject([{ que: 'carta enviada', efecto: true }]);
	});

	it('names a folio that is none, and a table that cannot be read', () => {
		expect(dossierOf({}, { Application: [{}] })).toMatchObject({ code: 404 });
		expect(dossierOf({}, { Application: [{ error: 'locked' }] })).toMatchObject({ code: 503 });
	});
});

describe('the list of applications', () => {
	const listOf = (rows: Row[], query: Row = {}, history: Row[] = []) => {
		const nodes = { Applications: rows, "Operator's page": [{ query }], 'Latest history': history };
		return runExampleCodeNode(FILE, 'List', [{}], { nodes })[0] as unknown as Page;
	};
	const foliosIn = ({ content }: Page) =>
		[...content.matchAll(/data-label="Folio"><a href="[^"]*">([^<]+)</g)].map(([, folio]) => folio);
	const many = Array.from({ length: 1000 }, (_, index) => ({
		...ROW,
		folio: `S-${index}`,
		curp: `CURP${index}`,
		estado: index % 10 === 0 ? 'por revisar' : 'cerrada',
		recibida: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
	}));

	it('shows 1,000 applications in pages of 50, and none twice', () => {
		const pages = Array.from({ length: 20 }, (_, at) =>
			foliosIn(listOf(many, { pagina: String(at + 1) })),
		);
		expect(new Set(pages.flat()).size).toBe(1000);
		expect(listOf(many).content).toContain('1 a 50 de 1000');
	});

	it('puts those that wait for a person first, the newest of them above', () => {
		expect(foliosIn(listOf(many)).slice(0, 2)).toEqual(['S-990', 'S-980']);
	});

	it('counts as waiting only those that wait for a person', () => {
		expect(listOf(many).content).toContain('100 por atender: 100 por revisar y 0 por decidir.');
	});

	it('filters by state and by words, without accents', () => {
		const rows = [ROW, { ...ROW, folio: 'S-2', nombre: 'Raúl', estado: 'cerrada' }];
		expect(foliosIn(listOf(rows, { estado: 'cerrada' }))).toEqual(['S-2']);
		expect(foliosIn(listOf(rows, { q: 'raul seguro' }))).toEqual(['S-2']);
	});

	it('marks a CURP that applied more than once', () => {
		expect(listOf([ROW, { ...ROW, folio: 'S-2' }]).content).toContain(
			'CURP repetida: 2 solicitudes',
		);
	});

	it('does not show blocked persons', () => {
		expect(foliosIn(listOf([{ ...ROW, estado: 'bloqueada' }]))).toEqual([]);
	});

	it('escapes everything that an applicant wrote', () => {
		const hostile = '"><script>alert(1)</script>{{ 1 }}';
		const texts = { nombre: hostile, motivo: hostile, curp: hostile, correo: hostile };
		const pages = [
			listOf(
				[
					{ ...ROW, ...texts },
					{ ...ROW, ...texts, folio: 'S-2' },
				],
				{ q: hostile },
			),
			dossierOf(texts),
		];
		expect(pages.filter(({ content, title }) => /<script|\{\{/.test(content + title))).toEqual([]);
	});

	it('says which of the last decisions took effect', () => {
		const entry = { folio: ROW.folio, cuando: ROW.recibida, quien: 'Ana', motivo: 'm' };
		const history = [
			{ ...entry, que: 'rechazada', revision: 'R9', anterior: 'R1' },
			{ ...entry, que: 'aprobada', revision: 'R2', anterior: 'R1' },
		];
		const { content } = listOf([ROW], { vista: 'decisiones' }, history);
		expect(content).toMatch(/rechazada<\/b> <b class="void">\(sin efecto\)/);
		expect(content).toMatch(/aprobada<\/b> ·/);
	});

	it('does not say that there are none if the table cannot be read', () => {
		expect(listOf([{ error: 'locked' }])).toMatchObject({ code: 503 });
	});

	it('filters by the day of arrival, in the time of Mexico', () => {
		const rows = ['2026-11-19', '2026-11-20', '2026-11-21'].map((day) => ({
			...{ ...ROW, folio: day, recibida: `${day}T23:59:59.000-06:00` },
		}));
		expect(foliosIn(listOf(rows, { desde: '2026-11-20', hasta: '2026-11-20' }))).toEqual([
			'2026-11-20',
		]);
		expect(foliosIn(listOf(rows, { desde: '2026-11-21' }))).toEqual(['2026-11-21']);
		expect(foliosIn(listOf(rows, { desde: '"><script>' })).length).toBe(3);
	});

	it('keeps the filter in each of its links', () => {
		const { content } = listOf(many, { q: 's', desde: '2026-01-01', hasta: '2026-12-31' });
		const links = [
			...content.matchAll(/href="(solicitudes[?](?:estado|q|pagina|desde|formato)=[^"]*)"/g),
		].map(([, link]) => link);
		expect(links.length).toBeGreaterThan(5);
		const filtered = /q=s&amp;desde=2026-01-01&amp;hasta=2026-12-31/;
		expect(links.filter((link) => !filtered.test(link))).toEqual([]);
	});

	it('shows product, amount, telephone and the date of deletion', () => {
		const row = {
			...{ ...ROW, producto: 'Crédito personal', monto: 50_000, telefono: '5512345678' },
			borrarDesde: '2036-11-17T00:00:00.000-06:00',
		};
		const { content } = listOf([row]);
		expect(content).toContain('Crédito personal<br>$50,000.00');
		expect(content).toContain('Elena Éxito Seguro<br>5512345678');
		expect(foliosIn(listOf([row], { q: '5512345678' }))).toEqual([ROW.folio]);
		expect(content).toContain('<td data-label="Se borra">17/11/2036</td>');
	});

	describe('exported as CSV', () => {
		const csvOf = (rows: Row[], query: Row = {}, results: Row[] = []) => {
			const listed = listOf(rows, { ...query, formato: 'csv' }) as unknown as Row;
			expect(listed.esCsv).toBe(true);
			const nodes = { List: [listed], Results: results };
			return String(runExampleCodeNode(FILE, 'CSV', [{}], { nodes })[0].csv);
		};

		it('begins with the mark of UTF-8, and holds all pages of what the list shows', () => {
			const csv = csvOf(many, { estado: 'cerrada' });
			expect(csv.codePointAt(0)).toBe(0xfeff);
			expect(csv.trim().split('\r\n').length).toBe(901);
		});

		it('keeps zip code and telephone as text', () => {
			const row = { ...ROW, consultaCrf: 'q3', telefono: '0012345678' };
			const csv = csvOf([row], {}, [{ queryId: 'q3', zipCode: '06001' }]);
			expect(csv).toContain('"=""06001"""');
			expect(csv).toContain('"=""0012345678"""');
		});

		it.each(['=1+1', '+1', '-1', '@SUM(A1)'])(
			'lets no applicant write the formula %s',
			(nombre) => {
				expect(csvOf([{ ...ROW, nombre }])).toContain(`"'${nombre}"`);
			},
		);

		it('quotes what holds a comma, a quote or a line', () => {
			expect(csvOf([{ ...ROW, motivo: 'a, "b"\nc' }])).toContain('"a, ""b"" c"');
		});
	});
});
