import { decodeJsonHtmlUrlEscapes } from '../../../../nodes/shared/utils/escapes';

describe('a text with escapes', () => {
	it.each<[how: string, text: string, decoded: string]>([
		['of JSON', '\\u00f1 \\/ \\" \\\\', 'ñ / " \\'],
		['of HTML, by name', '&amp; &lt; &gt; &quot; &apos;', '& < > " \''],
		['of HTML, by number', '&#241; &#xF1;', 'ñ ñ'],
		['of a URL in UTF-8', 'se%C3%B1a%2F1', 'seña/1'],
		['of a URL in Latin-1', 'se%F1a', 'seña'],
	])('is decoded: %s', (_, text, decoded) => {
		expect(decodeJsonHtmlUrlEscapes(text)).toBe(decoded);
	});

	it('is decoded once only', () => {
		expect(decodeJsonHtmlUrlEscapes('%252F')).toBe('%2F');
	});

	it.each(['&constructor;', '&#x7fffff;', '\\u00', '100 %', 'plain'])(
		'stays as it is where it has none that are valid: %s',
		(text) => {
			expect(decodeJsonHtmlUrlEscapes(text)).toBe(text);
		},
	);
});
