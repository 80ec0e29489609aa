import { UserError, type INodeProperties, type ITriggerFunctions } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { queryServices } from '../service/names';
import type { QueryRecord } from '../service/types';
import { leftOut } from '../telling/leftOut';
import { report } from './outage';
import type { TriggerResult } from './result';
import type { Settings } from './settings';
import type { Fate } from './survey';

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

type Choosing = Pick<Settings, 'services' | 'statuses' | 'options'>;

/** Whether a record's query type is chosen; undefined if the record does not say which it is. */
function isChosen({ code, operation }: QueryRecord, { services, options }: Choosing) {
	const operations = listed(services);
	const codes = listed(options.otherServices).map((other) => other.toUpperCase());
	if (operations.includes(ANY)) return true;
	if (code === '') return undefined;
	return operations.includes(operation ?? '') || codes.includes(code.toUpperCase());
}

/** What becomes of a query in a state: whether it starts the workflow, by what the operator has chosen. */
export function fateOf({ record, hasStatus }: TriggerResult, choosing: Choosing): Fate {
	const chosen = isChosen(record, choosing);
	if (chosen === false) return 'unwanted';
	const states = listed(choosing.statuses);
	if (!hasStatus || states.includes(record.state)) return 'due';
	if (record.state === 'pending') return 'waits';
	return record.state === 'unknown' ? 'waits' : 'unwanted'; // an unknown word may not be the last one
}

/** Throws a UserError if nothing could start the workflow. */
export function checkChoice({ services, statuses, options }: Choosing): void {
	const types = [...listed(services), ...listed(options.otherServices)];
	const empty = types.length === 0 ? 'Trigger On' : listed(statuses).length === 0 ? 'Statuses' : '';
	if (empty === '') return;
	throw new UserError(`"${empty}" is empty, so that no result would start the workflow`, {
		description: 'Open the trigger and choose at least one entry.',
	});
}

/** Says which results the filter leaves out only because their words are not known; undefined if there are none. */
export function leftOutBy(
	{ services, statuses, options }: Choosing,
	mapping: TaxQueryMapping,
	records: QueryRecord[],
): string | undefined {
	const codes = listed(options.otherServices);
	const chosen = listed(services);
	const operations = chosen.includes(ANY) ? [] : chosen;
	const choice = { operations, states: listed(statuses), codes };
	return leftOut(records, choice, mapping);
}

const MAX_WORDS = 500;
/** Query types and statuses of records that a published trigger has met, and what was reported of them. */
interface Words {
	met: BoundedMap<string, QueryRecord>;
	told: Set<string>;
}
const words = new WeakMap<ITriggerFunctions, Words>();

/** Reports what the filter leaves out so, once for each time that a trigger is published. */
export function reportLeftOut(
	context: ITriggerFunctions,
	choosing: Choosing,
	mapping: TaxQueryMapping,
	records: QueryRecord[],
): void {
	const { met, told } = words.get(context) ?? { met: new BoundedMap(MAX_WORDS), told: new Set() };
	words.set(context, { met, told });
	const before = met.size;
	for (const record of records) {
		const key = `${record.code}\n${record.status ?? ''}`;
		if (!met.has(key)) met.set(key, record);
	}
	if (met.size === before) return;
	const what = leftOutBy(choosing, mapping, [...met.values()]);
	if (!what || told.has(what)) return;
	told.add(what);
	report(context, undefined, what);
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
