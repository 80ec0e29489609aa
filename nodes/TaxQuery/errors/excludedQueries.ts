import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { maskedText } from '../../shared/personalData/personalData';
import { sentences } from '../../shared/utils/sentences';
import type { QueryRecord } from '../client/types';
import { setKeys } from './queryError';

/** What is chosen from queries; nothing means all. */
interface Choice {
	operations: string[];
	states: string[];
	/** Query types by their own names. */
	codes?: string[];
}

type Words = Pick<QueryRecord, 'code' | 'operation' | 'state' | 'status'>;

/**
 * Says which queries a choice leaves out only because the mapping does not know their words, though these may be what
 * is meant: a chosen query type that the mapping does not name, and that does not occur under the API reference's name,
 * may have that name. Undefined if there are none.
 */
export function leftOut(
	records: Words[],
	{ operations, states, codes = [] }: Choice,
	mapping: TaxQueryMapping,
): string | undefined {
	const met = new Set(records.map(({ operation }) => operation));
	const untold = operations.filter(
		(name) => mapping.services[name] === undefined && !met.has(name),
	);
	const named = codes.map((code) => code.toUpperCase());
	const strange = records.filter(
		({ operation, code }) => operation === undefined && !named.includes(code.toUpperCase()),
	);
	const isChosen = ({ operation = '' }: Words) =>
		operations.length === 0 || operations.includes(operation);
	const unknown = records.filter((record) => record.state === 'unknown' && isChosen(record));
	const areStatesChosen = states.length > 0 && !states.includes('unknown');
	return (
		sentences(
			tell(
				'query type',
				untold.length > 0 ? strange.map(({ code }) => code) : [],
				untold.map((name) => `services.${name}`),
			),
			tell(
				'status',
				areStatesChosen ? unknown.map(({ status = '' }) => status) : [],
				states.map((state) => `statuses.${state}`),
			),
		) || undefined
	);
}

function tell(what: string, words: string[], keys: string[]): string {
	const unique = uniqueWords(words);
	if (unique.length === 0) return '';
	return `Queries are left out whose ${what} is not known: ${impersonal(unique)}. If they are meant, ${setKeys(keys)}`;
}

export const uniqueWords = (words: string[]): string[] =>
	[...new Set(words.filter((word) => word !== ''))].sort();

const LONGEST_WORD = 30;
/** A text with an identifier or a phone in it, or a sentence, is of one query, and not for a proposal that others read. */
export const isImpersonal = (word: string): boolean =>
	word.length <= LONGEST_WORD && !/\d{5}/.test(word) && maskedText(word) === word;

/** Words for what others read: each that is of no one query, and the length of any other. */
export const impersonal = (words: string[]): string =>
	words
		.map((word) => (isImpersonal(word) ? word : `(a text of ${word.length} characters)`))
		.join(', ');
