import type { FastifyInstance } from 'fastify';
import {
	DocumentsPage,
	DocumentsPath,
	DocumentsQuery,
	TagList,
	type DataDocument,
	type Version,
} from '../../contract/creditProfile';
import { NoQuery } from '../../contract/shared';
import type { SandboxContext } from '../context';
import type { People } from '../people';
import { applicantFrom, type Applicant } from './applicant';
import { associationsOf } from './associations';
import { shelfOf, tagList } from './collections';
import { fill } from './fill';
import { USERS } from './organization';
import type { Library, Shelf } from './library';
import { fakerFor } from '../random';

const DAY_MS = 86_400_000;
/** How long documents of the newest version have been coming in. */
const LAST_PERIOD_MS = 120 * DAY_MS;
const IDS_PER_COLLECTION = 100_000;
const TAGS = [
	[],
	['validado'],
	['revisión', 'prioridad'],
	['validado', 'señalado'],
	['migrado'],
	[],
];

/** The tags of a document by its place in the collection. */
export const tagsOf = (index: number): string[] => TAGS[index % TAGS.length];

/** A document that exists only when it is looked at, with what its associations are made of. */
export interface Sheet {
	document: DataDocument;
	applicant: Applicant;
	/** Whether it is of a company. */
	isCompany: boolean;
	index: number;
}

/** The version that a document was made by, and when: the oldest documents are of the oldest version. */
function originOf(
	{ versions, documents }: Shelf,
	index: number,
): { version: Version; createdAt: number } {
	const age = Math.floor((index * versions.length) / documents);
	const first = Math.ceil((age * documents) / versions.length);
	const next = Math.ceil(((age + 1) * documents) / versions.length);
	const version = versions[versions.length - 1 - age];
	const from = Date.parse(version.createdAt);
	const follower = versions[versions.length - 2 - age];
	const period = follower ? Date.parse(follower.createdAt) - from : LAST_PERIOD_MS;
	const createdAt = from + Math.floor((period * (index - first + 1)) / (next - first + 1));
	return { version, createdAt };
}

/** The document at this place of the collection, counted from the oldest; the same again by the same seed. */
export function sheetAt(shelf: Shelf, index: number, seed: number, people: People): Sheet {
	const { collection } = shelf;
	const faker = fakerFor(seed, `document ${collection.id} ${index}`);
	const applicant = applicantFrom(faker, people);
	const { version, createdAt } = originOf(shelf, index);
	const isImported = index % 9 === 8;
	return {
		index,
		applicant,
		isCompany: 'razonSocial' in (version.schema.properties ?? {}),
		document: {
			id: collection.id * IDS_PER_COLLECTION + index + 1,
			externalId: index % 5 === 4 ? null : `EXT-${collection.id}-${index + 1}`,
			tags: tagsOf(index),
			document: fill(version.schema, '', applicant, faker) as Record<string, unknown>,
			dataCollectionVersionId: version.id,
			dataCollectionId: collection.id,
			creatorId: isImported ? null : faker.number.int({ min: 1, max: USERS }),
			createdAt: new Date(createdAt).toISOString(),
			updatedAt: new Date(createdAt + faker.number.int(DAY_MS)).toISOString(),
		},
	};
}

/** §4.7 and 4.8 */
export function documentRoutes(
	app: FastifyInstance,
	library: Library,
	{ options, people }: SandboxContext,
): void {
	const tags = ['Data document'];

	app.get(
		'/data/document/tags',
		{
			schema: {
				tags,
				summary: 'Tags of all documents',
				querystring: NoQuery,
				response: { 200: TagList },
			},
		},
		async () => {
			const longest = Math.max(...library.shelves.map(({ documents }) => documents));
			return tagList(TAGS.slice(0, longest).flat());
		},
	);

	app.get<{ Params: DocumentsPath; Querystring: DocumentsQuery }>(
		'/data/collection/:collectionId/document',
		{
			schema: {
				tags,
				summary: 'Documents of a collection, by page',
				params: DocumentsPath,
				querystring: DocumentsQuery,
				response: { 200: DocumentsPage },
			},
		},
		async ({ params, query, protocol, host }) => {
			const origin = `${protocol}://${host}`;
			const shelf = shelfOf(library, params.collectionId);
			const include = {
				all: query.includeDataDocumentAssociations,
				profile: query.includeProfileAssociation,
				form: query.includeFormAssociation,
				file: query.includeFileAssociation,
			};
			const documents: DataDocument[] = [];
			const end = Math.min(query.offset + query.limit, shelf.documents);
			for (let place = query.offset; place < end; place++) {
				const isDescending = query.order === '-document.createdAt';
				const index = isDescending ? shelf.documents - 1 - place : place;
				const sheet = sheetAt(shelf, index, options.seed, people);
				const associations = associationsOf(sheet, include, origin);
				documents.push({ ...sheet.document, ...(associations && { associations }) });
			}
			return { total: shelf.documents, documents };
		},
	);
}
