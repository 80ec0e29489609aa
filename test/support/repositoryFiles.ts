import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');
/** n8n alone has 180,000 files. */
const FOREIGN = ['node_modules', 'dist'];

/** The repository's own files below one of its folders, as paths from its root. */
export const filesIn = (folder: string): string[] =>
	readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		if (!entry.isDirectory()) return [path];
		return FOREIGN.includes(entry.name) ? [] : filesIn(path);
	});
