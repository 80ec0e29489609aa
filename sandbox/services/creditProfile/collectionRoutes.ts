import type { FastifyInstance } from 'fastify';
import {
	Collection,
	CollectionPathParams,
	CollectionsPage,
	CollectionsQuery,
	AllTagsResponse,
	CollectionVersionsPage,
	VersionsPathParams,
	VersionsQuery,
} from '../../../contract/creditProfile';
import { NoQuery } from '../../../contract/builders';
import type { CreditProfileMapping } from '../../apiMapping';
import { HttpError } from '../../plugins/errors';
import { nestFilterParameters, passesFilter } from './filter';
import {
	serializeCollection,
	type SeededCollections,
	type StoredCollection,
} from '../../data/collections';

/** The entry of this collection; refuses with 404 if there is none. */
export function findCollection(collections: SeededCollections, id: number): StoredCollection {
	const entry = collections.entries.find(({ collection }) => collection.id === id);
	if (!entry) throw new HttpError(404, `There is no data collection with the id ${id}`);
	return entry;
}

/** A page may begin between two entries where the document types it as a number. */
function pageOf<T>(entries: T[], { limit, offset }: { limit: number; offset: number }): T[] {
	return entries.slice(Math.floor(offset), Math.floor(offset) + Math.floor(limit));
}

/** The distinct tags with their count (CP §4.3, 4.7). */
export function buildDistinctTagListResponse(tags: Iterable<string>): AllTagsResponse {
	const data = [...new Set(tags)].sort((a, b) => a.localeCompare(b, 'es'));
	return { count: data.length, data };
}

/** CP §4.3 to 4.6 */
export function registerDataCollectionRoutes(
	app: FastifyInstance,
	collections: SeededCollections,
	mapping: CreditProfileMapping = {},
): void {
	const { entries, users } = collections;
	const tags = ['Data collection'];

	app.get(
		'/data/collection/tags',
		{
			schema: {
				tags,
				summary: 'Tags of all collections',
				querystring: NoQuery,
				response: { 200: AllTagsResponse },
			},
		},
		async () => buildDistinctTagListResponse(entries.flatMap(({ collection }) => collection.tags)),
	);

	app.get<{ Querystring: CollectionsQuery }>(
		'/data/collection',
		{
			preValidation: async (request) => {
				request.query = nestFilterParameters({ ...request.query }, mapping) as CollectionsQuery;
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
			const found = entries.filter(({ collection }) => passesFilter(collection, filter));
			const include = { version: includeActiveDataCollectionVersion, creator: includeCreator };
			return {
				data: pageOf(found, query).map((entry) => serializeCollection(entry, users, include)),
				total: found.length,
			};
		},
	);

	app.get<{ Params: CollectionPathParams }>(
		'/data/collection/:id',
		{
			schema: {
				tags,
				summary: 'One collection',
				params: CollectionPathParams,
				querystring: NoQuery,
				response: { 200: Collection },
			},
		},
		async ({ params: { id } }) =>
			serializeCollection(findCollection(collections, id), users, {
				version: false,
				creator: false,
			}),
	);

	app.get<{ Params: CollectionPathParams; Querystring: VersionsQuery }>(
		'/data/collection/:id/versions',
		{
			schema: {
				tags,
				summary: 'Versions of a collection, newest first',
				params: VersionsPathParams,
				querystring: VersionsQuery,
				response: { 200: CollectionVersionsPage },
			},
		},
		async ({ params: { id }, query }) => {
			const { versions } = findCollection(collections, id);
			return { data: pageOf(versions, query), total: versions.length };
		},
	);
}
