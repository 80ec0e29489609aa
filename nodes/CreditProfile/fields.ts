import { UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';
import { readSwitch, wholeNumber } from '../shared/fields';
import type { Item } from '../shared/operation';

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

/** The switches among the options that the operator has set. */
export function readSwitches(options: IDataObject, switches: INodeProperties[]): IDataObject {
	return Object.fromEntries(
		switches
			.filter(({ name }) => options[name] !== undefined)
			.map(({ name, displayName }) => [name, readSwitch(options[name], displayName)]),
	);
}

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
