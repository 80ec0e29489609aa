import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..', '..');
const sources = ['nodes', 'credentials']
	.flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true })
			.map(String)
			.filter((path) => path.endsWith('.ts'))
			.map((path) => readFileSync(join(root, folder, path), 'utf8')),
	)
	.join('\n');

const messagesIn = (page: string) =>
	readFileSync(join(root, page), 'utf8')
		.split('\n')
		.flatMap((line) => /^\| (?:\d+ )?`([^`]+)` /.exec(line)?.[1] ?? []);
const rows = messagesIn('docs/troubleshooting.md');

describe('the messages in docs/troubleshooting.md', () => {
	it('are there', () => {
		expect(rows.length).toBeGreaterThan(25);
		expect(rows).toEqual([...new Set(rows)]);
	});

	it.each(rows)('are those of the nodes: %s', (message) => {
		const parts = message.split('…').map((part) => part.trim());
		expect(parts.filter((part) => part !== 'The' && !sources.includes(part))).toEqual([]);
	});

	it.each(['docs/es/guia.md'])('are all that %s tells of, too', (page) => {
		const messages = messagesIn(page).filter((message) => /^[A-Z][^/]* /.test(message));
		expect(messages.length).toBeGreaterThan(5);
		expect(messages.filter((message) => !rows.includes(message))).toEqual([]);
	});
});
