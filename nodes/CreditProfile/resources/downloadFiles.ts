import type { IDataObject } from 'n8n-workflow';
import {
	defineOperation,
	optionsEntryField,
	numberAtLeastParser,
} from '../../shared/operations/fields';
import { identity, simplifyField } from '../../shared/operations/commonFields';
import {
	RowsWithFiles,
	type DownloadedRow,
	type Item,
	type Run,
} from '../../shared/operations/operation';
import { DownloadError } from '../../shared/errors/downloadError';
import { isObject } from '../../shared/utils/json';
import { idText, textOf } from '../../shared/utils/primitiveText';
import { download } from '../files/download';
import { toFileLink } from '../files/link';
import { offset as startAt, order } from '../fields';
import { filesOnly } from './documentOutput';
import {
	splitDocumentByFile,
	splitInputRowByFile,
	downloadSourceField,
	type DocumentWithFile,
} from './downloadSource';
import { collectionDocumentsRequest, listPages } from '../lists';
import { documentRules, associationTypeOf } from '../personalData';
import { associationsOf, associationRows, simpleAssociationRows, withoutField } from '../simplify';

const FILES_AT_A_TIME = 5;

const maxMegabytes = optionsEntryField(
	{
		displayName: 'Max File Size (MB)',
		name: 'maxFileSize',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 20,
		description: 'A larger file is an error',
	},
	numberAtLeastParser(1),
	20,
);

export const downloadFilesOperation = defineOperation({
	name: 'Download Files',
	value: 'downloadFiles',
	action: 'Download files of data documents',
	tool: 'Download files of data documents as binary data. It only reads. Collection: a whole number. File URL: the url of a file from the list of documents, valid for 24 hours.',
	subtitle: 'Download files',
	description:
		'Download the files of data documents, one item with binary data for each. Limit counts documents.',
	fields: { source: downloadSourceField },
	options: { simplify: simplifyField, maxMegabytes, order, startAt },
	/** CP §2.10 */
	async execute(item, { source, simplify: isSimple, maxMegabytes: most, ...range }) {
		const take = item.run.shared(repeatsOf);
		const { clientKey } = await item.connection();
		if (source.from === 'link') {
			take(item, source.url);
			return new RowsWithFiles([
				{ json: {}, file: await download(item, { url: source.url }, most) },
			]);
		}
		if (source.from === 'incoming') {
			const links = splitInputRowByFile(source.document).map((one) =>
				linkedFile(item, one, isSimple),
			);
			for (const { association } of links) take(item, `${clientKey} file ${fileKey(association)}`);
			return new RowsWithFiles(await fetchAll(item, links, most));
		}
		take(item, `${clientKey} collection ${source.id}`);
		const list = {
			...collectionDocumentsRequest(source.id),
			query: { ...filesOnly, order: range.order },
			startAt: range.startAt,
			wanted: source.wanted,
		};
		const files: DownloadedRow[] = [];
		let unknown = 0;
		for await (const page of listPages(item, list)) {
			unknown += page.flatMap(associationsOf).filter((one) => !associationTypeOf(one)).length;
			const found = page.flatMap(splitDocumentByFile).map((one) => linkedFile(item, one, isSimple));
			files.push(...(await fetchAll(item, found, most)));
		}
		if (unknown > 0) {
			item.run.hint(
				`Associations of a type other than Profiles, Forms and Files: ${unknown}. They were not downloaded: Data Document → Get Many shows them.`,
			);
		}
		return new RowsWithFiles(files);
	},
});

/** If several items download the same file, the run ends with one hint. */
function repeatsOf(run: Run) {
	const takenBy = new Map<string, number>();
	const repeated = new Set<string>();
	run.atEnd(() => {
		if (repeated.size === 0) return;
		run.hint(
			`Several items download the same files, which come again for each. Collections or files named more than once: ${repeated.size}. Set 'Files From' to Files of the Incoming Documents, or use Remove Duplicates before this node.`,
		);
	});
	return ({ index }: Item, what: string) => {
		if ((takenBy.get(what) ?? index) !== index) repeated.add(what);
		takenBy.set(what, index);
	};
}

/** A link differs each time that it is read. */
const fileKey = ({ id, url }: IDataObject): string => idText(id) || textOf(url);

interface LinkedFile {
	json: IDataObject;
	association: IDataObject;
}

function linkedFile(item: Item, document: DocumentWithFile, isSimple: boolean): LinkedFile {
	const [entry] = document.associations;
	const association = isObject(entry.association) ? entry.association : {};
	const [json] = item.protect(document, documentRules, isSimple ? withoutLink : ownFields);
	return { json, association };
}

const withoutLink = (document: IDataObject): IDataObject[] =>
	simpleAssociationRows(document).map((row) => withoutField(row, 'url'));

/** All fields of CP §2.10, with the document's IDs. */
const ownFields = (document: IDataObject): IDataObject[] =>
	associationRows(document).map(({ association, documentId, documentExternalId }) => ({
		...(association as IDataObject),
		documentExternalId,
		documentId,
	}));

async function fetchAll(
	item: Item,
	links: LinkedFile[],
	maxMegabytes: number,
): Promise<DownloadedRow[]> {
	const files: DownloadedRow[] = [];
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
): Promise<DownloadedRow> {
	const link = toFileLink(association, json.documentId);
	if (!link) {
		const problem = 'The service gives no link to this file';
		return { json: item.protect({ ...json, problem }, 'written', identity) };
	}
	try {
		return { json, file: await download(item, link, maxMegabytes) };
	} catch (error) {
		if (item.continuesOnFail && error instanceof DownloadError) return { error };
		throw error as Error;
	}
}
