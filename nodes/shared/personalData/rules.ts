import type { IDataObject } from 'n8n-workflow';

/**
 * What becomes of a value. A list is treated entry by entry; an object that has no fields of its own here is free.
 * - shown: it comes out as it is (IDs, dates of creation, statuses, enums)
 * - personal: hidden, with a hint of what it was: GODE5612******
 * - free: nothing is known of it, so every text and number in it is hidden, at any depth
 * - written: the node wrote it; identifiers and e-mail addresses in its texts are hidden
 * - fields: an object of documented fields; one that is not named is free
 * - a function: the rule depends on the object that holds the value
 */
export type Rule =
	'shown' | 'personal' | 'free' | 'written' | Fields | ((owner: IDataObject) => Rule);

export interface Fields {
	[name: string]: Rule;
}

const named = (rule: Rule, names: string): Fields =>
	Object.fromEntries(names.split(/\s+/).map((name) => [name, rule]));

/** Fields that come out as they are, by their names in one text. */
export const shown = (names: string): Fields => named('shown', names);

/** Fields that are hidden, by their names in one text. */
export const personal = (names: string): Fields => named('personal', names);
