import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { defineField, optionsEntryField, type Field } from '../../shared/operations/fields';
import { textOf } from '../../shared/utils/primitiveText';
import { fieldError } from '../../shared/utils/codedError';
import { optionParserFor, splitArrayOrCommaText } from '../fields';
import type { DocumentAssociationType } from '../personalData';
import { associationTypes } from '../simplify';

/** CP §4.8 */
const PARAMETERS: Record<string, string> = {
	types: 'includeDataDocumentAssociations',
	profiles: 'includeProfileAssociation',
	forms: 'includeFormAssociation',
	files: 'includeFileAssociation',
};

/** A type alone may not do (not shown, CP §4.8), so the general parameter goes with it. */
const including = (...chosen: string[]): IDataObject =>
	Object.fromEntries(['types', ...chosen].map((one) => [PARAMETERS[one], true]));

/** The types whose content these parameters request. */
export const requestedTypes = (parameters: IDataObject): DocumentAssociationType[] =>
	associationTypes.filter((type) => parameters[PARAMETERS[type.toLowerCase()]] === true);

export const filesOnly = including('files');
export const allAssociations = including('profiles', 'forms', 'files');

/** Gives parameters of CP §4.8, or undefined if the node has no choice of them. */
export const associationsToInclude = optionsEntryField<IDataObject | undefined>(
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
		const chosen = splitArrayOrCommaText(value).map(textOf);
		if (chosen.length > 0 && chosen.every((one) => Object.hasOwn(PARAMETERS, one))) {
			return including(...chosen);
		}
		throw fieldError(
			'field.choice',
			label,
			'is empty or holds an entry that is not in its list',
			`Choose from the list, or remove the option. An expression may give ${Object.keys(PARAMETERS).join(', ')}.`,
		);
	},
	undefined,
);

/** Entries of Output that give a file, and those that give associations. */
const FILES = ['file', 'associationsFile'];
const ASSOCIATIONS = ['associations', 'associationsFile'];

const outputs: INodeProperties = {
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
};

/** Selects what one item, or one row of the file, stands for. */
export const outputField = defineField(outputs, (value, label) => {
	const chosen = optionParserFor(outputs)(value, label);
	return { isSeparate: ASSOCIATIONS.includes(chosen), isFile: FILES.includes(chosen) };
});

const formats: INodeProperties = {
	displayName: 'File Format',
	name: 'fileFormat',
	type: 'options',
	options: [
		{
			name: 'CSV',
			value: 'csv',
			description: 'For Excel and sheets; a text that looks like a formula stays text',
		},
		{
			name: 'CSV Without Byte Order Mark',
			value: 'csvPlain',
			description: 'For programs: every value as the service gave it',
		},
		{
			name: 'NDJSON',
			value: 'ndjson',
			description: 'One JSON object on each line, for lists too long to hold in memory',
		},
	],
	default: 'csv',
	displayOptions: { show: { output: FILES } },
};

export const outputFileFormat: Field<'csv' | 'csvPlain' | 'ndjson'> = {
	properties: [formats],
	read: (item) =>
		FILES.includes(item.parameter('output'))
			? optionParserFor<'csv' | 'csvPlain' | 'ndjson'>(formats)(
					item.parameter('fileFormat'),
					'File Format',
				)
			: 'csv',
};
