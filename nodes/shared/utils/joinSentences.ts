/** Joins texts to sentences: one blank between them, one mark at the end of each. Empty ones are left out. */
export function joinSentences(...texts: Array<string | null | undefined>): string {
	return texts
		.map((text) => (text ?? '').trim())
		.filter((text) => text !== '')
		.map((text) => (/[.!?…]["'”)]*$/.test(text) ? text.replace(/([^.])\.\.$/, '$1.') : `${text}.`))
		.join(' ');
}
