import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a file goes that a person may look at after a run; ignored by git. */
export function outputFile(name: string): string {
	const folder = join(__dirname, '..', '..', '..', '.test-output', 'e2e');
	mkdirSync(folder, { recursive: true });
	return join(folder, name);
}

/** Keeps rows for a person to look at, as the rows of a Markdown table. */
export const keepRows = (name: string, rows: unknown[][]) =>
	writeFileSync(outputFile(name), rows.map((row) => `| ${row.join(' | ')} |\n`).join(''));
