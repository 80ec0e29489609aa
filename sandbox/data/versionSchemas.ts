import type { CollectionVersionJsonSchema } from '../../contract/creditProfile';

type Properties = Record<string, CollectionVersionJsonSchema>;

const text = (title: string): CollectionVersionJsonSchema => ({ title, type: 'string' });
const number = (title: string): CollectionVersionJsonSchema => ({ title, type: 'number' });
const integer = (title: string): CollectionVersionJsonSchema => ({ title, type: 'integer' });
const boolean = (title: string): CollectionVersionJsonSchema => ({ title, type: 'boolean' });
const date = (title: string): CollectionVersionJsonSchema => ({
	title,
	type: 'string',
	format: 'date',
});
const choice = (title: string, ...values: string[]): CollectionVersionJsonSchema => ({
	title,
	type: 'string',
	enum: values,
});
const orNull = (schema: CollectionVersionJsonSchema): CollectionVersionJsonSchema => ({
	...schema,
	type: [schema.type as 'string', 'null'],
});
const list = (title: string, items: CollectionVersionJsonSchema): CollectionVersionJsonSchema => ({
	title,
	type: 'array',
	items,
});
const object = (title: string, properties: Properties, optional: string[] = []) =>
	({
		title,
		type: 'object',
		properties,
		required: Object.keys(properties).filter((name) => !optional.includes(name)),
		additionalProperties: false,
	}) satisfies CollectionVersionJsonSchema;

const rfc: CollectionVersionJsonSchema = {
	title: 'RFC',
	description: 'Con homoclave, en mayúsculas y sin espacios',
	type: 'string',
	pattern: '^[A-ZÑ&]{3,4}[0-9]{6}[A-Z0-9]{2}[0-9A]$',
};
const curp: CollectionVersionJsonSchema = {
	title: 'CURP',
	type: 'string',
	pattern: '^[A-Z0-9]{18}$',
};
const email: CollectionVersionJsonSchema = {
	title: 'Correo electrónico',
	type: 'string',
	format: 'email',
};

const person: Properties = {
	nombre: text('Nombre'),
	primerApellido: text('Primer apellido'),
	segundoApellido: orNull(text('Segundo apellido')),
	rfc,
	curp,
};

const address = object('Domicilio', {
	calle: text('Calle y número'),
	colonia: text('Colonia'),
	municipio: text('Municipio o alcaldía'),
	estado: text('Estado (ISO 3166-2:MX)'),
	codigoPostal: { title: 'Código postal', type: 'string', pattern: '^[0-9]{5}$' },
});

const account = object('Crédito', {
	otorgante: text('Otorgante'),
	saldo: number('Saldo actual'),
	saldoVencido: number('Saldo vencido'),
	fechaApertura: date('Fecha de apertura'),
	estatus: choice('Estatus', 'al corriente', 'vencido', 'cerrado'),
});

/** The shapes of what a lender keeps, each with its versions from the oldest to the newest. */
export const documentSchemas = {
	solicitante: [
		object('Solicitante', { ...person, correo: email }),
		object('Solicitante', { ...person, correo: email, telefono: text('Teléfono') }),
		object(
			'Solicitante',
			{ ...person, correo: email, telefono: text('Teléfono'), domicilio: address },
			['telefono'],
		),
	],
	domicilio: [
		address,
		object('Domicilio verificado', {
			domicilio: address,
			verificado: boolean('Verificado'),
			fechaVisita: date('Fecha de visita'),
		}),
	],
	buro: [
		object('Reporte de buró', {
			rfc,
			puntaje: integer('Puntaje'),
			fechaConsulta: date('Fecha de consulta'),
		}),
		object('Reporte de buró', {
			rfc,
			puntaje: orNull(integer('Puntaje')),
			folio: { title: 'Folio', type: 'string', format: 'uuid' },
			fechaConsulta: date('Fecha de consulta'),
			creditos: list('Créditos', account),
		}),
	],
	empresa: [
		object('Empresa', { razonSocial: text('Razón social'), rfcEmpresa: rfc, giro: text('Giro') }),
		object('Empresa', {
			razonSocial: text('Razón social'),
			rfcEmpresa: rfc,
			giro: text('Giro'),
			sitioWeb: orNull({ title: 'Sitio web', type: 'string', format: 'uri' }),
			representante: object('Representante legal', person),
		}),
	],
	ingresos: [
		object('Comprobante de ingresos', {
			rfc,
			patron: text('Patrón'),
			ingresoMensual: number('Ingreso mensual neto'),
			periodicidad: choice('Periodicidad', 'semanal', 'quincenal', 'mensual'),
			nss: { title: 'NSS', type: 'string', pattern: '^[0-9]{11}$' },
		}),
	],
	verificacion: [
		object('Verificación', {
			curp,
			resultado: choice('Resultado', 'aprobada', 'rechazada', 'en revisión'),
			realizadaEn: { title: 'Realizada en', type: 'string', format: 'date-time' },
			observaciones: orNull(text('Observaciones')),
		}),
	],
	expediente: [
		object('Expediente', {
			juzgado: text('Juzgado'),
			numero: { title: 'Número de expediente', type: 'string', pattern: '^[0-9]{1,5}/[0-9]{4}$' },
			materia: choice('Materia', 'civil', 'mercantil', 'laboral', 'familiar'),
			partes: list('Partes', text('Nombre')),
		}),
	],
} satisfies Record<string, CollectionVersionJsonSchema[]>;

export type SchemaName = keyof typeof documentSchemas;
