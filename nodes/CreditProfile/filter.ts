import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { CreditProfileMapping } from '../shared/credentials/apiMapping';
import type { Field } from '../shared/operations/field';
import { wholeNumber } from '../shared/operations/fields';
import type { ServiceRequest } from '../shared/transport/request';
import { RequestError } from '../shared/transport/result';
import { isObject } from '../shared/utils/json';
import { sentences } from '../shared/utils/sentences';
import { textOf } from '../shared/utils/text';
import { CodedError } from '../shared/utils/codedError';

/** CP §4.4: the filter keys of the service; all but name__like take several values. */
const keys: INodeProperties[] = [
	{
		displayName: 'Active Version ID',
		name: 'activeDataCollectionVersionId__eq',
		type: 'number',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add ID' },
		default: 0,
		description: 'One of these is the ID of its active version, a whole number',
	},
	{
		displayName: 'Any Tag Names or IDs',
		name: 'tags__anyOf',
		hint: 'What has at least one of these tags',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getCollectionTags' },
		default: [],
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
	},
	{
		displayName: 'Exact Tag Names or IDs',
		name: 'tags__eq',
		hint: 'What has these tags and no others',
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
		description: 'One of these is its name, letter by letter, as text',
	},
	{
		displayName: 'Name Contains',
		name: 'name__like',
		type: 'string',
		default: '',
		description: 'This text is a part of its name, e.g. juicios',
	},
	{
		displayName: 'Organization ID',
		name: 'organizationId__eq',
		type: 'number',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add ID' },
		default: 0,
		description: 'One of these is the ID of its organization, a whole number',
	},
	{
		displayName: 'Parent Collection ID',
		name: 'parentCollectionId__eq',
		type: 'number',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add ID' },
		default: 0,
		description: 'One of these is the ID of its parent collection, a whole number',
	},
	{
		displayName: 'Processor Key',
		name: 'processorKey__eq',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add key' },
		default: '',
		description: 'One of these is its processor key, as text',
	},
];

/**
 * The "Filters" collection as the service takes it, a list only where there are several values. A filter without value
 * or with one of the wrong type is an error: left out in silence it would return too much.
 */
export const filters: Field<IDataObject> = {
	properties: [
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add filter',
			default: {},
			options: keys,
		},
	],
	read(item) {
		const given: unknown = item.parameter('filters');
		if (!isObject(given))
			throw new CodedError('field.object', "'Filters' must be a JSON object", { field: 'Filters' });
		const filter: IDataObject = {};
		for (const { displayName, name, type } of keys) {
			if (!Object.hasOwn(given, name)) continue;
			const isTags = type === 'multiOptions';
			const entered = [given[name]].flat().flatMap((one) => (isTags ? listed(one) : [one]));
			// A model fills in unused filters with nothing, or with the default.
			const isEmpty = (value: unknown) =>
				['', null, undefined].includes(value as string) || (value === 0 && type === 'number');
			if (item.run.isTool && entered.every(isEmpty)) continue;
			const values = entered.map((value) => readValue(value, displayName, type));
			if (values.length === 0) throw noValue(displayName);
			if (values.length > 1 && name === 'name__like') {
				throw new CodedError(
					'filter.list',
					`'${displayName}' in 'Filters' takes one text, not a list`,
					{
						field: displayName,
					},
				);
			}
			filter[name] = values.length === 1 ? values[0] : values;
		}
		return filter;
	},
};

/** Tags that an expression gives in one text. */
const listed = (value: unknown): unknown[] =>
	typeof value === 'string' ? value.split(',').map((one) => one.trim()) : [value];

const noValue = (label: string) =>
	new CodedError('filter.empty', `'${label}' in 'Filters' has no value`, {
		field: label,
		description: 'Enter one, check the expression that fills it, or remove the filter.',
	});

