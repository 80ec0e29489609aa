import { LENDER, runExampleCodeNode } from './runCodeNode';

const USER = { id: 'u1', email: 'ana@lender.example', firstName: 'Ana', lastName: 'Paz' };
const ROW = { folio: 'S-AAAA-BBBB', estado: 'por revisar', revision: 'R1', consultaCrf: '' };
const FORM = {
	folio: ROW.folio,
	revision: 'R1',
	decision: 'Aprobar',
	motivo: 'Visto.',
	user: USER,
};

interface Decided {
	takesEffect: boolean;
	entry: Record<string, string>;
	state: Record<string, unknown>;
}
const decide = (form: object = {}, row: object = {}) => {
	const nodes = { 'Decision form': [{ ...FORM, ...form }], Case: [{ ...ROW, ...row }] };
	return runExampleCodeNode('decide-on-applicant', 'Decision', [{}], {
		nodes,
	})[0] as unknown as Decided;
};

describe('a decision on an applicant', () => {
	it.each([
		['Aprobar', 'aprobada', 'consultar'],
		['Rechazar', 'rechazada', 'listo'],
		['Cerrar', 'cerrada', 'listo'],
	])('%s makes the case %s, and says who, when and why', (decision, estado, paso) => {
		const { takesEffect, entry, state } = decide({ decision });
		expect(takesEffect).toBe(true);
		expect(state).toMatchObject({ estado, paso, revision: entry.revision });
		expect(entry).toMatchObject({
			...{ folio: ROW.folio, que: estado, motivo: 'Visto.', anterior: 'R1' },
			...{ quien: 'Ana Paz <ana@lender.example>', cuando: '2026-11-20T12:00:00.000-06:00' },
		});
	});

	it('does not verify an approved case again after its CRF query', () => {
		expect(decide({}, { consultaCrf: 'q3' }).state.paso).toBe('listo');
	});

	it.each([
		['the case changed meanwhile', {}, { revision: 'R2' }, 'El expediente cambió'],
		['nobody signed in', { user: undefined }, {}, 'No se sabe quién decide'],
		['the reason is missing', { motivo: '   ' }, {}, 'Falta el motivo'],
		['the decision is none', { decision: 'Borrar' }, {}, 'No es una decisión'],
		['the case is closed', {}, { estado: 'cerrada' }, 'no admite esta decisión'],
		['the case is rejected', {}, { estado: 'rechazada' }, 'no admite esta decisión'],
		['the case is approved already', {}, { estado: 'aprobada' }, 'no admite esta decisión'],
		['the person is blocked', {}, { estado: 'bloqueada' }, 'no admite esta decisión'],
	])('takes no effect, and is in the history, if %s', (_what, form, row, text) => {
		const { takesEffect, entry } = decide(form, row);
		expect(takesEffect).toBe(false);
		expect(entry).toMatchObject({ revision: '', anterior: '' });
		expect(entry.motivo).toContain(text);
	});

	it('writes an attempt on an unknown folio into the history', () => {
		const nodes = { 'Decision form': [FORM], Case: [{}] };
		const [found] = runExampleCodeNode('decide-on-applicant', 'Decision', [{}], { nodes });
		expect(found).toMatchObject({ takesEffect: false, entry: { folio: ROW.folio } });
	});
});

interface Letter {
	para: string;
	asunto: string;
	texto: string;
}

describe('the letter after a decision', () => {
	const SECRET = '0123456789abcdef0123456789abcdef';
	const DECIDED = {
		...{ folio: ROW.folio, estado: 'aprobada', revision: 'R2', nombre: 'Elena', retiro: SECRET },
		...{ correo: 'elena@correo.mx', producto: 'Crédito personal', monto: 50_000 },
	};
	const write = (row: object = {}, lender: object = {}) => {
		const nodes = {
			Lender: [{ ...LENDER, ...lender }],
			Decision: [{ state: { revision: 'R2' } }],
		};
		return runExampleCodeNode('decide-on-applicant', 'Letter', [{ ...DECIDED, ...row }], {
			nodes,
		}) as unknown as Letter[];
	};

	it.each([
		['aprobada', 'Aprobamos su solicitud de crédito personal por $50,000.00'],
		['rechazada', 'esta vez no podemos aprobarla'],
		['cerrada', 'Cerramos su solicitud'],
	])('says that the case is %s', (estado, text) => {
		const [letter] = write({ estado });
		expect(letter.para).toBe('elena@correo.mx');
		expect(letter.texto).toContain('Hola, Elena:');
		expect(letter.texto).toContain(text);
		expect(letter.texto).not.toMatch(/[{}]|undefined/);
	});

	it('has nothing personal in its subject', () => {
		expect(write()[0].asunto).toBe('Respuesta a su solicitud');
	});

	it('has the link to withdraw, with the secret where no server logs it', () => {
		expect(write()[0].texto).toContain(`https://n8n.example/webhook/retiro#${SECRET}`);
		expect(write({ retiro: '' })[0].texto).not.toContain('webhook/retiro');
	});

	it.each([
		['the lender leaves letters out', {}, { enviarCartas: false }],
		['another decision took effect', { revision: 'R3' }, {}],
		['nothing was updated', { folio: undefined }, {}],
	])('is not written if %s', (_what, row, lender) => {
		expect(write(row, lender)).toEqual([]);
	});
});

describe('a withdrawal by the link in the letter', () => {
	const withdraw = (row: object) =>
		runExampleCodeNode('withdraw-application', 'Withdrawal', [{ json: row as never }], {
			nodes: { Lender: [LENDER] },
		});

	it('blocks the case of the letter, for the applicant', () => {
		expect(withdraw({ folio: 'S-1', estado: 'aprobada' })).toEqual([
			{
				...{ hay: true, folio: 'S-1', quien: 'el solicitante' },
				...{ motivo: 'Retiro con el enlace de la carta', diasBloqueo: LENDER.diasBloqueo },
			},
		]);
	});

	it.each([{}, { folio: 'S-1', estado: 'bloqueada' }])('learns nothing from %j', (row) => {
		expect(withdraw(row)).toEqual([{ hay: false }]);
	});
});
