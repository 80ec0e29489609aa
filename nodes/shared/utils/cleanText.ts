/** Characters without a picture: joiners, marks of direction and byte order, soft hyphens, fillers. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Line breaks and tabs are no blanks here: in a text of one line they show that it holds more than its field. */
const BLANKS = /\p{Z}+/gu;

/** A text as it is sent: composed letters (NFC), nothing invisible, one blank for several of any kind, none around it. */
export const normalizeText = (text: string): string =>
	text.replace(INVISIBLE, '').normalize('NFC').replace(BLANKS, ' ').trim();

/** Any other value stays as it is. */
export const normalizeIfText = (value: unknown): unknown =>
	typeof value === 'string' ? normalizeText(value) : value;

/** Replacement characters, control characters, halves of characters, and code points that no text has. */
const NO_TEXT = /[\uFFFD\p{Co}\p{Cn}\p{Cs}]|(?![\t\n\r])\p{Cc}/u;

/** Bytes of UTF-8 for letters, marks and punctuation of Latin scripts. */
const UTF8 =
	/[\xC2-\xC5][\x80-\xBF]|\xCC[\x80-\x83\x88\xA7]|\xE2\x80[\x80-\xBF]|\xEF\xBF\xBD|\xEF\xAC[\x81\x82]/;

/** The second character of "Ã­" and the like is often lost on the way. */
const HALF_LETTER = /Ã(?=\p{Ll})|(?<=\p{Ll})Ã/u;

/**
 * It surely lost letters: it holds characters that no text has, or UTF-8 read as Latin-1 or windows-1252
 * ("MuÃ±oz"), once or several times.
 */
export const hasEncodingDamage = (text: string): boolean =>
	NO_TEXT.test(text) || UTF8.test(bytesOf(text)) || HALF_LETTER.test(normalizeText(text));

/** The characters of the bytes 80 to 9F, written out because some versions of Node decode them wrongly. */
const WINDOWS_1252 = Array.from('€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ');

/** The bytes that these characters are in windows-1252 or Latin-1, each as one character; a blank for any other. */
const bytesOf = (text: string): string =>
	Array.from(text, (character) => {
		if (character <= '\xFF') return character;
		const at = WINDOWS_1252.indexOf(character);
		return at < 0 ? ' ' : String.fromCharCode(0x80 + at);
	}).join('');
