import { readWorkflow, runCode } from './codeNode';

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
		const blocked = runCode(FILE, 'Block', rows, { nodes });
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
		const [{ log }] = runCode(FILE, 'Block', [CASE], { nodes });
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
		const [due] = runCode(FILE, 'Due for erasure', rows);
		expect(due.cases).toEqual([{ folio: CASE.folio, rfc: CASE.rfc, consultaCrf: 'q3' }]);
		expect(due.texts).toEqual([CASE.folio, CASE.curp, CASE.rfc, CASE.correo, 'aaaaaaaaaaaa']);
		expect(runCode(FILE, 'Due for erasure', rows.slice(1))).toEqual([]);
	});

	it('finds the executions of the person, whatever the case of the letters', () => {
		const data = [
			{ id: '1', status: 'success', data: { text: `... ${CASE.curp.toLowerCase()} ...` } },
			{ id: '2', status: 'success', data: { text: 'somebody else' } },
			{ id: '3', status: 'error', data: { deep: [{ rfc: CASE.rfc }] } },
			{ id: '4', status: 'running', data: { text: CASE.curp } },
		];
		const nodes = { 'Search executions': [{ texts: [CASE.curp, CASE.rfc] }] };
		const found = runCode(FILE, 'Executions of the person', [{ data }], { nodes });
		expect(found).toEqual([{ id: '1' }, { id: '3' }]);
	});

	it('saves no execution of its own', () => {
		expect(readWorkflow(FILE).settings).toMatchObject({
			...{ saveDataSuccessExecution: 'none', saveDataErrorExecution: 'none' },
			...{ saveManualExecutions: false, saveExecutionProgress: false },
		});
	});
});
