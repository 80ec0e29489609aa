import { parseText } from '../../../../nodes/shared/operations/fields';
import { normalizeText, hasEncodingDamage } from '../../../../nodes/shared/utils/cleanText';

/** The bytes 80 to 9F in windows-1252. */
const HIGH = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
/** A text as a program shows it that takes its bytes for Latin-1 or windows-1252. */
function misread(text: string, encoding: string): string {
	const shown = Buffer.from(text).toString('latin1');
	if (encoding === 'latin1') return shown;
	return Array.from(shown, (one) => {
		const at = (one.codePointAt(0) ?? 0) - 0x80;
		return at >= 0 && at < 32 ? HIGH[at] : one;
	}).join('');
}

describe('a text as it is sent', () => {
	it.each([
		['decomposed letters', 'Mun\u0303oz Go\u0301mez', 'Muñoz Gómez'],
		['zero-width characters', 'Go\u200bm\u200dez\ufeff', 'Gómez'.replace('ó', 'o')],
		['a joiner inside a decomposed letter', 'Mun\u200d\u0303oz', 'Muñoz'],
		['no-break and other blanks', '\u00a0De\u00a0 la\u2009\u3000O ', 'De la O'],
		['marks of direction', '\u200eEmma\u200f \u202aGómez\u202c', 'Emma Gómez'],
		['a soft hyphen', 'Gó\u00admez', 'Gómez'],
		['variation selectors and fillers', 'Emma\ufe0f\u3164\u180e', 'Emma'],
		['nothing but invisible characters', '\u200b\u00a0\u2060', ''],
	])('has no %s', (_what, text, sent) => expect(normalizeText(text)).toBe(sent));

	it('is the same when it is cleaned again', () => {
		const odd = 'n\u200d\u0303 \u00a0\u200b \u0301';
		expect(normalizeText(normalizeText(odd))).toBe(normalizeText(odd));
	});
});

describe('a damaged text', () => {
	it.each(Array.from('ÁÉÍÓÚÜÑáéíóúüñ'))(
		'is seen in a word with %s, however it was misread',
		(letter) => {
			for (const word of [`Ma${letter}ra`, `${letter}ra`, `MA${letter}RA`, `${letter}`]) {
				const once = ['latin1', 'windows-1252'].map((encoding) => misread(word, encoding));
				const twice = once.map((text) => misread(text, 'windows-1252'));
				expect([...once, ...twice].map(hasEncodingDamage)).toEqual([true, true, true, true]);
			}
		},
	);

	it.each([
		['a replacement character', 'Mu\ufffdoz'],
		['a misread replacement character', 'Muï¿½oz'],
		['half a letter', 'GarcÃa'],
		['a control character', 'Gó\u0000mez'],
		['a C1 control character', 'Gó\u0091mez'],
		['half a character', 'Emma \ud83d'],
		['a character of private use', 'Emma \ue000'],
		['a misread quotation mark', 'Dâ€™Angelo'],
		['a misread blank', 'JuanÂ\u00a0Pérez'],
	])('is one with %s', (_what, text) => expect(hasEncodingDamage(text)).toBe(true));

	it.each([
		...[
			'María',
			'Núñez',
			'MUÑOZ',
			'João',
			'JOÃO',
			'Ângela',
			'Çelik',
			'Ångström',
			'Tomáš',
			'Ó’Brien',
		],
		...['NOEMÍ\u00a0GÓMEZ', 'Aleš', 'PEÑA–NIETO', 'Nguyễn', 'Žižek', 'a\tb\nc', '«Ñandú»', '¿Qué?'],
		...['Mun\u0303oz', 'Ä', 'Ì', 'https://files.example/a?b=%C3%B1', '山田', 'Иван', '😀'],
	])('is not %j', (text) => expect(hasEncodingDamage(text)).toBe(false));

	it('is refused as the input of any field', () => {
		expect(() => parseText('MuÃ±oz', 'Name')).toThrow("'Name' has lost letters");
		expect(parseText(' Mun\u0303oz\u200b ', 'Name')).toBe('Muñoz');
	});
});
