/** The rules of writing that a machine can check. A sentence that breaks one is to be written anew, not cut by force. */

/** A page without its code, links' addresses, pictures, comments and quotations of the screen. */
const proseOf = (page: string): string =>
	page
		.replace(/```[\s\S]*?```/g, '\n\n')
		.replace(/<!--[\s\S]*?-->/g, '')
		.replace(/!\[[^\]]*\]\([^)]*\)/g, '')
		.replace(/\]\([^)]*\)/g, ']');

const splitWords = (text: string): string[] =>
	text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));

/** The number of words as `wc -w` counts them: whatever is between blanks. */
export const countPageWords = (page: string): number => page.split(/\s+/).filter(Boolean).length;

/** Paragraphs, list entries and headings, each on one line. */
const blocksOf = (page: string): string[] =>
	proseOf(page)
		.split('\n')
		.filter((line) => !line.trimStart().startsWith('|'))
		.join('\n')
		.split(/\n\s*\n|\n(?=\s*(?:[-*#>]|\d+\.)\s)/)
		.map((block) => block.replace(/\s+/g, ' ').trim());

/** Sentences with more words than that. */
export const longSentences = (page: string, most: number): string[] =>
	blocksOf(page)
		.flatMap((block) => block.split(/(?<=[.!?:;]["”)*_]*)\s+(?=["“(*_`[]*[\p{Lu}\p{N}`])/u))
		.filter((sentence) => splitWords(sentence).length > most);

/** Cells of tables with more words than that. */
export const longCells = (page: string, most: number): string[] =>
	proseOf(page)
		.split('\n')
		.filter((line) => line.trimStart().startsWith('|'))
		.flatMap((line) => line.split(/(?<!\\)\|/))
		.filter((cell) => splitWords(cell).length > most);

/** Words that have another one in this product, and turns of phrase that hide who does what. */
const UNWANTED: Array<[pattern: RegExp, instead: string]> = [
	[/\bdeliver(y|ies)\b/i, 'webhook call (delivery)'],
	[/\b(a|the|next|each|this|daily|first|last) looks?\b(?!-)/i, 'check (look)'],
	[/\bdoorbell\b/i, 'webhook call (doorbell)'],
	[/\b(is|are|was|were|be) told\b/i, 'reports, says (is told)'],
	[/\bit tells\b/i, 'it says (it tells)'],
	[/\bmend(s|ed|ing)?\b/i, 'fix (mend)'],
	[/\ball the same\b/i, 'still (all the same)'],
	[/\bby which\b/i, 'a verb (by which)'],
	[/\bwhat is not\b/i, 'the thing itself (what is not)'],
	[/\bpaid for\b/i, 'billed (paid for)'],
	[/\bblot(s|ted)? out\b/i, 'mask, withhold (blot out)'],
	[/\bdeployments?\b/i, 'environment (deployment)'],
	[/\bprovider credentials?\b/i, 'provider login (provider credential)'],
	[/\bstands?\b/i, 'is (stands)'],
	[/\bcalled otherwise\b/i, 'has another name (called otherwise)'],
	[/\bpoll(s|ed|ing)?\b/i, 'check (poll)'],
	[/\basking\b/i, 'a query, to query (asking)'],
	[/\bfurther\b/i, 'additional (further)'],
	[/\b(can|could|cannot|may) be had\b/i, 'get (be had)'],
	[
		/\b(both |the )?services?['’]s? documents?\b|\bas in the documents?\b/i,
		'API reference (document)',
	],
	[/\bso long as\b|\bfor want of\b|\bof which nothing\b/i, 'plain English'],
];

/** The same for texts of panels and messages, where no page of prose explains them. */
const UNWANTED_ON_SCREENS: typeof UNWANTED = [
	...UNWANTED,
	[/\bpays\b/i, 'is billed (pays)'],
	[/\btells\b|\b(do|does|did) not tell\b/i, 'says, reports (tells)'],
	[/\b(an?|the|its|no|each|empty|second) answers?\b|^answers\b/i, 'response (answer)'],
	[
		/\b(in|by) the document\b|\bthe documents? (lists?|shows?|says?)\b/i,
		'API reference (document)',
	],
	[/\botherwise\b/i, 'a sentence of its own (otherwise)'],
	[/\bquestions?\b/i, 'query (question)'],
];

/** In Spanish: what a translation word by word makes of the English. */
const UNWANTED_IN_SPANISH: typeof UNWANTED = [
	[/n8n propio/i, 'n8n autoalojado'],
	[/lo que está detrás/i, 'el valor de'],
	[/\bclaves? de (la|una|su) consulta/i, 'ID de la consulta'],
	[/\bpregunt(a|e|ar) (al?|por)\b/i, 'consultar a'],
	[/\bpor (defecto|omisión)\b/i, 'la opción predeterminada'],
	[/\b(se|le) cree\b|\bno cree\b/i, 'no confía en el contenido'],
	[/\bcredenciales? (de(l)? )?proveedor/i, 'acceso del proveedor'],
	[/\bsolo avisa\b/i, 'solo genera una advertencia'],
];

/** Returns what a page says in other words than the product does. Code and labels of the screen are not looked at. */
export const unwantedWords = (page: string): string[] => found(page, UNWANTED);
export const findUnwantedOnScreens = (text: string): string[] => found(text, UNWANTED_ON_SCREENS);
export const unwantedInSpanish = (page: string): string[] => found(page, UNWANTED_IN_SPANISH);

function found(page: string, unwanted: typeof UNWANTED): string[] {
	const prose = proseOf(page)
		.replace(/`[^`\n]*`/g, '')
		.replace(/(?<![\w/])_[^_\n]+_(?!\w)/g, '')
		.replace(/\*\*[^*\n]+\*\*/g, '');
	const subjects = blocksOf(prose).flatMap(
		(block) => /(?:^|[.:;]\s)(?:- |\d+\. )?What\s[^?.]*\.(?:\s|$)/.exec(block) ?? [],
	);
	const whats = subjects.map((sentence) => `a noun for a subject (what): ${sentence}`);
	return unwanted
		.flatMap(([pattern, instead]) => {
			const match = new RegExp(`.{0,40}${pattern.source}.{0,20}`, pattern.flags).exec(prose);
			return match ? [`${instead}: ${match[0]}`] : [];
		})
		.concat(whats);
}
