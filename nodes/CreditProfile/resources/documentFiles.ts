import { UserError, type IDataObject, type INodeProperties } from 'n8n-workflow';
import {
	field,
	operation,
	option,
	parseNumber,
	parseText,
	type Field,
} from '../../shared/operations/field';
import { limit } from '../../shared/operations/fields';
import { WithFiles, type FileRow, type Item } from '../../shared/operations/operation';
import { isObject } from '../../shared/utils/json';
import { sentences } from '../../shared/utils/sentences';
import { textOf } from '../../shared/utils/text';
import { download } from '../files/download';
import { linkOf } from '../files/fileLink';
import { collectionId, shownIf, startAt } from '../fields';
import { documentsOf, listPages } from '../listing';
import { associationsOf, separateAssociations, typeOf } from '../simplify';

/** How many files of a page of documents are downloaded at a time. */
const FILES_AT_A_TIME = 5;

const filesFrom: INodeProperties = {
	displayName: 'Files From',
	name: 'filesFrom',
	type: 'options',
	noDataExpression: true,
	options: [
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
	default: 'collection',
	description: 'Which files to download',
};
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
const linked = { filesFrom: ['link'] };
const inCollection = { filesFrom: ['collection'] };

/** One link, or the documents whose files are wanted. */
const source: Field<{ url: string } | { id: number; wanted: number }> = {
	properties: [
		filesFrom,
		...shownIf(inCollection, [...collectionId.properties, ...limit.properties]),
		...shownIf(linked, fileUrl.properties),
	],
	async read(item) {
		if (item.parameter('filesFrom') === 'link') return { url: await fileUrl.read(item) };
		return { id: await collectionId.read(item), wanted: await limit.read(item) };
	},
};

const maxMegabytes = option(
	{
		displayName: 'Max File Size (MB)',
		name: 'maxFileSize',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 20,
		description: 'A larger file is an error; nothing more of it is read',
	},
	parseNumber(1),
	20,
);

export const downloadFiles = operation({
	name: 'Download Files',
	value: 'downloadFiles',
	action: 'Download files of data documents',
	subtitle: 'Download files',
	description:
		'Download the files that data documents are associated with, one item with binary data for each. Limit counts documents.',
	fields: { source },
	options: { maxMegabytes, startAt },
	/** CP §2.10 */
	async execute(item, { source: from, maxMegabytes: most, startAt: first }) {
		if ('url' in from) {
			return new WithFiles([{ json: {}, file: await download(item, { url: from.url }, most) }]);
		}
		const list = {
			...documentsOf(from.id),
			query: { includeDataDocumentAssociations: true, includeFileAssociation: true },
			startAt: first,
			wanted: from.wanted,
		};
		const files: FileRow[] = [];
		let unknown = 0;
		for await (const page of listPages(item, list)) {
			unknown += page.flatMap(associationsOf).filter((one) => typeOf(one) === undefined).length;
			const links = page.flatMap(fileLinks);
			while (links.length > 0) {
				const some = links.splice(0, FILES_AT_A_TIME);
				files.push(
					...(await Promise.all(some.map(async (one) => await fetchFile(item, one, most)))),
				);
			}
		}
		if (unknown > 0) {
			item.run.hint(
				`Associations of a type other than Profiles, Forms and Files: ${unknown}. If they are files, they were not downloaded: Data Document → Get Many shows them.`,
			);
		}
		return new WithFiles(files);
	},
});

/** The file associations of a document, each with what comes out beside the file. */
function fileLinks(document: IDataObject): Array<{ json: IDataObject; association: IDataObject }> {
	const files = associationsOf(document).filter((entry) => typeOf(entry) === 'Files');
	return files.map((entry) => {
		const association = isObject(entry.association) ? entry.association : {};
		const withoutLinks = { ...association, url: undefined, previewUrl: undefined };
		const associations = [{ ...entry, association: withoutLinks }];
		const [json] = separateAssociations({ ...document, associations }, true);
		return { json, association };
	});
}

async function fetchFile(
	item: Item,
	{ json, association }: ReturnType<typeof fileLinks>[0],
	maxMegabytes: number,
): Promise<FileRow> {
	const link = linkOf(association);
	if (!link) return { json: { ...json, problem: 'The service gives no link to this file' } };
	const file = download(item, link, maxMegabytes);
	return await file.then(
		(had) => ({ json, file: had }),
		(error: unknown) => {
			if (!(error instanceof UserError)) throw error as Error;
			const { message, description } = error;
			const whose = `It is file ${textOf(json.id)} of document ${textOf(json.documentId)}`;
			const told = new UserError(message, { description: sentences(whose, description) });
			if (item.continuesOnFail) return { error: told };
			throw told;
		},
	);
}
