import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import { parseObject, type Field } from '../../shared/operations/fields';
import { textOf } from '../../shared/utils/primitiveText';
import { readMoment } from '../fields/dates';
import { normalizeIdentifier, textProperty } from '../fields/textProperty';
import { queryTypes } from '../../shared/queryTypes/catalog';
import { mayOmitExistingResponse } from '../client/record';
import type { QueryRecord, QueryState } from '../client/model';
import { describeRecordsExcludedAsUnknown } from '../errors/unknownRecords';
import { simplifyRecordToRow } from '../output/simplify';
import { CodedError } from '../../shared/utils/codedError';

const STATES: Array<{ name: string; value: QueryState }> = [
	{ name: 'Failed', value: 'failed' },
	{ name: 'Pending', value: 'pending' },
	{ name: 'Succeeded', value: 'success' },
	{ name: 'Unknown', value: 'unknown' },
];

const moment = (displayName: string, name: string, which: string): INodeProperties => ({
	displayName,
	name,
	type: 'dateTime',
	default: '',
	description: `Only queries created ${which}: ISO 8601, e.g. 2026-10-31T09:00:00Z`,
});
const choice = (
	displayName: string,
	name: string,
	options: INodePropertyOptions[],
): INodeProperties => ({
	displayName,
	name,
	type: 'multiOptions',
	options,
	default: [],
	description: 'Only these; none chosen means all',
});

const identifier = (label: string, example: string, length: string) =>
	textProperty(
		label,
		label.toLowerCase(),
		example,
		`Only queries about this ${label} (${length}), or with it in their result`,
		false,
	);

const createdAfter = moment('Created After', 'createdAfter', 'at this time or later');
const createdBefore = moment('Created Before', 'createdBefore', 'before this time');
const queries = choice(
	'Queries',
	'queries',
	queryTypes
		.map(({ label, operation }) => ({ name: label, value: operation }))
		.sort((a, b) => a.name.localeCompare(b.name)),
);
const status = choice('Status', 'status', STATES);

const property: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	options: [
		createdAfter,
		createdBefore,
		identifier('CURP', 'PEXL990821HSRRXS05', '18 characters'),
		queries,
		identifier('RFC', 'GODE561231GR8', '12 or 13 characters'),
		status,
	],
};

export interface Filter {
	/** Is false if what never changes of a query rules it out: the moment of its creation, or its type. */
	mayFit(row: QueryRecord): boolean;
	/** Is undefined if only what the record lacks shows that: its result, or what it asked. */
	fits(record: QueryRecord): boolean | undefined;
	/** It looks for an RFC or CURP. */
	searches: boolean;
	/** Records may be left out only because their labels are unknown. */
	leftOut(records: QueryRecord[]): string | undefined;
}

/** Throws a UserError that names the field. */
export const filters: Field<(mapping: TaxQueryMapping) => Filter> = {
	properties: [property],
	read(item) {
		const chosen = parseObject(item.parameter('filters'), property.displayName);
		const timeOf = ({ name, displayName }: INodeProperties, absent: number) => {
			const value = chosen[name];
			if (value === undefined || value === null || value === '') return absent;
			return readMoment(value, displayName, item.timezone).toMillis();
		};
		const after = timeOf(createdAfter, -Infinity);
		const before = timeOf(createdBefore, Infinity);
		const operations = chosenOf(chosen, queries);
		const states = chosenOf(chosen, status);
		const identifiers = ['rfc', 'curp'].map(
			(name) => [name, normalizeIdentifier(chosen[name])] as const,
		);
		const wanted = identifiers.filter(([, identifier]) => identifier !== '');
		return (mapping) => ({
			searches: wanted.length > 0,
			mayFit: ({ createdAt: created = NaN, operation }) =>
				!(created < after || created >= before) &&
				(operation === undefined || operations.length === 0 || operations.includes(operation)),
			fits(record) {
				const { createdAt: created = NaN, operation = '' } = record;
				if (after > -Infinity && !(created >= after)) return false;
				if (before < Infinity && !(created < before)) return false;
				if (operations.length > 0 && !operations.includes(operation)) return false;
				if (states.length > 0 && !states.includes(record.state)) return false;
				return holds(record, wanted, mapping);
			},
			leftOut: (records) =>
				describeRecordsExcludedAsUnknown(records, { operations, states }, mapping),
		});
	},
};

/** It shows what was asked, or the result. */
export const showsSubject = ({ request, hasResponse }: QueryRecord): boolean =>
	request !== undefined || hasResponse;

function holds(
	record: QueryRecord,
	wanted: Array<readonly [name: string, identifier: string]>,
	mapping: TaxQueryMapping,
): boolean | undefined {
	if (wanted.length === 0) return true;
	if (!showsSubject(record)) return undefined;
	const simple = simplifyRecordToRow(record, mapping);
	const isFound = ([name, identifier]: (typeof wanted)[number]) =>
		[simple[name], record.request?.[name]].some(
			(value) => normalizeIdentifier(value) === identifier,
		);
	const missed = wanted.filter((one) => !isFound(one));
	if (missed.length === 0) return true;
	const isShown = missed.some(([name]) => record.request?.[name] !== undefined);
	return isShown || !mayOmitExistingResponse(record) ? false : undefined;
}

/** An expression may give an array or a text with commas. */
function chosenOf(from: IDataObject, { name, displayName, options }: INodeProperties): string[] {
	const known = (options as INodePropertyOptions[]).map(({ value }) => String(value));
	const entries = [from[name]].flat().flatMap((one) => textOf(one).split(','));
	const chosen = entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
	if (chosen.every((entry) => known.includes(entry))) return chosen;
	throw new CodedError(
		'field.choice',
		`The filter '${displayName}' holds an entry that is not in its list`,
		{
			field: displayName,
			description: `Choose from the list; an expression may give ${known.join(', ')}.`,
		},
	);
}
