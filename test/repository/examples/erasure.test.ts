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

describe('forgetting an applicant', () => {
	it('blocks each case once, and sets the date of its deletion', () => {
		const nodes = { 'Request form': [FORM], Retention: [{ diasBloqueo: 30 }] };
		const rows = [
			CASE,
			CASE,
			{ ...CASE, folio: 'S-2' },
			{ ...CASE, folio: 'S-3', estado: 'bloqueada' },
			{},
		];
		const blocked = runExampleCodeNode(FILE, 'Block', rows, { nodes });
		expect(blocked).toMatchObject([
			{
				state: {
					folio: CASE.folio,
					estado: 'bloqueada',
					paso: 'listo',
					borrarDesde: '2026-12-20T12:00:00.000-06:00',
				},
			},
			{ state: { folio: 'S-2' } },
		]);
	});

	it('logs who requested it and when, and no personal data', () => {
		const nodes = { 'Request form': [FORM], Retention: [{ diasBloqueo: 30 }] };
		const [{ log }] = runExampleCodeNode(FILE, 'Block', [CASE], { nodes });
		expect(log).toMatchObject({
			folio: CASE.folio,
			quien: 'Ana Paz <a@b.example>',
			motivo: 'Otro',
		});
		expect(JSON.stringify(log)).not.toMatch(/EISE850314|elena@/);
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
