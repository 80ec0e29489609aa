import { DAY_MS } from '../clock';

interface SampleFile {
	filetype: 'jpeg' | 'png' | 'pdf' | 'csv' | 'json';
	label: string;
	name: string;
	mediaType: string;
	content: Buffer;
}

export const FILES_PATH = '/sandbox/files';
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`;
const PNG =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const JPEG =
	'/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=';

export const SAMPLES: SampleFile[] = [
	{
		filetype: 'pdf',
		label: 'Identificación oficial',
		name: 'identificacion.pdf',
		mediaType: 'application/pdf',
		content: Buffer.from(PDF),
	},
	{
		filetype: 'jpeg',
		label: 'Fotografía',
		name: 'fotografia.jpeg',
		mediaType: 'image/jpeg',
		content: Buffer.from(JPEG, 'base64'),
	},
	{
		filetype: 'png',
		label: 'Firma',
		name: 'firma.png',
		mediaType: 'image/png',
		content: Buffer.from(PNG, 'base64'),
	},
	{
		filetype: 'csv',
		label: 'Movimientos',
		name: 'movimientos.csv',
		mediaType: 'text/csv; charset=utf-8',
		content: Buffer.from('fecha,concepto,importe\n2024-03-01,Nómina,12500.00\n'),
	},
	{
		filetype: 'json',
		label: 'Respuesta del proveedor',
		name: 'respuesta.json',
		mediaType: 'application/json',
		content: Buffer.from('{"resultado":"aprobada"}\n'),
	},
];

export const sampleFileByDocumentIndex = (index: number): SampleFile =>
	SAMPLES[index % SAMPLES.length];

/** The address is the sandbox's own, and the clock counts milliseconds since 1970. */
export interface LinkContext {
	origin: string;
	now: number;
}

/** The file can be fetched for the next 24 hours (CP §2.10). */
export function fileUrl(
	{ origin, now }: LinkContext,
	kind: 'download' | 'preview',
	{ name }: SampleFile,
): string {
	return `${origin}${FILES_PATH}/${kind}/${name}?expires=${now + DAY_MS}`;
}
