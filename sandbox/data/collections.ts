import type {
	Collection,
	CollectionVersionJsonSchema,
	User,
	Version,
} from '../../contract/creditProfile';
import { collectionSpecs } from './collectionSpecs';
import { ORGANIZATION_ID, createUsers } from './users';
import { fakerFor } from './faker';
import { documentSchemas } from './versionSchemas';
import { DAY_MS } from '../clock';

const FIRST_COLLECTION_ID = 1;
const FIRST_VERSION_ID = 5001;
const FOUNDED = Date.UTC(2024, 0, 8, 16);

export interface StoredCollection {
	collection: Collection;
	/** Newest first; the first is the active one. */
	versions: Version[];
	/** Number of documents. */
	documents: number;
}

/** Their creators belong to the same organization. */
export interface SeededCollections {
	entries: StoredCollection[];
	users: User[];
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** "Cónyuges (años)" → "conyuges-anos" */
function slugOf(name: string): string {
	return name
		.normalize('NFD')
		.replace(/[^A-Za-z0-9 ]/g, '')
		.trim()
		.toLowerCase()
		.replace(/ +/g, '-');
}

/** Ids, creators and dates follow from the seed. */
export function createSeededCollections(seed: number, largest: number): SeededCollections {
	const users = createUsers(seed);
	const ids = new Map(
		collectionSpecs.map(({ name }, index) => [name, FIRST_COLLECTION_ID + index]),
	);
	let nextVersionId = FIRST_VERSION_ID;

	const entries = collectionSpecs.map((entry, index): StoredCollection => {
		const faker = fakerFor(seed, `collection ${index}`);
		const creatorId = faker.number.int({ min: 1, max: users.length });
		const created = FOUNDED + index * DAY_MS + faker.number.int(DAY_MS / 2);
		const shapes: CollectionVersionJsonSchema[] = documentSchemas[entry.schema];
		const versions = shapes
			.map((schema, age): Version => ({
				id: nextVersionId++,
				createdAt: iso(created + age * 45 * DAY_MS),
				creatorId,
				isActive: age === shapes.length - 1,
				schema,
			}))
			.reverse();
		return {
			collection: {
				id: FIRST_COLLECTION_ID + index,
				name: entry.name,
				creatorId,
				activeDataCollectionVersionId: versions[0].id,
				createdAt: iso(created),
				updatedAt: versions[0].createdAt,
				slug: slugOf(entry.name),
				parentCollectionId: entry.parent ? (ids.get(entry.parent) ?? null) : null,
				tags: entry.tags,
				processorKey: entry.processorKey ?? null,
			},
			versions,
			documents: entry.documents === 'largest' ? largest : entry.documents,
		};
	});
	return { entries, users };
}

export function serializeCollection(
	{ collection, versions: [active] }: StoredCollection,
	users: User[],
	include: { version: boolean; creator: boolean },
): Collection {
	const creator = include.creator && {
		creator: users.find(({ id }) => id === collection.creatorId),
	};
	if (!include.version) return { ...collection, ...creator };
	return {
		...collection,
		...creator,
		activeDataCollectionVersion: {
			id: active.id,
			schema: active.schema,
			creatorId: active.creatorId,
			...creator,
			createdAt: active.createdAt,
			dataCollectionId: collection.id,
			organizationId: ORGANIZATION_ID,
		},
	};
}
