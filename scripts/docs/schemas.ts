// npm run docs:schemas: writes the output schemas that n8n's editor shows before the first run, from the table of
// columns in columns.ts. With --check it reports differences and writes nothing.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { outputColumnsByOperation, type OutputTable } from './columns';

const root = join(__dirname, '..', '..');
const FOLDERS = ['CreditProfile', 'TaxQuery'].map((node) => `nodes/${node}/__schema__`);

/** n8n reads a node of version 1 from v1.0.0. */
const pathOf = ({ node, resource, operation }: OutputTable) =>
	`nodes/${node}/__schema__/v1.0.0/${resource}/${operation}.json`;

/** `version` counts changes of the schema; n8n's own schemas have it, too. */
const schemaOf = ({ columns }: OutputTable) =>
	`${JSON.stringify({ type: 'object', properties: columns, version: 1 }, null, 2)}\n`;

const wanted = new Map(outputColumnsByOperation.map((table) => [pathOf(table), schemaOf(table)]));
const written = FOLDERS.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
	readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) =>
			join(parentPath, name)
				.slice(root.length + 1)
				.replaceAll('\\', '/'),
		),
);
const stale = [
	...written.filter((path) => !wanted.has(path)),
	...[...wanted]
		.filter(
			([path, text]) => !written.includes(path) || readFileSync(join(root, path), 'utf8') !== text,
		)
		.map(([path]) => path),
];
if (process.argv.includes('--check')) {
	if (stale.length > 0) {
		console.error(`Run npm run docs:schemas, which changes:\n${stale.join('\n')}`);
		process.exitCode = 1;
	}
} else {
	for (const folder of FOLDERS) rmSync(join(root, folder), { recursive: true, force: true });
	for (const [path, text] of wanted) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), text);
	}
}
