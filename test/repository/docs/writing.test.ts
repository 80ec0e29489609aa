import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from '../../support/repositoryFiles';
import { countPageWords, longCells, longSentences, unwantedWords } from './writingRules';

/** Texts that others have written. */
const OF_OTHERS = ['LICENSE.md', 'CODE_OF_CONDUCT.md'];
const root = join(__dirname, '..', '..', '..');
const pages = ['.', 'docs', 'docs/maintainers', 'sandbox'].flatMap((folder) =>
	readdirSync(join(root, folder))
		.filter((name) => name.endsWith('.md') && !OF_OTHERS.includes(name))
		.map((name) => join(folder, name)),
);
const spanish = filesIn('docs/es');
/** The benchmarks, whose tables a command writes, and the catalogue of open points, which others cite by section. */
const LONG = ['docs/maintainers/benchmarks.md', 'docs/unspecified.md'];
const MOST_WORDS = 1500;
const read = (page: string) => readFileSync(join(root, page), 'utf8');

describe('how the pages are written', () => {
	it.each([...pages, ...spanish])('%s has no sentence of more than 35 words', (page) => {
		expect(longSentences(read(page), 35)).toEqual([]);
	});

	it.each([...pages, ...spanish])('%s has no table cell of more than 30 words', (page) => {
		expect(longCells(read(page), 30)).toEqual([]);
	});

	it.each(pages)('%s uses one word for one thing', (page) => {
		expect(unwantedWords(read(page))).toEqual([]);
	});

	const documents = filesIn('docs').filter((path) => path.endsWith('.md'));
	it.each(documents.filter((page) => !LONG.includes(page)))(
		'%s has at most 1,500 words',
		(page) => {
			expect(countPageWords(read(page))).toBeLessThanOrEqual(MOST_WORDS);
		},
	);

	it('has exceptions from the length of a page only where they are needed', () => {
		expect(LONG.filter((page) => countPageWords(read(page)) <= MOST_WORDS)).toEqual([]);
	});
});

describe('the check of the writing', () => {
	it('refuses a sentence that says three things at once', () => {
		const long = `${'word '.repeat(20)}and, where it is so, ${'word '.repeat(20)}end.`;
		expect(longSentences(`A short one. ${long}`, 35)).toHaveLength(1);
	});

	it('counts words as wc -w does, with the bars of a table', () => {
		expect(countPageWords('# Two words\n\n| a | b |\n')).toBe(8);
	});

	it('refuses a crowded cell', () => {
		expect(longCells(`| a | ${'word '.repeat(31)}|`, 30)).toHaveLength(1);
	});

	it.each([
		['Nothing of a delivery is believed', 'delivery'],
		['The next look brings it', 'look'],
		['This is told in a hint', 'is told'],
		['Mend what the first row tells', 'mend'],
		['What is left comes with the next check.', 'what'],
		['The service is polled every minute', 'poll'],
		['If a field is called otherwise, set it', 'otherwise'],
	])('refuses "%s"', (sentence, word) => {
		expect(unwantedWords(sentence).join()).toContain(word);
	});

	it('leaves code and quotations of the screen alone', () => {
		expect(unwantedWords('`deliveryId` and _Send test delivery_ stay')).toEqual([]);
	});
});
