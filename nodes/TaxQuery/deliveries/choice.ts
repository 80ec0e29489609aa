import type { INodeProperties } from 'n8n-workflow';
import { queryServices } from '../service/names';
import { CodedError } from '../../shared/utils/codedError';

// What the operator chooses: which results start the workflow.

const byLabel = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);

/** As in a sentence; what is all capitals stays. */
const lower = (label: string) => label.replace(/[A-Z][a-z]+/g, (word) => word.toLowerCase());

/** What is below the trigger on the canvas, by its only query type: an abbreviation where the label has one. */
const shortNames = Object.fromEntries(
	queryServices.map(({ label, operation }) => [
		operation,
		lower(/\((\w+)\)/.exec(label)?.[1] ?? label),
	]),
);

/** Among the query types: all of them. */
const ANY = 'any';

export const triggerOnField: INodeProperties = {
	displayName: 'Trigger On',
	name: 'services',
	type: 'multiOptions',
	options: [
		{
			name: 'Any Query Type',
			value: ANY,
			action: 'On any query result',
			description: 'Start the workflow once for each result, whatever was asked',
		},
		...queryServices
			.map(({ label, operation }) => ({
				name: label,
				value: operation,
				action: `On ${lower(label)}`,
				description: `Start the workflow once for each result of ${lower(label)}`,
			}))
			.sort(byLabel),
	],
	// those whose results come by webhook (TQ §6.1)
	default: [
		'getShareholders',
		'getComplianceOpinion',
		'getEmploymentHistory',
		'getCrf',
		'getInvoices',
		'getRfcData',
	],
	description: 'Query types whose results start the workflow',
};

export const statusesField: INodeProperties = {
	displayName: 'Statuses',
	name: 'statuses',
	type: 'multiOptions',
	options: [
		{ name: 'Failed', value: 'failed' },
		{ name: 'Pending', value: 'pending' },
		{ name: 'Success', value: 'success' },
		{
			name: 'Unknown',
			value: 'unknown',
			description: 'A status word that neither the API reference nor the API Mapping explains',
		},
	],
	default: ['failed', 'success', 'unknown'], // an unknown word may say that a query has ended
	description: 'Which results start the workflow',
};

/** Says on the canvas what the fields "Trigger On" and "Statuses" choose. */
export const subtitle = `={{ ((types, states, others, names) => {
	const count = types.length + others.length;
	const what = types.includes('${ANY}') ? 'any query result' : count === 1 ? names[types[0]] || others[0] : count + ' query types';
	const isUsual = states.slice().sort().join() === '${(statusesField.default as string[]).join()}';
	return isUsual ? 'On ' + what : (states.length === 1 ? states[0].charAt(0).toUpperCase() + states[0].slice(1) : states.length + ' statuses') + ': ' + what.replace(' result', ' type');
})([].concat($parameter["services"]), [].concat($parameter["statuses"]), ($parameter["settings"]["otherServices"] || '').split(',').filter((one) => one.trim()), ${JSON.stringify(shortNames)}) }}`.replace(
	/\s+/g,
	' ',
);

/** Entries of the "Options" collection. */
export const filterOptions: INodeProperties[] = [
	{
		displayName: 'Other Query Types',
		name: 'otherServices',
		type: 'string',
		default: '',
		placeholder: 'e.g. SHAREHOLDERS, INVOICES',
		description:
			"More query types to trigger on, by the name in the record's field service, separated by commas",
	},
];

/** Which results start the workflow. */
export interface Choice {
	/** Those of every query type. */
	isAny: boolean;
	operations: string[];
	/** Query types by their own names. */
	codes: string[];
	states: string[];
}

/** What the fields above choose. Throws a UserError if nothing could start the workflow. */
export function readChoice(services: unknown, statuses: unknown, otherServices: unknown): Choice {
	const [operations, states, codes] = [services, statuses, otherServices].map(listed);
	const isNone = operations.length + codes.length === 0;
	const empty = isNone ? 'Trigger On' : states.length === 0 ? 'Statuses' : '';
	if (empty === '') return { isAny: operations.includes(ANY), operations, codes, states };
	throw new CodedError(
		'field.empty',
		`'${empty}' is empty, so that no result would start the workflow`,
		{ field: empty, description: 'Open the trigger and choose at least one entry.' },
	);
}

/** The texts of a list, or of one text with commas. */
function listed(value: unknown): string[] {
	const texts: unknown[] = Array.isArray(value) ? value : [value];
	return texts
		.filter((text) => typeof text === 'string')
		.flatMap((text) => text.split(','))
		.map((text) => text.trim())
		.filter(Boolean);
}
