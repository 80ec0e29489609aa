import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { defineField, parseObject, parseText, type Field } from '../../shared/operations/fields';
import { returnAllOrLimit } from '../../shared/operations/commonFields';
import { collectionId, optionParserFor } from '../fields';
import { associationTypeOf } from '../personalData';
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
			description: 'Downloads the files of the documents that Get Many gave to this node',
		},
		{
			name: 'Documents of a Collection',
			value: 'collection',
			description: 'Reads the documents and downloads their files',
		},
		{
			name: 'Link',
			value: 'link',
			description: 'Downloads one file by its link from Get Many',
		},
	],
	default: 'incoming',
	description: 'Which files to download',
};
const incoming = defineField(
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
const fileUrl = defineField(
	{
		displayName: 'File URL',
		name: 'fileUrl',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.url }}',
		description: 'The URL of a file association. It works for 24 hours after Get Many read it.',
	},
	parseText,
);
const shownForSource = (choice: string, properties: INodeProperties[]): INodeProperties[] =>
	properties.map((one) => ({
		...one,
		displayOptions: { show: { ...one.displayOptions?.show, filesFrom: [choice] } },
	}));

type Source =
	| { from: 'link'; url: string }
	| { from: 'incoming'; document: IDataObject }
	| { from: 'collection'; id: number; wanted: number };

export const downloadSourceField: Field<Source> = {
	properties: [
		filesFrom,
		...shownForSource('incoming', incoming.properties),
		...shownForSource('collection', [...collectionId.properties, ...returnAllOrLimit.properties]),
		...shownForSource('link', fileUrl.properties),
	],
	async read(item) {
		const from = optionParserFor<Source['from']>(filesFrom)(
			item.parameter('filesFrom'),
			'Files From',
		);
		if (from === 'link') return { from, url: await fileUrl.read(item) };
		if (from === 'incoming') return { from, document: await incoming.read(item) };
		return { from, id: await collectionId.read(item), wanted: await returnAllOrLimit.read(item) };
	},
};

export type DocumentWithFile = IDataObject & { associations: [IDataObject] };

const withFile = (document: IDataObject, association: unknown): DocumentWithFile => ({
	...document,
	associations: [{ type: 'Files', association: association as IDataObject }],
});

export const splitDocumentByFile = (document: IDataObject): DocumentWithFile[] =>
	associationsOf(document)
		.filter((entry) => associationTypeOf(entry) === 'Files')
		.map(({ association }) => withFile(document, association));

/** A data collection has one of these, as it came or simplified (CP §2.2), and a document none. */
const COLLECTION_FIELDS = ['activeDataCollectionVersionId', 'activeVersionFields'];

/** The files in an item of Get Many: a document or a separate association, as it came or simplified. */
export function splitInputRowByFile(row: IDataObject): DocumentWithFile[] {
	const { id, externalId, documentId = null, documentExternalId, ...others } = row;
	for (const name of ['files', 'associations']) {
		if (Array.isArray(row[name] ?? [])) continue;
		throw new CodedError('field.array', `'${name}' of the incoming item is not a list`, {
			description: 'Give this node the items of Get Many as they came from it.',
		});
	}
	const files = Array.isArray(row.files) ? row.files : [];
	const simplified = files.map((file) => withFile({ id, externalId }, file));
	if (row.associations !== undefined || row.files !== undefined)
		return [...splitDocumentByFile(row), ...simplified];
	const type = associationTypeOf({ type: row.associationType ?? row.type });
	if (COLLECTION_FIELDS.some((name) => name in row)) {
		throw new CodedError('collection', 'The incoming item is a data collection, not a document', {
			description:
				"Put Data Document → Get Many between them, with this collection's ID and 'Include Associations' with Files. Or set 'Files From' to Documents of a Collection.",
		});
	}
	if (!type) {
		throw new CodedError('noAssociations', 'The incoming item holds no file associations', {
			description:
				"Add 'Include Associations' with Files in the Get Many before this node, or choose another entry of 'Files From'.",
		});
	}
	const { association = { ...others, id, externalId } } = row;
	const document = { id: documentId, externalId: documentExternalId };
	return type === 'Files' ? [withFile(document, association)] : [];
}
