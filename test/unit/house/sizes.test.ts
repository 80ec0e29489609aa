import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(__dirname, '..', '..', '..');
const files = ['nodes', 'credentials'].flatMap((folder) =>
	readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
);

describe('the rooms of what is published', () => {
	it('hold at most eleven files each', () => {
		const counts = new Map<string, number>();
		for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
		expect([...counts].filter(([, count]) => count > 11)).toEqual([]);
	});

	it('hold no file over 250 lines', () => {
		const lines = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length - 1;
		expect(files.filter((file) => lines(file) > 250)).toEqual([]);
	});
});
