import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { CreditProfileMapping } from '../shared/credentials/apiMapping';
import { parseText, type Field } from '../shared/operations/fields';
import { positiveIntOrUndefined } from '../shared/operations/commonFields';
import type { ServiceRequest } from '../shared/http/sendOnce';
import { mapKeys } from '../shared/utils/objects';
import { isObject } from '../shared/utils/json';
import { textOf } from '../shared/utils/primitiveText';
import { CodedError, fieldError } from '../shared/utils/codedError';
import { isInputRefused } from './pathAdvice';
import { splitArrayOrCommaText } from './fields';

const several = (
	displayName: string,
	name: string,
	what: 'ID' | 'key' | 'name',
): INodeProperties => ({
	displayName,
	name,
	...(what === 'ID' ? { type: 'number', default: 0 } : { type: 'string', default: '' }),
	typeOptions: { multipleValues: true, multipleValueButtonText: `Add ${what}` },
	description: `Exact ${what}. Add several to match any.`,
});

const tags = (displayName: string, name: string, hint: string): INodeProperties => ({
	displayName,
	name,
	hint,
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getCollectionTags' },
	default: [],
	description:
		'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
});

/** CP §4.4: the filter keys of the service; all but name__like take several values. */
const keys: INodeProperties[] = [
	several('Active Version ID', 'activeDataCollectionVersionId__eq', 'ID'),
	tags('Any Tag Names or IDs', 'tags__anyOf', 'What has at least one of these tags'),
	tags('Exact Tag Names or IDs', 'tags__eq', 'What has these tags and no others'),
	several('Name', 'name__eq', 'name'),
	{
		displayName: 'Name Contains',
		name: 'name__like',
		type: 'string',
		default: '',
		description: 'A part of the name, e.g. juicios',
	},
	several('Organization ID', 'organizationId__eq', 'ID'),
	several('Parent Collection ID', 'parentCollectionId__eq', 'ID'),
	several('Processor Key', 'processorKey__eq', 'key'),
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
		if (!isObject(given)) throw fieldError('field.object', 'Filters', 'must be a JSON object');
		const filter: IDataObject = {};
		for (const { displayName, name, type } of keys) {
			if (!Object.hasOwn(given, name)) continue;
			const isNumber = type === 'number';
			const entered =
				type === 'multiOptions' ? splitArrayOrCommaText(given[name]) : [given[name]].flat();
			const isEmpty = (value: unknown) =>
				['', null, undefined].includes(value as string) || (isNumber && value === 0);
			// A model fills in unused filters with nothing, or with the default.
			if (item.run.isTool && entered.every(isEmpty)) continue;
			if (entered.length === 0 || entered.some(isEmpty)) {
				throw fieldError(
					'filter.empty',
					displayName,
					"in 'Filters' has no value",
					'Enter one, remove the filter, or check the expression that fills it for this item.',
				);
			}
			if (entered.length > 1 && name === 'name__like') {
				throw fieldError('filter.list', displayName, "in 'Filters' takes one text, not a list");
			}
			const isChosen = Array.isArray(given[name]) && type === 'multiOptions';
			const read = (one: unknown) =>
				isChosen ? textOf(one) : textOf(one) && parseText(one, displayName);
			const values = entered.map((one) =>
				isNumber ? positiveIntOrUndefined(one) : read(one) || undefined,
			);
			if (values.includes(undefined)) {
				throw isNumber
					? fieldError(
							'filter.id',
							displayName,
							"in 'Filters' must be a whole number from 1 up, or several",
						)
					: fieldError('filter.text', displayName, "in 'Filters' must be a text, or several");
			}
			filter[name] = values.length === 1 ? values[0] : (values as string[]);
		}
		return filter;
	},
};

/** Writes a filter into a request. CP §4.4 does not show the form, so the API Mapping says it. */
export function encodeFilter(
	filter: IDataObject,
	{ filterEncoding, listEncoding: lists }: CreditProfileMapping,
): Pick<ServiceRequest, 'query' | 'lists'> {
	if (Object.keys(filter).length === 0) return { query: {} };
	if (filterEncoding === 'json') return { query: { filter: JSON.stringify(filter) } };
	const query = filterEncoding === 'dots' ? mapKeys(filter, (key) => `filter.${key}`) : { filter };
	return { query, lists };
}

const keysOf = (filter: IDataObject): string[] => [
	'filterEncoding',
	...(Object.values(filter).some(Array.isArray) ? ['listEncoding'] : []),
];

export function rethrowWithKeys(filter: IDataObject): (error: unknown) => never {
	return (error) => {
		if (!isInputRefused(error) || Object.keys(filter).length === 0) throw error;
		throw error.withAdvice({ mappingKeys: keysOf(filter) });
	};
}

/** Accents, blanks and case do not count: a service may compare so. */
const comparableText = (value: unknown) =>
	textOf(value).normalize('NFD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').trim().toLowerCase();

/**
 * Checks each row of a filtered list, because a service that does not understand a filter may return all rows. Throws
 * a UserError for a row that does not match. Part of a name may be matched in other ways, so a mismatch there only
 * gives one hint. A row without the field passes; one with null or an empty value does not.
 */
export function buildFilterMismatchCheck(
	filter: IDataObject,
	hint: (message: string) => void,
): (row: IDataObject) => void {
	const wanted = keys
		.filter(({ name }) => Object.hasOwn(filter, name))
		.map(({ name, displayName }) => {
			const [field, operator] = name.split('__');
			return {
				...{ displayName, field, isLike: operator === 'like' },
				values: [filter[name]].flat().map(comparableText),
			};
		});
	let isHinted = false;
	return (row) => {
		for (const { displayName, field, isLike, values } of wanted) {
			if (row[field] === undefined) continue;
			const shown = [row[field]].flat().map(comparableText);
			const passes = (value: string) =>
				isLike ? value.includes(values[0]) : value !== '' && values.includes(value);
			if (shown.some(passes)) continue;
			const found = `The Credit Profile Service gave a collection that does not pass '${displayName}' in 'Filters'`;
			const mappingKeys = keysOf(filter);
			const description = `If the service reads filters in another form, set ${mappingKeys.join(' or ')} in the credential's API Mapping.`;
			if (!isLike) {
				throw new CodedError('filter.ignored', found, {
					field: displayName,
					mappingKeys,
					description,
				});
			}
			if (!isHinted) hint(`${found}. ${description}`);
			isHinted = true;
		}
	};
}
