import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { oneOf, option, parseBoolean, type Field } from '../shared/operations/field';
import { wholeNumber } from '../shared/operations/fields';
import { CodedError } from '../shared/utils/codedError';

/** The ID of the chosen collection. */
export const collectionId: Field<number> = {
	properties: [
		{
			displayName: 'Collection',
			name: 'collection',
			type: 'resourceLocator',
			default: { mode: 'list', value: '' },
			required: true,
			description: 'The data collection to read, by its ID: a whole number, e.g. 42',
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
		const isLocator = typeof chosen === 'object' && chosen !== null && 'value' in chosen;
		const value = isLocator ? chosen.value : chosen;
		if (value === '' || value === null || value === undefined) {
			throw new CodedError('field.empty', 'No collection is chosen', {
				field: 'Collection',
				description: "Choose 'Collection' from the list, or enter its ID.",
			});
		}
		const id = wholeNumber(value);
		if (id !== undefined) return id;
		throw new CodedError('field.id', "'Collection' must be an ID: a whole number, 1 or more", {
			field: 'Collection',
			description: 'Check the expression that fills it for this item, e.g. {{ $json.id }}.',
		});
	},
};

/** Rows from the beginning of a list that are passed over. */
export const offset = option<number>(
	{
		displayName: 'Offset',
		name: 'offset',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'How many rows to skip at the beginning of the list, for example to read a large list in batches',
	},
	(value, label) => {
		if (value === 0 || value === '0') return 0;
		const rows = wholeNumber(value);
		if (rows !== undefined) return rows;
		throw new CodedError('field.number', `'${label}' must be a whole number, 0 or more`, {
			field: label,
			description: 'Check the expression that fills it for this item.',
		});
	},
	0,
);

/** The same fields, shown only under these values of others. */
export const shownIf = (
	show: Record<string, string[]>,
	properties: INodeProperties[],
): INodeProperties[] =>
	properties.map((one) => ({
		...one,
		displayOptions: { ...one.displayOptions, show: { ...one.displayOptions?.show, ...show } },
	}));

/** Switches of the "Options" collection that are sent under their names; those that were not added are left out. */
export const switches = (properties: INodeProperties[]): Field<IDataObject> => ({
	properties,
	read: ({ options }) =>
		Object.fromEntries(
			properties
				.filter(({ name }) => Object.hasOwn(options, name))
				.map(({ name, displayName }) => [name, parseBoolean(options[name], displayName)]),
		),
});

/** CP §4.8 */
export const order = option<string | undefined>(
	{
		displayName: 'Order',
		name: 'order',
		type: 'options',
		options: [
			{ name: 'Newest First', value: '-document.createdAt' },
			{ name: 'Oldest First', value: 'document.createdAt' },
		],
		default: 'document.createdAt',
		description: 'By when the documents were created',
	},
	oneOf('-document.createdAt', 'document.createdAt'),
	undefined,
);
