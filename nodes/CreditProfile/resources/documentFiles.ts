import type { IDataObject } from 'n8n-workflow';
import { operation, option, parseNumber } from '../../shared/operations/field';
import { asItIs, simplify } from '../../shared/operations/fields';
import { WithFiles, type FileRow, type Item, type Run } from '../../shared/operations/operation';
import { FileError } from '../../shared/messages/file';
import { isObject } from '../../shared/utils/json';
import { idText, textOf } from '../../shared/utils/text';
import { download } from '../files/download';
import { linkOf } from '../files/fileLink';
import { offset, order } from '../fields';
import { filesOf, incomingFiles, source, type WithFile } from './fileSource';
import { documentsOf, listPages } from '../listing';
import { documentRule, typeOf } from '../personal';
import { associationsOf, separateRaw, separateSimplified } from '../simplify';

/** How many files of a page of documents are downloaded at a time. */
const FILES_AT_A_TIME = 5;

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
	tool: 'Download files of data documents as binary data. It only reads. Collection: a whole number. File URL: the url of a file from the list of documents, valid for 24 hours.',
	subtitle: 'Download files',
	description:
		'Download the files that data documents are associated with, one item with binary data for each. Limit counts documents.',
	fields: { source },
	options: { simplify, maxMegabytes, order, offset },
	/** CP §2.10 */
	async execute(item, { source: wanted, simplify: isSimple, maxMegabytes: most, ...range }) {
		const repeats = item.run.shared(repeatsOf);
		if (wanted.from === 'link') {
			repeats.take(item, `file ${wanted.url}`);
			return new WithFiles([{ json: {}, file: await download(item, { url: wanted.url }, most) }]);
		}
		if (wanted.from === 'incoming') {
			const links = incomingFiles(wanted.document).map((one) => linkedFile(item, one, isSimple));
			for (const { association } of links) repeats.take(item, `file ${fileKey(association)}`);
			return new WithFiles(await fetchAll(item, links, most));
		}
		repeats.take(item, `collection ${wanted.id}`);
		const list = {
			...documentsOf(wanted.id),
			query: {
				includeDataDocumentAssociations: true,
				includeFileAssociation: true,
				...(range.order && { order: range.order }),
			},
			startAt: range.offset,
			wanted: wanted.wanted,
		};
		const files: FileRow[] = [];
		let unknown = 0;
		for await (const page of listPages(item, list)) {
			unknown += page.flatMap(associationsOf).filter((one) => typeOf(one) === undefined).length;
			const found = page.flatMap(filesOf).map((one) => linkedFile(item, one, isSimple));
			files.push(...(await fetchAll(item, found, most)));
		}
		if (unknown > 0) {
			item.run.hint(
				`Associations of a type other than Profiles, Forms and Files: ${unknown}. If they are files, they were not downloaded: Data Document → Get Many shows them.`,
			);
		}
		return new WithFiles(files);
	},
});

/** What several items of a run download gives one hint, at the end of the run. */
function repeatsOf(run: Run) {
	const takenBy = new Map<string, number>();
	const repeated = new Set<string>();
	run.atEnd(() => {
		for (const what of repeated) {
			if (what.startsWith('file')) continue;
			run.hint(
				`Several items download the files of ${what}, so the same files come again. To get the files of each item, set Files From to Files of the Incoming Documents.`,
			);
		}
		const files = [...repeated].filter((what) => what.startsWith('file')).length;
		if (files === 0) return;
		run.hint(
			`Several items name the same file, so it comes again for each: ${files === 1 ? '1 file' : `${files} files`}. Remove Duplicates before this node keeps one item of each.`,
		);
	});
	return {
		take({ index }: Item, what: string) {
			if ((takenBy.get(what) ?? index) !== index) repeated.add(what);
			takenBy.set(what, index);
		},
	};
}

/** By what a file is known: its ID, or its link, which is another one each time that it is read. */
const fileKey = ({ id, url }: IDataObject): string => idText(id) || textOf(url);

interface LinkedFile {
	/** What comes out beside the file. */
	json: IDataObject;
	association: IDataObject;
}

function linkedFile(item: Item, document: WithFile, isSimple: boolean): LinkedFile {
	const [entry] = document.associations;
	const association = isObject(entry.association) ? entry.association : {};
	const withoutLinks = { ...association, url: undefined, previewUrl: undefined };
	const bare = { ...document, associations: [{ ...entry, association: withoutLinks }] };
	const [json] = isSimple
		? item.protect(bare, documentRule, separateSimplified)
		: item.protect(document, documentRule, ownFields);
	return { json, association };
}

/** All fields of CP §2.10, with the document's IDs. */
const ownFields = (document: IDataObject): IDataObject[] =>
	separateRaw(document).map(({ association, documentId, documentExternalId }) => ({
		...(association as IDataObject),
		documentExternalId,
		documentId,
	}));

async function fetchAll(item: Item, links: LinkedFile[], maxMegabytes: number): Promise<FileRow[]> {
	const files: FileRow[] = [];
	for (let at = 0; at < links.length; at += FILES_AT_A_TIME) {
		const some = links.slice(at, at + FILES_AT_A_TIME);
		files.push(
			...(await Promise.all(some.map(async (one) => await fetchFile(item, one, maxMegabytes)))),
		);
	}
	return files;
}

async function fetchFile(
	item: Item,
	{ json, association }: LinkedFile,
	maxMegabytes: number,
): Promise<FileRow> {
	const link = linkOf(association, json.documentId);
	if (!link) {
		const problem = 'The service gives no link to this file';
		return { json: item.protect({ ...json, problem }, 'written', asItIs) };
	}
	try {
		return { json, file: await download(item, link, maxMegabytes) };
	} catch (error) {
		if (item.continuesOnFail && error instanceof FileError) return { error };
		throw error as Error;
	}
}
