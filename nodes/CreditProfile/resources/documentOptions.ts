import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { field, oneOf, option, type Field } from '../../shared/operations/field';
import { textOf } from '../../shared/utils/text';
import { CodedError } from '../../shared/utils/codedError';

/** The types to request where none is chosen: absent ones would look like none. */
export const ALL_ASSOCIATIONS = {
	includeDataDocumentAssociations: true,
	includeProfileAssociation: true,
	includeFormAssociation: true,
	includeFileAssociation: true,
};

/** A type alone may not do (not shown, CP §4.8), so the general parameter goes with it. */
const PARAMETERS: Record<string, IDataObject> = {
	files: { includeDataDocumentAssociations: true, includeFileAssociation: true },
	forms: { includeDataDocumentAssociations: true, includeFormAssociation: true },
	profiles: { includeDataDocumentAssociations: true, includeProfileAssociation: true },
	types: { includeDataDocumentAssociations: true },
};

/** Which associations come with documents, as the parameters of CP §4.8; undefined if nothing is said of them. */
export const associations = option<IDataObject | undefined>(
	{
		displayName: 'Include Associations',
		name: 'includeAssociations',
		type: 'multiOptions',
		options: [
			{
				name: 'Files',
				value: 'files',
				description: 'Their links work for 24 hours; Download Files fetches them',
			},
			{ name: 'Forms', value: 'forms' },
			{ name: 'Profiles', value: 'profiles' },
			{ name: 'Types Only', value: 'types', description: 'Which types there are, without content' },
		],
		default: ['files', 'forms', 'profiles'],
		description: 'Which associations come with each document',
	},
	(value, label) => {
		const entries = [value].flat().flatMap((one) => textOf(one).split(','));
		const chosen = entries.map((one) => one.trim()).filter((one) => one !== '');
		if (chosen.length > 0 && chosen.every((one) => Object.hasOwn(PARAMETERS, one))) {
			return Object.assign({}, ...chosen.map((one) => PARAMETERS[one])) as IDataObject;
		}
		throw new CodedError(
			'field.choice',
			`'${label}' is empty or holds an entry that is not in its list`,
			{
				field: label,
				description: `Choose from the list, or remove the option. An expression may give ${Object.keys(PARAMETERS).join(', ')}.`,
			},
		);
	},
	undefined,
);

/** What an item or a row of the file is. */
const OUTPUTS = {
	items: { isSeparate: false, isFile: false },
	file: { isSeparate: false, isFile: true },
	associations: { isSeparate: true, isFile: false },
	associationsFile: { isSeparate: true, isFile: true },
};
type Output = keyof typeof OUTPUTS;

export const output = field(
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		options: [
			{ name: 'Documents', value: 'items', description: 'One item for each document' },
			{ name: 'Documents in a File', value: 'file', description: 'One item with a file' },
			{
				name: 'Associations',
				value: 'associations',
				description: 'One item for each profile, form and file of a document',
			},
			{
				name: 'Associations in a File',
				value: 'associationsFile',
				description: 'One item with a file, a row for each profile, form and file',
			},
		],
		default: 'items',
		description:
			'The items or the file to return. With Associations, a document without any gives no item.',
	},
	(value, label) =>
		OUTPUTS[oneOf<Output>('items', 'file', 'associations', 'associationsFile')(value, label)],
);

type Format = 'csv' | 'csvPlain' | 'ndjson';
const formats: INodeProperties = {
	displayName: 'File Format',
	name: 'fileFormat',
	type: 'options',
	options: [
		{ name: 'CSV', value: 'csv', description: 'For Excel and sheets; objects as JSON in a cell' },
		{
			name: 'CSV Without Byte Order Mark',
			value: 'csvPlain',
			description: 'For programs that read the first column by its name',
		},
		{
			name: 'NDJSON',
			value: 'ndjson',
			description: 'One JSON object on each line: for lists too long to hold in memory',
		},
	],
	default: 'csv',
	displayOptions: { show: { output: ['file', 'associationsFile'] } },
};
export const fileFormat: Field<Format> = {
	properties: [formats],
	async read(item) {
		if (!(await output.read(item)).isFile) return 'csv';
		return oneOf<Format>('csv', 'csvPlain', 'ndjson')(item.parameter('fileFormat'), 'File Format');
	},
};

export type ColumnNames = 'keys' | 'titles';
const names: INodeProperties = {
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
				"The titles in the collection's schemas: one more request for each hundred versions. The item fails if they cannot be read.",
		},
	],
	default: 'keys',
	description: "How the columns of a document's fields are named",
	displayOptions: {
		show: { output: ['items', 'file'] },
		hide: { '/options.simplify': [false] },
	},
};
export const columnNames: Field<ColumnNames> = {
	properties: [names],
	async read(item) {
		if ((await output.read(item)).isSeparate) return 'keys';
		return oneOf<ColumnNames>('keys', 'titles')(item.parameter('columnNames'), 'Column Names');
	},
};
