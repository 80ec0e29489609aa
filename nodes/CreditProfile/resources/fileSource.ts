import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { field, oneOf, parseObject, parseText, type Field } from '../../shared/operations/field';
import { limit } from '../../shared/operations/fields';
import { textOf } from '../../shared/utils/text';
import { collectionId, shownIf } from '../fields';
import { typeOf } from '../personal';
import { associationsOf } from '../simplify';
import { CodedError } from '../../shared/utils/codedError';

const filesFrom: INodeProperties = {
	displayName: 'Files From',
	name: 'filesFrom',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Files of the Incoming Documents',
			value: 'incoming',
			description: 'Downloads the files of each document that Get Many gave to this node',
		},
		{
			name: 'Documents of a Collection',
			value: 'collection',
			description: 'Reads the documents and downloads the files that they are associated with',
		},
		{
			name: 'Link',
			value: 'link',
			description: 'Downloads one file by the link that Get Many gave',
		},
	],
	default: 'incoming',
	description: 'Which files to download',
};
const incoming = field(
	{
		displayName: 'Document',
		name: 'document',
		type: 'json',
		default: '={{ $json }}',
		required: true,
		description:
			"A document or a file association from Get Many, with its files included and 'Personal Data' set to Full. The links work for 24 hours.",
	},
	parseObject,
);
const fileUrl = field(
	{
		displayName: 'File URL',
		name: 'fileUrl',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.url }}',
		description:
			'The URL of a file association. It works for 24 hours after the document was read.',
	},
	parseText,
);
const shownFor = (value: string, properties: INodeProperties[]) =>
	shownIf({ filesFrom: [value] }, properties);

type Source =
	{ from: 'link'; url: string } | { from: 'incoming'; document: IDataObject } | InCollection;
interface InCollection {
	from: 'collection';
	id: number;
	wanted: number;
}

/** One link, an incoming document, or the documents whose files are wanted. */
export const source: Field<Source> = {
	properties: [
		filesFrom,
		...shownFor('incoming', incoming.properties),
		...shownFor('collection', [...collectionId.properties, ...limit.properties]),
		...shownFor('link', fileUrl.properties),
	],
	async read(item) {
		const from = oneOf('incoming', 'collection', 'link')(item.parameter('filesFrom'), 'Files From');
		if (from === 'link') return { from, url: await fileUrl.read(item) };
		if (from === 'incoming') return { from, document: await incoming.read(item) };
		return { from, id: await collectionId.read(item), wanted: await limit.read(item) };
	},
};

/** A document with one file association. */
export type WithFile = IDataObject & { associations: [IDataObject] };

export const filesOf = (document: IDataObject): WithFile[] =>
	associationsOf(document)
		.filter((entry) => typeOf(entry) === 'Files')
		.map((entry) => ({ ...document, associations: [entry] }));

/** The files in an item of Get Many: a document or a separate association, as it came or simplified. */
export function incomingFiles(row: IDataObject): WithFile[] {
	const { id, externalId, documentId = null, documentExternalId: ofDocument, ...others } = row;
	const entry = (association: unknown): [IDataObject] => [
		{ type: 'Files', association: association as IDataObject },
	];
	if (row.associations !== undefined) return filesOf(row);
	if (Array.isArray(row.files)) {
		return row.files.map((file) => ({ id, externalId, associations: entry(file) }));
	}
	const document = { id: documentId, externalId: ofDocument };
	if (row.association !== undefined && typeOf(row) === 'Files') {
		return [{ ...document, associations: entry(row.association) }];
	}
	const type = textOf(row.associationType ?? row.type);
	if (type !== '' && typeOf({ type }) !== undefined) {
		const association = { ...others, id, externalId };
		return typeOf({ type }) === 'Files' ? [{ ...document, associations: entry(association) }] : [];
	}
	throw new CodedError('noAssociations', 'The incoming item holds no file associations', {
		description:
			"Add 'Include Associations' with Files in the Get Many before this node, or choose another entry of 'Files From'.",
	});
}
