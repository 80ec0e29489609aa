import vectors from '../../fixtures/identifier-vectors.json';
import { checkCurp } from '../../../nodes/shared/identifiers';
import { codeOf, LENDER, runExampleCodeNode } from './runCodeNode';

interface Named {
	name: string;
	firstLastName: string;
	secondLastName: string;
	expected: string;
}

const ELENA = {
	producto: 'Crédito personal',
	monto: '50,000',
	telefono: '55 1234 5678',
	nombre: 'Elena',
	primerApellido: 'Éxito',
	segundoApellido: 'Seguro',
	nacimiento: '1985-03-14',
	curp: 'EISE850314MDFXGL08',
	correo: 'elena@correo.mx',
	acepto: 'si',
	intento: '1',
	comparado: '',
	envio: 'ABCDEFGHJKMNPQRSTVWXYZ23',
};

function checked(curp: string) {
	const { errors, warnings, ...particulars } = checkCurp(curp);
	const ofField = <T>(found: T[], field: string) => found.map((one) => ({ field, ...one }));
	return {
		curp: particulars,
		errors: ofField(errors, 'CURP'),
		warnings: ofField(warnings, 'CURP'),
	};
}

interface Read {
	siguiente: string;
	errores: Array<{ campo: string; texto: string }>;
	comparado: string;
	hallazgos: Array<{ code: string }>;
	datos: Record<string, string>;
	solicita: { producto: string; monto: number | null; telefono: string };
}

const read = (changes: Record<string, string> = {}, lender: object = {}) => {
	const body = { ...ELENA, ...changes };
	const nodes = { 'Application form': [{ body }], Lender: [{ ...LENDER, ...lender }] };
	return runExampleCodeNode('onboard-applicant', 'Application', [checked(body.curp)], {
		nodes,
	})[0] as unknown as Read;
};
const textsOf = (found: Read) => found.errores.map(({ texto }) => texto).join(' ');

