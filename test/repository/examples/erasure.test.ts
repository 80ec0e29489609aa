import { readWorkflow, runExampleCodeNode } from './runCodeNode';

const FILE = 'forget-applicant';
const CASE = {
	...{
		folio: 'S-AAAA-BBBB',
		estado: 'consultada',
		curp: 'EISE850314MDFXGL08',
		rfc: 'EISE850314BK8',
	},
	...{ correo: 'elena@correo.mx', consultas: '{"curp":{"id":"aaaaaaaaaaaa"}}', consultaCrf: 'q3' },
};
const FORM = {
	quien: CASE.curp,
	motivo: 'Otro',
	user: { firstName: 'Ana', lastName: 'Paz', email: 'a@b.example' },
};
const ELENA = {
	nombre: 'Elena',
	primerApellido: 'Éxito',
	recibida: '2026-11-20T11:58:59.000-06:00',
};

interface Found {
	hay: boolean;
	titulo: string;
	texto: string;
	folios?: string[];
	boton?: string;
}

describe('forgetting an applicant', () => {
	const surroundings = { 'Request form': [FORM], Lender: [{ diasBloqueo: 30 }] };
	const find = (rows: object[], quien = FORM.quien) => {
		const nodes = { ...surroundings, 'Request form': [{ ...FORM, quien }] };
		return runExampleCodeNode(FILE, 'Found', rows as never, { nodes })[0] as unknown as Found;
	};

	it('says that an unknown folio or CURP does not exist, and blocks nothing', () => {
		const found = find([{}], 's-aaaa-bbbc<b>');
		expect(found).toMatchObject({ hay: false, titulo: 'No existe' });
		expect(found.texto).toContain('No hay ninguna solicitud con el folio o la CURP «S-AAAA-BBBC');
		expect(found.texto).not.toContain('<B>');
		expect(found.folios).toBeUndefined();
	});

	it('shows whom and how many before anything is blocked', () => {
		const rows = [
			{ ...CASE, ...ELENA },
			{ ...CASE, ...ELENA },
			{ ...CASE, ...ELENA, folio: 'S-2', estado: 'aprobada' },
			{ ...CASE, ...ELENA, folio: 'S-3', estado: 'bloqueada' },
		];
		const found = find(rows);
		expect(found).toMatchObject({ hay: true, titulo: '¿Bloquear estas 2 solicitudes?' });
		expect(found.folios).toEqual([CASE.folio, 'S-2']);
		expect(found.boton).toBe('Bloquear 2 solicitudes');
		expect(found.texto).toContain('Elena Éxito');
		expect(found.texto).toContain('recibida el 20/11/2026, consultada');
		expect(found.texto).toContain('Se borran a más tardar el 20/12/2026');
	});

	it('says that a person is blocked already, and since when the rows may go', () => {
		const row = { ...CASE, estado: 'bloqueada', borrarDesde: '2027-01-02T00:00:00.000-06:00' };
		expect(find([row])).toMatchObject({
			...{ hay: false, titulo: 'Ya estaba bloqueada' },
			texto: expect.stringContaining('se borra desde el 02/01/2027') as string,
		});
	});

	it('goes on only with the second click', () => {
		const nodes = { ...surroundings, Found: [{ folios: ['S-1', 'S-2'] }] };
		const after = (json: object) =>
			runExampleCodeNode(FILE, 'Confirmed', [{ json } as never], { nodes });
		expect(after({ hay: true })).toEqual([]);
		expect(after({ submittedAt: '2026-11-20' })).toEqual([
			{ folio: 'S-1', quien: 'Ana Paz <a@b.example>', motivo: 'Otro', diasBloqueo: 30 },
			{ folio: 'S-2', quien: 'Ana Paz <a@b.example>', motivo: 'Otro', diasBloqueo: 30 },
		]);
	});

	const block = (rows: object[], diasBloqueo = 30) => {
		const requests = rows.map((row) => ({ quien: 'Ana', motivo: 'Otro', diasBloqueo, ...row }));
		const nodes = { 'When cases are to be blocked': requests };
		return runExampleCodeNode('block-applicant', 'Block', rows as never, { nodes });
	};

	it('blocks each case once, and sets the date of its deletion', () => {
		const rows = [
			CASE,
			CASE,
			{ ...CASE, folio: 'S-2' },
			{ ...CASE, folio: 'S-3', estado: 'bloqueada' },
			{},
		];
		expect(block(rows)).toMatchObject([
			{
				state: {
					folio: CASE.folio,
					estado: 'bloqueada',
					paso: 'listo',
					retiro: '',
					borrarDesde: '2026-12-20T12:00:00.000-06:00',
				},
			},
			{ state: { folio: 'S-2' } },
		]);
	});

	it('deletes no case later than its retention says', () => {
		const borrarDesde = '2026-11-25T12:00:00.000-06:00';
		expect(block([{ ...CASE, borrarDesde }])).toMatchObject([
			{ state: { borrarDesde }, log: { borrarDesde } },
		]);
	});

	it('logs who requested it and when, and no personal data', () => {
		const [{ log }] = block([{ ...CASE, motivo: 'Otro' }]);
		expect(log).toMatchObject({ folio: CASE.folio, quien: 'Ana', motivo: 'Otro' });
		expect(JSON.stringify(log)).not.toMatch(/EISE850314|elena@/);
	});

	it('blocks the cases whose retention is over, as the system', () => {
		expect(runExampleCodeNode(FILE, 'Ended terms', [CASE, {}])).toEqual([
			{
				...{ folio: CASE.folio, quien: 'el sistema', diasBloqueo: 0 },
				motivo: 'Terminó el plazo de conservación',
			},
		]);
	});

	it('erases only the cases whose time is over', () => {
		const rows = [
			{ ...CASE, borrarDesde: '2026-11-20T11:59:59.000-06:00' },
			{ ...CASE, folio: 'S-2', borrarDesde: '2026-11-20T12:00:01.000-06:00' },
			{ ...CASE, folio: 'S-3', borrarDesde: '' },
		];
		const [due, ...others] = runExampleCodeNode(FILE, 'Due for erasure', rows);
		expect(due).toMatchObject({ folio: CASE.folio, rfc: CASE.rfc, consultaCrf: 'q3' });
		const texts = [CASE.folio, CASE.curp, CASE.rfc, CASE.correo, 'aaaaaaaaaaaa'];
		expect(JSON.parse(String(due.textos))).toEqual(texts);
		expect(others).toEqual([]);
	});

	it('finds the executions of the person, whatever the case of the letters', () => {
		const data = [
			{ id: '1', status: 'success', data: { text: `... ${CASE.curp.toLowerCase()} ...` } },
			{ id: '2', status: 'success', data: { text: 'somebody else' } },
			{ id: '3', status: 'error', data: { deep: [{ rfc: CASE.rfc }] } },
			{ id: '4', status: 'running', data: { text: CASE.curp } },
		];
		const nodes = { 'Search executions': [{ texts: [CASE.curp, CASE.rfc] }] };
		const found = runExampleCodeNode(FILE, 'Executions of the person', [{ data }], { nodes });
		expect(found).toEqual([{ id: '1' }, { id: '3' }]);
	});

	it('searches again for what was running when the rows were deleted', () => {
		const row = {
			...{ folio: 'S-2', estado: 'borrando', textos: '["EISE850314MDFXGL08"]', ejecuciones: 3 },
			borrada: '2026-11-20T03:00:05.000-06:00',
		};
		const [search] = runExampleCodeNode(FILE, 'Texts to search', [row]);
		expect(search).toMatchObject({
			...{ texts: ['EISE850314MDFXGL08'], before: '2026-11-20T09:00:05.000Z' },
		});
		const erased = (running: number) =>
			runExampleCodeNode(FILE, 'Erased', [{ ...search, deleted: 2, running }]);
		expect(erased(1)).toEqual([
			{ folio: 'S-2', estado: 'borrando', textos: row.textos, ejecuciones: 5 },
		]);
		expect(erased(0)).toEqual([{ folio: 'S-2', estado: 'borrada', textos: '', ejecuciones: 5 }]);
	});

	it('saves no execution of its own', () => {
		expect(readWorkflow(FILE).settings).toMatchObject({
			...{ saveDataSuccessExecution: 'none', saveDataErrorExecution: 'none' },
			...{ saveManualExecutions: false, saveExecutionProgress: false },
		});
	});
});
