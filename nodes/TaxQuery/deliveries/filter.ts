import type { IDataObject, INodeProperties, ITriggerFunctions } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { BoundedMap } from '../../shared/utils/boundedMap';
import { queryIdOf } from '../queries';
import { codeOf, queryServices, serviceOf } from '../queries/catalog';
import { leftOut } from '../queries/pastQueries';
import { report } from './outage';
import type { Result } from './result';
import type { Settings } from './settings';

const byLabel = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);

/** As a sentence; what is all capitals stays. */
const onResult = (label: string) =>
	`On ${label.replace(/[A-Z][a-z]+/g, (word) => word.toLowerCase())}`;

/** What stands below the trigger on the canvas, by its only query: an abbreviation where the label has one. */
export const subtitles = Object.fromEntries(
	queryServices.map(({ label, operation }) => [
		operation,
		onResult(/\((\w+)\)/.exec(label)?.[1] ?? label),
	]),
);

export const filterFields: INodeProperties[] = [
	{
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
		default: [],
		description:
			'Queries whose results start the workflow. None chosen means all but those that answer at once (CURP data, RFC calculation), unless Include Immediate Answers is on.',
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
				description: 'A status word that neither the document nor the API Mapping explains',
			},
		],
		default: [],
		description: 'Which results start the workflow. None chosen means all that are not pending.',
	},
];

/** Entries of the "Options" collection. */
export const filterOptions: INodeProperties[] = [
	{
		displayName: 'Include Immediate Answers',
		name: 'includeImmediate',
		type: 'boolean',
		default: false,
		description:
			'Whether to emit also what the action node gets at once (CURP data, RFC calculation) while no query is chosen in Trigger On',
	},
	{
		displayName: 'Other Services',
		name: 'otherServices',
		type: 'string',
		default: '',
		placeholder: 'e.g. SHAREHOLDERS, INVOICES',
		description:
			"More services to trigger on, by the name in the record's field service, separated by commas",
	},
];

type Choosing = Pick<Settings, 'services' | 'statuses' | 'options'>;

/** Tells whether a result starts the workflow, in the words of a deployment. */
export function filterOf(
	{ services, statuses, options }: Choosing,
	mapping: TaxQueryMapping,
): (result: Pick<Result, 'record' | 'state'>) => boolean {
	const codes = [
		...queryServices
			.filter(({ operation }) => listed(services).includes(operation))
			.map((service) => codeOf(service, mapping)),
		...listed(options.otherServices),
	].map((code) => code.toUpperCase());
	const states = listed(statuses);
	return ({ record, state }) => {
		const code = typeof record.service === 'string' ? record.service : '';
		const isAsked =
			codes.length > 0
				? codes.includes(code.toUpperCase())
				: options.includeImmediate === true || !serviceOf(code, mapping)?.isImmediate;
		return isAsked && (states.length > 0 ? states.includes(state) : state !== 'pending');
	};
}

/** Says which results the filter leaves out only because their words are not known; undefined if there are none. */
export function leftOutBy(
	{ services, statuses, options }: Choosing,
	mapping: TaxQueryMapping,
	records: IDataObject[],
): string | undefined {
	const codes = listed(options.otherServices);
	return leftOut(
		records,
		{ operations: listed(services), states: listed(statuses), codes },
		mapping,
	);
}

const MAX_WORDS = 500;
/** Services and statuses of records that a published trigger has met, and what was told of them. */
interface Words {
	met: BoundedMap<string, IDataObject>;
	told: Set<string>;
}
const words = new WeakMap<ITriggerFunctions, Words>();

/** Reports what the filter leaves out so, once for each time that a trigger is published. */
export function tellLeftOut(
	context: ITriggerFunctions,
	choosing: Choosing,
	mapping: TaxQueryMapping,
	records: IDataObject[],
): void {
	const { met, told } = words.get(context) ?? { met: new BoundedMap(MAX_WORDS), told: new Set() };
	words.set(context, { met, told });
	for (const { service, status } of records) {
		met.set(JSON.stringify([service, status]), { service, status });
	}
	const isNameless = records.some((record) => queryIdOf(record) === undefined);
	for (const what of [leftOutBy(choosing, mapping, [...met.values()]), isNameless && NAMELESS]) {
		if (!what || told.has(what)) continue;
		told.add(what);
		report(context, undefined, what);
	}
}

const NAMELESS =
	'The list of queries has rows without an ID, or with a number of more than 15 digits, which JSON does not hold exactly: results of the same second cannot be told apart, and one of them alone starts the workflow. Tell the provider';

/** The texts of a list, or of one text with commas. */
function listed(value: unknown): string[] {
	const texts: unknown[] = Array.isArray(value) ? value : [value];
	return texts
		.filter((text) => typeof text === 'string')
		.flatMap((text) => text.split(','))
		.map((text) => text.trim())
		.filter(Boolean);
}
