import { codeOf, runExampleCodeNode, NOW, readWorkflow } from './runCodeNode';

const FILE = 'verify-applicant';
const CASE = {
	...{ esCaso: true, folio: 'S-AAAA-BBBB', estado: 'por consultar', revision: 'R1', intentos: 1 },
	...{ nombre: 'Elena', primerApellido: 'Éxito', segundoApellido: 'Seguro' },
	...{ nacimiento: '1985-03-14', curp: 'EISE850314MDFXGL08', rfc: '', rfcCalculado: '' },
	...{
		consultaCrf: '',
		consultas: {},
		registro: {},
		previos: [],
		hallazgos: [],
		esAprobada: false,
	},
	siguiente: 'curp',
};
const REGISTERED = {
	...{ name: 'ELENA', firstLastName: 'ÉXITO', secondLastName: 'SEGURO', birthDate: '1985-03-14' },
	...{
		rfc: 'EISE850314BK8',
		curpActive: true,
		curpStatus: 'RCN',
		outcome: 'result',
		queryId: 'q1',
	},
};
interface Verified {
	siguiente: string;
	rfc: string;
	consultas: Record<string, { estado: string; id: string; costo: string }>;
	hallazgos: Array<{ code: string; severity: string; text: string }>;
}
const codes = ({ hallazgos }: Verified) => hallazgos.map(({ code }) => code);
const afterCurp = (answer: object, changes: object = {}) => {
	const item = { json: answer as Record<string, unknown> };
	const nodes = { Case: [{ ...CASE, ...changes }] };
	return runExampleCodeNode(FILE, 'CURP findings', [item], { nodes })[0] as unknown as Verified;
};
/** A failed item has the columns of its input, then those of the error. */
const failed = (columns: object) => afterCurp({ ...CASE, error: 'text', ...columns });

