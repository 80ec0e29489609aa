import type { INodeProperties } from 'n8n-workflow';
import { queryTypes } from '../../shared/queryTypes/catalog';
import { fieldError, type CodedError } from '../../shared/utils/codedError';

// The operator chooses here which results start the workflow.

/** Writes a label as in a sentence; abbreviations stay in capitals. */
const lower = (label: string) => label.replace(/[A-Z][a-z]+/g, (label) => label.toLowerCase());

const typeOptions = [...queryTypes].sort((a, b) => a.label.localeCompare(b.label));

const ANY = 'any';

export const queryTypesField: INodeProperties = {
	displayName: 'Trigger On',
	name: 'services',
	type: 'multiOptions',
	options: [
		{
			name: 'Any Query Type',
			value: ANY,
			action: 'On any query result',
			description: 'Start once for each result',
		},
		...typeOptions.map(({ label, operation }) => ({
			name: label,
			value: operation,
			action: `On ${lower(label)}`,
			description: `Start once for each result of ${lower(label)}`,
		})),
	],
	// those whose results come by webhook (TQ §6.1)
	default: [
		...typeOptions.filter(({ isDelivered }) => isDelivered).map(({ operation }) => operation),
	],
	description: 'Query types whose results start the workflow',
};

const statuses = [
	{ name: 'Failed', value: 'failed' },
	{ name: 'Pending', value: 'pending' },
	{ name: 'Success', value: 'success' },
	{
		name: 'Status That the API Reference Does Not Show',
		value: 'unknown',
		description: "The query may have ended; 'API Mapping' in the credential can explain its status",
	},
];

export const statusesField: INodeProperties = {
	displayName: 'Statuses',
	name: 'statuses',
	type: 'multiOptions',
	options: statuses,
	default: ['failed', 'success', 'unknown'], // an unknown word may say that a query has ended
	description: 'Which results start the workflow',
};

/** Short names of query types for the canvas: an abbreviation if the label has one. */
const shortNames = Object.fromEntries(
	typeOptions.map(({ label, operation }) => [
		operation,
		lower(/\((\w+)\)/.exec(label)?.[1] ?? label),
	]),
);

/** Shows on the canvas what the fields "Trigger On" and "Statuses" choose. */
export const subtitle = `={{ ((types, states, others, names) => {
	const count = types.length + others.length;
	const what = types.includes('${ANY}') ? 'any query result' : count === 1 ? names[types[0]] || others[0] : count + ' query types';
	const isUsual = states.length === 3 && !states.includes('pending');
	return isUsual ? 'On ' + what : (states.length === 1 ? states[0].charAt(0).toUpperCase() + states[0].slice(1) : states.length + ' statuses') + ': ' + what.replace(' result', ' type');
})([].concat($parameter["services"]), [].concat($parameter["statuses"]), ($parameter["settings"]["otherServices"] || '').split(',').filter((one) => one.trim()), ${JSON.stringify(shortNames)}) }}`.replace(
	/\s+/g,
	' ',
);

export const additionalQueryTypesField: INodeProperties = {
	displayName: 'Other Query Types',
	name: 'otherServices',
	type: 'string',
	default: '',
	placeholder: 'e.g. SHAREHOLDERS, INVOICES',
	description: "More query types, as in the record's field service, separated by commas",
};

export interface FilterSettings {
	/** Every query type is chosen; then `operations` is empty. */
	isAny: boolean;
	operations: string[];
	/** Query types by their names in records. */
	codes: string[];
	states: string[];
}

export const triggerSettingError = (code: string, field: string, problem: string): CodedError =>
	fieldError(code, field, problem, 'Open the trigger and correct it.');

/** Throws a UserError if nothing could start the workflow. */
export function readFilterSettings(
	services: unknown,
	statuses: unknown,
	otherServices: unknown,
): FilterSettings {
	const [operations, states, codes] = [services, statuses, otherServices].map(listed);
	if (operations.length + codes.length === 0) throw emptyFieldError('Trigger On');
	if (states.length === 0) throw emptyFieldError('Statuses');
	const isAny = operations.includes(ANY);
	return { isAny, operations: isAny ? [] : operations, codes, states };
}

const emptyFieldError = (field: string) =>
	triggerSettingError('field.empty', field, 'is empty, so that no result would start the workflow');

/** The list may be one text with commas. */
function listed(value: unknown): string[] {
	const texts: unknown[] = Array.isArray(value) ? value : [value];
	return texts
		.filter((text) => typeof text === 'string')
		.flatMap((text) => text.split(','))
		.map((text) => text.trim())
		.filter(Boolean);
}