describe('the application form', () => {
	it('accepts data that can be right', () => {
		expect(read()).toMatchObject({ siguiente: 'recibir', errores: [], hallazgos: [] });
	});

	it.each([
		['50,000', '55 1234 5678', 50_000, '5512345678'],
		['$ 50,000.50', '(55) 1234-5678', 50_000.5, '5512345678'],
		['5000', '+52 55 1234 5678', 5_000, '5512345678'],
		['200000', '521 55 1234 5678', 200_000, '5512345678'],
	])('reads the amount %s and the telephone %s', (monto, telefono, amount, digits) => {
		expect(read({ monto, telefono }).solicita).toEqual({
			...{ producto: 'Crédito personal', monto: amount, telefono: digits },
		});
	});

	it.each([
		['monto', '4999'],
		['monto', '200,001'],
		['monto', 'mucho'],
		['monto', '-50000'],
		['monto', '5e4'],
		['producto', 'Otro'],
		['producto', ''],
		['telefono', '1234567'],
		['telefono', '551234567x'],
		['telefono', ''],
	])('marks %s if it is "%s"', (field, value) => {
		expect(read({ [field]: value }).errores.map(({ campo }) => campo)).toEqual([field]);
	});

	it('asks for no product where the lender has one kind only', () => {
		expect(read({ producto: '' }, { productos: '' })).toMatchObject({ errores: [] });
	});

	it.each(['a@b.mx,c@d.mx', 'a;b@c.mx', 'a(b)@c.mx', 'a@b.mx:25'])(
		'takes no address that is several to a mail server: %s',
		(correo) => {
			expect(read({ correo }).errores.map(({ campo }) => campo)).toEqual(['correo']);
		},
	);

	it.each([
		['an RFC', 'EISE850314BK8', 'Esto parece un RFC'],
		['an RFC without homoclave', 'EISE850314', 'Esto parece un RFC'],
		['a missing character', 'EISE850314MDFXGL0', 'Tiene 17 caracteres'],
		['a letter O for a zero', 'EISE85O314MDFXGL08', '¿Quiso escribir el número 0?'],
		['a wrong digit', 'EISE850314MDFXGL09', 'el último número no corresponde'],
		['a month that is none', 'EISE851314MDFXGL08', 'no existe'],
		['a state that is none', 'EISE850314MZZXGL08', 'ningún estado'],
		['300 characters', 'A'.repeat(300), 'más de 256'],
	])('names %s in the field of the CURP', (_what, curp, text) => {
		const found = read({ curp });
		expect(found.siguiente).toBe('corregir');
		expect(textsOf(found)).toContain(text);
	});

	it.each(['nombre', 'primerApellido', 'segundoApellido'])('limits %s to 256 letters', (field) => {
		const found = read({ [field]: 'A'.repeat(300) });
		expect(found.errores).toContainEqual({
			campo: field,
			texto: expect.stringContaining('Tiene más de 256 letras') as string,
		});
		expect(found.datos[field].length).toBeLessThanOrEqual(257);
	});

	it.each(['<script>alert(1)</script>', 'Elena {{ $env }}', 'Elena; DROP TABLE'])(
		'refuses the name %s',
		(nombre) => {
			expect(textsOf(read({ nombre }))).toContain('Escriba solo letras');
		},
	);

	it.each(["D'Amico", 'Peña-Nieto', 'Ma. de los Ángeles', 'Núñez'])('takes the name %s', (name) => {
		expect(textsOf(read({ segundoApellido: name }))).not.toContain('Escriba solo letras');
	});

	it('names a birth date that is not that of the CURP', () => {
		const found = checked(ELENA.curp);
		const body = { ...ELENA, nacimiento: '1985-04-13' };
		const nodes = { 'Application form': [{ body }], Lender: [LENDER] };
		const items = [{ ...found, warnings: [{ field: 'CURP', code: 'DATE' }] }];
		const [one] = runExampleCodeNode('onboard-applicant', 'Application', items, { nodes });
		expect(one).toMatchObject({ siguiente: 'corregir' });
		expect(textsOf(one as unknown as Read)).toContain('No es la fecha que lleva su CURP');
	});

	it('goes to a person after five tries', () => {
		const found = read({ curp: 'EISE850314MDFXGL09', intento: '5' });
		expect(found.siguiente).toBe('recibir');
		expect(found.hallazgos).toEqual([expect.objectContaining({ code: 'DATA_NOT_CORRECTED' })]);
	});

	it('does not go on without the authorization, whatever the try', () => {
		expect(read({ acepto: '', intento: '5' }).siguiente).toBe('corregir');
	});

	describe('with names that do not fit the CURP', () => {
		const other = { nombre: 'Ricardo' };
		it('asks to correct them once', () => {
			const first = read(other);
			expect(first.siguiente).toBe('corregir');
			expect(textsOf(first)).toContain('no corresponden al nombre');
			const again = read({ ...other, comparado: first.comparado, intento: '2' });
			expect(again.siguiente).toBe('recibir');
			expect(again.hallazgos).toEqual([
				expect.objectContaining({ code: 'NAME_DOES_NOT_FIT_CURP' }),
			]);
		});

		it('asks again if other data are sent', () => {
			const first = read(other);
			const changed = { nombre: 'Rodrigo', comparado: first.comparado, intento: '2' };
			expect(read(changed).siguiente).toBe('corregir');
		});

		const named = vectors.curpCalc as Named[];
		it.each(named.map((one) => [`${one.name} ${one.firstLastName} ${one.secondLastName}`, one]))(
			'knows the letters of %s',
			(_name, { name, firstLastName, secondLastName, expected }) => {
				const found = read({
					nombre: name.replace(/[^\p{L}'’. -]/gu, '-'),
					primerApellido: firstLastName.replace(/[^\p{L}'’. -]/gu, '-'),
					segundoApellido: secondLastName,
					curp: expected,
				});
				expect(textsOf(found)).not.toContain('no corresponden al nombre');
			},
		);

		it.each([
			['José Ángel', 'Ramírez', 'Peña', 'RAPA'],
			['María de los Ángeles', 'Moreno', 'Sánchez', 'MOSA'],
			['Luis', 'Ñando', '', 'XAXL'],
			['Juan', 'Muñoz', 'de la O', 'MUOJ'],
		])('knows %s %s %s', (nombre, primerApellido, segundoApellido, letters) => {
			const found = read({ nombre, primerApellido, segundoApellido });
			expect(found.siguiente).toBe('corregir');
			const rest = { ...ELENA, nombre, primerApellido, segundoApellido };
			const fits = fitting(letters, rest);
			expect(fits).toBe(true);
		});
	});
});

/** Consonants are tried until the names fit. */
function fitting(letters: string, names: Record<string, string>): boolean {
	const source = codeOf('onboard-applicant', 'Application');
	const text = source.slice(
		source.indexOf('function fitsNames'),
		source.indexOf('/** What is wrong with'),
	);

	const fitsNames = new Function(`${text}; return fitsNames`)() as (
		curp: string,
		person: Record<string, string>,
	) => boolean;
	const consonants = [...'BCDFGHJKLMNPQRSTVWXYZ'];
	return consonants.some((a) =>
		consonants.some((b) =>
			consonants.some((c) => fitsNames(`${letters}850314MDF${a}${b}${c}08`, names)),
		),
	);
}
