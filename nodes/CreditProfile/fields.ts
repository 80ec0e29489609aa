import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { parseOneOf, optionsEntryField, type Field } from '../shared/operations/fields';
import { positiveIntOrUndefined } from '../shared/operations/commonFields';
import { normalizeText } from '../shared/utils/cleanText';
import { isObject } from '../shared/utils/json';
import { CodedError, fieldError } from '../shared/utils/codedError';

/** A typed text, or that of an expression, separates its entries by commas. */
export const splitArrayOrCommaText = (value: unknown): unknown[] =>
	typeof value === 'string' ? value.split(',').map(normalizeText) : [value].flat();

export const optionParserFor = <T extends string>({ options = [] }: INodeProperties) =>
	parseOneOf(...(options as INodePropertyOptions[]).map(({ value }) => value as T));

export const collectionId: Field<number> = {
	properties: [
		{
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
					placeholder: 'e.g. 42', // no `validation`: n8n runs it in 250 ms or fails the execution, on a busy machine too
				},
			],
		},
	],
	read(item) {
		const chosen: unknown = item.parameter('collection');
		const value = isObject(chosen) ? chosen.value : chosen;
		if (value === '' || value === null || value === undefined) {
			throw new CodedError('field.empty', 'No collection is chosen', {
				field: 'Collection',
				description: "Choose 'Collection' from the list, or enter its ID.",
			});
		}
		const id = positiveIntOrUndefined(value);
		if (id !== undefined) return id;
		throw fieldError('field.id', 'Collection', 'must be an ID: a whole number, 1 or more');
	},
};

export const offset = optionsEntryField<number>(
	{
		displayName: 'Offset',
		name: 'offset',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description: 'How many rows to skip at the beginning of the list',
	},
	(value, label) => {
		const rows = value === 0 || value === '0' ? 0 : positiveIntOrUndefined(value);
		if (rows !== undefined) return rows;
		throw fieldError('field.number', label, 'must be a whole number, 0 or more');
	},
	0,
);

const orders: INodeProperties = {
	displayName: 'Order',
	name: 'order',
	type: 'options',
	options: [
		{ name: 'Newest First', value: '-document.createdAt' },
		{ name: 'Oldest First', value: 'document.createdAt' },
	],
	default: 'document.createdAt',
	description: 'By when the documents were created',
};
/** CP §4.8 */
export const order = optionsEntryField<string | undefined>(
	orders,
	optionParserFor(orders),
	undefined,
);