describe('the verification of an applicant', () => {
	it('goes on to the RFC if the registry agrees', () => {
		const found = afterCurp(REGISTERED);
		expect(found).toMatchObject({ siguiente: 'rfc', hallazgos: [], rfc: 'EISE850314BK8' });
		expect(found.consultas.curp).toMatchObject({
			estado: 'encontrada',
			id: 'q1',
			costo: 'enviada',
		});
	});

	it.each([
		['an ended CURP', { curpActive: false, curpStatus: 'BD' }, 'CURP_ENDED'],
		['an unknown status', { curpActive: null, curpStatus: 'ZZ' }, 'CURP_STATUS_UNKNOWN'],
		['another name', { name: 'ELVIRA' }, 'NAME_DIFFERS'],
		['another birth date', { birthDate: '1985-03-15' }, 'BIRTH_DATE_DIFFERS'],
		['a query that has not ended', { outcome: 'pending' }, 'CURP_QUERY_PENDING'],
		['an unknown state', { outcome: 'uncertain' }, 'CURP_QUERY_STATUS_UNKNOWN'],
	])('stops before the next query at %s', (_what, changes, code) => {
		const found = afterCurp({ ...REGISTERED, ...changes });
		expect([found.siguiente, codes(found)]).toEqual(['fin', [code]]);
	});

	it.each([
		[
			'no such person',
			{ outcome: 'notFound', errorCode: 'status.404', billed: 0, queryId: null },
			'CURP_QUERY_NOT_FOUND',
			'review',
		],
		[
			'a billed failure',
			{ outcome: 'failed', errorCode: 'failed', billed: 1, queryId: 'q9' },
			'CURP_QUERY_FAILED',
			'review',
		],
		[
			'an uncertain query',
			{ outcome: 'uncertain', errorCode: 'unsure', billed: 'unknown', queryId: null },
			'CURP_QUERY_UNCERTAIN',
			'review',
		],
		[
			'a service that is down',
			{ outcome: 'notSent', errorCode: 'network', billed: 0, queryId: null },
			'CURP_QUERY_UNAVAILABLE',
			'wait',
		],
		['an error without a code', {}, 'CURP_QUERY_UNAVAILABLE', 'wait'],
	])('reads the codes of %s, not its sentence', (_what, columns, code, severity) => {
		const found = failed(columns);
		expect(found.siguiente).toBe('fin');
		expect(found.hallazgos).toEqual([expect.objectContaining({ code, severity })]);
	});

	it('continues past a warning once a person approved the case', () => {
		const found = afterCurp({ ...REGISTERED, name: 'ELVIRA' }, { esAprobada: true });
		expect([found.siguiente, codes(found)]).toEqual(['rfc', ['NAME_DIFFERS']]);
	});

	it('waits for the service even if a person approved the case', () => {
		const found = afterCurp({ error: 'text', billed: 0 }, { esAprobada: true });
		expect(found.siguiente).toBe('fin');
	});

	it.each(['noEncontrada', 'fallida', 'pendiente', 'incierta', 'desconocida'])(
		'does not send a CURP query again that ended as %s',
		(estado) => {
			const row = {
				folio: 'S',
				turno: 't',
				estado: 'aprobada',
				consultas: JSON.stringify({ curp: { estado } }),
			};
			const nodes = { Due: [{ turnoNuevo: 't' }] };
			expect(runExampleCodeNode(FILE, 'Case', [row], { nodes })).toMatchObject([
				{ siguiente: 'rfc' },
			]);
		},
	);

	it.each([
		['the same RFC', 'EISE850314BK8', 'crf', []],
		['another RFC', 'EISE850314XX1', 'fin', ['RFC_DIFFERS']],
	])('compares the calculated RFC: %s', (_what, rfc, siguiente, expected) => {
		const nodes = { 'CURP findings': [{ ...CASE, rfc: 'EISE850314BK8' }] };
		const answer = { rfc, outcome: 'result', queryId: 'q2' };
		const found = runExampleCodeNode(FILE, 'RFC findings', [answer], {
			nodes,
		})[0] as unknown as Verified;
		expect([found.siguiente, codes(found)]).toEqual([siguiente, expected]);
	});

	it('notes the query of the CRF, whose result is still to come', () => {
		const nodes = { 'RFC findings': [CASE] };
		const [found] = runExampleCodeNode(
			FILE,
			'CRF findings',
			[{ outcome: 'pending', queryId: 'q3' }],
			{
				nodes,
			},
		);
		expect(found).toMatchObject({ consultaCrf: 'q3', hallazgos: [] });
	});

	it.each([
		['no finding', CASE, 'consultada', 'listo'],
		[
			'an uncertain check',
			{ hallazgos: [{ code: 'X', severity: 'review', text: 'x' }] },
			'por revisar',
			'listo',
		],
		[
			'a service that is down',
			{ hallazgos: [{ code: 'X', severity: 'wait', text: 'x' }] },
			'por consultar',
			'consultar',
		],
		[
			'a service that is down for the fifth time',
			{ intentos: 5, hallazgos: [{ code: 'X', severity: 'wait', text: 'x' }] },
			'por revisar',
			'listo',
		],
		[
			'an uncertain check of an approved case',
			{
				estado: 'aprobada',
				esAprobada: true,
				hallazgos: [{ code: 'X', severity: 'review', text: 'x' }],
			},
			'aprobada',
			'listo',
		],
		[
			'a service that is down for an approved case',
			{
				estado: 'aprobada',
				esAprobada: true,
				hallazgos: [{ code: 'X', severity: 'wait', text: 'x' }],
			},
			'aprobada',
			'consultar',
		],
		[
			'a confirmed name',
			{ previos: [{ code: 'NAME_DOES_NOT_FIT_CURP', severity: 'info', text: 'x' }] },
			'consultada',
			'listo',
		],
	])('ends with %s in the right state', (_what, changes, estado, paso) => {
		const [{ state, entry, anterior }] = runExampleCodeNode(FILE, 'Outcome', [
			{ ...CASE, ...changes },
		]);
		expect(state).toMatchObject({ estado, paso });
		expect(entry).toMatchObject({ que: estado, anterior: 'R1', quien: 'el sistema' });
		expect(anterior).toBe('R1');
	});

	it('takes cases that are ready, and those that were interrupted half an hour ago', () => {
		const rows = [
			{ folio: 'ready', paso: 'consultar', turno: 'a' },
			{ folio: 'running', paso: 'en curso', turno: 'b', updatedAt: '2026-11-20T17:45:00.000Z' },
			{ folio: 'interrupted', paso: 'en curso', turno: 'c', updatedAt: '2026-11-20T17:15:00.000Z' },
			{ folio: 'done', paso: 'listo', turno: 'd' },
			{},
		];
		const due = runExampleCodeNode(FILE, 'Due', rows, { now: NOW });
		expect(due.map(({ folio, turno }) => [folio, turno])).toEqual([
			['ready', 'a'],
			['interrupted', 'c'],
		]);
	});

	it('takes no case whose authorization has expired', () => {
		const rows = ['2026-11-20T12:00:00.000-06:00', '2026-11-20T12:00:01.000-06:00', ''].map(
			(vence) => ({ folio: `S ${vence}`, paso: 'consultar', turno: 'a', vence }),
		);
		const due = runExampleCodeNode(FILE, 'Due', rows, { now: NOW });
		expect(due.map(({ folio }) => folio)).toEqual(['S 2026-11-20T12:00:01.000-06:00', 'S ']);
	});

	it('closes an open case whose authorization has expired, and keeps an approval', () => {
		const vence = '2026-11-20T11:00:00.000-06:00';
		const rows = [
			{ folio: 'S-1', estado: 'consultada', paso: 'listo', revision: 'R1', vence },
			{ folio: 'S-2', estado: 'aprobada', paso: 'consultar', revision: 'R2', vence },
			{ folio: 'S-3', estado: 'aprobada', paso: 'listo', revision: 'R3', vence },
			{},
		];
		const expired = runExampleCodeNode(FILE, 'Expiry', rows, { now: NOW });
		const motivo = 'La autorización venció el 20/11/2026. No se consulta nada más.';
		expect(expired).toMatchObject([
			{
				entry: { folio: 'S-1', que: 'cerrada', quien: 'el sistema', motivo, anterior: 'R1' },
				state: { estado: 'cerrada', paso: 'listo' },
			},
			{ entry: { que: 'aprobada', motivo }, state: { estado: 'aprobada', paso: 'listo' } },
		]);
		expect(expired.length).toBe(2);
	});

	it('leaves a case that another execution took first', () => {
		const nodes = { Due: [{ turnoNuevo: 'mine' }] };
		const rows = [{ folio: 'S', turno: 'theirs', consultas: '{}' }];
		expect(runExampleCodeNode(FILE, 'Case', rows, { nodes })).toEqual([]);
	});

	it('reads what became of a query in one way at each of the three queries', () => {
		const shared = (node: string) => {
			const code = codeOf(FILE, node);
			return code.slice(code.indexOf('/** What became of one query'), code.indexOf('const caso'));
		};
		const [first, ...others] = ['CURP findings', 'RFC findings', 'CRF findings'].map(shared);
		expect(first).toContain('function findingOf');
		expect(others).toEqual([first, first]);
	});

	it('sends every query with reuse of 30 days and a limit per day', () => {
		const queries = readWorkflow(FILE).nodes.filter(({ type }) => type.endsWith('.taxQuery'));
		expect(queries.map(({ parameters }) => parameters)).toEqual(
			Array(3).fill(
				expect.objectContaining({
					...{ reuse: 'hours', reuseHours: 720 },
					options: expect.objectContaining({ spendingLimits: { maxQueriesPerDay: 300 } }) as object,
				}),
			),
		);
	});
});
