import type { SchemaName } from './versionSchemas';

interface CatalogEntry {
	name: string;
	parent?: string;
	schema: SchemaName;
	tags: string[];
	processorKey?: string;
	/** Number of its documents; 'largest' is as many as the sandbox's option says. */
	documents: number | 'largest';
}

const entry = (
	name: string,
	parent: string | undefined,
	schema: SchemaName,
	tags: string[],
	documents: CatalogEntry['documents'],
	processorKey?: string,
): CatalogEntry => ({ name, parent, schema, tags, documents, processorKey });

/** The collections of the sandbox; a parent stands before its children. */
export const collectionSpecs: CatalogEntry[] = [
	entry('Solicitudes de crédito', undefined, 'solicitante', ['originación'], 40),
	entry(
		'Personas físicas',
		'Solicitudes de crédito',
		'solicitante',
		['originación', 'PF'],
		'largest',
		'applicants-pf',
	),
	entry(
		'Personas morales',
		'Solicitudes de crédito',
		'empresa',
		['originación', 'PM'],
		260,
		'applicants-pm',
	),
	entry(
		'Obligados solidarios',
		'Personas físicas',
		'solicitante',
		['originación', 'PF', 'aval'],
		85,
	),
	entry('Accionistas', 'Personas morales', 'solicitante', ['originación', 'PM'], 120),
	entry('Cónyuges', 'Personas físicas', 'solicitante', ['PF'], 64),
	entry('Burós de crédito', undefined, 'buro', ['buró'], 0),
	entry('Buró de personas físicas', 'Burós de crédito', 'buro', ['buró', 'PF'], 430, 'bureau-pf'),
	entry('Buró de personas morales', 'Burós de crédito', 'buro', ['buró', 'PM'], 150, 'bureau-pm'),
	entry('Prospección', 'Burós de crédito', 'buro', ['buró', 'prospección'], 75, 'prospector-pf'),
	entry('Segundo buró', 'Burós de crédito', 'buro', ['buró'], 33, 'credit-bureau-b'),
	entry('Capacidad de pago', undefined, 'ingresos', ['ingresos'], 12),
	entry('Recibos de nómina', 'Capacidad de pago', 'ingresos', ['ingresos', 'nómina'], 310),
	entry('Estados de cuenta', 'Capacidad de pago', 'ingresos', ['ingresos', 'banco'], 205),
	entry('Ingresos de compañías pequeñas', 'Capacidad de pago', 'ingresos', ['ingresos', 'PM'], 48),
	entry('Antigüedad laboral', 'Capacidad de pago', 'ingresos', ['ingresos', 'empleo'], 95),
	entry('Identidad', undefined, 'verificacion', ['identidad'], 0),
	entry(
		'Verificación de identidad',
		'Identidad',
		'verificacion',
		['identidad', 'biometría'],
		180,
		'identity-verification',
	),
	entry(
		'Listas de sanciones',
		'Identidad',
		'verificacion',
		['identidad', 'cumplimiento'],
		180,
		'sanctions-screening',
	),
	entry(
		'Personas políticamente expuestas',
		'Listas de sanciones',
		'verificacion',
		['cumplimiento'],
		27,
	),
	entry(
		'Pruebas de vida',
		'Verificación de identidad',
		'verificacion',
		['identidad', 'biometría'],
		61,
	),
	entry('Domicilios', undefined, 'domicilio', ['domicilio'], 140),
	entry('Visitas domiciliarias', 'Domicilios', 'domicilio', ['domicilio', 'campo'], 90),
	entry('Domicilios fiscales', 'Domicilios', 'domicilio', ['domicilio', 'fiscal'], 77),
	entry('Expedientes judiciales', undefined, 'expediente', ['legal'], 58, 'legal-records'),
	entry('Juicios mercantiles', 'Expedientes judiciales', 'expediente', ['legal', 'mercantil'], 36),
	entry('Juicios laborales', 'Expedientes judiciales', 'expediente', ['legal', 'empleo'], 22),
	entry('Garantías', undefined, 'empresa', [], 15),
	entry('Años anteriores (migración)', undefined, 'solicitante', ['archivo'], 500),
	entry('Colección vacía', undefined, 'domicilio', [], 0),
];
