import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allMessages } from './renderedMessages';
import {
	parameterLabels,
	textOfSandboxPage,
	textsOfExamples,
	textsOfPanels,
	textsOfSources,
} from './textsOutsideDocs';
import { longSentences, unwantedInSpanish, findUnwantedOnScreens } from './writingRules';

/** Returns what a check refuses, each with the place of its text. */
const refused = (texts: Map<string, string[]>, check: (text: string) => string[]) =>
	[...texts].flatMap(([where, all]) =>
		all.flatMap((text) => check(text).map((flaw) => `${where}: ${flaw}`)),
	);

const MOST_WORDS = 25;
const long = (text: string) => longSentences(text, MOST_WORDS);

describe('what an operator reads on the screen', () => {
	it('is in panels of short sentences', async () => {
		expect(refused(await textsOfPanels(), long)).toEqual([]);
	});

	it("is in panels of the product's words", async () => {
		expect(refused(await textsOfPanels(), findUnwantedOnScreens)).toEqual([]);
	});

	it.each([['nodes'], ['credentials'], ['sandbox'], ['demo']])(
		'uses the words of the product in %s',
		(folder) => {
			expect(refused(textsOfSources(folder), findUnwantedOnScreens)).toEqual([]);
		},
	);

	it("is in examples of the product's words, with sentences as on the pages", () => {
		expect(refused(textsOfExamples(), findUnwantedOnScreens)).toEqual([]);
		expect(refused(textsOfExamples(), unwantedInSpanish)).toEqual([]);
		expect(refused(textsOfExamples(), (text) => longSentences(text, 35))).toEqual([]);
	});

	it("is on the page of the sandbox in the product's words", () => {
		expect(findUnwantedOnScreens(textOfSandboxPage())).toEqual([]);
	});

	it('is a guide in Spanish that nobody translated word by word', () => {
		const folder = join(__dirname, '..', '..', '..', 'docs', 'es');
		const guide = new Map(
			readdirSync(folder).map((page) => [page, [readFileSync(join(folder, page), 'utf8')]]),
		);
		expect([...guide.keys()]).toContain('guia.md');
		expect(refused(guide, unwantedInSpanish)).toEqual([]);
	});
});

describe('errors and hints', () => {
	it('are short sentences', async () => {
		const shownMessage = await allMessages();
		const all = shownMessage.flatMap(({ message, description }) => [message, description]);
		expect(all.length).toBeGreaterThan(150);
		expect([...new Set(all)].flatMap(long)).toEqual([]);
	});

	it('put names of parameters in single quotes', async () => {
		const labels = (await parameterLabels()).filter(
			(label) => label !== 'API Mapping' && / [A-Z]/.test(label),
		);
		const flaws = [/"[A-Z][\w ()→]*" (is|has|must|cannot|in|of) /, ...labels.map(bareLabel)];
		const shownMessage = (await allMessages()).flatMap(({ message, description }) => [
			message,
			description,
		]);
		expect(shownMessage.filter((text) => flaws.some((flaw) => flaw.test(text)))).toEqual([]);
	});
});

/** A label outside single quotes. */
const bareLabel = (label: string) => new RegExp(`(?<!')${label.replace(/[()]/g, '\\$&')}(?!\\w)`);

describe('the check of the screens', () => {
	it.each([
		['Each item pays, in the editor too', 'pays'],
		['What stands before the signature in its header', 'stands'],
		['each of these requests would be paid for', 'paid for'],
		['Webhook deliveries', 'delivery'],
		['Neither the token nor the answer tells how long it lives', 'tells'],
	])('refuses "%s"', (text, word) => {
		expect(findUnwantedOnScreens(text).join()).toContain(word);
	});

	it.each([
		['Guarde la clave de la consulta', 'ID de la consulta'],
		['En un n8n propio, instale el paquete', 'autoalojado'],
	])('refuses "%s"', (text, instead) => {
		expect(unwantedInSpanish(text).join()).toContain(instead);
	});
});
