import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { maskIdentifiersInText } from '../../shared/personalData/redactor';
import { joinSentences } from '../../shared/utils/joinSentences';
import type { QueryRecord } from '../client/model';
import { mappingKeysAdvice } from './queryError';

/** An empty list chooses all. */
interface QueryFilter {
	operations: string[];
	states: string[];
	codes?: string[];
}

type RecordLabels = Pick<QueryRecord, 'code' | 'operation' | 'state' | 'status'>;

/**
 * A filter may exclude queries only because the mapping does not know their labels. A chosen query type may have
 * another name if the mapping does not name it and no record has its documented name.
 */
export function describeRecordsExcludedAsUnknown(
	records: RecordLabels[],
	{ operations, states, codes = [] }: QueryFilter,
	mapping: TaxQueryMapping,
): string | undefined {
	const seen = new Set(records.map(({ operation }) => operation));
	const unseen = operations.filter(
		(name) => mapping.services[name] === undefined && !seen.has(name),
	);
	const named = codes.map((code) => code.toUpperCase());
	const unknownTypes = records.filter(
		({ operation, code }) => operation === undefined && !named.includes(code.toUpperCase()),
	);
	const isChosen = ({ operation = '' }: RecordLabels) =>
		operations.length === 0 || operations.includes(operation);
	const unknown = records.filter((record) => record.state === 'unknown' && isChosen(record));
	const areStatesChosen = states.length > 0 && !states.includes('unknown');
	return (
		joinSentences(
			describeUnknown(
				'query type',
				unseen.length > 0 ? unknownTypes.map(({ code }) => code) : [],
				unseen.map((name) => `services.${name}`),
			),
			describeUnknown(
				'status',
				areStatesChosen ? unknown.map(({ status = '' }) => status) : [],
				states.map((state) => `statuses.${state}`),
			),
		) || undefined
	);
}

function describeUnknown(what: string, texts: string[], keys: string[]): string {
	const unique = uniqueTexts(texts);
	if (unique.length === 0) return '';
	return `Queries are left out whose ${what} is not known: ${joinMaskingPersonal(unique)}. If they are meant, ${mappingKeysAdvice(keys)}`;
}

export const uniqueTexts = (texts: string[]): string[] =>
	[...new Set(texts.filter((text) => text !== ''))].sort();

const MAX_TEXT_LENGTH = 30;
/** It is no sentence and holds no identifier or phone of one query. */
export const isImpersonal = (text: string): boolean =>
	text.length <= MAX_TEXT_LENGTH && !/\d{5}/.test(text) && maskIdentifiersInText(text) === text;

/** Others read the text, so one that is about one query is replaced by its length. */
export const joinMaskingPersonal = (texts: string[]): string =>
	texts
		.map((text) => (isImpersonal(text) ? text : `(a text of ${text.length} characters)`))
		.join(', ');
