import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { People } from '../../../sandbox/data/people';
import { reserve } from '../../../sandbox/data/people/reserved';

const root = join(__dirname, '..', '..', '..');
const rowsOf = (page: string) =>
	readFileSync(join(root, 'docs', page), 'utf8')
		.split('\n')
		.filter((line) => line.startsWith('| '))
		.map((line) =>
			line
				.split('|')
				.slice(1, -1)
				.map((cell) => cell.trim()),
		);

describe('lists in the documents are whole', () => {
	it('docs/sandbox.md has the reserved people', () => {
		const reserved = reserve(new People(1));
		expect(reserved.length).toBeGreaterThan(4);
		expect(rowsOf('sandbox.md')).toEqual(
			expect.arrayContaining(
				reserved.map(({ effect, rfc, curp, companyRfc }) => [effect, rfc, curp, companyRfc]),
			),
		);
	});

	it('docs/examples.md has every example', () => {
		const named = rowsOf('examples.md').flatMap(([cell]) => /^\[([\w-]+)\]/.exec(cell)?.[1] ?? []);
		const files = readdirSync(join(root, 'examples')).map((file) => file.replace('.json', ''));
		expect(named.sort()).toEqual(files.sort());
	});
});
