import { Hash } from 'node:crypto';
import type { IBinaryData, IDataObject } from 'n8n-workflow';
import type { Item } from '../../shared/operations/operation';
import { collectRows } from '../lists';

/**
 * A CSV is for sheets: a byte order mark shows Excel that it is UTF-8, and no cell is a formula. A plain one is for
 * programs: the values as they are.
 */
export type FileFormat = 'csv' | 'csvPlain' | 'ndjson';

interface FileShape {
	format: FileFormat;
	lastColumns: string[];
	name: string;
}

/**
 * Writes rows to one file. NDJSON a page at a time: where n8n keeps files outside its memory, no more than a page is
 * held. A CSV begins with its columns, which are known only after the last row, so all rows are held.
 */
export async function writeFile(
	item: Item,
	pages: AsyncIterable<IDataObject[]>,
	{ format, lastColumns, name }: FileShape,
): Promise<{ rows: number; file: IBinaryData }> {
	let count = 0;
	async function* lines(): AsyncGenerator<Buffer> {
		for await (const page of pages) {
			count += page.length;
			yield Buffer.from(page.map((row) => `${JSON.stringify(row)}\n`).join(''));
		}
	}
	async function* table(): AsyncGenerator<Buffer> {
		const rows = await collectRows(pages);
		count = rows.length;
		const columns = columnsOf(rows, lastColumns);
		const protect = format === 'csv' ? forSheet : asWritten;
		yield Buffer.from((format === 'csv' ? '\uFEFF' : '') + csvLine(columns, protect));
		for (let at = 0; at < rows.length; at += ROWS_AT_A_TIME) {
			const some = rows.slice(at, at + ROWS_AT_A_TIME);
			const cells = some.map((row) =>
				csvLine(
					columns.map((column) => (Object.hasOwn(row, column) ? row[column] : '')),
					protect,
				),
			);
			yield Buffer.from(cells.join(''));
		}
	}
	// n8n's rules let no node import node:stream; every stream class, Hash among them, can make a stream of chunks.
	const [content, ending, type] =
		format === 'ndjson'
			? [lines(), 'ndjson', 'application/x-ndjson']
			: [table(), 'csv', 'text/csv'];
	const file = await item.files.prepareBinaryData(Hash.from(content), `${name}.${ending}`, type);
	return { rows: count, file };
}

const ROWS_AT_A_TIME = 100;

/** A column that is empty in every row is left out. */
function columnsOf(rows: IDataObject[], lastColumns: string[]): string[] {
	const filled = new Set<string>();
	for (const row of rows) {
		for (const [column, value] of Object.entries(row)) {
			if (!filled.has(column) && csvCell(value) !== '') filled.add(column);
		}
	}
	const last = lastColumns.filter((column) => filled.delete(column));
	return [...filled, ...last];
}

const csvLine = (cells: unknown[], protect: (text: string) => string): string =>
	`${cells.map((cell) => csvCell(cell, protect)).join(',')}\r\n`;

const asWritten = (text: string) => text;

/** Recognizes formulas, also behind blanks: a spreadsheet would run what an applicant typed. */
const isFormula = (text: string) =>
	/^([\s\p{Cf}]*[=+\-@＝＋－＠]|[\t\r\n])/u.test(text) && !/^-\d+(\.\d+)?$/.test(text);

/** A cell that a sheet shows as text. */
const forSheet = (text: string) => (isFormula(text) ? `'${text}` : text);

/** RFC 4180; a list of texts with commas between, other lists and objects as JSON. */
function csvCell(value: unknown, protect: (text: string) => string = asWritten): string {
	if (value === undefined || value === null) return '';
	const isPlainList = Array.isArray(value) && value.every((one) => typeof one !== 'object');
	const plain = isPlainList
		? value.join(', ')
		: typeof value === 'object'
			? JSON.stringify(value)
			: String(value);
	const text = typeof value === 'number' ? plain : protect(plain);
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
