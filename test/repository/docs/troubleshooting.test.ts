import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from '../../support/repositoryFiles';

const root = join(__dirname, '..', '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The first cells of a page's tables that quote a message, or a status and an answer. */
const quotedIn = (page: string) =>
	read(page)
		.split('\n')
		.flatMap((line) => {
			const [, status = '', message] =
				/^\| (\d+ )?`([A-Z"…][^`]* [^`]*|Unauthorized)` /.exec(line) ?? [];
			return message === undefined ? [] : [status + message];
		});

/** The sources of the nodes, with "…" for what is filled in. */
const sources = ['nodes', 'credentials']
	.flatMap(filesIn)
	.filter((path) => path.endsWith('.ts'))
	.map(read)
	.join('\n')
	.replace(/\$\{[^}]*\}/g, '…')
	.replace(/['"`]\s*\+\s*['"`]/g, '')
	.replace(/\\(['"`])/g, '$1');

const SHORTEST_PART = 6;
/** The parts of a quote that are the same in each message, without what stands between them. */
const partsOf = (quote: string) =>
	quote
		.split(/…|"[^"]*"|\d+/)
		.map((part) => part.trim().replace(/^[.,:;]+ ?|[.,:;]+$/g, ''))
		.filter((part) => part.length >= SHORTEST_PART);

const MOST_PIECES = 3;

/** The part is there whole or in a few pieces: a subject may stand apart. */
function isWritten(part: string, pieces = MOST_PIECES): boolean {
	const words = part.split(' ');
	if (part.length < SHORTEST_PART) return false;
	if (sources.includes(part)) return true;
	let known = words.length - 1;
	while (known > 0 && !sources.includes(words.slice(0, known).join(' '))) known--;
	return known > 0 && pieces > 1 && isWritten(words.slice(known).join(' '), pieces - 1);
}

/** The pages that list messages, each message on one of them. */
const pages = ['troubleshooting', 'trigger-troubleshooting', 'was-it-billed'].map(
	(page) => `docs/${page}.md`,
);
const quotes = pages.flatMap(quotedIn);

describe('the messages that the pages on troubleshooting list', () => {
	it('are there, each on one page', () => {
		expect(quotes.length).toBeGreaterThan(45);
		expect(quotes).toEqual([...new Set(quotes)]);
	});

	it('are written in the nodes', () => {
		const unknown = quotes.filter((quote) => !partsOf(quote).every((part) => isWritten(part)));
		expect(unknown).toEqual([]);
		expect(isWritten('The service asks for money')).toBe(false);
	});

	it('are all that docs/es/mensajes.md quotes, too', () => {
		const others = quotedIn('docs/es/mensajes.md');
		expect(others.length).toBeGreaterThan(5);
		expect(others.filter((quote) => !quotes.includes(quote))).toEqual([]);
	});
});
