import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A person inspects it after a run; git ignores it. */
export function artifactPath(name: string): string {
	const folder = join(__dirname, '..', '..', '..', '.test-output', 'e2e');
	mkdirSync(folder, { recursive: true });
	return join(folder, name);
}

/** They become the rows of a Markdown table. */
export const writeMarkdownRows = (name: string, rows: unknown[][]) =>
	writeFileSync(artifactPath(name), rows.map((row) => `| ${row.join(' | ')} |\n`).join(''));
