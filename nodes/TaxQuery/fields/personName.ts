import type { Item } from '../../shared/operations/operation';
import { fieldError } from '../../shared/utils/codedError';
import { isIdentifierCheckOff, type OutputRowWarning } from './identifiers';

const wordSet = (text: string): Set<string> => new Set(text.trim().split(/\s+/));

/** Texts that tables, forms and expressions hold in the place of a name; letters alone, in lower case. */
const PLACEHOLDERS = wordSet(`
undefined null nan none ninguno ninguna noaplica notiene nohay nulo desconocido desconocida unknown notapplicable
notavailable nodisponible noregistrado sinnombre sinapellido sinapellidos sinsegundoapellido sinapellidomaterno
sinapellidopaterno sindato sindatos sininformacion sinregistro`);
/** Texts that may be a name elsewhere, but as second surname mean that there is none. */
const NO_SURNAME = wordSet('x na nd sn sd');
/** What programs write for a missing value, as a word among others: "Emma null". Null and Nan may be names. */
const MISSING_WORD =
	/(?<![\p{L}\p{M}-])(?:[uU]ndefined|UNDEFINED|null|NULL|[nN]one|NONE|NaN|nan|NAN)(?![\p{L}\p{M}-])/u;
/** Real surnames that more often stand for a missing one. */
const SHORT_SURNAMES = wordSet('x na nd sn sd no');

/** CP §2.8: letters, apostrophes, spaces, dots, hyphens; with the signs that are typed for them. */
const OTHER_CHARACTER = /[^\p{L}\p{M}'’‘´`· .‐‑–-]/u;
/** Matches letters that are confusable with Latin ones: full-width, mathematical, and joined ones of a PDF. */
const CONFUSABLE = /[\uFF21-\uFF5A\u{1D400}-\u{1D7FF}\uFB00-\uFB06]/u;
const LATIN = /\p{Script=Latin}/u;
const OTHER_SCRIPT = /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}])\p{L}/u;

interface NameProblem {
	what: string;
	todo: string;
}

const ENTER = 'Correct it, or check the expression that fills it for this item.';
const LEAVE_EMPTY = 'Leave it empty if there is none.';

/** The letters of a text alone, without accents and in lower case. */
const lettersOf = (text: string): string =>
	text
		.normalize('NFD')
		.replace(/[^\p{L}]/gu, '')
		.toLowerCase();

/** A part of a person's name: given names may be one letter, and the second surname may be missing. */
export type NamePart = 'given' | 'first' | 'second';

/** Is undefined for anything that may be a name. */
export function findNameProblem(text: string, part: NamePart): NameProblem | undefined {
	const letters = lettersOf(text);
	const isPlaceholder =
		PLACEHOLDERS.has(letters) ||
		/^x{2,}$/.test(letters) ||
		MISSING_WORD.test(text) ||
		(part === 'first' && letters === 'x');
	if (part === 'second' && (isPlaceholder || letters === '' || NO_SURNAME.has(letters))) {
		return { what: 'is no name', todo: LEAVE_EMPTY };
	}
	if (isPlaceholder || letters === '') return { what: 'is no name', todo: ENTER };
	const [character] = OTHER_CHARACTER.exec(text) ?? CONFUSABLE.exec(text) ?? [];
	if (character !== undefined) {
		const what = `is no name: it holds ${characterName(character)}`;
		return { what, todo: part === 'second' ? `${ENTER} ${LEAVE_EMPTY}` : ENTER };
	}
	const isMixed = LATIN.test(text) && OTHER_SCRIPT.test(text);
	return isMixed
		? { what: 'is no name: it mixes letters of different alphabets', todo: ENTER }
		: undefined;
}

/** A character by its picture where it has a clear one, else by its code point. */
function characterName(character: string): string {
	if (/^[!-~¡-¿]$/.test(character)) return character;
	const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
	return `U+${code}`;
}

export function findNameWarning(text: string, part: NamePart): string | undefined {
	const isShort = part !== 'second' && SHORT_SURNAMES.has(lettersOf(text));
	if (isShort) return 'may be a word for a missing name';
	if (part === 'second' && lettersOf(text) === 'no') return 'may be a word for a missing name';
	if (OTHER_SCRIPT.test(text)) return 'has letters of an alphabet other than the Latin one';
	if (/[ÃÂ](?=[\p{Lu} ]|$)/u.test(text)) return 'may have lost letters: Ã and Â are rare in names';
	return undefined;
}

/**
 * Throws a UserError if it surely is no name, unless the check is switched off; returns a warning about an odd one.
 */
export async function checkNamePart(
	item: Item,
	text: string,
	{ label, part }: { label: string; part: NamePart },
): Promise<OutputRowWarning[]> {
	if (await isIdentifierCheckOff(item)) return [];
	const problem = findNameProblem(text, part);
	if (problem) {
		const advice = `${problem.todo} 'Check Identifiers First' switches this check off.`;
		throw fieldError('field.name', label, problem.what, advice);
	}
	const odd = findNameWarning(text, part);
	if (odd === undefined) return [];
	return [
		{
			field: label,
			code: 'oddName',
			message: `'${label}' ${odd}. Compare it with an official document.`,
		},
	];
}
