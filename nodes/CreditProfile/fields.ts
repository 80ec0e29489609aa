import { UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/operation';

export const returnAllAndLimit: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { returnAll: [false] } },
	},
];

export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

export const collectionField: INodeProperties = {
	displayName: 'Collection',
	name: 'collection',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The data collection to read',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a collection...',
			typeOptions: { searchListMethod: 'searchCollections', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 42',
			validation: [
				{
					type: 'regex',
					properties: { regex: '^\\s*\\d+\\s*$', errorMessage: 'The ID is a whole number' },
				},
			],
		},
	],
};

/** A whole number from 1 up, entered as a number or as its digits; undefined if the value is none. */
function wholeNumber(value: unknown): number | undefined {
	const isText = typeof value === 'string' && /^\s*\d+\s*$/.test(value);
	const number = isText ? Number(value) : value;
	return Number.isSafeInteger(number) && (number as number) > 0 ? (number as number) : undefined;
}

/** A switch's value. Throws a UserError if an expression gave something else than true or false. */
export function readSwitch(value: unknown, label: string): boolean {
	if (value === true || value === 'true') return true;
	if (value === false || value === 'false') return false;
	throw new UserError(`"${label}" is neither true nor false`, {
		description: 'Check the expression that fills it for this item.',
	});
}

/** The switches among the options that the operator has set. */
export function readSwitches(options: IDataObject, switches: INodeProperties[]): IDataObject {
	return Object.fromEntries(
		switches
			.filter(({ name }) => options[name] !== undefined)
			.map(({ name, displayName }) => [name, readSwitch(options[name], displayName)]),
	);
}

/** How many rows are wanted; Infinity with Return All. Throws a UserError if Limit is no whole number from 1 up. */
export function readWanted(item: Item): number {
	if (readSwitch(item.parameter('returnAll'), 'Return All')) return Infinity;
	const limit = wholeNumber(item.parameter('limit'));
	if (limit !== undefined) return limit;
	throw new UserError('"Limit" must be a whole number, 1 or more', {
		description: 'Check the expression that fills it for this item, or use Return All.',
	});
}

/** The shape of a row with Simplify off. */
export const asItIs = (row: IDataObject): IDataObject => row;

export const readSimplify = (item: Item): boolean =>
	readSwitch(item.parameter('simplify'), 'Simplify');

/** The id of the chosen collection. Throws a UserError if nothing is chosen or the value is no id. */
export function readCollectionId(item: Item): number {
	const chosen: unknown = item.parameter('collection');
	const isLocator = typeof chosen === 'object' && chosen !== null && 'value' in chosen;
	const value = isLocator ? chosen.value : chosen;
	if (value === '' || value === null || value === undefined) {
		throw new UserError('No collection is chosen', {
			description: 'Choose "Collection" from the list, or enter its ID.',
		});
	}
	const id = wholeNumber(value);
	if (id !== undefined) return id;
	throw new UserError('"Collection" must be an ID: a whole number, 1 or more', {
		description: 'Check the expression that fills it for this item, e.g. {{ $json.id }}.',
	});
}
