import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');

describe('docs/maintainers/query-flow.md', () => {
	it('leads through one query by files that are there', () => {
		const text = readFileSync(join(root, 'docs/maintainers/query-flow.md'), 'utf8');
		const [, section = ''] = text.split('## One query, file by file');
		const files = [...section.split('\n## ')[0].matchAll(/^\| `([\w/.]+\.ts)`/gm)].map(
			([, file]) => file,
		);
		expect(files.filter((file) => !existsSync(join(root, 'nodes', file)))).toEqual([]);
		expect(files.length).toBeGreaterThan(12);
	});
});
