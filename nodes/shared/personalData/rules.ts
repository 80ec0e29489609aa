import type { IDataObject } from 'n8n-workflow';

/**
 * The protection of a value. A list is treated entry by entry. An object without fields of its own here is free.
 * - shown: comes out as it is (IDs, dates of creation, statuses, enums).
 * - personal: is hidden, with a hint of its content: GODE5612******.
 * - free: every text and number is hidden at any depth, since nothing is known of it.
 * - written: the node wrote it; identifiers and e-mail addresses in its texts are hidden.
 * - fields: lists the documented fields of an object; any other is free.
 * - a function: chooses the rule by the object that holds the value.
 */
export type PersonalDataRule =
	| 'shown'
	| 'personal'
	| 'free'
	| 'written'
	| PersonalDataRuleByField
	| ((owner: IDataObject) => PersonalDataRule);

export interface PersonalDataRuleByField {
	[name: string]: PersonalDataRule;
}

const named = (rule: PersonalDataRule, names: string): PersonalDataRuleByField =>
	Object.fromEntries(names.split(/\s+/).map((name) => [name, rule]));

/** Fields that come out as they are, by their names in one text. */
export const buildShownFieldRules = (names: string): PersonalDataRuleByField =>
	named('shown', names);

/** Fields that are hidden, by their names in one text. */
export const rulesToHideFields = (names: string): PersonalDataRuleByField =>
	named('personal', names);
