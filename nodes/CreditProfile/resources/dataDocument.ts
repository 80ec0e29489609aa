import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { field, operation, option, parseBoolean, type Field } from '../../shared/operations/field';
import { limit, simplify } from '../../shared/operations/fields';
import { WithFiles, type Resource } from '../../shared/operations/operation';
import { collectionId, oneOf, startAt, switches } from '../fields';
import { writeFile, type FileFormat } from '../listFile';
import { collect, documentsOf, getManyTags, listPages } from '../listing';
import {
	ASSOCIATION_COLUMNS,
	RAW_ASSOCIATION_COLUMNS,
	separateAssociations,
	simplifyDocument,
} from '../simplify';
import { OWN_COLUMNS, titlesOf } from '../titles';
import { downloadFiles } from './documentFiles';

/** CP §2.7 */
const RAW_COLUMNS = [
	'id',
	'externalId',
	'tags',
	'document',
	'dataCollectionVersionId',
	'dataCollectionId',
	'creatorId',
	'createdAt',
	'updatedAt',
	'associations',
];

const typeSwitches = switches([
	{
		displayName: 'Include File Associations',
		name: 'includeFileAssociation',
		type: 'boolean',
		default: true,
		description:
			'Whether the files that a document is associated with come with it. Their links work for 24 hours; Download Files fetches them.',
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
]);
const generalSwitch = switches([
	{
		displayName: 'Include Associations',
		name: 'includeDataDocumentAssociations',
		type: 'boolean',
		default: true,
		description:
			'Whether a document comes with its associations. Where a type is chosen, this goes with it unless switched off here.',
	},
]);

/** What is asked for where associations are wanted and none is chosen: absent ones would look like none. */
const ALL_ASSOCIATIONS = {
	includeDataDocumentAssociations: true,
	includeProfileAssociation: true,
	includeFormAssociation: true,
	includeFileAssociation: true,
};

/** Which associations to ask for. A type alone may not do (not shown, CP §4.8), so the general switch goes with it. */
const associations: Field<IDataObject> = {
	properties: [...typeSwitches.properties, ...generalSwitch.properties],
	async read(item) {
		const types = await typeSwitches.read(item);
		return {
			...(Object.values(types).includes(true) && { includeDataDocumentAssociations: true }),
			...(await generalSwitch.read(item)),
			...types,
		};
	},
};

const order = option<string | undefined>(
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

const separately = option(
	{
		displayName: 'Associations as Separate Items',
		name: 'separateAssociations',
		type: 'boolean',
		default: true,
		description:
			'Whether to return one item for each association instead of one for each document. A document without associations then gives no item. Comes with all types, unless some are included here.',
	},
	parseBoolean,
	false,
);

const output = field(
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		options: [
			{ name: 'Items', value: 'items', description: 'One item for each document' },
			{
				name: 'File',
				value: 'file',
				description: 'One item with all documents in a file: for lists too long to hold in memory',
			},
		],
		default: 'items',
		description: 'Whether documents come out as items or in one file as binary data',
	},
	oneOf('items', 'file'),
);

const formats: INodeProperties = {
	displayName: 'File Format',
	name: 'fileFormat',
	type: 'options',
	options: [
		{ name: 'CSV', value: 'csv', description: 'For a sheet; lists and objects as JSON in a cell' },
		{ name: 'NDJSON', value: 'ndjson', description: 'One JSON object on each line' },
	],
	default: 'csv',
	displayOptions: { show: { output: ['file'] } },
};
const fileFormat: Field<FileFormat> = {
	properties: [formats],
	read: (item) =>
		item.parameter('output') === 'file'
			? oneOf('csv', 'ndjson')(item.parameter('fileFormat'), 'File Format')
			: 'csv',
};

const getMany = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many data documents',
	subtitle: 'Get documents',
	description:
		'Get the data documents of one collection, as items or in one file (the service calls this endpoint a beta)',
	fields: { collectionId, wanted: limit, simplify, output, fileFormat },
	options: { associations, isSeparate: separately, order, startAt },
	/** CP §4.8 */
	async execute(item, values) {
		const { collectionId: id, simplify: isSimple, isSeparate } = values;
		const isNoneChosen = !Object.values(values.associations).includes(true);
		const list = {
			...documentsOf(id),
			query: {
				...(isSeparate && isNoneChosen && ALL_ASSOCIATIONS),
				...values.associations,
				...(values.order && { order: values.order }),
			},
			startAt: values.startAt,
			wanted: values.wanted,
		};
		const titles = isSimple && !isSeparate ? await titlesOf(item, id) : undefined;
		const shape = (document: IDataObject): IDataObject[] => {
			if (isSeparate) return separateAssociations(document, isSimple);
			return [titles ? simplifyDocument(document, titles, item.protect) : document];
		};
		let given = 0;
		async function* pages() {
			for await (const page of listPages(item, list)) {
				given += page.length;
				yield page.flatMap(shape);
			}
		}
		if (values.output === 'items') return await collect(pages());

		const simpleColumns = titles ? [...titles.columns, ...OWN_COLUMNS] : ASSOCIATION_COLUMNS;
		const { rows, file } = await writeFile(item, pages(), {
			format: values.fileFormat,
			columns: isSimple ? simpleColumns : isSeparate ? RAW_ASSOCIATION_COLUMNS : RAW_COLUMNS,
			name: `collection-${id}`,
		});
		if (given >= values.wanted) {
			const first = `The file holds the first ${given} documents; there may be more`;
			item.run.hint(`${first}. Switch on Return All for all.`);
		}
		return new WithFiles([{ json: { rows, collectionId: id }, file }]);
	},
});

export const dataDocument: Resource = {
	name: 'Data Document',
	value: 'dataDocument',
	operations: [getMany, downloadFiles, getManyTags('document')],
};
