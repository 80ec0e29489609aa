import { readWorkflow, runExampleCodeNode } from './runCodeNode';

const FILE = 'onboard-applicant';
const LENDER = {
	...{ autorizacion: 'Autorizo.', maxPorCurp: 3, maxPorDia: 300 },
	...{ diasAutorizacion: 90, diasConservacion: 3650 },
};
const ENVIO = 'ABCDEFGHJKMNPQRSTVWXYZ23';
const DATA = { nombre: 'Elena', curp: 'EISE850314MDFXGL08', correo: 'elena@correo.mx' };
const REQUESTED = { producto: 'Crédito personal', monto: 50_000, telefono: '5512345678' };

type Row = Record<string, unknown>;
interface Admitted {
	siguiente: string;
	motivo?: string;
	folio?: string;
	row: Record<string, string>;
}

const earlier = (count: number, changes: Row = {}): Row[] =>
	Array.from({ length: count }, (_, index) => ({
		...{ folio: `S-${index}`, envio: `OTHER-${index}`, dia: '2026-11-20', ...changes },
	}));
const admit = ({ ofCurp = [{}], ofToday = [{}], hallazgos = [] }: Record<string, Row[]> = {}) => {
	const nodes = {
		Application: [{ datos: DATA, solicita: REQUESTED, envio: ENVIO, hallazgos }],
		Lender: [LENDER],
		'Applications of this CURP': ofCurp,
		'Applications of today': ofToday,
	};
	return runExampleCodeNode(FILE, 'Admission', [{}], { nodes })[0] as unknown as Admitted;
};

describe('the admission of an application', () => {
	it('begins a case that is to be queried, with what the applicant agreed to', () => {
		const { siguiente, row } = admit();
		expect(siguiente).toBe('nueva');
		expect(row).toMatchObject({
			...{ ...DATA, estado: 'por consultar', paso: 'consultar', envio: ENVIO },
			...{ autorizacion: LENDER.autorizacion, acepto: '2026-11-20T12:00:00.000-06:00' },
			...REQUESTED,
			...{ vence: '2027-02-18T12:00:00.000-06:00', borrarDesde: '2036-11-17T12:00:00.000-06:00' },
		});
	});

	it('gives each case a folio of its own, whatever the number of the execution', () => {
		const folios = Array.from({ length: 100 }, () => admit().row.folio);
		expect(new Set(folios).size).toBe(100);
		expect(folios.filter((folio) => !/^S-[2-9A-Z]{4}-[2-9A-Z]{4}$/.test(folio))).toEqual([]);
	});

	it('shows the case again of a form that is sent a second time', () => {
		const sent = earlier(1, { folio: 'S-AAAA-BBBB', envio: ENVIO });
		expect(admit({ ofCurp: sent, ofToday: sent })).toMatchObject({
			...{ siguiente: 'repetida', folio: 'S-AAAA-BBBB' },
		});
	});

	it.each([
		['queries the last that is allowed', LENDER.maxPorCurp - 1, 'por consultar', 'consultar'],
		['closes the next without a query', LENDER.maxPorCurp, 'cerrada', 'listo'],
		['closes the hundredth without a query', 99, 'cerrada', 'listo'],
	])('of one CURP in a day %s', (_what, count, estado, paso) => {
		expect(admit({ ofCurp: earlier(count) }).row).toMatchObject({ estado, paso });
	});

	it('does not count the applications of other days', () => {
		const ofCurp = earlier(10, { dia: '2026-11-19' });
		expect(admit({ ofCurp }).row).toMatchObject({ estado: 'por consultar' });
	});

	it.each([
		[LENDER.maxPorDia - 1, 'nueva'],
		[LENDER.maxPorDia, 'no recibida'],
	])('after %i applications in a day: %s', (count, siguiente) => {
		expect(admit({ ofToday: earlier(count) }).siguiente).toBe(siguiente);
	});

	it('leaves what the applicant could not correct to a person', () => {
		const hallazgos = [{ code: 'DATA_NOT_CORRECTED', severity: 'review', text: 'x' }];
		expect(admit({ hallazgos }).row).toMatchObject({ estado: 'por revisar', paso: 'listo' });
	});

	it.each(['ofCurp', 'ofToday'])('admits nobody if the rows %s cannot be read', (rows) => {
		expect(admit({ [rows]: [{ error: 'locked' }] })).toEqual({
			...{ siguiente: 'no recibida', motivo: 'falla' },
		});
	});

	it('counts in all rows, and the list of the operators shows all', () => {
		const parametersOf = (file: string, node: string) =>
			readWorkflow(file).nodes.find(({ name }) => name === node)?.parameters;
		expect(parametersOf(FILE, 'Applications of today')).toMatchObject({
			limit: "={{ $('Lender').first().json.maxPorDia }}",
		});
		expect(parametersOf('review-applicants', 'Applications')).toMatchObject({ returnAll: true });
	});
});
