import type { IBinaryData, IDataObject } from 'n8n-workflow';
import type { Item } from '../shared/operations/operation';

export type FileFormat = 'csv' | 'ndjson';

const MIME_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' };
/** What a row has beyond the columns, as JSON, so that nothing is lost. */
const OTHER = 'other';

/** Writes rows to one file, a page at a time, so that no more than the file and a page of rows is held. */
export async function writeFile(
	item: Item,
	pages: AsyncIterable<IDataObject[]>,
	{ format, columns, name }: { format: FileFormat; columns: string[]; name: string },
): Promise<{ rows: number; file: IBinaryData }> {
	const isCsv = format === 'csv';
	const chunks: Buffer[] = isCsv ? [Buffer.from(csvLine([...columns, OTHER]))] : [];
	let rows = 0;
	for await (const page of pages) {
		const shown = page.map(item.protect);
		const lines = shown.map((row) => (isCsv ? csvRow(row, columns) : `${JSON.stringify(row)}\n`));
		chunks.push(Buffer.from(lines.join('')));
		rows += page.length;
	}
	const content = Buffer.concat(chunks);
	const fileName = `${name}.${format}`;
	return { rows, file: await item.files.prepareBinaryData(content, fileName, MIME_TYPES[format]) };
}

function csvRow(row: IDataObject, columns: string[]): string {
	const others = Object.entries(row).filter(([key]) => !columns.includes(key));
	const other = others.length > 0 ? Object.fromEntries(others) : undefined;
	return csvLine([...columns.map((column) => row[column]), other]);
}

const csvLine = (cells: unknown[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** RFC 4180; lists and objects as JSON. */
function csvCell(value: unknown): string {
	if (value === undefined || value === null) return '';
	const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
