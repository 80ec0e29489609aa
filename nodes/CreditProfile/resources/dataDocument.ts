import type { IDataObject } from 'n8n-workflow';
import { defineOperation } from '../../shared/operations/fields';
import {
	identity,
	returnAllOrLimit as wanted,
	simplifyField,
} from '../../shared/operations/commonFields';
import { readsList } from '../../shared/operations/listOperation';
import { RowsWithFiles, type Item, type Resource } from '../../shared/operations/operation';
import { textOf } from '../../shared/utils/primitiveText';
import { collectionId, offset as startAt, order } from '../fields';
import { documentRules, type DocumentAssociationType } from '../personalData';
import { writeFile } from '../files/csv';
import {
	collectRows,
	fetchTotal,
	collectionDocumentsRequest,
	getManyTagsOperation,
	listPages,
	singleRowBodyParser,
} from '../lists';
import {
	OWN_COLUMNS,
	associationRows,
	simpleAssociationRows,
	simplifyDocumentToRow,
} from '../simplify';
import { downloadFilesOperation } from './downloadFiles';
import {
	associationsToInclude,
	outputFileFormat,
	allAssociations,
	requestedTypes,
	outputField,
} from './documentOutput';

const getMany = defineOperation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many data documents',
	tool: 'List the documents of one data collection with their fields and tags. It only reads. Collection: a whole number, from the list of collections.',
	subtitle: 'Get documents',
	description: 'Get the data documents of one collection, as items or in one file (beta)',
	fields: {
		collectionId,
		wanted,
		output: outputField,
		fileFormat: outputFileFormat,
	},
	options: { simplify: simplifyField, includeAssociations: associationsToInclude, order, startAt },
	/** CP §4.8 */
	async execute(item, values) {
		const { collectionId: id, wanted: most } = values;
		const { isSeparate, isFile } = values.output;
		const included = values.includeAssociations ?? (isSeparate ? allAssociations : {});
		const list = {
			...collectionDocumentsRequest(id),
			query: { ...included, order: values.order },
			startAt: values.startAt,
			wanted: most,
		};
		const shape = rowShape(values, requestedTypes(included));
		let given = 0;
		async function* pages() {
			for await (const page of listPages(item, list)) {
				given += page.length;
				yield page.flatMap((row) => item.protect(row, documentRules, shape));
			}
		}
		if (!isFile) return await collectRows(pages());

		const { rows, file } = await writeFile(item, pages(), {
			format: values.fileFormat,
			lastColumns: [...OWN_COLUMNS, 'documentExternalId', 'documentId'],
			name: await fileNameOf(item, id),
		});
		if (given >= most) {
			item.run.hint(
				`The file holds the first ${given} documents; there may be more. Switch on Return All for all.`,
			);
		}
		const json = item.protect({ rows, collectionId: id }, 'written', identity);
		return new RowsWithFiles([{ json, file }]);
	},
});

function rowShape(
	{
		simplify: isSimple,
		output: { isSeparate },
	}: { simplify: boolean; output: { isSeparate: boolean } },
	requested: DocumentAssociationType[],
): (document: IDataObject) => IDataObject[] {
	if (isSeparate) return isSimple ? simpleAssociationRows : associationRows;
	return (document) => [isSimple ? simplifyDocumentToRow(document, requested) : document];
}

/** A file is called by its collection's name in addresses (CP §2.2), or its ID where the collection cannot be read. */
async function fileNameOf(item: Item, id: number): Promise<string> {
	const path = `/data/collection/${id}`;
	const slug = await item
		.read({ method: 'GET', path, isOneRecord: true }, singleRowBodyParser('collection'))
		.then(
			({ row }) => textOf(row.slug),
			() => '',
		);
	return /^[\p{L}\d-]{1,100}$/u.test(slug) ? slug : `collection-${id}`;
}

const count = defineOperation({
	name: 'Count',
	value: 'count',
	action: 'Count data documents',
	tool: 'Count the documents of one data collection. It only reads. Collection: a whole number, from the list of collections.',
	subtitle: 'Count documents',
	hasNoPersonalData: true,
	description: 'Count the data documents of one collection, in one request (beta)',
	fields: { collectionId },
	/** CP §4.8 */
	async execute(item, { collectionId: id }) {
		const total = await fetchTotal(item, collectionDocumentsRequest(id));
		return item.protect({ total, collectionId: id }, 'written', identity);
	},
});

export const dataDocument: Resource = {
	name: 'Data Document',
	value: 'dataDocument',
	operations: [
		readsList(getMany),
		count,
		downloadFilesOperation,
		readsList(getManyTagsOperation('document')),
	],
};
