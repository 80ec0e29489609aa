import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the path of a file for a person to inspect after a run; git ignores it. */
export function artifactPath(name: string): string {
	const folder = join(__dirname, '..', '..', '..', '.test-output', 'e2e');
	mkdirSync(folder, { recursive: true });
	return join(folder, name);
}

/** Writes rows for a person as the rows of a Markdown table. */
export const writeMarkdownRows = (name: string, rows: unknown[][]) =>
	writeFileSync(artifactPath(name), rows.map((row) => `| ${row.join(' | ')} |\n`).join(''));
