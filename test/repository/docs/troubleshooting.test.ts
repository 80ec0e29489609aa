import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { webhookResponseTexts, messagesOfTheNodes } from './renderedMessages';

const root = join(__dirname, '..', '..', '..');

/** The first cells of a page's tables that quote a message, or a status and an answer. */
const quotedIn = (page: string) =>
	readFileSync(join(root, page), 'utf8')
		.split('\n')
		.flatMap((line) => {
			const [, status = '', message] =
				/^\| (\d+ )?`([A-Z"…][^`]* [^`]*|Unauthorized)` /.exec(line) ?? [];
			return message === undefined ? [] : [status + message];
		});

/** Returns whether a message is quoted so, "…" standing for any text. */
const isQuoted = (quote: string, message: string) => {
	const parts = quote.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
	return new RegExp(`^${parts.join('.+')}$`, 's').test(message);
};

/** The pages that list messages, each message on one of them. */
const pages = ['troubleshooting', 'trigger-troubleshooting', 'was-it-billed'].map(
	(page) => `docs/${page}.md`,
);
const quotes = pages.flatMap(quotedIn);
let messages: string[] = [];
beforeAll(async () => {
	messages = [...(await messagesOfTheNodes()), ...webhookResponseTexts()];
});

describe('the messages that the pages on troubleshooting list', () => {
	it.each(pages)('are in the tables of %s', (page) => {
		expect(quotedIn(page).length).toBeGreaterThan(7);
	});

	it('are there, each on one page', () => {
		expect(quotes.length).toBeGreaterThan(45);
		expect(quotes).toEqual([...new Set(quotes)]);
	});

	it.each(quotes)('are made by the nodes: %s', (quote) => {
		expect(messages.filter((message) => isQuoted(quote, message))).not.toEqual([]);
	});

	it.each(['docs/es/mensajes.md'])('are all that %s quotes, too', (page) => {
		const others = quotedIn(page);
		expect(others.length).toBeGreaterThan(5);
		expect(others.filter((quote) => !quotes.includes(quote))).toEqual([]);
	});
});

it('a message that nothing makes is refused', () => {
	expect(messages.some((message) => isQuoted('The service asks for money', message))).toBe(false);
});