function readValue(value: unknown, label: string, type: INodeProperties['type']): string | number {
	if (value === null || value === undefined || value === '') throw noValue(label);
	if (type !== 'number') {
		if (typeof value === 'string' || typeof value === 'number') return String(value);
		throw new CodedError(
			'filter.text',
			`'${label}' in 'Filters' must be a text or a list of texts`,
			{
				field: label,
			},
		);
	}
	if (value === 0) throw noValue(label); // the default
	const number = wholeNumber(value);
	if (number !== undefined) return number;
	throw new CodedError(
		'filter.id',
		`'${label}' in 'Filters' must be a whole number from 1 up, or a list of such`,
		{
			field: label,
			description: 'Check the expression that fills it for this item.',
		},
	);
}

/** Writes a filter into a request. CP §4.4 does not show the form, so the API Mapping says it. */
export function encodeFilter(
	filter: IDataObject,
	{ filterEncoding, listEncoding: lists }: CreditProfileMapping,
): Pick<ServiceRequest, 'query' | 'lists'> {
	if (Object.keys(filter).length === 0) return { query: {} };
	if (filterEncoding === 'json') return { query: { filter: JSON.stringify(filter) } };
	const query =
		filterEncoding === 'dots'
			? Object.fromEntries(Object.entries(filter).map(([key, value]) => [`filter.${key}`, value]))
			: { filter };
	return { query, lists };
}

/** Which keys of the API Mapping say how a filter is written. */
const keysOf = (filter: IDataObject): string[] =>
	Object.values(filter).some(Array.isArray)
		? ['filterEncoding', 'listEncoding']
		: ['filterEncoding'];

const advice = (filter: IDataObject): string =>
	`If the service reads filters in another form, set ${keysOf(filter).join(' or ')} in the credential's API Mapping`;

/** Adds to the error of a filtered list which keys of the API Mapping say how a filter is written. */
export function withFilterKeys(filter: IDataObject): (error: unknown) => never {
	return (error) => {
		const isRefused = error instanceof RequestError && [400, 422].includes(error.status ?? 0);
		if (!isRefused || Object.keys(filter).length === 0) throw error;
		throw error.withAdvice({ mappingKeys: keysOf(filter) });
	};
}

/** Letters and digits alone tell, in whatever case: a service may compare so. */
const plain = (value: unknown) =>
	textOf(value).normalize('NFD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').trim().toLowerCase();

/** What a row shows for a filter's key; undefined where it says nothing of that. */
function shownBy(row: IDataObject, name: string): string[] | undefined {
	const value = row[name];
	if (Array.isArray(value) !== (name === 'tags')) return undefined;
	const shown = [value].flat().map(plain);
	return shown.includes('') ? undefined : shown;
}

/**
 * Looks at each row of a filtered list: a service that does not understand how a filter is written may give all rows.
 * Throws a UserError for one that surely does not pass; a name that may be alike in another way gets one hint.
 */
export function checkFiltered(
	filter: IDataObject,
	hint: (message: string) => void,
): (row: IDataObject) => void {
	const wanted = keys
		.filter(({ name }) => Object.hasOwn(filter, name))
		.map(({ name, displayName }) => ({
			...{ displayName, name: name.split('__')[0], isLike: name.endsWith('like') },
			values: new Set([filter[name]].flat().map(plain)),
		}));
	let isTold = false;
	return (row) => {
		for (const { name, displayName, isLike, values } of wanted) {
			const shown = shownBy(row, name);
			const parts = isLike ? [...values].flatMap((text) => text.split(/[%_ ]/)) : [];
			const passes = isLike
				? parts.every((part) => shown?.[0].includes(part))
				: shown?.some((value) => values.has(value));
			if (!shown || passes) continue;
			const found = `The Credit Profile Service gave a collection that does not pass '${displayName}' in 'Filters'`;
			if (!isLike)
				throw new CodedError('filter.ignored', found, {
					...{ field: displayName, mappingKeys: keysOf(filter) },
					description: `${advice(filter)}.`,
				});
			if (!isTold) hint(sentences(found, advice(filter)));
			isTold = true;
		}
	};
}
