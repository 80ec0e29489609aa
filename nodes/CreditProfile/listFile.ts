import { Hash } from 'node:crypto';
import type { IBinaryData, IDataObject } from 'n8n-workflow';
import type { Item } from '../shared/operations/operation';

export type FileFormat = 'csv' | 'ndjson';

const MIME_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' };
/** What a row has beyond the columns, as JSON, so that nothing is lost. */
export const OTHER = 'other';

/** Writes rows to one file, a page at a time; where n8n keeps files outside its memory, no more than a page is held. */
export async function writeFile(
	item: Item,
	pages: AsyncIterable<IDataObject[]>,
	{ format, columns, name }: { format: FileFormat; columns: string[]; name: string },
): Promise<{ rows: number; file: IBinaryData }> {
	const isCsv = format === 'csv';
	let rows = 0;
	async function* chunks(): AsyncGenerator<Buffer> {
		if (isCsv) yield Buffer.from(csvLine([...columns, OTHER]));
		for await (const page of pages) {
			const shown = page.map((row) => item.protect(row));
			const lines = shown.map((row) => (isCsv ? csvRow(row, columns) : `${JSON.stringify(row)}\n`));
			rows += page.length;
			yield Buffer.from(lines.join(''));
		}
	}
	// n8n's rules let no node import node:stream; every stream class, Hash among them, can make a stream of chunks.
	const content = Hash.from(chunks());
	const file = await item.files.prepareBinaryData(content, `${name}.${format}`, MIME_TYPES[format]);
	return { rows, file };
}

function csvRow(row: IDataObject, columns: string[]): string {
	const others = Object.entries(row).filter(([key]) => !columns.includes(key));
	const other = others.length > 0 ? Object.fromEntries(others) : undefined;
	return csvLine([...columns.map((column) => row[column]), other]);
}

const csvLine = (cells: unknown[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** What a sheet would take for a formula: applicants type names, and a sheet carries out what they typed. */
const isFormula = (text: string) => /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text));

/** RFC 4180; lists and objects as JSON, a formula with an apostrophe before it. */
function csvCell(value: unknown): string {
	if (value === undefined || value === null) return '';
	const plain = typeof value === 'object' ? JSON.stringify(value) : String(value);
	const text = isFormula(plain) ? `'${plain}` : plain;
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
