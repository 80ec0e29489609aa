import type { FastifyInstance } from 'fastify';
import {
	DocumentsPage,
	CollectionDocumentsPathParams,
	DocumentsQuery,
	AllTagsResponse,
	type DataDocument,
} from '../../../contract/creditProfile';
import { NoQuery } from '../../../contract/builders';
import type { SandboxContext } from '../../context';
import { includedAssociations } from '../../data/documentParts';
import type { SeededCollections } from '../../data/collections';
import { generateCollectionDocument, DOCUMENT_TAG_SETS } from '../../data/document';
import { findCollection, buildDistinctTagListResponse } from './collectionRoutes';

/** CP §4.7 and 4.8 */
export function registerDocumentListRoutes(
	app: FastifyInstance,
	collections: SeededCollections,
	{ clock, options, people }: SandboxContext,
): void {
	const tags = ['Data document'];

	app.get(
		'/data/document/tags',
		{
			schema: {
				tags,
				summary: 'Tags of all documents',
				querystring: NoQuery,
				response: { 200: AllTagsResponse },
			},
		},
		async () => {
			const longest = Math.max(...collections.entries.map(({ documents }) => documents));
			return buildDistinctTagListResponse(DOCUMENT_TAG_SETS.slice(0, longest).flat());
		},
	);

	app.get<{ Params: CollectionDocumentsPathParams; Querystring: DocumentsQuery }>(
		'/data/collection/:collectionId/document',
		{
			schema: {
				tags,
				summary: 'Documents of a collection, by page',
				params: CollectionDocumentsPathParams,
				querystring: DocumentsQuery,
				response: { 200: DocumentsPage },
			},
		},
		async ({ params, query, protocol, host }) => {
			const link = { origin: `${protocol}://${host}`, now: clock.now() };
			const entry = findCollection(collections, params.collectionId);
			const include = {
				all: query.includeDataDocumentAssociations,
				profile: query.includeProfileAssociation,
				form: query.includeFormAssociation,
				file: query.includeFileAssociation,
			};
			const documents: DataDocument[] = [];
			const end = Math.min(query.offset + query.limit, entry.documents);
			for (let place = query.offset; place < end; place++) {
				const isDescending = query.order === '-document.createdAt';
				const index = isDescending ? entry.documents - 1 - place : place;
				const generated = generateCollectionDocument(entry, index, options.seed, people);
				const associations = includedAssociations(generated, include, link);
				documents.push({ ...generated.document, ...(associations && { associations }) });
			}
			return { total: entry.documents, documents };
		},
	);
}
