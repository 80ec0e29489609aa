import type { INodeProperties } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { parseObject, type Field } from '../../shared/operations/field';
import { textOf } from '../../shared/utils/text';
import { refuseSerial, toMoment } from '../fields/dates';
import { queryServices } from '../service/names';
import type { QueryRecord, State } from '../service/types';
import { leftOut } from '../telling/leftOut';
import { simplifyRecord } from '../telling/simplify';
import { CodedError } from '../../shared/utils/codedError';

const STATES: Array<{ name: string; value: State }> = [
	{ name: 'Failed', value: 'failed' },
	{ name: 'Pending', value: 'pending' },
	{ name: 'Succeeded', value: 'success' },
	{ name: 'Unknown', value: 'unknown' },
];

const property: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	options: [
		{
			displayName: 'Created After',
			name: 'createdAfter',
			type: 'dateTime',
			default: '',
			description:
				'Only queries created at this time or later: ISO 8601, e.g. 2026-10-31T09:00:00Z',
		},
		{
			displayName: 'Created Before',
			name: 'createdBefore',
			type: 'dateTime',
			default: '',
			description: 'Only queries created before this time: ISO 8601, e.g. 2026-10-31T09:00:00Z',
		},
		{
			displayName: 'CURP',
			name: 'curp',
			type: 'string',
			default: '',
			placeholder: 'e.g. PEXL990821HSRRXS05',
			description: 'Only queries about this CURP (18 characters), or with it in their result',
		},
		{
			displayName: 'Queries',
			name: 'queries',
			type: 'multiOptions',
			options: queryServices
				.map(({ label, operation }) => ({ name: label, value: operation }))
				.sort((a, b) => a.name.localeCompare(b.name)),
			default: [],
			description: 'Only queries of these types; none chosen means all',
		},
		{
			displayName: 'RFC',
			name: 'rfc',
			type: 'string',
			default: '',
			placeholder: 'e.g. GODE561231GR8',
			description: 'Only queries about this RFC (12 or 13 characters), or with it in their result',
		},
		{
			displayName: 'Status',
			name: 'status',
			type: 'multiOptions',
			options: STATES,
			default: [],
			description: 'Only queries in these states; none chosen means all',
		},
	],
};

interface Filter {
	/** Whether a record passes all filters that are set; an empty one is none. */
	fits(record: QueryRecord): boolean;
	/** Which of these records do not, only because their words are not known. */
	leftOut(records: QueryRecord[]): string | undefined;
}

/** Throws a UserError that names the field. */
export const filters: Field<(mapping: TaxQueryMapping) => Filter> = {
	properties: [property],
	read(item) {
		const chosen = parseObject(item.parameter('filters'), property.displayName);
		const after = timeOf(chosen.createdAfter, 'Created After', item.timezone) ?? -Infinity;
		const before = timeOf(chosen.createdBefore, 'Created Before', item.timezone) ?? Infinity;
		const operations = chosenOf(
			chosen.queries,
			'Queries',
			queryServices.map(({ operation }) => operation),
		);
		const states = chosenOf(
			chosen.status,
			'Status',
			STATES.map(({ value }) => value),
		);
		const identifiers = ['rfc', 'curp'].map((name) => [name, plain(chosen[name])] as const);
		return (mapping) => ({
			fits(record) {
				const { createdAt: created = NaN, operation = '' } = record;
				if (after > -Infinity && !(created >= after)) return false;
				if (before < Infinity && !(created < before)) return false;
				if (operations.length > 0 && !operations.includes(operation)) return false;
				if (states.length > 0 && !states.includes(record.state)) return false;
				return holds(record, identifiers, mapping);
			},
			leftOut: (records) => leftOut(records, { operations, states }, mapping),
		});
	},
};

function holds(
	record: QueryRecord,
	identifiers: Array<readonly [name: string, wanted: string]>,
	mapping: TaxQueryMapping,
): boolean {
	const wanted = identifiers.filter(([, identifier]) => identifier !== '');
	if (wanted.length === 0) return true;
	if (!record.asked && !record.hasResponse) {
		throw new CodedError('list.asked', 'The list of queries does not show what each query asked', {
			description:
				"To filter by RFC or CURP, add the option 'Complete Rows', which reads each query by its ID.",
		});
	}
	const simple = simplifyRecord(record, mapping);
	return wanted.every(([name, identifier]) =>
		[simple[name], record.asked?.[name]].some((value) => plain(value) === identifier),
	);
}

/** Upper case, without blanks and hyphens. */
const plain = (value: unknown) => textOf(value).replace(/[\s-]/g, '').toUpperCase();

/** What was chosen from a list, or comes from an expression: an array or a text with commas. */
function chosenOf(value: unknown, label: string, known: string[]): string[] {
	const entries = (Array.isArray(value) ? value : [value]).flatMap((one) => textOf(one).split(','));
	const chosen = entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
	const wrong = chosen.find((entry) => !known.includes(entry));
	if (wrong === undefined) return chosen;
	throw new CodedError(
		'field.choice',
		`The filter '${label}' holds an entry that is not in its list`,
		{
			field: label,
			description: `Choose from the list; an expression may give ${known.join(', ')}.`,
		},
	);
}

function timeOf(value: unknown, label: string, zone: string): number | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	refuseSerial(value, label);
	const date = toMoment(value, zone);
	if (date.isValid) return date.toMillis();
	throw new CodedError('field.date', `'${label}' is not a date`, {
		field: label,
		description: 'Enter it as year-month-day, e.g. 2026-10-31.',
	});
}
