import type { FastifyInstance } from 'fastify';
import {
	Collection,
	CollectionPath,
	CollectionsPage,
	CollectionsQuery,
	TagList,
	VersionsPage,
	VersionsPath,
	VersionsQuery,
} from '../../contract/creditProfile';
import { NoQuery } from '../../contract/shared';
import { Refusal } from '../errors';
import { gatherFilter, passes } from './filter';
import { present, type Library, type Shelf } from './library';

/** The shelf of this collection; refuses with 404 if there is none. */
export function shelfOf(library: Library, id: number): Shelf {
	const shelf = library.shelves.find(({ collection }) => collection.id === id);
	if (!shelf) throw new Refusal(404, `There is no data collection with the id ${id}`);
	return shelf;
}

/** One page of a list; a page may begin between two entries where the document types it as a number. */
export function pageOf<T>(entries: T[], { limit, offset }: { limit: number; offset: number }): T[] {
	return entries.slice(Math.floor(offset), Math.floor(offset) + Math.floor(limit));
}

/** The distinct tags with their count (§4.3, 4.7). */
export function tagList(tags: Iterable<string>): TagList {
	const data = [...new Set(tags)].sort((a, b) => a.localeCompare(b, 'es'));
	return { count: data.length, data };
}

/** §4.3 to 4.6 */
export function collectionRoutes(app: FastifyInstance, library: Library): void {
	const { shelves, users } = library;
	const tags = ['Data collection'];

	app.get(
		'/data/collection/tags',
		{
			schema: {
				tags,
				summary: 'Tags of all collections',
				querystring: NoQuery,
				response: { 200: TagList },
			},
		},
		async () => tagList(shelves.flatMap(({ collection }) => collection.tags)),
	);

	app.get<{ Querystring: CollectionsQuery }>(
		'/data/collection',
		{
			preValidation: async (request) => {
				request.query = gatherFilter({ ...request.query }) as CollectionsQuery;
			},
			schema: {
				tags,
				summary: 'Collections, by page and filter',
				querystring: CollectionsQuery,
				response: { 200: CollectionsPage },
			},
		},
		async ({ query }) => {
			const { filter = {}, includeCreator, includeActiveDataCollectionVersion } = query;
			const found = shelves.filter(({ collection }) => passes(collection, filter));
			const include = { version: includeActiveDataCollectionVersion, creator: includeCreator };
			return {
				data: pageOf(found, query).map((shelf) => present(shelf, users, include)),
				total: found.length,
			};
		},
	);

	app.get<{ Params: CollectionPath }>(
		'/data/collection/:id',
		{
			schema: {
				tags,
				summary: 'One collection',
				params: CollectionPath,
				querystring: NoQuery,
				response: { 200: Collection },
			},
		},
		async ({ params: { id } }) =>
			present(shelfOf(library, id), users, { version: false, creator: false }),
	);

	app.get<{ Params: CollectionPath; Querystring: VersionsQuery }>(
		'/data/collection/:id/versions',
		{
			schema: {
				tags,
				summary: 'Versions of a collection, newest first',
				params: VersionsPath,
				querystring: VersionsQuery,
				response: { 200: VersionsPage },
			},
		},
		async ({ params: { id }, query }) => {
			const { versions } = shelfOf(library, id);
			return { data: pageOf(versions, query), total: versions.length };
		},
	);
}
