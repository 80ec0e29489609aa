import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Operation, Resource } from '../shared/operation';
import { collectionField, readCollectionId, readSwitches } from './fields';
import {
	asItIs,
	readSimplify,
	readSwitch,
	returnAllAndLimit,
	simplifyField,
} from '../shared/fields';
import { filterEncoding } from './filter';
import { getManyTags, readListing } from './listing';
import { simplifyAssociation, simplifyDocument } from './simplify';

/** §4.8: the smallest page of documents. */
const SMALLEST_PAGE = 10;

const typeSwitches: INodeProperties[] = [
	{
		displayName: 'Include File Associations',
		name: 'includeFileAssociation',
		type: 'boolean',
		default: true,
		description: 'Whether the files that a document is associated with come with it',
	},
	{
		displayName: 'Include Form Associations',
		name: 'includeFormAssociation',
		type: 'boolean',
		default: true,
		description: 'Whether the forms that a document is associated with come with it',
	},
	{
		displayName: 'Include Profile Associations',
		name: 'includeProfileAssociation',
		type: 'boolean',
		default: true,
		description: 'Whether the profiles that a document is associated with come with it',
	},
];
const generalSwitch: INodeProperties = {
	displayName: 'Include Associations',
	name: 'includeDataDocumentAssociations',
	type: 'boolean',
	default: true,
	description:
		'Whether a document comes with its associations. Where a type is chosen, this goes with it unless switched off here.',
};

const order: INodeProperties = {
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

const separately: INodeProperties = {
	displayName: 'Associations as Separate Items',
	name: 'separateAssociations',
	type: 'boolean',
	default: true,
	description:
		'Whether to return one item for each association instead of one for each document. A document without associations then gives no item.',
};

/** Which associations to ask for. A type alone may not do (not shown, §4.8), so the general switch goes with it. */
function associationSwitches(options: IDataObject): IDataObject {
	const types = readSwitches(options, typeSwitches);
	const isAnyOn = Object.values(types).includes(true);
	return {
		...(isAnyOn && { [generalSwitch.name]: true }),
		...readSwitches(options, [generalSwitch]),
		...types,
	};
}

/** One item for each association of a document, under the document's ids. */
function separate(document: IDataObject, isSimple: boolean): IDataObject[] {
	return ((document.associations ?? []) as IDataObject[]).map((entry) => ({
		documentId: document.id,
		documentExternalId: document.externalId,
		...(isSimple ? { associationType: entry.type, ...simplifyAssociation(entry) } : entry),
	}));
}

const getMany: Operation = {
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many data documents',
	description: 'Get the documents of one collection',
	fields: [collectionField, ...returnAllAndLimit, simplifyField],
	options: [...typeSwitches, generalSwitch, order, separately, filterEncoding],
	/** §4.8 */
	async execute(item) {
		const { options } = item;
		const isSimple = readSimplify(item);
		const isSeparate = readSwitch(options[separately.name] ?? false, separately.displayName);
		const documents = await readListing(item, {
			path: `/data/collection/${readCollectionId(item)}/document`,
			query: { ...associationSwitches(options), ...(options.order && { order: options.order }) },
			field: 'documents',
			smallestPage: SMALLEST_PAGE,
			shape: isSimple && !isSeparate ? simplifyDocument : asItIs,
		});
		return isSeparate ? documents.flatMap((one) => separate(one, isSimple)) : documents;
	},
};

export const document: Resource = {
	name: 'Data Document',
	value: 'dataDocument',
	operations: [getMany, getManyTags('document')],
};
