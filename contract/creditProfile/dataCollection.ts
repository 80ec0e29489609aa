import { Type, type Static } from '@sinclair/typebox';
import { closed, dateTime, freeForm, optionalNullable } from '../builders';
import { CollectionVersionJsonSchema } from './versionSchema';
import { User } from './creatorUser';

/** CP §2.3, the version embedded in a collection. */
export const ActiveCollectionVersion = Type.Object({
	id: Type.Integer(),
	schema: freeForm,
	creatorId: Type.Integer(),
	creator: Type.Optional(User),
	createdAt: dateTime,
	dataCollectionId: Type.Integer(),
	organizationId: Type.Integer(),
});
export type ActiveCollectionVersion = Static<typeof ActiveCollectionVersion>;

/** CP §2.2 */
export const Collection = closed({
	id: Type.Integer(),
	name: Type.String(),
	creatorId: Type.Integer(),
	creator: Type.Optional(User),
	activeDataCollectionVersionId: Type.Number(),
	activeDataCollectionVersion: optionalNullable(ActiveCollectionVersion),
	createdAt: Type.Optional(dateTime),
	updatedAt: Type.Optional(dateTime),
	slug: Type.Optional(Type.String({ minLength: 1, pattern: '^[A-Za-z0-9-]+$' })),
	parentCollectionId: optionalNullable(Type.Integer()),
	tags: Type.Array(Type.String()),
	processorKey: optionalNullable(Type.String()),
});
export type Collection = Static<typeof Collection>;

/** CP §2.4, the version in the versions list. */
export const Version = closed({
	id: Type.Integer(),
	createdAt: dateTime,
	creatorId: Type.Integer(),
	isActive: Type.Boolean(),
	schema: CollectionVersionJsonSchema,
});
export type Version = Static<typeof Version>;

/** CP §4.3 and 4.7 */
export const AllTagsResponse = Type.Object({
	count: Type.Number(),
	data: Type.Array(Type.String()),
});
export type AllTagsResponse = Static<typeof AllTagsResponse>;

const oneOrMany = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Number>>(
	schema: T,
) => Type.Optional(Type.Union([schema, Type.Array(schema)]));

/** CP §4.4 */
export const CollectionsFilter = closed({
	name__eq: oneOrMany(Type.String()),
	name__like: Type.Optional(Type.String()),
	organizationId__eq: oneOrMany(Type.Number()),
	parentCollectionId__eq: oneOrMany(Type.Number()),
	activeDataCollectionVersionId__eq: oneOrMany(Type.Number()),
	tags__anyOf: oneOrMany(Type.String()),
	tags__eq: oneOrMany(Type.String()),
	processorKey__eq: oneOrMany(Type.String()),
});
export type CollectionsFilter = Static<typeof CollectionsFilter>;

/** CP §4.4 */
export const CollectionsQuery = closed({
	limit: Type.Number({ minimum: 1, maximum: 100, default: 10 }),
	offset: Type.Number({ minimum: 0, default: 0 }),
	includeActiveDataCollectionVersion: Type.Boolean({ default: false }),
	includeCreator: Type.Boolean({ default: false }),
	filter: Type.Optional(CollectionsFilter),
});
export type CollectionsQuery = Static<typeof CollectionsQuery>;

/** CP §4.4 */
export const CollectionsPage = Type.Object({
	data: Type.Array(Collection),
	total: Type.Integer(),
});
export type CollectionsPage = Static<typeof CollectionsPage>;

/** CP §4.6 */
export const VersionsQuery = closed({
	limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
	offset: Type.Integer({ minimum: 0, default: 0 }),
});
export type VersionsQuery = Static<typeof VersionsQuery>;

/** CP §4.6 */
export const CollectionVersionsPage = Type.Object({
	data: Type.Array(Version),
	total: Type.Integer(),
});
export type CollectionVersionsPage = Static<typeof CollectionVersionsPage>;

/** CP §4.5: the id is a number; CP §4.6: an integer. */
export const CollectionPathParams = closed({ id: Type.Number() });
export const VersionsPathParams = closed({ id: Type.Integer() });
export type CollectionPathParams = Static<typeof CollectionPathParams>;
