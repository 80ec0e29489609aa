import { UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';
import type { ServiceRequest } from '../shared/request';

/** §4.4: the filter keys of the service; all but name__like take several values. */
const keys: INodeProperties[] = [
	{
		displayName: 'Active Version ID',
		name: 'activeDataCollectionVersionId__eq',
		type: 'number',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add ID' },
		default: 0,
		description: 'One of these is the ID of its active version',
	},
	{
		displayName: 'Any Tag Names or IDs',
		name: 'tags__anyOf',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getCollectionTags' },
		default: [],
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
	},
	{
		displayName: 'Exact Tag Names or IDs',
		name: 'tags__eq',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getCollectionTags' },
		default: [],
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
	},
	{
		displayName: 'Name',
		name: 'name__eq',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add name' },
		default: '',
		description: 'One of these is its name, letter by letter',
	},
	{
		displayName: 'Name Contains',
		name: 'name__like',
		type: 'string',
		default: '',
		description: 'This text is a part of its name',
	},
	{
		displayName: 'Organization ID',
		name: 'organizationId__eq',
		type: 'number',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add ID' },
		default: 0,
		description: 'One of these is the ID of its organization',
	},
	{
		displayName: 'Parent Collection ID',
		name: 'parentCollectionId__eq',
		type: 'number',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add ID' },
		default: 0,
		description: 'One of these is the ID of its parent collection',
	},
	{
		displayName: 'Processor Key',
		name: 'processorKey__eq',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add key' },
		default: '',
		description: 'One of these is its processor key',
	},
];

export const filtersField: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	options: keys,
};

/** The document does not show how the filter is written in the query string (§4.4). */
export const filterEncoding: INodeProperties = {
	displayName: 'Filter Encoding',
	name: 'filterEncoding',
	type: 'options',
	options: [
		{ name: 'Bracketed', value: 'bracketed', description: 'Like filter[name__eq]=Loans' },
		{ name: 'Dotted', value: 'dotted', description: 'Like filter.name__eq=Loans' },
		{ name: 'JSON', value: 'json', description: 'Like filter={"name__eq":"Loans"}' },
	],
	default: 'bracketed',
	description:
		"How a filter is written in the query string. The service's document does not show it.",
};

/** Nor how a filter with several values is written. */
export const listEncoding: INodeProperties = {
	displayName: 'List Encoding',
	name: 'listEncoding',
	type: 'options',
	options: [
		{ name: 'Empty Brackets', value: 'brackets', description: 'Like key[]=1&key[]=2' },
		{ name: 'Numbered', value: 'indices', description: 'Like key[0]=1&key[1]=2' },
		{ name: 'Repeated', value: 'repeat', description: 'Like key=1&key=2' },
	],
	default: 'brackets',
	description:
		"How a filter with several values is written, unless as JSON. The service's document does not show it.",
};

/**
 * Checks the "Filters" collection. Out: the filter for the service, a list only where there are several values.
 * Throws a UserError that names a filter without value or with one of the wrong type: left out in silence it
 * would return more than was asked for.
 */
export function readFilter(filters: IDataObject): IDataObject {
	const filter: IDataObject = {};
	for (const { displayName, name, type } of keys) {
		if (!(name in filters)) continue;
		const values = [filters[name]].flat().map((value) => readValue(value, displayName, type));
		if (values.length === 0) throw noValue(displayName);
		if (values.length > 1 && name === 'name__like') {
			throw new UserError(`"${displayName}" in Filters takes one text, not a list`);
		}
		filter[name] = values.length === 1 ? values[0] : values;
	}
	return filter;
}

const noValue = (label: string) =>
	new UserError(`"${label}" in Filters has no value`, {
		description: 'Enter one, check the expression that fills it, or remove the filter.',
	});

function readValue(value: unknown, label: string, type: INodeProperties['type']): string | number {
	if (value === null || value === undefined || value === '') throw noValue(label);
	if (type !== 'number') {
		if (typeof value === 'string' || typeof value === 'number') return String(value);
		throw new UserError(`"${label}" in Filters must be a text or a list of texts`);
	}
	const number = typeof value === 'string' ? Number(value.trim() || NaN) : value;
	if (typeof number === 'number' && Number.isFinite(number)) return number;
	throw new UserError(`"${label}" in Filters must be a number or a list of numbers`, {
		description: 'Check the expression that fills it for this item.',
	});
}

/** Writes a filter into a request, encoded as the options say. */
export function encodeFilter(
	filter: IDataObject,
	{ filterEncoding: encoding = 'bracketed', listEncoding: lists = 'brackets' }: IDataObject,
): Pick<ServiceRequest, 'query' | 'lists'> {
	if (Object.keys(filter).length === 0) return { query: {} };
	if (encoding === 'json') return { query: { filter: JSON.stringify(filter) } };
	const query =
		encoding === 'dotted'
			? Object.fromEntries(Object.entries(filter).map(([key, value]) => [`filter.${key}`, value]))
			: { filter };
	return { query, lists: lists as ServiceRequest['lists'] };
}
