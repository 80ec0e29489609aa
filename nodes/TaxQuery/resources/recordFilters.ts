import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { TaxQueryMapping } from '../../shared/credentials/apiMapping';
import type { Item } from '../../shared/operations/operation';
import { parseObject, parseText, type Field } from '../../shared/operations/fields';
import { textOf } from '../../shared/utils/primitiveText';
import { readMoment } from '../fields/dates';
import { normalizeIdentifier, textProperty } from '../fields/textProperty';
import { queryTypes } from '../../shared/queryTypes/catalog';
import { mayOmitExistingResponse } from '../client/record';
import type { QueryRecord, QueryState } from '../client/model';
import { describeRecordsExcludedAsUnknown } from '../errors/unknownRecords';
import { simplifyRecordToRow } from '../output/simplify';
import { normalizedFromCheckOutput } from '../fields/identifiers';
import { CodedError, fieldError } from '../../shared/utils/codedError';

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

const rfc = identifier('RFC', 'GODE561231GR8', '12 or 13 characters');
const curp = identifier('CURP', 'PEXL990821HSRRXS05', '18 characters');
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
	options: [createdAfter, createdBefore, curp, queries, rfc, status],
};

export interface Filter {
	/** Is false if what never changes of a query rules it out: the moment of its creation, or its type. */
	mayFit(row: QueryRecord): boolean;
	/** The record has what the filters compare, though perhaps not its result. */
	isComparable(record: QueryRecord): boolean;
	/** Is undefined if only what the record lacks shows that. */
	fits(record: QueryRecord): boolean | undefined;
	/** Records may be left out only because their labels are unknown. */
	leftOut(records: QueryRecord[]): string | undefined;
}

/** Throws a UserError that names the field. */
export const filters: Field<(mapping: TaxQueryMapping) => Filter> = {
	properties: [property],
	read(item) {
		const chosen = parseObject(item.parameter('filters'), property.displayName);
		const timeOf = (property: INodeProperties, absent: number) => {
			const value = valueOf(item, chosen, property);
			if (value === undefined) return absent;
			return readMoment(value, property.displayName, item.timezone).toMillis();
		};
		const after = timeOf(createdAfter, -Infinity);
		const before = timeOf(createdBefore, Infinity);
		const operations = chosenOf(valueOf(item, chosen, queries), queries);
		const states = chosenOf(valueOf(item, chosen, status), status);
		const wanted = [rfc, curp].flatMap((field) => identifierOf(item, chosen, field));
		const isOfPeriod = after > -Infinity || before < Infinity;
		const isInTime = ({ createdAt: created = NaN }: QueryRecord) =>
			!(created < after || created >= before);
		const isOfType = ({ operation = '', code }: QueryRecord) =>
			operations.length === 0 || code === '' || operations.includes(operation);
		const mayFit = (record: QueryRecord) => isInTime(record) && isOfType(record);
		const isComparable = (record: QueryRecord) =>
			!(isOfPeriod && record.createdAt === undefined) &&
			!(operations.length > 0 && record.code === '') &&
			(wanted.length === 0 || showsSubject(record));
		return (mapping) => ({
			mayFit,
			isComparable,
			fits(record) {
				if (!mayFit(record)) return false;
				if (states.length > 0 && !states.includes(record.state)) return false;
				return isComparable(record) ? holds(record, wanted, mapping) : undefined;
			},
			leftOut: (records) =>
				describeRecordsExcludedAsUnknown(records, { operations, states }, mapping),
		});
	},
};

/** A filter's value; undefined without one, and where a model leaves it empty, as it does with those it does not use. */
function valueOf({ run }: Item, chosen: IDataObject, property: INodeProperties): unknown {
	const { name, displayName } = property;
	if (!Object.hasOwn(chosen, name)) return undefined;
	const value = chosen[name];
	if (value !== undefined && value !== null && value !== '') return value;
	if (run.isTool) return undefined;
	throw withoutValue(displayName);
}

const withoutValue = (displayName: string) =>
	fieldError(
		'filter.empty',
		displayName,
		"in 'Filters' has no value",
		'Enter one, remove the filter, or check the expression that fills it for this item.',
	);

function identifierOf(
	item: Item,
	chosen: IDataObject,
	property: INodeProperties,
): Array<readonly [name: string, identifier: string]> {
	const value = valueOf(item, chosen, property);
	if (value === undefined) return [];
	const text = parseText(normalizedFromCheckOutput(value), property.displayName);
	const normalized = normalizeIdentifier(text);
	if (normalized === '') throw withoutValue(property.displayName); // nothing but hyphens
	return [[property.name, normalized]];
}

/** It shows what was asked, or the result. */
const showsSubject = ({ request, hasResponse }: QueryRecord): boolean =>
	request !== undefined || hasResponse;

function holds(
	record: QueryRecord,
	wanted: Array<readonly [name: string, identifier: string]>,
	mapping: TaxQueryMapping,
): boolean | undefined {
	if (wanted.length === 0) return true;
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
function chosenOf(value: unknown, { displayName, options }: INodeProperties): string[] {
	const known = (options as INodePropertyOptions[]).map(({ value }) => String(value));
	const given = [value ?? []].flat();
	const entries = given.flatMap((one) => textOf(one).split(','));
	const chosen = entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
	const areTexts = given.every((one) => typeof one === 'string');
	if (areTexts && chosen.every((entry) => known.includes(entry))) return chosen;
	throw new CodedError(
		'field.choice',
		`The filter '${displayName}' holds an entry that is not in its list`,
		{
			field: displayName,
			description: `Choose from the list; an expression may give ${known.join(', ')}.`,
		},
	);
}
