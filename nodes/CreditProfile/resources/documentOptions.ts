import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { field, option, parseBoolean, type Field } from '../../shared/operations/field';
import { oneOf, switches } from '../fields';
import type { FileFormat } from '../listFile';

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
export const ALL_ASSOCIATIONS = {
	includeDataDocumentAssociations: true,
	includeProfileAssociation: true,
	includeFormAssociation: true,
	includeFileAssociation: true,
};

/** Which associations to ask for. A type alone may not do (not shown, CP §4.8), so the general switch goes with it. */
export const associations: Field<IDataObject> = {
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

export const separately = option(
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

export const output = field(
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		options: [
			{ name: 'Items', value: 'items', description: 'One item for each document' },
			{
				name: 'File',
				value: 'file',
				description: 'One item with all documents in a file',
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
		{ name: 'CSV', value: 'csv', description: 'For a sheet; objects as JSON in a cell' },
		{
			name: 'NDJSON',
			value: 'ndjson',
			description: 'One JSON object on each line: for lists too long to hold in memory',
		},
	],
	default: 'csv',
	displayOptions: { show: { output: ['file'] } },
};
export const fileFormat: Field<FileFormat> = {
	properties: [formats],
	read: (item) =>
		item.parameter('output') === 'file'
			? oneOf('csv', 'ndjson')(item.parameter('fileFormat'), 'File Format')
			: 'csv',
};

export const byteOrderMark = option(
	{
		displayName: 'Byte Order Mark',
		name: 'byteOrderMark',
		type: 'boolean',
		default: false,
		displayOptions: { show: { '/output': ['file'], '/fileFormat': ['csv'] } },
		description: 'Whether a CSV begins with the mark by which Excel shows accents rightly',
	},
	parseBoolean,
	true,
);

export const columnNames = option(
	{
		displayName: 'Column Names',
		name: 'columnNames',
		type: 'options',
		options: [
			{
				name: 'Field Names',
				value: 'keys',
				description: "The document's own field names, which never change by themselves",
			},
			{
				name: 'Schema Titles',
				value: 'titles',
				description:
					"The titles in the collection's schemas: one more request for each hundred versions. The item fails where they cannot be read.",
			},
		],
		default: 'titles',
		displayOptions: { show: { '/simplify': [true] } },
		description: "What the columns of a document's fields are called",
	},
	oneOf('keys', 'titles'),
	'keys',
);
