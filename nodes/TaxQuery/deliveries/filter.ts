import type { INodeProperties, ITriggerFunctions } from 'n8n-workflow';
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

/** As a sentence; what is all capitals stays. */
const onResult = (label: string) =>
	`On ${label.replace(/[A-Z][a-z]+/g, (word) => word.toLowerCase())}`;

/** What is below the trigger on the canvas, by its only query type: an abbreviation where the label has one. */
export const subtitles = Object.fromEntries(
	queryServices.map(({ label, operation }) => [
		operation,
		onResult(/\((\w+)\)/.exec(label)?.[1] ?? label),
	]),
);

export const triggerOnField: INodeProperties = {
	displayName: 'Trigger On',
	name: 'services',
	type: 'multiOptions',
	options: queryServices
		.map(({ label, operation }) => ({
			name: label,
			value: operation,
			action: onResult(label),
		}))
		.sort(byLabel),
	// those whose results come by webhook (TQ §6.1)
	default: [
		'getShareholders',
		'getComplianceOpinion',
		'getEmploymentHistory',
		'getCrf',
		'getInvoices',
		'getRfcData',
	],
	description: 'Query types whose results start the workflow. Select none for all of them.',
};

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
	{
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
		default: [],
		description: 'Which results start the workflow. Select none for all that are not pending.',
	},
];

type Choosing = Pick<Settings, 'services' | 'statuses' | 'options'>;

/** Whether a record's query type is chosen; undefined if the record does not say which it is. */
function isChosen({ code, operation }: QueryRecord, { services, options }: Choosing) {
	const operations = listed(services);
	const codes = listed(options.otherServices).map((other) => other.toUpperCase());
	if (operations.length === 0 && codes.length === 0) return true;
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
	if (states.length === 0) return 'due';
	return record.state === 'unknown' ? 'waits' : 'unwanted'; // an unknown word may not be the last one
}

/** Says which results the filter leaves out only because their words are not known; undefined if there are none. */
export function leftOutBy(
	{ services, statuses, options }: Choosing,
	mapping: TaxQueryMapping,
	records: QueryRecord[],
): string | undefined {
	const codes = listed(options.otherServices);
	const choice = { operations: listed(services), states: listed(statuses), codes };
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
